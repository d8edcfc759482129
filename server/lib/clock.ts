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
export type ClockSource = {
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
