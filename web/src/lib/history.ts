import { api, asSent, unwrap } from "./api.ts";
import { dayIn, idIn, pageIn, pageQuery, withQuery } from "./filter.ts";

export const HISTORY = ["history"];

export const RESULTS = ["active", "dead", "unknown"] as const;
type Result = (typeof RESULTS)[number];

/** Dates are days in UTC; empty fields do not filter. */
export type HistoryFilter = {
  /** Checks with a result, or those that changed the status of their link. */
  show: Result | "changes" | undefined;
  from: string;
  to: string;
  linkId: string;
  page: number;
};

const PER_PAGE = 50;
const DAY_MS = 86_400_000;

/** Ignores invalid parameters. */
export function readHistoryFilter(query: Record<string, string>): HistoryFilter {
  const [from, to] = [dayIn(query.from), dayIn(query.to)];
  const isTurned = from !== "" && to !== "" && from > to;
  return {
    show: query.changed === "true" ? "changes" : RESULTS.find((each) => each === query.status),
    from: isTurned ? to : from,
    to: isTurned ? from : to,
    linkId: idIn(query.link_id),
    page: pageIn(query),
  };
}

export function hrefOfHistory({ show, from, to, linkId, page }: HistoryFilter): string {
  return withQuery("/history", {
    ...showing(show),
    ...(from && { from }),
    ...(to && { to }),
    ...(linkId && { link_id: linkId }),
    ...pageQuery(page),
  });
}

export const hrefOfHistoryExport = (filter: HistoryFilter) =>
  withQuery("/dashboard/api/history/export", { ...narrowing(filter), ...showing(filter.show) });

/** The last `days` days, including today. */
export const lastDays = (days: number, now: number) => ({
  from: new Date(now - (days - 1) * DAY_MS).toISOString().slice(0, 10),
  to: "",
});

export const findHistory = ({ page, show, ...rest }: HistoryFilter) =>
  unwrap(
    api.history.get({
      query: {
        ...{ page, per_page: PER_PAGE },
        ...asSent<object>({ ...narrowing(rest), ...showing(show) }),
      },
    }),
  );

/** Figures of all checks in the period, with any result. */
export const findHistoryStats = (filter: Pick<HistoryFilter, "from" | "to" | "linkId">) =>
  unwrap(api.history.stats.get({ query: asSent<object>(narrowing(filter)) }));

const showing = (show: HistoryFilter["show"]): Record<string, string> => {
  if (!show) return {};
  return show === "changes" ? { changed: "true" } : { status: show };
};

const narrowing = ({
  from,
  to,
  linkId,
}: Pick<HistoryFilter, "from" | "to" | "linkId">): Record<string, string> => ({
  ...(from && { start_date: from }),
  ...(to && { end_date: to }),
  ...(linkId && { link_id: linkId }),
});

type HistoryPage = Awaited<ReturnType<typeof findHistory>>;
export type HistoryCheck = HistoryPage["items"][number];
export type HistoryStats = Awaited<ReturnType<typeof findHistoryStats>>;
