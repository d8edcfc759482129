import type { Note } from "../chart/area.tsx";
import { dayLabel, type Values } from "../chart/scale.ts";
import type { Overview } from "../data/counts.ts";
import { placeOf, shownHost } from "../data/display-url.ts";
import { counted, many, percent, shortLength } from "../data/format.ts";
import { type Causes, PERIODS, type Period, type Series } from "./queries.ts";

export const PERIOD_NAMES: Record<Period, string> = {
  "30": "30 days",
  "90": "90 days",
  "365": "1 year",
};

const SPAN_NAMES: Record<Period, string> = { ...PERIOD_NAMES, "365": "a year" };

type Counted = Pick<Overview, "counts" | "unknown">;

/** Links that wait for their first check, or are in it. They count as unknown. */
export const uncheckedIn = ({ counts, unknown }: Counted) =>
  Math.min(unknown.items.find(({ reason }) => reason === null)?.count ?? 0, counts.unknown);

/** What the overview knows on the first day of an account. */
export type FirstDay = { isFirst: boolean; checkedInMs: number | null };

/** How all links are, in one sentence. */
export function sentenceOf(overview: Counted, { isFirst, checkedInMs }: FirstDay): string {
  const { total, dead, unknown } = overview.counts;
  const unchecked = uncheckedIn(overview);
  if (unchecked > 0 && (isFirst || dead === 0)) {
    const soFar = isFirst && dead > 0 ? `, ${many(dead)} dead so far` : "";
    return `Checking ${counted(unchecked, "new link")}${soFar}`;
  }
  if (isFirst && checkedInMs !== null && total > 1)
    return `${many(total)} links checked in ${briefly(checkedInMs)}, ${found(overview.counts)}`;
  if (dead > 0) return `${counted(dead, "link")} ${are(dead)} dead`;
  if (unknown > 0) return `No links are dead, ${many(unknown)} ${are(unknown)} unknown`;
  return total === 1 ? "Your link is alive" : `All ${many(total)} links are alive`;
}

const briefly = (ms: number) =>
  ms < 60_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : shortLength(ms);

function found({ dead, unknown }: Overview["counts"]): string {
  if (dead > 0) return `${many(dead)} dead`;
  return unknown > 0 ? `none dead, ${many(unknown)} unknown` : "all alive";
}

const are = (count: number) => (count === 1 ? "is" : "are");

/** Whether no day before today had a link. */
export const isFirstDay = (series: Series | undefined) =>
  series !== undefined &&
  [...series.previous, ...series.days.slice(0, -1)].every(
    ({ alive, dead, unknown }) => alive + dead + unknown === 0,
  );

export const FIGURES = ["dead", "unknown", "alive", "came_back", "time_dead"] as const;
export type Figure = (typeof FIGURES)[number];

/** The figures that say something: whether links came back only once some died. */
export function figuresOf(series: Series | undefined): readonly Figure[] {
  const died = sumOf(series?.days ?? [], "died") + sumOf(series?.days ?? [], "came_back");
  return FIGURES.filter(
    (figure) =>
      (figure !== "came_back" || died > 0) &&
      (figure !== "time_dead" || series?.median_dead_ms != null),
  );
}

/** The periods that the account is old enough for, the shortest always. */
export function periodsOf(series: Series | undefined): Period[] {
  const age = series ? ageOf(series) : 1;
  return PERIODS.filter((_, n) => n === 0 || Number(PERIODS[n - 1]) < age);
}

/** The days from the first one that is known to today. */
export function ageOf({ first_day: first, days }: Pick<Series, "first_day" | "days">): number {
  const today = days.at(-1)?.day;
  return first && today ? 1 + Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS) : 1;
}

export const FIGURE_NAMES: Record<Figure, string> = {
  dead: "Dead",
  unknown: "Unknown",
  alive: "Alive",
  came_back: "Came back",
  time_dead: "Median time dead",
};

/** `change` against the period before; `brief` is the same for a phone. */
export type Shown = { value: string; change: string; brief?: string; isWorse?: boolean };

export function shownOf(
  figure: Figure,
  overview: Pick<Overview, "counts">,
  series: Series | undefined,
  period: Period,
): Shown {
  const { counts } = overview;
  const days = series?.days ?? [];
  switch (figure) {
    case "dead":
    case "unknown":
      return {
        value: many(counts[figure]),
        ...changeOf(counts[figure], figure, days, period),
      };
    case "alive":
      return {
        value: many(counts.active),
        change:
          counts.active === counts.total
            ? ""
            : `${percent(counts.active / counts.total)} of ${many(counts.total)}`,
      };
    case "came_back":
      return {
        value: many(sumOf(days, "came_back")),
        change: `of ${many(sumOf(days, "died"))} that died`,
      };
    case "time_dead": {
      const before = series?.previous_median_dead_ms ?? null;
      return {
        value: durationText(series?.median_dead_ms ?? null),
        change: before === null ? "" : `was ${durationText(before)}`,
      };
    }
  }
}

type Day = Series["days"][number];

const sumOf = (days: Day[], name: "came_back" | "died") =>
  days.reduce((sum, day) => sum + day[name], 0);

/** "11 more than 90 days ago" */
function changeOf(now: number, figure: "dead" | "unknown", days: Day[], period: Period) {
  const [first] = days;
  if (!first || days.length < 2) return { change: "" };
  const isWhole = days.length >= Number(period);
  const than = isWhole ? `${SPAN_NAMES[period]} ago` : `on ${dayLabel(first.day)}`;
  const more = now - first[figure];
  const size = many(Math.abs(more));
  if (more === 0) return { change: `as many as ${than}`, brief: "±0" };
  return more > 0
    ? { change: `${size} more than ${than}`, brief: `+${size}`, isWorse: figure === "dead" }
    : { change: `${size} fewer than ${than}`, brief: `−${size}` };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** "2.4 d", "40 min"; a dash where nothing came back. */
function durationText(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < HOUR_MS) return shortLength(Math.max(ms, 60_000));
  const [size, unit] = ms < DAY_MS ? [HOUR_MS, "h"] : [DAY_MS, "d"];
  return `${(ms / size).toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
}

/** The values of a figure on the given days; null where none is known. */
export function valuesOf(figure: Figure, known: Day[], days: string[]): Values {
  const byDay = new Map(known.map((day) => [day.day, day]));
  return days.map((name) => {
    const day = byDay.get(name);
    if (!day) return null;
    return figure === "time_dead" ? hoursOf(day.median_dead_ms) : day[figure];
  });
}

const hoursOf = (ms: number | null) => (ms === null ? null : ms / HOUR_MS);

export const formatOf = (figure: Figure) =>
  figure === "time_dead"
    ? (hours: number) => (hours === 0 ? "0" : durationText(hours * HOUR_MS))
    : many;

const MOST_NOTES = 2;

/** The worst days by site, and how it is now. */
export function notesOf(series: Series, causes: Causes | undefined, days: string[]): Note[] {
  const last = days.length - 1;
  const past = series.notes
    .map((note) => ({ at: days.indexOf(note.day), text: noteText(note) }))
    .filter(({ at }) => at >= 0 && at < last)
    .slice(0, MOST_NOTES);
  const dead = series.days.at(-1)?.dead ?? 0;
  const most = largestOf(causes, dead);
  return most ? [{ at: last, text: `${many(dead)} now: ${most}`, isNow: true }, ...past] : past;
}

/** "14 on docs.northwind.example" */
export function largestOf(causes: Causes | undefined, dead: number): string | null {
  const [first] = causes?.items ?? [];
  if (!first || dead < 2 || first.count < 2) return null;
  return `${many(first.count)} on ${placeOf(first)}`;
}

function noteText({ day, site, died, ended_day: end }: Series["notes"][number]): string {
  const text = `${dayLabel(day)}: ${many(died)} died on ${shownHost(site)}`;
  if (!end) return text;
  const lasted = Math.round((Date.parse(end) - Date.parse(day)) / DAY_MS);
  return `${text}, back after ${counted(lasted, "day")}`;
}
