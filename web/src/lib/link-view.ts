import { pageIn } from "./filter.ts";
import type { Frequency } from "./links.ts";

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const VERDICTS = ["active", "dead", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const SPANS = ["24h", "7d", "30d", "90d"] as const;
export type Span = (typeof SPANS)[number];
/** So that a usual span has enough checks to tell something. */
export const USUAL_SPAN: Record<Frequency, Span> = {
  hourly: "7d",
  daily: "30d",
  weekly: "90d",
  monthly: "90d",
};

/** What the page of a link shows, as the address bar holds it. Dates are days in UTC; empty for any. */
export type LinkView = {
  status: Verdict | undefined;
  changed: boolean;
  from: string;
  to: string;
  page: number;
  /** The one that suits how often the link is checked, if nothing else is chosen. */
  span: Span | undefined;
  eventsPage: number;
};

export function readView(query: Record<string, string>): LinkView {
  const [from, to] = inOrder(dateIn(query.from), dateIn(query.to));
  return {
    status: VERDICTS.find((status) => status === query.status),
    changed: query.changed === "true",
    ...{ from, to },
    page: pageIn(query),
    span: SPANS.find((span) => span === query.span),
    eventsPage: pageIn({ page: query.events ?? "" }),
  };
}

/** What is usual is left out. */
export function hrefOfView(id: string, view: LinkView): string {
  const { status, changed, from, to, page, span, eventsPage } = view;
  const query = new URLSearchParams({
    ...(span && { span }),
    ...(status && { status }),
    ...(changed && { changed: "true" }),
    ...(from && { from }),
    ...(to && { to }),
    ...(page > 1 && { page: String(page) }),
    ...(eventsPage > 1 && { events: String(eventsPage) }),
  });
  return query.size > 0 ? `/links/${id}?${query}` : `/links/${id}`;
}

export const isNarrowed = ({ status, changed, from, to }: LinkView) =>
  status !== undefined || changed || from !== "" || to !== "";

/** The first moment of so many days in UTC, of which today is the last. */
export const startOfDays = (days: number, now: number): string =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS).toISOString();

const dateIn = (text = "") =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";

/** Whoever gives the last day first means the same days. */
const inOrder = (from: string, to: string): [string, string] =>
  from && to && from > to ? [to, from] : [from, to];
