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
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Beyond it, a date stands for a distance in time. */
const NEAR_DAYS = 7;

/** "for 3 days", or "just now" within a minute. */
export function lastingTime(iso: string, now: number): string {
  const lasted = now - Date.parse(iso);
  return lasted < MINUTE_MS ? "just now" : `for ${lengthText(lasted)}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "5 minutes ago", "tomorrow", or "just now" within a minute. */
function relativeTime(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  const unit = UNITS.find(([name, ms]) => name !== "second" && Math.abs(distance) >= ms);
  if (unit) return relative.format(Math.trunc(distance / unit[1]), unit[0]);
  return distance > 0 ? "in a moment" : "just now";
}

const SIZES = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB", in decimal units. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${SIZES[power]}`;
}

export const startUpper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** "97.5%" of a share from 0 to 1. */
export const percent = (share: number) =>
  share.toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });

/** "168 ms" */
export const milliseconds = (ms: number) => `${many(Math.round(ms))} ms`;

/** "27 min", "3 h", "6 d", for columns. */
export function shortLength(ms: number): string {
  if (ms < MINUTE_MS) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${many(Math.floor(ms / DAY_MS))} d`;
}

const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** "12 Nov", in another year "12 Nov 2025". */
export function dayText(iso: string, now: number): string {
  const moment = new Date(iso);
  const text = dayAndMonth.format(moment);
  const year = moment.getFullYear();
  return year === new Date(now).getFullYear() ? text : `${text} ${year}`;
}

/** "09:14" */
export const timeText = (iso: string) => timeOfDay.format(new Date(iso));

/** Today "09:14", "yesterday at 18:40", else "12 Nov, 08:41". */
export function clockText(iso: string, now: number): string {
  const moment = new Date(iso);
  const time = timeOfDay.format(moment);
  const daysAgo = dayNumber(new Date(now)) - dayNumber(moment);
  if (daysAgo === 0) return time;
  return daysAgo === 1 ? `yesterday at ${time}` : `${dayText(iso, now)}, ${time}`;
}

/** Days since an arbitrary one, in the viewer's zone. */
const dayNumber = (moment: Date) =>
  Math.round(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / DAY_MS);

/** "just now", "27 minutes ago", "in 3 days"; beyond 7 days "12 Nov". */
export const momentText = (iso: string, now: number): string =>
  isNear(iso, now) ? relativeTime(iso, now) : dayText(iso, now);

/** "27 min", "3 h", "6 d"; beyond 7 days "12 Nov". */
export const shortMoment = (iso: string, now: number): string =>
  isNear(iso, now) ? shortLength(Math.abs(now - Date.parse(iso))) : dayText(iso, now);

const isNear = (iso: string, now: number) => Math.abs(now - Date.parse(iso)) < NEAR_DAYS * DAY_MS;

/** The viewer's time zone, such as "Europe/Berlin". A browser may not know it. */
export function ownTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return !timeZone || timeZone === "Etc/Unknown" ? "UTC" : timeZone;
}

/** "23 Nov 2026, 09:14:05 CET" */
export const exactText = (iso: string) => exact.format(new Date(iso));
