import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { api, ask } from "./api.ts";
import type { ChartData } from "./chart.ts";

/** Everything that is asked for the first page starts with this key. */
const OVERVIEW = ["overview"];

/** For what grows old by itself, such as how late the checks are; what happens is told at once. */
const REFRESH_MS = 60_000;

const findOverview = () => ask(api.overview.get());

const countServices = () => ask(api.overview.services.get());

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

/** The lengths of time that charts can show, the usual one among them. */
export const SPANS = ["24h", "7d", "30d", "90d"] as const;
export type Span = (typeof SPANS)[number];
const USUAL_SPAN = "7d";

export const SPAN_TEXTS: Record<Span, string> = {
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** The span that the address bar holds. */
export const readSpan = (query: Record<string, string>): Span =>
  SPANS.find((span) => span === query.span) ?? USUAL_SPAN;

export const hrefOfSpan = (span: Span) => (span === USUAL_SPAN ? "/" : `/?span=${span}`);

/** What the server tells of by itself, 168 hours or 90 days, is enough for each of them. */
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
  const { points } = await ask(api.history.series.get({ query: { bucket } }));
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

/** An average of 0 says that nothing answered. */
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
