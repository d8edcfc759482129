const UNITS: [unit: string, ms: number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "for 3 days"; within a minute "just now". */
export function lastingTime(iso: string, now: number): string {
  const lasted = now - Date.parse(iso);
  const found = UNITS.find(([, ms]) => lasted >= ms);
  if (!found) return "just now";
  const [unit, ms] = found;
  return `for ${inWords(Math.trunc(lasted / ms), unit)}`;
}

const inWords = (count: number, unit: string) =>
  new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(count);
