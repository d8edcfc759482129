import type { Clock } from "./clock.ts";

/** Smaller corrections cost nobody more than a minute. */
const TOLERATED_MS = 60_000;

/**
 * Tells, each time it is asked, by how many milliseconds wall time was set forward since the last time, or
 * back, which is below 0: it then runs away from the monotonic clock. 0 for what is tolerated.
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
