import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { ADMIN } from "./admin.ts";
import { api, asSent, unwrap } from "./api.ts";
import { pageIn } from "./filter.ts";

const AUDIT = ["audit"];

/** Dates are days in UTC; empty fields do not filter. */
export type ActivityFilter = {
  /** Whether to list all accounts and the installation. */
  all: boolean;
  action: string;
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

/** Ignores invalid parameters. */
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

const listOwn = (filter: ActivityFilter) => unwrap(api.audit.get(queryOf(filter)));

const listAll = (filter: ActivityFilter) => unwrap(api.admin.audit.get(queryOf(filter)));

type OwnEntry = Awaited<ReturnType<typeof listOwn>>["items"][number];
type AnyEntry = Awaited<ReturnType<typeof listAll>>["items"][number];

/** Entries of the own account say whether the target exists; the others name the account. */
export type Entry = OwnEntry | AnyEntry;

/** There are no live updates for other accounts. */
export const useActivity = (filter: ActivityFilter) =>
  useQuery({
    queryKey: [...(filter.all ? [...ADMIN, "audit"] : AUDIT), filter],
    queryFn: async (): Promise<{ items: Entry[]; pagination: Pagination }> =>
      filter.all ? listAll(filter) : listOwn(filter),
    placeholderData: keepPreviousData,
    refetchInterval: filter.all && REFRESH_MS,
  });

type Pagination = Awaited<ReturnType<typeof listOwn>>["pagination"];
