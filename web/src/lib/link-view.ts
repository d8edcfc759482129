import { dayIn, pageIn, pageQuery, withQuery } from "./filter.ts";
import type { Frequency } from "./links.ts";

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const VERDICTS = ["active", "dead", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const SPANS = ["24h", "7d", "30d", "90d"] as const;
export type Span = (typeof SPANS)[number];
/** Each has enough checks for a chart. */
export const USUAL_SPAN: Record<Frequency, Span> = {
  hourly: "7d",
  daily: "30d",
  weekly: "90d",
  monthly: "90d",
};

/** The address of a link's page. Dates are days in UTC; empty fields do not filter. */
export type LinkView = {
  status: Verdict | undefined;
  changed: boolean;
  from: string;
  to: string;
  page: number;
  /** Undefined for the one that suits the check frequency. */
  span: Span | undefined;
  eventsPage: number;
};

export function readView(query: Record<string, string>): LinkView {
  const [from, to] = inOrder(dayIn(query.from), dayIn(query.to));
  return {
    status: VERDICTS.find((status) => status === query.status),
    changed: query.changed === "true",
    ...{ from, to },
    page: pageIn(query),
    span: SPANS.find((span) => span === query.span),
    eventsPage: pageIn({ page: query.events ?? "" }),
  };
}

/** Omits defaults. */
export function hrefOfView(id: string, view: LinkView): string {
  const { status, changed, from, to, page, span, eventsPage } = view;
  return withQuery(`/links/${id}`, {
    ...(span && { span }),
    ...(status && { status }),
    ...(changed && { changed: "true" }),
    ...(from && { from }),
    ...(to && { to }),
    ...pageQuery(page),
    ...(eventsPage > 1 && { events: String(eventsPage) }),
  });
}

export const isNarrowed = ({ status, changed, from, to }: LinkView) =>
  status !== undefined || changed || from !== "" || to !== "";

/** Start of a period of `days` UTC days that ends today. */
export const startOfDays = (days: number, now: number): string =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS).toISOString();

const inOrder = (from: string, to: string): [string, string] =>
  from && to && from > to ? [to, from] : [from, to];
