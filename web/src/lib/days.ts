import type { Day } from "./link.ts";

const ofDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "2030-01-31", as queries take it. */
export const dateOf = ({ start }: Day): string => start.slice(0, 10);

/** "12 Nov: 24 checks, 1 dead". */
export function dayText(day: Day): string {
  const { totalChecks: total, deadCount: dead, unknownCount: unknown } = day;
  const checks = total === 1 ? "1 check" : `${total.toLocaleString("en")} checks`;
  const counts = [
    total === 0 ? "no checks" : checks,
    ...(dead > 0 ? [`${dead} dead`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(total > 0 && dead + unknown === 0 ? ["all active"] : []),
  ];
  return `${ofDay.format(new Date(day.start))}: ${counts.join(", ")}`;
}

/** The parts of a day's cell, what is worst at the bottom. */
export const partsOf = ({ aliveCount, unknownCount, deadCount }: Day) =>
  [
    { tone: "good", count: aliveCount },
    { tone: "unsure", count: unknownCount },
    { tone: "bad", count: deadCount },
  ].filter(({ count }) => count > 0);
