import { and, asc, count, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Caller } from "../api/caller.ts";
import type { FoundLinks, LinkSearch } from "../db/link-search.ts";
import { DEAD_RANK, type LinkOrder, orderOf } from "../db/link-search-part.ts";
import { totalLinks } from "../db/queries.ts";
import { numbersOf, type Store } from "../db/store.ts";
import { LINK_SUMMARY, type LinkSummary, links, sources } from "../db/tables.ts";
import { type Page, windowOf } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import {
  isByCause,
  isByCreation,
  isCounted,
  type LinkFilter,
  matching,
  NO_GROUP,
  NO_SOURCE,
  numberOfSource,
  ownFilter,
  SETTLED,
} from "./links.ts";
import {
  findAttention,
  findByParts,
  findCounted,
  findInOrder,
  isAttention,
  isKeptInOrder,
} from "./list-counted.ts";
import type { LinkQuery, ShownLink } from "./model.ts";
import { withExtras } from "./triage/extras.ts";
import { findTags } from "./triage/tags.ts";

/** SQLite reads so many links in 6 ms when each of them is on a page of its own. */
const LARGE = 1000;

/** The most links that one request changes. */
const MOST_AT_ONCE = 1000;

/** Above any number. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const NEWEST_FIRST = { by: "no", isDown: true } as const;

/**
 * Returns a page of links, newest first unless sorted otherwise.
 * @param large from how many links on an account is searched in a thread
 */
export async function listLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  large?: number,
): Promise<Page<ShownLink>> {
  const { total, nos } = await findLinks(deps, caller, query, { large });
  const rows = nos.length > 0 ? await readSummaries(deps.store, caller, nos) : [];
  return { items: await withExtras(deps.store, rows), total };
}

/**
 * Finds a page of links by their numbers, and the total. Kept counts and indexes are used where they fit the query.
 * SQLite searches the links of large accounts in a thread; PostgreSQL, and SQLite for small accounts, scan them.
 * @param now decides which links are being checked
 * @param large from how many links on an account is searched in a thread
 */
export async function findLinks(
  deps: Deps,
  caller: Caller,
  given: LinkQuery,
  { now = deps.clock.now(), large = LARGE }: { now?: number; large?: number | undefined } = {},
): Promise<FoundLinks> {
  const query = ownFilter(caller, given);
  const order = orderFor(query);
  const window = windowOf(query);
  const { findLinks: findInThread } = deps.store.engine;
  const hasCounts = isCounted(query) && !(findInThread && isGroupByStatus(query));
  if (hasCounts && order.by === "no")
    return findCounted(deps, caller, query, { ...window, ...order }, now);
  if (isAttention(query)) return findAttention(deps, caller, query, order);
  if (isByCause(query) || isByCreation(query) || isByTriage(query))
    return findMatching(deps.store.readPool, caller, query, order, now);
  if (findInThread && (await isSmall(deps, caller, large)))
    return findMatching(deps.store, caller, query, order, now);
  if (isKeptInOrder(query, order)) return findInOrder(deps, caller, query, order, now);
  if (findInThread)
    return findInThread({ ...(await toSearch(deps, caller, query, now)), ...window, order });
  if (order.by !== "no") return findMatching(deps.store, caller, query, order, now);
  const { page: _, per_page: __, sort: ___, ...filter } = query;
  const matches = matching(caller, query, now);
  return findByParts(deps, caller, {
    filter: now === SETTLED ? null : filter,
    ...{ matches, window: { ...window, ...order } },
  });
}

/** Whether few links are among those to choose from, by what people decided about them. */
const isByTriage = ({ handling, assignee, overridden, external_id: id }: LinkFilter): boolean =>
  Boolean(
    (handling && handling !== "open") || (assignee && assignee !== "none") || overridden || id,
  );

/** Links of one status have no dead ones to come first. Those that need attention are listed by when they died. */
function orderFor({ sort, status, attention }: LinkQuery): LinkOrder {
  const order = orderOf(sort ?? (attention ? "-status_changed_at" : undefined));
  const isSettled = attention || (status !== undefined && status !== "checking");
  return order.by === "dead_first" && isSettled ? { ...order, by: "status_changed_at" } : order;
}

/** Links by their numbers, and the number below which there may be more: null when there are none. */
type NextLinks = { nos: number[]; next: number | null };

type NextOptions = { before?: number | undefined; now?: number; most?: number; large?: number };

/**
 * Finds the newest links that match with numbers below `before`. Links created after the first of several such calls
 * are never included.
 * @param options see `findLinks`
 */
export async function nextMatching(
  deps: Deps,
  caller: Caller,
  given: LinkFilter,
  options: NextOptions = {},
): Promise<NextLinks> {
  const filter = ownFilter(caller, given);
  const { before = NEWEST, now = deps.clock.now(), most = MOST_AT_ONCE, large } = options;
  const { findLinks: findInThread } = deps.store.engine;
  const isInMemory =
    findInThread &&
    !isCounted(filter) &&
    !isByCause(filter) &&
    !isByCreation(filter) &&
    !isByTriage(filter);
  const isSearched = isInMemory && !(await isSmall(deps, caller, large));
  const window = { limit: most, offset: 0, order: NEWEST_FIRST, before };
  const { nos } = isSearched
    ? await findInThread({ ...(await toSearch(deps, caller, filter, now)), ...window })
    : await findBelow(deps, caller, filter, { before, now, most });
  return { nos, next: nos.length < most ? null : nos.at(-1)! };
}

/** No index holds the links of a group by status. */
const isGroupByStatus = ({ group_id: groupId, status }: LinkQuery) =>
  groupId !== undefined && status !== undefined && status !== "checking";

const isSmall = async (deps: Deps, caller: Caller, large = LARGE): Promise<boolean> =>
  (await totalLinks(deps, caller.accountNo)).total < large;

async function findMatching(
  store: Store | Store["readPool"],
  caller: Caller,
  query: LinkQuery,
  order: LinkOrder,
  now: number,
): Promise<FoundLinks> {
  const { limit, offset } = windowOf(query);
  const matches = matching(caller, query, now);
  const [rows, [counted]] = await Promise.all([
    store
      .select({ no: links.no })
      .from(links)
      .where(matches)
      .orderBy(...inOrder(order, query))
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(links).where(matches),
  ]);
  return { nos: rows.map(({ no }) => no), total: counted!.total };
}

/** The plus makes the database find links that may be few, and not walk all of them in order. */
function inOrder({ by, isDown }: LinkOrder, query: LinkQuery) {
  const turned = isDown ? desc : asc;
  if (by === "dead_first") return [sql.raw(DEAD_RANK), desc(links.statusChangedAt), desc(links.no)];
  if (by === "status_changed_at") return [turned(links.statusChangedAt), turned(links.no)];
  if (by === "url_key") return [turned(links.urlKey)];
  // An index has acknowledged and muted links in order.
  const isFew =
    (query.reason && query.reason !== "ok") ||
    isByCreation(query) ||
    isByTriage({ ...query, handling: undefined });
  return [turned(isFew ? sql`+${links.no}` : links.no)];
}

async function findBelow(
  { store }: Deps,
  caller: Caller,
  filter: LinkFilter,
  { before, now, most }: { before: number; now: number; most: number },
): Promise<{ nos: number[] }> {
  const rows = await store.readPool
    .select({ no: links.no })
    .from(links)
    .where(and(matching(caller, filter, now), lt(links.no, before)))
    .orderBy(desc(links.no))
    .limit(most);
  return { nos: rows.map(({ no }) => no) };
}

/** The filter in the form that the search thread takes. Links without an assignee are not searched for there. */
async function toSearch(
  { store }: Deps,
  caller: Caller,
  filter: LinkFilter,
  now: number,
): Promise<Omit<LinkSearch, "limit" | "offset">> {
  const { attention, tag = [], source_id: sourceId } = filter;
  const byName = await findTags(store, caller, tag);
  const ofSource =
    sourceId && sourceId !== NO_SOURCE ? [await numberOfSource(store, caller, sourceId)] : [];
  return {
    accountNo: caller.accountNo,
    text: filter.search ? filter.search.toLowerCase() : undefined,
    isInTexts: filter.search_in === "all",
    service: filter.service,
    groupId: filter.group_id === NO_GROUP ? null : filter.group_id,
    frequency: filter.check_frequency,
    status: filter.status ?? (attention ? "dead" : undefined),
    tags: [...tag.map((name) => byName.get(name)), ...ofSource].map((no) => no ?? NO_TAG),
    noTags: sourceId === NO_SOURCE ? await numbersOfSources(store, caller) : [],
    handling: attention ? "open" : filter.handling,
    hasNoAssignee: filter.assignee === "none",
    // A link that needs attention does so while it is checked.
    now: attention ? SETTLED : now,
  };
}

async function numbersOfSources(store: Store, { accountNo }: Caller): Promise<number[]> {
  const { no } = sources;
  const rows = await store.select({ no }).from(sources).where(eq(sources.accountNo, accountNo));
  return rows.map((row) => row.no);
}

/** The number of no tag. */
const NO_TAG = -1;

/** Reads the links in the order of the numbers. */
async function readSummaries(
  store: Store,
  { accountNo }: Caller,
  nos: number[],
): Promise<LinkSummary[]> {
  const rows = await store
    .select(LINK_SUMMARY)
    .from(links)
    .where(and(eq(links.accountNo, accountNo), inArray(links.no, sql`${numbersOf(store, nos)}`)));
  const placeOf = new Map(nos.map((no, i) => [no, i]));
  return rows.sort((a, b) => placeOf.get(a.no)! - placeOf.get(b.no)!);
}
