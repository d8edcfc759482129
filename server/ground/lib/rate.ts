import type { Clock } from "./clock.ts";

const MINUTE_MS = 60_000;

/** Counts what begins within any 60 s. @param perMinute how much may; 0 = no limit */
export function createRate(perMinute: () => number, { elapsed }: Clock) {
  let times: number[] = [];
  const recent = () => {
    times = times.filter((at) => at > elapsed() - MINUTE_MS);
    return times.length;
  };
  return {
    count: () => void (perMinute() > 0 && times.push(elapsed())),
    left: () => (perMinute() === 0 ? Number.POSITIVE_INFINITY : perMinute() - recent()),
  };
}
