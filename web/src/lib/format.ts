const number = new Intl.NumberFormat("en");

/** "1,204" */
export const many = (count: number) => number.format(count);

/** "1 link", "12,345 links" */
export const counted = (count: number, one: string, more = `${one}s`) =>
  `${many(count)} ${count === 1 ? one : more}`;

const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Below this number of a unit, the next smaller one is used: "10 days", not "1 week". */
const LEAST: Record<string, number> = { year: 2, month: 2, week: 3 };

/** "3 days", "1 hour" */
export function lengthText(ms: number): string {
  const unit = UNITS.find(([name, length]) => ms >= length * (LEAST[name] ?? 1));
  if (!unit) return `${Math.max(0, Math.round(ms))} ms`;
  const count = Math.floor(ms / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? "" : "s"}`;
}

const MINUTE_MS = 60_000;

/** "for 3 days", or "just now" within a minute. */
export function lastingTime(iso: string, now: number): string {
  const lasted = now - Date.parse(iso);
  return lasted < MINUTE_MS ? "just now" : `for ${lengthText(lasted)}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const toMinute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const ofDay = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** "5 minutes ago", "tomorrow", or "just now" within a minute. */
export function relativeTime(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  const unit = UNITS.find(([name, ms]) => name !== "second" && Math.abs(distance) >= ms);
  if (unit) return relative.format(Math.trunc(distance / unit[1]), unit[0]);
  return distance > 0 ? "in a moment" : "just now";
}

/** In the viewer's time zone and locale. */
export const absoluteTime = (iso: string) => absolute.format(new Date(iso));

/** Without seconds. */
export const minuteTime = (iso: string) => toMinute.format(new Date(iso));

/** The time of day, with the date unless it is today. */
export function clockTime(iso: string, now: number): string {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === new Date(now).toDateString();
  return isToday ? ofDay.format(moment) : absolute.format(moment);
}

const SIZES = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB", in decimal units. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${SIZES[power]}`;
}

export const startUpper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
