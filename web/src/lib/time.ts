const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const toMinute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const ofDay = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** "5 minutes ago", "tomorrow"; within a minute "just now" or "in a moment". */
export function relativeTime(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms);
  if (unit) return relative.format(Math.trunc(distance / unit[1]), unit[0]);
  return distance > 0 ? "in a moment" : "just now";
}

/** In the reader's own time zone and manner. */
export const absoluteTime = (iso: string) => absolute.format(new Date(iso));

/** The same without seconds. */
export const minuteTime = (iso: string) => toMinute.format(new Date(iso));

/** The time of day; with the date unless that is today's. */
export function clockTime(iso: string, now: number): string {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === new Date(now).toDateString();
  return isToday ? ofDay.format(moment) : absolute.format(moment);
}
