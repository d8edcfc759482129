const UNITS: [unit: string, ms: number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Below so many of a larger unit the next smaller one is told: "10 days", not "1 week". */
const LEAST: Record<string, number> = { year: 2, month: 2, week: 3 };

/** A length of time as people say it, in one unit: "3 days", "1 hour". */
export function lengthText(ms: number): string {
  const unit = UNITS.find(([name, length]) => ms >= length * (LEAST[name] ?? 1));
  if (!unit) return `${Math.max(0, Math.round(ms))} ms`;
  const count = Math.floor(ms / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? "" : "s"}`;
}

const MINUTE_MS = 60_000;

/** "for 3 days"; within a minute "just now". */
export function lastingTime(iso: string, now: number): string {
  const lasted = now - Date.parse(iso);
  return lasted < MINUTE_MS ? "just now" : `for ${lengthText(lasted)}`;
}
