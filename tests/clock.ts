import type { Clock } from "../server/lib/clock.ts";

/** A clock that stands until a test moves it. */
export type MovableClock = Clock & {
  moveBy(ms: number): void;
  /** The lengths of all sleeps so far, in order. */
  slept: number[];
};

type Sleeper = { at: number; wake: () => void };

/** `start` is wall time in milliseconds or ISO 8601. With `autoMove`, whoever sleeps moves the clock at once. */
export function movableClock(start: number | string, { autoMove = false } = {}): MovableClock {
  let now = typeof start === "string" ? Date.parse(start) : start;
  // A real process has run for a moment before anything asks.
  const began = now - 1000;
  let sleepers: Sleeper[] = [];
  const slept: number[] = [];

  function moveBy(ms: number): void {
    now += ms;
    const due = sleepers.filter(({ at }) => at <= now);
    sleepers = sleepers.filter(({ at }) => at > now);
    for (const { wake } of due) wake();
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    slept.push(ms);
    if (autoMove && !signal?.aborted) moveBy(ms);
    if (autoMove || signal?.aborted || ms <= 0) return Promise.resolve();
    return new Promise((wake) => {
      sleepers.push({ at: now + ms, wake });
      signal?.addEventListener("abort", () => wake());
    });
  }

  return { now: () => now, elapsed: () => now - began, sleep, moveBy, slept };
}
