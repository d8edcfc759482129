type LateReason = "conn_timeout" | "read_timeout" | "aborted";

/** Thrown where an answer was awaited that did not come in time. */
export class Late extends Error {
  constructor(readonly reason: LateReason) {
    super(reason);
  }
}

type Deadlines = {
  /** Rejects with `Late` when the headers do not come in time, or the caller gives up. */
  headersLate: Promise<never>;
  /** Resolves when the body does not end in time, or the caller gives up. */
  bodyLate: Promise<"late">;
  headersCame(): void;
  end(): void;
};

/** All lengths in milliseconds. */
export type Limits = {
  leftMs: number;
  connectMs: number;
  headersMs: number;
  signal: AbortSignal | undefined;
  /** Asked once, of a server that has been silent for long: can it be connected to at all? */
  isReachable(withinMs: number): Promise<boolean>;
};

const REACH_MS = 2000;

/** Own timers, because a request that ignores its signal must end all the same. */
export function startDeadlines(limits: Limits): Deadlines {
  const headers = Promise.withResolvers<never>();
  const body = Promise.withResolvers<"late">();
  headers.promise.catch(() => {});
  const giveUp = (reason: LateReason) => {
    headers.reject(new Late(reason));
    body.resolve("late");
  };
  const awaited = watchHeaders(limits, giveUp);
  const whole = setTimeout(body.resolve, limits.leftMs, "late");
  const onAbort = () => giveUp("aborted");
  if (limits.signal?.aborted) onAbort();
  limits.signal?.addEventListener("abort", onAbort);
  const end = () => {
    awaited.stop();
    clearTimeout(whole);
    limits.signal?.removeEventListener("abort", onAbort);
  };
  return { headersLate: headers.promise, bodyLate: body.promise, headersCame: awaited.stop, end };
}

/** Tells a server that cannot be reached from one that is reached and silent. */
function watchHeaders(limits: Limits, giveUp: (reason: LateReason) => void) {
  const limit = Math.min(limits.leftMs, limits.headersMs);
  const reachMs = Math.min(REACH_MS, limit / 2);
  let isReached = false;
  const onConnectLate = async () => {
    isReached = await limits.isReachable(reachMs);
    if (!isReached) giveUp("conn_timeout");
  };
  const connect = setTimeout(onConnectLate, Math.min(limits.connectMs, limit - reachMs));
  const headers = setTimeout(() => giveUp(isReached ? "read_timeout" : "conn_timeout"), limit);
  const stop = () => {
    clearTimeout(connect);
    clearTimeout(headers);
  };
  return { stop };
}
