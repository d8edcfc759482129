import type { Clock } from "./clock.ts";

/** How late the event loop was. What is measured while it is late measures us. */
export type Lag = {
  /** The worst delay since a moment on the clock's `elapsed()`, in milliseconds. */
  worstSince(since: number): number;
};

/** Calls again and again, but does not keep the process alive. */
type Every = (ms: number, call: () => void) => void;

const BEAT_MS = 500;
/** Less than this is the usual stutter of a busy process. */
const NOTED_MS = 1000;
const KEPT = 100;

/** Needs a clock that nobody moves. */
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
    // The beat itself may be late only after whoever asks.
    worstSince: (since) =>
      Math.max(
        0,
        lateness(),
        ...late.filter(({ endedAt }) => endedAt >= since).map(({ ms }) => ms),
      ),
  };
}

const everyReally: Every = (ms, call) => void setInterval(call, ms).unref();
