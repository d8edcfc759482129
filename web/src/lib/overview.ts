import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { api, unwrap } from "./api.ts";
import type { ChartData } from "./chart.ts";
import { counted, many } from "./format.ts";

/** Query key of everything on the overview. */
const OVERVIEW = ["overview"];

/** For values that age, such as lateness. Changes arrive as live updates. */
const REFRESH_MS = 60_000;

const findOverview = () => unwrap(api.overview.get());

const countServices = () => unwrap(api.overview.services.get());

export const useOverview = () =>
  useQuery({
    queryKey: OVERVIEW,
    queryFn: findOverview,
    refetchInterval: REFRESH_MS,
  });

export const useServiceCounts = () =>
  useQuery({
    queryKey: [...OVERVIEW, "services"],
    queryFn: countServices,
  });

export type Overview = Awaited<ReturnType<typeof findOverview>>;
export type ServiceCounts = Awaited<ReturnType<typeof countServices>>;
export type ByStatus = { active: number; dead: number; unknown: number };

export const SPANS = ["24h", "7d", "30d", "90d"] as const;
export type Span = (typeof SPANS)[number];
const USUAL_SPAN = "7d";

export const SPAN_TEXTS: Record<Span, string> = {
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

export const readSpan = (query: Record<string, string>): Span =>
  SPANS.find((span) => span === query.span) ?? USUAL_SPAN;

export const hrefOfSpan = (span: Span) => (span === USUAL_SPAN ? "/" : `/?span=${span}`);

/** The server returns 168 hours or 90 days by default, which is enough for all spans. */
const POINTS: Record<Span, { bucket: "hour" | "day"; latest: number }> = {
  "24h": { bucket: "hour", latest: 24 },
  "7d": { bucket: "hour", latest: 168 },
  "30d": { bucket: "day", latest: 30 },
  "90d": { bucket: "day", latest: 90 },
};

export const useSeries = (span: Span) =>
  useQuery({
    queryKey: [...OVERVIEW, "series", span],
    queryFn: () => findSeries(span),
    placeholderData: keepPreviousData,
  });

async function findSeries(span: Span) {
  const { bucket, latest } = POINTS[span];
  const { points } = await unwrap(api.history.series.get({ query: { bucket } }));
  return { bucket, points: points.slice(-latest) };
}

type Series = Awaited<ReturnType<typeof findSeries>>;

const timesOf = ({ points }: Series) => points.map(({ start }) => Date.parse(start));

export const resultsChart = (series: Series): ChartData => ({
  times: timesOf(series),
  series: [
    { name: "Alive", tone: "good", values: series.points.map((point) => point.aliveCount) },
    { name: "Dead", tone: "bad", values: series.points.map((point) => point.deadCount) },
    { name: "Unknown", tone: "unsure", values: series.points.map((point) => point.unknownCount) },
  ],
  kind: "stacked",
  unit: "checks",
  bucket: series.bucket,
});

/** An average of 0 means that there was no response. */
export const responseChart = (series: Series): ChartData => ({
  times: timesOf(series),
  series: [
    {
      name: "Average",
      tone: "accent",
      values: series.points.map(({ avgResponseTimeMs: ms }) => ms || null),
    },
  ],
  kind: "line",
  unit: "ms",
  bucket: series.bucket,
});

type HeadlineInput = Pick<Overview, "counts" | "dead" | "unknown">;

type Headline = { state: "good" | "bad" | "unsure"; title: string; rest: string };

export function headlineOf({ counts, dead, unknown }: HeadlineInput): Headline {
  const unchecked = unknown.items.find(({ reason }) => reason === null)?.count ?? 0;
  const unclear = Math.max(counts.unknown - unchecked, 0);
  const others = unknown.isWhole
    ? othersOf(unclear, unchecked)
    : `${many(counts.unknown)} are unknown or wait for their first check.`;
  if (dead.total > 0) {
    const title = `${counted(dead.total, "link")} ${dead.total === 1 ? "is" : "are"} dead`;
    const rest = others || (dead.total === counts.total ? "" : "Everything else answers.");
    return { state: "bad", title, rest: joined(newlyDead(dead), rest) };
  }
  if (unclear > 0) return { state: "unsure", title: "No link is dead", rest: others };
  if (unchecked > 0) {
    const title = unchecked === counts.total ? "The first checks are under way" : "No link is dead";
    return { state: "unsure", title, rest: others };
  }
  return { state: "good", title: "All is well", rest: allAnswer(counts.total) };
}

const allAnswer = (total: number) =>
  total === 1 ? "Your link answers." : `All ${many(total)} links answer.`;

function newlyDead({ total, newInDay }: Overview["dead"]): string {
  if (newInDay === 0) return "";
  if (newInDay >= total)
    return total === 1 ? "It died today." : "All of them died within 24 hours.";
  return `${many(newInDay)} of them died within 24 hours.`;
}

function othersOf(unclear: number, unchecked: number): string {
  const isOne = unclear === 1;
  return joined(
    unclear > 0 &&
      `${many(unclear)} ${isOne ? "is" : "are"} unknown: ${isOne ? "it" : "they"} may be alive or dead.`,
    unchecked > 0 &&
      `${many(unchecked)} ${unchecked === 1 ? "waits for its" : "wait for their"} first check.`,
  );
}

const joined = (...sentences: (string | false)[]) => sentences.filter(Boolean).join(" ");
