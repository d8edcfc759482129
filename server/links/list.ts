import { and, count, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Caller } from "../accounts/caller.ts";
import type { Deps } from "../deps.ts";
import { type Page, windowOf } from "../lib/paging.ts";
import type { FoundLinks } from "../store/reader-links.ts";
import { rowsOf, type Store } from "../store/store.ts";
import { links } from "../store/tables.ts";
import { totalLinks } from "./count.ts";
import { matching } from "./filter.ts";
import { findCounted } from "./find-counted.ts";
import type { LinkQuery, LinkSummary } from "./model.ts";

const { evidence: _, ...summary } = getTableColumns(links);

/** SQLite looks through so many links in 6 ms when each of them is on a page of its own. */
const LARGE = 1000;

/**
 * Newest first, that is by number.
 * @param large how many links an account has that is searched beside the event loop
 */
export async function listLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  large = LARGE,
): Promise<Page<LinkSummary>> {
  const { total, nos } = await findLinks(deps, caller, query, large);
  return { items: nos.length > 0 ? await readSummaries(deps.store, caller, nos) : [], total };
}

async function findLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  large: number,
): Promise<FoundLinks> {
  const now = deps.clock.now();
  const { findLinks: findBeside } = deps.store.engine;
  if (findBeside && !isCounted(query)) {
    const { total } = await totalLinks(deps, caller.accountNo);
    if (total >= large) return findBeside(toSearch(caller, query, now));
  }
  return query.service || query.search
    ? findMatching(deps, caller, query, now)
    : findCounted(deps, caller, query, windowOf(query), now);
}

/** Whether kept counts lead to any page at once. No index holds the links of a group by status. */
const isCounted = ({ status, service, search, group_id: groupId }: LinkQuery) =>
  !service && !search && !(groupId && status && status !== "checking");

const toSearch = ({ accountNo }: Caller, query: LinkQuery, now: number) => ({
  accountNo,
  text: query.search ? query.search.toLowerCase() : undefined,
  service: query.service,
  groupId: query.group_id,
  status: query.status,
  now,
  ...windowOf(query),
});

async function findMatching(
  { store }: Deps,
  { accountNo }: Caller,
  query: LinkQuery,
  now: number,
): Promise<FoundLinks> {
  const { limit, offset } = windowOf(query);
  const matches = matching(accountNo, query, now);
  const [rows, [counted]] = await store.batch([
    store
      .select({ no: links.no })
      .from(links)
      .where(matches)
      .orderBy(desc(links.no))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(links).where(matches),
  ]);
  return { nos: rows.map(({ no }) => no), total: counted!.total };
}

function readSummaries(store: Store, { accountNo }: Caller, nos: number[]): Promise<LinkSummary[]> {
  const page = rowsOf(
    store,
    { no: "bigint" },
    nos.map((no) => [no]),
  );
  return store
    .select(summary)
    .from(links)
    .where(and(eq(links.accountNo, accountNo), inArray(links.no, sql`${page}`)))
    .orderBy(desc(links.no));
}
