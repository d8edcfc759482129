import type { Step } from "../ops/move/move.ts";

/**
 * How far a move is, for the bar: the part that is done, and the rest in words.
 * @param began by the clock of `now`, in milliseconds
 */
export function describeStep(began: number): (step: Step, now: number) => [number, string] {
  let [doing, from, since]: [Step["doing"] | null, number, number] = [null, 0, began];
  return ({ doing: next, table, done, of }, now) => {
    if (next !== doing) [doing, from, since] = [next, done, now];
    const seconds = (now - since) / 1000;
    const words = [`${doing} ${table}`, `${shown(done)} of ${shown(of)} rows`];
    // What an earlier run has done says nothing of how fast this one is.
    const rate = (done - from) / seconds;
    if (seconds >= 1 && rate > 0) {
      words.push(`${shown(Math.round(rate))} a second`, `${lengthOf((of - done) / rate)} left`);
    }
    return [of === 0 ? 1 : done / of, words.join(", ")];
  };
}

const shown = (count: number) => count.toLocaleString("en");

function lengthOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
