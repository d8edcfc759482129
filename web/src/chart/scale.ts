/** One value a day; null where none is known. */
export type Values = (number | null)[];

export type Scale = {
  /** The highest value that fits. */
  most: number;
  /** Round values from 0 upwards. */
  ticks: number[];
};

const ROUND = [1, 2, 5, 10];

/** @param least the smallest step between ticks: 1 for things that are counted */
export function scaleOf(values: Values, least = 1): Scale {
  const highest = Math.max(...values.map((value) => value ?? 0), least * 3);
  const power = 10 ** Math.floor(Math.log10(highest / 3));
  const step = Math.max(power * ROUND.find((each) => each * power >= highest / 3)!, least);
  const most = highest * 1.1;
  const count = Math.floor(most / step) + 1;
  return { most, ticks: Array.from({ length: count }, (_, i) => i * step) };
}

const DAY_MS = 86_400_000;

/** So many days in UTC as "2026-11-12", the given one last. */
export const daysUntil = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(last) - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );

const inMonth = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const inWeek = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** "12 Nov", for a day as "2026-11-12" */
export const dayLabel = (day: string) => inMonth.format(new Date(day));

/** "Thu 12 Nov" */
export const weekdayLabel = (day: string) => inWeek.format(new Date(day)).replace(",", "");

/** Indexes of the days to name below a chart: Mondays, or the first days of months. */
export function namedDays(days: string[]): number[] {
  const isNamed = (day: string) =>
    days.length <= 45 ? new Date(day).getUTCDay() === 1 : day.endsWith("-01");
  const named = days.flatMap((day, i) => (isNamed(day) ? [i] : []));
  const every = Math.ceil(named.length / 6);
  return named.filter((at, i) => {
    const share = at / days.length;
    return i % every === 0 && share > 0.05 && share < 0.95;
  });
}

/** Spans of consecutive days with a value, as [first, end). */
export function spansOf(values: Values): [number, number][] {
  const spans: [number, number][] = [];
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const last = spans.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else spans.push([i, i + 1]);
  }
  return spans;
}

/** The outline of steps as an SVG path, where y grows downwards from the highest value. */
export const stepPath = (values: Values, most: number): string =>
  spansOf(values)
    .map(([from, end]) => `M${stepPoints(values, most, [from, end]).join("L")}`)
    .join("");

/** As `stepPath`, closed along the base line. */
export const stepFill = (values: Values, most: number): string =>
  spansOf(values)
    .map(([from, end]) => {
      const top = stepPoints(values, most, [from, end]);
      return `M${[`${from} ${most}`, ...top, `${end} ${most}`].join("L")}Z`;
    })
    .join("");

function stepPoints(values: Values, most: number, [from, end]: [number, number]): string[] {
  return values.slice(from, end).flatMap((value, i) => {
    const y = Number((most - value!).toFixed(3));
    return [`${from + i} ${y}`, `${from + i + 1} ${y}`];
  });
}
