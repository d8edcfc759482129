/** Where time comes from. Everything that waits or compares times takes one, so that tests can move it. */
export type Clock = {
  /** Wall time in milliseconds since 1970. Goes into rows and replies; may jump. */
  now(): number;
  /** Milliseconds that never run backwards. For windows, deadlines and durations. */
  elapsed(): number;
  /** Resolves `ms` later, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Only of a clock whose wall time is that of another machine. */
  source?: ClockSource;
};

/** Where a clock that is not this machine's own has its wall time from. */
type ClockSource = {
  /** Looks what time it is there. */
  look(): Promise<void>;
  /** By how many milliseconds this machine's own wall clock is ahead of it. */
  ownAheadMs(): number;
};

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end);
    }),
};

/** Smaller corrections delay nothing by more than a minute. */
const TOLERATED_MS = 60_000;

/**
 * Returns a function that returns by how many milliseconds the wall clock was set forward since its last call, or
 * back (below 0); 0 for small corrections. A wall clock that was set departs from the monotonic clock.
 */
export function watchClock(clock: Clock): () => number {
  const lead = () => clock.now() - clock.elapsed();
  let last = lead();
  return () => {
    const present = lead();
    const jumpMs = present - last;
    last = present;
    return Math.abs(jumpMs) > TOLERATED_MS ? jumpMs : 0;
  };
}

/** A wait that can be ended early. A call of `wake` while nothing waits ends the next wait. */
export function createWakeSignal(clock: Clock) {
  let isWoken = false;
  let resolveWait = () => {};
  const wake = () => {
    isWoken = true;
    resolveWait();
  };
  async function wait(ms: number) {
    const sleep = new AbortController();
    const woken = new Promise<void>((resolve) => {
      resolveWait = resolve;
    });
    if (!isWoken) await Promise.race([woken, clock.sleep(ms, sleep.signal)]);
    isWoken = false;
    sleep.abort();
  }
  return { wake, wait };
}

/** Repeats the work, with a pause before each time, until the signal. The work must not throw. */
export async function repeat(
  { clock }: { clock: Clock },
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal);
    await work();
  }
}

/**
 * Limits the work in real time, independent of the clock.
 * @throws when the work takes longer; it continues, but its result is ignored
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How late the event loop was. Durations measured meanwhile include our own delay. */
export type Lag = {
  /** The worst delay since a moment on the clock's `elapsed()`, in milliseconds. */
  worstSince(since: number): number;
};

/** Calls at an interval, without keeping the process alive. */
type Every = (ms: number, call: () => void) => void;

const BEAT_MS = 500;
/** Smaller delays are normal in a busy process. */
const NOTED_MS = 1000;
const KEPT = 100;

/** Needs a clock that is never set. */
export function createLag({ elapsed }: Clock, every: Every = everyReally): Lag {
  let beatAt = elapsed();
  let late: { endedAt: number; ms: number }[] = [];
  const lateness = () => elapsed() - beatAt - BEAT_MS;

  every(BEAT_MS, () => {
    const ms = lateness();
    beatAt = elapsed();
    if (ms >= NOTED_MS) late = [...late, { endedAt: beatAt, ms }].slice(-KEPT);
  });

  return {
    // The heartbeat itself may be late, but only after the caller.
    worstSince: (since) =>
      Math.max(
        0,
        lateness(),
        ...late.filter(({ endedAt }) => endedAt >= since).map(({ ms }) => ms),
      ),
  };
}

const everyReally: Every = (ms, call) => void setInterval(call, ms).unref();
