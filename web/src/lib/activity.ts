import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { ADMIN } from "./admin.ts";
import { api, asSent, unwrap } from "./api.ts";
import { dayIn, idIn, pageIn, pageQuery, withQuery } from "./filter.ts";

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

/** Ignores invalid parameters. */
export const readActivityFilter = (query: Record<string, string>): ActivityFilter => ({
  all: query.all === "true",
  action: ACTION.test(query.action ?? "") ? query.action! : "",
  actor: idIn(query.actor),
  target: idIn(query.target),
  from: dayIn(query.from),
  to: dayIn(query.to),
  page: pageIn(query),
});

export function hrefOfActivity(filter: ActivityFilter): string {
  const { all, page } = filter;
  return withQuery("/activity", {
    ...(all && { all: "true" }),
    ...conditionsOf(filter),
    ...pageQuery(page),
  });
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
