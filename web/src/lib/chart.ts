/** Determines colour and pattern. */
export type Tone = "good" | "bad" | "unsure" | "accent";

/** `values` has one entry per bucket; null if unknown. */
export type ChartSeries = { name: string; tone: Tone; values: (number | null)[] };

export type ChartData = {
  /** Starts of the buckets in milliseconds since 1970, ascending. */
  times: number[];
  series: ChartSeries[];
  kind: "stacked" | "line";
  unit: "checks" | "ms";
  /** Days are in UTC, like on the server; hours are in the viewer's time zone. */
  bucket: "hour" | "day";
};

export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };

const count = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** "1,204" or "182 ms"; a dash if unknown. */
export function valueText(value: number | null, unit: ChartData["unit"]): string {
  if (value === null) return "–";
  return unit === "ms" ? `${count.format(value)} ms` : count.format(value);
}

/** "1.2K" */
export const shortText = (value: number, unit: ChartData["unit"]) =>
  unit === "ms" ? `${short.format(value)} ms` : short.format(value);

const dayOnly = { day: "numeric", month: "short" } as const;
const ofDay = new Intl.DateTimeFormat("en-GB", { ...dayOnly, weekday: "short", timeZone: "UTC" });
const ofHour = new Intl.DateTimeFormat("en-GB", { ...dayOnly, weekday: "short" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** "Thu 12 Nov", or "Thu 12 Nov, 14:00 to 15:00". */
export function bucketText(start: number, bucket: ChartData["bucket"]): string {
  if (bucket === "day") return plain(ofDay.format(start));
  const end = start + BUCKET_MS.hour;
  return `${plain(ofHour.format(start))}, ${clock.format(start)} to ${clock.format(end)}`;
}

const plain = (text: string) => text.replace(",", "");

/** For screen readers. */
export function bucketSentence({ times, series, unit, bucket }: ChartData, index: number): string {
  const values = series.map(
    ({ name, values }) => `${name} ${valueText(values[index] ?? null, unit)}`,
  );
  return `${bucketText(times[index]!, bucket)}: ${values.join(", ")}`;
}

/** Null if a sum makes no sense. */
export const totalOf = ({ values }: ChartSeries, unit: ChartData["unit"]): number | null =>
  unit === "ms" ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

export const isBlank = ({ series, unit }: Pick<ChartData, "series" | "unit">): boolean =>
  series.every(({ values }) =>
    values.every((value) => value === null || (unit === "checks" && value === 0)),
  );
