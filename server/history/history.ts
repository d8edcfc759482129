import { and, avg, count, desc, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import type { Deps } from "../deps.ts";
import { type Page, windowOf } from "../lib/paging.ts";
import { checks, links } from "../store/tables.ts";
import type { DateRange, HistoryQuery, HistoryRow, LinkHistoryRow } from "./model.ts";

const { evidence: kept, ...entry } = getTableColumns(checks);

/** Checks of the account, newest first. A stranger's link gives an empty list. */
export const listHistory = (
  deps: Deps,
  caller: Caller,
  query: HistoryQuery,
): Promise<Page<HistoryRow>> => listChecks(deps, caller, query, sql`null`);

/** The same of one link, with what was seen when its status changed. */
export const listLinkHistory = (
  deps: Deps,
  caller: Caller,
  query: HistoryQuery & { link_id: string },
): Promise<Page<LinkHistoryRow>> => listChecks(deps, caller, query, sql`${kept}`);

async function listChecks(
  { store }: Deps,
  caller: Caller,
  query: HistoryQuery,
  evidence: SQL<string | null>,
): Promise<Page<LinkHistoryRow>> {
  const { limit, offset } = windowOf(query);
  const matches = matching(caller.accountId, query);
  const [items, [counted]] = await store.batch([
    store
      .select({ ...entry, url: links.url, evidence })
      .from(checks)
      .innerJoin(links, eq(links.id, checks.linkId))
      .where(matches)
      .orderBy(desc(checks.checkedAt), desc(checks.id))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(checks).where(matches),
  ]);
  return { items, total: counted!.total };
}

export type Statistics = {
  total: number;
  alive: number;
  dead: number;
  unknown: number;
  changes: number;
  /** Over the checks that got an answer; 0 when there was none. */
  averageMs: number;
};

export async function historyStatistics(
  { store }: Deps,
  caller: Caller,
  range: DateRange,
): Promise<Statistics> {
  const [row] = await store
    .select({
      total: count(),
      alive: countOf("active"),
      dead: countOf("dead"),
      unknown: countOf("unknown"),
      changes: sql`coalesce(sum(${checks.statusChanged}), 0)`.mapWith(Number),
      averageMs: avg(checks.responseTimeMs).mapWith(Number),
    })
    .from(checks)
    .where(matching(caller.accountId, range));
  return { ...row!, averageMs: Math.round(row!.averageMs ?? 0) };
}

const countOf = (status: "active" | "dead" | "unknown") =>
  sql`coalesce(sum(case when ${checks.status} = ${sql.raw(`'${status}'`)} then 1 else 0 end), 0)`.mapWith(
    Number,
  );

function matching(
  accountId: string,
  query: DateRange & { link_id?: string | undefined; status?: string | undefined },
) {
  const { link_id: linkId, status, start_date: from, end_date: until } = query;
  return and(
    eq(checks.accountId, accountId),
    linkId ? eq(checks.linkId, linkId) : undefined,
    status ? sql`${checks.status} = ${status}` : undefined,
    from === undefined ? undefined : gte(checks.checkedAt, from),
    until === undefined ? undefined : lte(checks.checkedAt, until),
  );
}
