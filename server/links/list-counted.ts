import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  lt,
  notInArray,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { Caller } from "../api/caller.ts";
import { cached } from "../db/cached.ts";
import type { FoundLinks } from "../db/link-search.ts";
import type { LinkOrder } from "../db/link-search-part.ts";
import { allCounted, openDead, sumOf, totalLinks } from "../db/queries.ts";
import { numbersOf, type Store } from "../db/store.ts";
import { groups, linkCounts, links, linkTags, type Verdict } from "../db/tables.ts";
import { fromNearerEnd, segmentsOnPage, type Window, windowOf } from "../lib/paging.ts";
import type { Deps } from "../work/deps.ts";
import { IS_HANDLED, isCounted, type LinkFilter, numberOfSource, withStatus } from "./links.ts";
import type { LinkQuery } from "./model.ts";
import { findTags } from "./triage/tags.ts";

/** A row of counts covers so many numbers of links. */
const PART = 1000;

/** A page of a list in falling or rising order of numbers. */
type Turned = Window & { isDown: boolean };

/**
 * Finds links by status or those that need attention, of the account, of a group, a tag or a source. Kept counts give the total, and the thousand numbers in which
 * a page begins, so the last page costs no more than the first.
 */
export async function findCounted(
  { store }: Deps,
  caller: Caller,
  {
    status,
    group_id: groupId,
    source_id: sourceId,
    tag: [tag] = [],
    attention = false,
    handling,
  }: LinkFilter,
  window: Turned,
  now: number,
): Promise<FoundLinks> {
  const tagNo = await numberOfTag(store, caller, { tag, sourceId });
  const isTagged = tag !== undefined || sourceId !== undefined;
  const ofGroup = groupId ? await numberOfGroup(store, caller, groupId) : caller.accountNo;
  const subject = isTagged ? tagNo : ofGroup;
  if (subject === undefined) return { total: 0, nos: [] };
  const all = status && !attention ? await readChecking(store, caller, groupId, now) : [];
  const checking = tagNo === undefined ? all : await withTag(store, tagNo, all);
  if (status === "checking") return pageOf(checking, window);
  const hidden = checking.filter((link) => link.status === status);
  const counted = attention ? openDead : status ? linkCounts[status] : allCounted;
  const handled = handling === "open" ? await countHandled(store, caller) : [];
  const parts = without(
    [...hidden.map(({ no }) => ({ part: Math.floor(no / PART), count: 1 })), ...handled],
    await readParts(store, subject, counted, window),
  );
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  const [begin] = segmentsOnPage(parts, window);
  if (!begin) return { total, nos: [] };
  const no = tagNo === undefined ? links.no : linkTags.linkNo;
  const isFrom = (column: typeof links.no | typeof linkTags.linkNo) =>
    window.isDown
      ? lt(column, (begin.segment.part + 1) * PART)
      : gte(column, begin.segment.part * PART);
  const fits = attention
    ? and(eq(links.status, "dead"), eq(links.handling, "open"))
    : handling === "open"
      ? eq(links.handling, "open")
      : withStatus(status, now);
  const tagged = store.select({ no }).from(linkTags).$dynamic();
  const from =
    tagNo === undefined
      ? store.select({ no }).from(links).$dynamic()
      : fits
        ? // PostgreSQL would join all links above if they had no bound of their own.
          tagged.innerJoin(links, and(eq(links.no, no), isFrom(links.no)))
        : tagged;
  // The group is the account's. With both conditions SQLite would choose the index without groups.
  const isOfSubject = groupId ? eq(links.groupId, groupId) : eq(links.accountNo, caller.accountNo);
  const rows = await from
    .where(and(tagNo === undefined ? isOfSubject : eq(linkTags.tagNo, tagNo), fits, isFrom(no)))
    .orderBy(turned(window)(no))
    .limit(window.limit)
    .offset(begin.skip);
  return { total, nos: rows.map(({ no }) => no) };
}

/**
 * Finds links in the order of their numbers by conditions that no kept counts cover. They are counted by thousands of
 * numbers, and if that is slow the counts of some seconds ago are used, so that a late page costs no more than the first.
 * @param filter names what is counted; null if the counts must be exact
 */
export async function findByParts(
  { store, clock }: Deps,
  { accountNo }: Caller,
  {
    filter,
    matches,
    window,
  }: { filter: LinkFilter | null; matches: SQL | undefined; window: Turned },
): Promise<FoundLinks> {
  const read = () => countByParts(store, matches);
  const parts = filter
    ? await cached({ store, clock }, `links ${accountNo} ${JSON.stringify(filter)}`, read)
    : await read();
  const inOrder = parts.toSorted((a, b) => (window.isDown ? b.part - a.part : a.part - b.part));
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const onPage = segmentsOnPage(inOrder, window);
  if (onPage.length === 0) return { total, nos: [] };
  const between = onPage.map(({ segment }) => segment.part);
  const rows = await store.readPool
    .select({ no: links.no })
    .from(links)
    .where(
      and(
        matches,
        gte(links.no, Math.min(...between) * PART),
        lt(links.no, (Math.max(...between) + 1) * PART),
      ),
    )
    .orderBy(turned(window)(links.no))
    .limit(window.limit)
    .offset(onPage[0]!.skip);
  return { total, nos: rows.map(({ no }) => no) };
}

/** The thousand in which the number of a link is. */
const PART_OF_LINK = sql`${links.no} / ${sql.raw(String(PART))}`;

const countByParts = ({ readPool }: Store, matches: SQL | undefined): Promise<Part[]> =>
  readPool
    .select({ part: PART_OF_LINK.mapWith(Number), count: count() })
    .from(links)
    .where(matches)
    .groupBy(PART_OF_LINK);

/** The links of a source have its number as that of a tag. */
const numberOfTag = async (
  store: Store,
  caller: Caller,
  { tag, sourceId }: { tag: string | undefined; sourceId: string | undefined },
): Promise<number | undefined> =>
  sourceId
    ? numberOfSource(store, caller, sourceId)
    : (await findTags(store, caller, tag ? [tag] : [])).get(tag ?? "");

async function withTag(store: Store, tagNo: number, some: Checking[]): Promise<Checking[]> {
  const nos = some.map(({ no }) => no);
  const tagged = await store
    .select({ no: linkTags.linkNo })
    .from(linkTags)
    .where(and(eq(linkTags.tagNo, tagNo), inArray(linkTags.linkNo, sql`${numbersOf(store, nos)}`)));
  const isTagged = new Set(tagged.map(({ no }) => no));
  return some.filter(({ no }) => isTagged.has(no));
}

/** Whether all links that need attention are wanted, of which an index holds those that died last. */
export const isAttention = (query: LinkQuery): boolean =>
  query.attention === true &&
  isCounted(query) &&
  query.group_id === undefined &&
  !query.tag &&
  !query.source_id &&
  (query.sort ?? "-status_changed_at").endsWith("status_changed_at");

/** Walks along that index: a late page takes no longer than the first half of the list. */
export async function findAttention(
  { store }: Deps,
  { accountNo }: Caller,
  query: LinkQuery,
  { isDown }: LinkOrder,
): Promise<FoundLinks> {
  const [counted] = await store
    .select({ total: sumOf(openDead) })
    .from(linkCounts)
    .where(eq(linkCounts.subject, accountNo));
  const { total } = counted!;
  const { isTurned, limit, offset } = fromNearerEnd(windowOf(query), total);
  const direction = turned({ isDown: isDown !== isTurned });
  const rows = await store.readPool
    .select({ no: links.no })
    .from(links)
    .where(
      and(
        eq(links.accountNo, accountNo),
        // Literals, since a database cannot match a parameter with the condition of an index.
        sql`${links.status} = 'dead' and ${links.handling} = 'open'`,
      ),
    )
    .orderBy(direction(links.statusChangedAt), direction(links.no))
    .limit(limit)
    .offset(offset);
  const nos = rows.map(({ no }) => no);
  return { total, nos: isTurned ? nos.reverse() : nos };
}

type Ordered = LinkQuery & { status?: Verdict | undefined };

/** Whether an index holds exactly those links in that order, and kept counts give the total. */
export const isKeptInOrder = (query: LinkQuery, { by }: LinkOrder): query is Ordered =>
  isCounted(query) &&
  !query.attention &&
  !query.handling &&
  !query.tag &&
  !query.source_id &&
  query.group_id === undefined &&
  (by === "status_changed_at" ? query.status !== "checking" : query.status === undefined);

/** The statuses in the order of `dead_first`. */
const DEAD_FIRST = ["dead", "unknown", "active"] as const;

/** Walks along an index in a thread: a late page takes long. */
export async function findInOrder(
  deps: Deps,
  caller: Caller,
  query: Ordered,
  order: LinkOrder,
  now: number,
): Promise<FoundLinks> {
  const { accountNo } = caller;
  const { total, active, dead } = await totalLinks(deps, accountNo);
  const counts = { active, dead, unknown: total - active - dead };
  if (order.by === "dead_first") return findDeadFirst(deps.store, accountNo, counts, query);
  const { status } = query;
  const checking = status ? await readChecking(deps.store, caller, undefined, now) : [];
  const hidden = checking.filter((link) => link.status === status).map(({ no }) => no);
  const all = status ? counts[status] - hidden.length : total;
  const { isTurned, ...page } = fromNearerEnd(windowOf(query), all);
  const isDown = order.isDown !== isTurned;
  const rows =
    order.by === "url_key"
      ? await byUrl(deps.store, caller, page, isDown)
      : await byChange(deps.store, { accountNo, status, hidden }, page, isDown);
  const nos = rows.map(({ no }) => no);
  return { total: all, nos: isTurned ? nos.reverse() : nos };
}

/** Three lists end to end: kept counts tell which of them have links on the page. */
async function findDeadFirst(
  store: Store,
  accountNo: number,
  counts: Record<Verdict, number>,
  query: Ordered,
): Promise<FoundLinks> {
  const lists = DEAD_FIRST.map((status) => ({ status, count: counts[status] }));
  const pages = segmentsOnPage(lists, windowOf(query)).map(async ({ segment, skip, take }) => {
    const window = { offset: skip, limit: take };
    const { isTurned, ...page } = fromNearerEnd(window, segment.count);
    const wanted = { accountNo, status: segment.status, hidden: [] };
    const rows = await byChange(store, wanted, page, !isTurned);
    return isTurned ? rows.reverse() : rows;
  });
  const nos = (await Promise.all(pages)).flat().map(({ no }) => no);
  return { total: lists.reduce((sum, { count }) => sum + count, 0), nos };
}

const turned = ({ isDown }: Pick<Turned, "isDown">) => (isDown ? desc : asc);

async function numberOfGroup(store: Store, { accountId }: Caller, id: string) {
  const [group] = await store
    .select({ no: groups.no })
    .from(groups)
    .where(and(eq(groups.id, id), eq(groups.accountId, accountId)));
  return group?.no;
}

type Checking = { no: number; status: Verdict; groupId: string | null };

/**
 * Reads the links that are being checked, which are never many. They are filtered and sorted here, since SQLite would
 * scan all links of the account or of the group.
 */
async function readChecking(
  store: Store,
  { accountNo }: Caller,
  groupId: string | undefined,
  now: number,
): Promise<Checking[]> {
  const rows = await store
    .select({ no: links.no, status: links.status, groupId: links.groupId })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, now)));
  return rows.filter((row) => !groupId || row.groupId === groupId);
}

function pageOf(checking: Checking[], { limit, offset, isDown }: Turned): FoundLinks {
  const nos = checking.map(({ no }) => no).sort((a, b) => (isDown ? b - a : a - b));
  return { total: nos.length, nos: nos.slice(offset, offset + limit) };
}

type Part = { part: number; count: number };

function readParts(
  store: Store,
  subject: number,
  counted: SQLWrapper,
  window: Turned,
): Promise<Part[]> {
  return store
    .select({ part: linkCounts.part, count: sql`${counted}`.mapWith(Number) })
    .from(linkCounts)
    .where(eq(linkCounts.subject, subject))
    .orderBy(turned(window)(linkCounts.part));
}

/** Acknowledged and muted links. */
const countHandled = ({ readPool }: Store, { accountNo }: Caller): Promise<Part[]> =>
  readPool
    .select({ part: PART_OF_LINK.mapWith(Number), count: count() })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), IS_HANDLED))
    .groupBy(PART_OF_LINK);

/** Takes links that are not shown off the counts. */
function without(hidden: Part[], parts: Part[]): Part[] {
  if (hidden.length === 0) return parts;
  const hiddenIn = new Map<number, number>();
  for (const { part, count } of hidden) hiddenIn.set(part, (hiddenIn.get(part) ?? 0) + count);
  return parts.map(({ part, count }) => ({ part, count: count - (hiddenIn.get(part) ?? 0) }));
}

const byUrl = (
  { readPool }: Store,
  { accountId }: Caller,
  { limit, offset }: Window,
  isDown: boolean,
) =>
  readPool
    .select({ no: links.no })
    .from(links)
    .where(eq(links.accountId, accountId))
    .orderBy(turned({ isDown })(links.urlKey))
    .limit(limit)
    .offset(offset);

/** The index is sorted within each status, so the statuses are merged. */
function byChange(
  store: Store,
  wanted: { accountNo: number; status: Verdict | undefined; hidden: number[] },
  { limit, offset }: Window,
  isDown: boolean,
) {
  const { no, statusChangedAt, accountNo, status } = links;
  const isShown =
    wanted.hidden.length > 0 ? notInArray(no, sql`${numbersOf(store, wanted.hidden)}`) : undefined;
  const ofStatus = (verdict: Verdict) =>
    store.readPool
      .select({ no, statusChangedAt })
      .from(links)
      .where(and(eq(accountNo, wanted.accountNo), eq(status, verdict), isShown));
  const found = wanted.status
    ? ofStatus(wanted.status)
    : unionAll(ofStatus("active"), ofStatus("dead"), ofStatus("unknown"));
  const direction = turned({ isDown });
  return found.orderBy(direction(statusChangedAt), direction(no)).limit(limit).offset(offset);
}
