import type { Clock } from "../server/ground/lib/clock.ts";
import { createWatch } from "./waits.ts";

/** A clock that stands until a test moves it. */
export type MovableClock = Clock & {
  moveBy(ms: number): void;
  /** The lengths of all sleeps so far, in order. */
  slept: number[];
  /** Resolves once something sleeps for this long, until the clock is moved. */
  sleeping(ms: number): Promise<void>;
  /** The same of a sleep that begins from now on. */
  nextSleep(ms: number): Promise<void>;
};

type Sleeper = { ms: number; at: number; wake: () => void };

/** `start` is wall time in milliseconds or ISO 8601. With `autoMove`, each sleep moves the clock at once. */
export function movableClock(start: number | string, { autoMove = false } = {}): MovableClock {
  let now = typeof start === "string" ? Date.parse(start) : start;
  // A real process has run for a moment before anything asks.
  const began = now - 1000;
  let sleepers: Sleeper[] = [];
  const slept: number[] = [];
  const watch = createWatch();

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
      const sleeper = { ms, at: now + ms, wake };
      sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        sleepers = sleepers.filter((each) => each !== sleeper);
        wake();
      });
      watch.changed();
    });
  }

  const asleep = () => sleepers.map((each) => each.ms);
  const until = (isSo: () => boolean, ms: number) =>
    watch.when(isSo, () => `a sleep of ${ms} ms; now: ${asleep().join()}; so far: ${slept.join()}`);
  const sleeping = (ms: number) => until(() => asleep().includes(ms), ms);
  function nextSleep(ms: number) {
    const before = slept.length;
    return until(() => slept.includes(ms, before), ms);
  }

  return { now: () => now, elapsed: () => now - began, sleep, moveBy, slept, sleeping, nextSleep };
}
