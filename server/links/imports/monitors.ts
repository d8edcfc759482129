import { type Item, itemOf } from "./item.ts";

const SECONDS = { hourly: 3600, daily: 86_400, weekly: 604_800, monthly: 2_592_000 };

/** A monitor as another program keeps it. */
type Monitor = {
  url: string;
  /** What to call it where it has no URL. */
  name: string;
  /** Of the program, as it calls it. */
  type: string;
  isPage: boolean;
  group: string;
  /** Seconds between two checks; not a number where it is not said. */
  interval: number;
};

/** A monitor without a page becomes an item as well, which reports that it is left out. */
export function itemOfMonitor(monitor: Monitor, line: number): Item {
  const { url, name, type, isPage, group, interval } = monitor;
  const item = itemOf(isPage ? url : name || url, line, { group });
  if (isPage) return { ...item, frequency: nearestFrequency(interval) };
  return { ...item, problem: `A monitor of the type “${type}” watches no page.` };
}

/** The frequency that is as many times shorter or longer as possible; empty for what is no length of time. */
function nearestFrequency(seconds: number): string {
  if (!(seconds > 0)) return "";
  const farness = (length: number) => Math.abs(Math.log(length / seconds));
  const sorted = Object.entries(SECONDS).sort(([, a], [, b]) => farness(a) - farness(b));
  return sorted[0]![0];
}

/** What to know of intervals that none of our frequencies comes near. */
export const OFTENER =
  "Pages that were checked every few minutes are checked every hour: links die slowly.";

export const isOftener = (seconds: number) => seconds > 0 && seconds < SECONDS.hourly / 2;
