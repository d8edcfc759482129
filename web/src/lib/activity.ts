import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { ADMIN } from "./admin.ts";
import { api, ask, asSent } from "./api.ts";
import { pageIn } from "./filter.ts";

const AUDIT = ["audit"];

/** Which entries are shown. Dates are days in UTC; what is empty leaves nothing out. */
export type ActivityFilter = {
  /** Whether those of all accounts and of the installation itself. */
  all: boolean;
  action: string;
  /** Ids. */
  actor: string;
  target: string;
  from: string;
  to: string;
  page: number;
};

const PER_PAGE = 50;
const REFRESH_MS = 30_000;
const ACTION = /^[a-z_]+\.[a-z_]+$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The filter that the address bar holds; what makes no sense there is left out. */
export const readActivityFilter = (query: Record<string, string>): ActivityFilter => ({
  all: query.all === "true",
  action: fitting(ACTION, query.action),
  actor: fitting(ID, query.actor),
  target: fitting(ID, query.target),
  from: dateIn(query.from),
  to: dateIn(query.to),
  page: pageIn(query),
});

const fitting = (pattern: RegExp, text = "") => (pattern.test(text) ? text : "");

const dateIn = (text = "") => (Number.isNaN(Date.parse(text)) ? "" : fitting(DATE, text));

export function hrefOfActivity(filter: ActivityFilter): string {
  const { all, page } = filter;
  const query = new URLSearchParams({
    ...(all && { all: "true" }),
    ...conditionsOf(filter),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size > 0 ? `/activity?${query}` : "/activity";
}

export const isNarrowed = (filter: ActivityFilter) => Object.keys(conditionsOf(filter)).length > 0;

const conditionsOf = ({ action, actor, target, from, to }: ActivityFilter) =>
  Object.fromEntries(
    Object.entries({ action, actor, target, from, to }).filter(([, value]) => value !== ""),
  );

type PageQuery = { page: number; per_page: number };

const queryOf = (filter: ActivityFilter) => ({
  query: asSent<PageQuery>({ page: filter.page, per_page: PER_PAGE, ...conditionsOf(filter) }),
});

const listOwn = (filter: ActivityFilter) => ask(api.audit.get(queryOf(filter)));

const listAll = (filter: ActivityFilter) => ask(api.admin.audit.get(queryOf(filter)));

type OwnEntry = Awaited<ReturnType<typeof listOwn>>["items"][number];
type AnyEntry = Awaited<ReturnType<typeof listAll>>["items"][number];

/** An entry of either list: one's own tell whether their target is still there, others whose they are. */
export type Entry = OwnEntry | AnyEntry;

/** Changes in other accounts are not told of as they happen. */
export const useActivity = (filter: ActivityFilter) =>
  useQuery({
    queryKey: [...(filter.all ? [...ADMIN, "audit"] : AUDIT), filter],
    queryFn: async (): Promise<{ items: Entry[]; pagination: Pagination }> =>
      filter.all ? listAll(filter) : listOwn(filter),
    placeholderData: keepPreviousData,
    refetchInterval: filter.all && REFRESH_MS,
  });

type Pagination = Awaited<ReturnType<typeof listOwn>>["pagination"];
