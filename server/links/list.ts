import { and, asc, count, desc, eq, gt, inArray, lt, notInArray, type SQL, sql } from "drizzle-orm";
import { type SQLiteColumn, unionAll } from "drizzle-orm/sqlite-core";
import { cached } from "../ground/db/cached.ts";
import { allCounted, totalLinks } from "../ground/db/queries.ts";
import { mayContain, numbersOf, type Store } from "../ground/db/store.ts";
import {
  groups,
  LINK_SUMMARY,
  type LinkSummary,
  linkCounts,
  links,
  linkTags,
} from "../ground/db/tables.ts";
import {
  fromNearerEnd,
  type Page,
  segmentsOnPage,
  type Window,
  windowOf,
} from "../ground/lib/paging.ts";
import { VERDICTS, type Verdict } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { withListedDetails } from "./fields/details.ts";
import { IS_HANDLED } from "./fields/handling.ts";
import { leavesFew } from "./fields/registry.ts";
import { findTags } from "./fields/tag-rows.ts";
import {
  isCounted,
  type LinkFilter,
  matchingLinks,
  NO_GROUP,
  NO_SOURCE,
  numberOfSource,
  ownFilter,
  SETTLED,
  searched,
} from "./links.ts";
import type { LinkQuery, ShownLink } from "./model.ts";

/** One page of links by their numbers, and how many there are in all. */
type FoundLinks = { total: number; nos: number[] };

/** The most links that one request changes. */
const MOST_AT_ONCE = 1000;

/** Above any number. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** So many links that may contain a text are looked up one by one. If there are more, links are read in their order. */
const FEW = 2000;

const COLUMNS = {
  created_at: "no",
  status_changed_at: "status_changed_at",
  url: "url_key",
} as const;

/** Passing so many links of an index of URLs costs as much as sorting one that matches. */
const URL_STEPS = 5;

/** A column to sort by. Links with equal values are sorted by number. */
type Sorted = { by: (typeof COLUMNS)[keyof typeof COLUMNS]; isDown: boolean };
type LinkOrder = Sorted | { by: "dead_first" };

/** The statuses in the order of `dead_first`. */
const DEAD_FIRST = ["dead", "unknown", "active"] as const;

/** Returns a page of links, newest first unless sorted otherwise. */
export async function listLinks(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
): Promise<Page<ShownLink>> {
  const { total, nos } = await findLinks(deps, caller, query);
  const rows = nos.length > 0 ? await readSummaries(deps.store, caller, nos) : [];
  return { items: await withListedDetails(deps.store, rows), total };
}

/**
 * Finds a page of links by their numbers, from the nearer end of the list, and the total: from kept counts where there
 * are some, and otherwise by counting, for which a slow count of some seconds ago may be returned.
 * @param now decides which links are being checked; with `SETTLED` the total is exact
 */
export async function findLinks(
  deps: Deps,
  caller: Caller,
  given: LinkQuery,
  now = deps.clock.now(),
): Promise<FoundLinks> {
  const query = ownFilter(caller, given);
  const chosen = await choose(deps.store, caller, query, now);
  if (!chosen) return { total: 0, nos: [] };
  const order = orderFor(query);
  if (order.by === "dead_first") return findDeadFirst(deps, caller, query, chosen);
  const kept = await keptTotal(deps.store, caller, query, chosen);
  const total = kept ?? (await countRows(deps, caller, query, chosen, now));
  const isMost =
    order.by === "url_key" && total * URL_STEPS > (await totalLinks(deps, caller.accountNo)).total;
  const page = { ...order, ...windowOf(query), total };
  return { total, nos: await pageOf(deps.store, caller, { ...chosen, isMost }, page) };
}

/** Reads a page from the end of the list that is nearer. */
async function pageOf(
  store: Store,
  caller: Caller,
  chosen: Chosen,
  { total, isDown, ...rest }: Sorted & Window & { total: number },
): Promise<number[]> {
  const { isTurned, ...window } = fromNearerEnd(rest, total);
  if (window.limit === 0) return [];
  const part = { ...rest, ...window, isDown: isDown !== isTurned };
  const nos = await readNumbers(store, caller, chosen, part);
  return isTurned ? nos.reverse() : nos;
}

/** Three lists end to end. */
async function findDeadFirst(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  chosen: Chosen,
): Promise<FoundLinks> {
  const counts = await countByStatus(deps, caller, query, chosen);
  const lists = DEAD_FIRST.map((status) => ({ status, count: counts[status] }));
  const pages = segmentsOnPage(lists, windowOf(query)).map(({ segment, skip, take }) => {
    const ofStatus = {
      ...chosen,
      status: segment.status,
      conditions: and(chosen.conditions, eq(links.status, segment.status)),
    };
    const page = { by: "status_changed_at", isDown: true, offset: skip, limit: take } as const;
    return pageOf(deps.store, caller, ofStatus, { ...page, total: segment.count });
  });
  return {
    total: lists.reduce((sum, { count }) => sum + count, 0),
    nos: (await Promise.all(pages)).flat(),
  };
}

/** Links of one status have no dead ones to come first. Those that need attention are listed by when they died. */
function orderFor({ sort, status, attention }: LinkQuery): LinkOrder {
  const isSettled = attention || (status !== undefined && status !== "checking");
  if (sort === "dead_first" && !isSettled) return { by: sort };
  const byChange = attention || sort === "dead_first" ? "-status_changed_at" : "-created_at";
  const chosen = sort === undefined || sort === "dead_first" ? byChange : sort;
  const name = chosen.replace("-", "") as keyof typeof COLUMNS;
  return { by: COLUMNS[name], isDown: chosen.startsWith("-") };
}

/** Links by their numbers, and the number below which there may be more: null when there are none. */
type NextLinks = { nos: number[]; next: number | null };

/**
 * Finds the newest links that match with numbers below `before`. Links created after the first of several such calls
 * are never included.
 */
export async function nextMatching(
  { store, clock }: Deps,
  caller: Caller,
  given: LinkFilter,
  {
    before = NEWEST,
    now = clock.now(),
    most = MOST_AT_ONCE,
  }: { before?: number | undefined; now?: number; most?: number } = {},
): Promise<NextLinks> {
  const filter = ownFilter(caller, given);
  const chosen = await choose(store, caller, filter, now);
  if (!chosen) return { nos: [], next: null };
  const part = { by: "no", isDown: true, limit: most, offset: 0, before } as const;
  const nos = await readNumbers(store, caller, chosen, part);
  return { nos, next: nos.length < most ? null : nos.at(-1)! };
}

/** What must be known before links are found. */
type Chosen = {
  /** On links, other than on the account, on the tag that leads, and on what is hidden. */
  conditions: SQL | undefined;
  status: Verdict | undefined;
  groupId: string | undefined;
  /** The number of the tag or source with the fewest links of those asked for, whose links are read in their order. */
  tagNo: number | undefined;
  /** Links that match but are being checked, and so are not listed under their status. */
  hidden: number[];
  /** Whether an index finds the matching links, which are few, so that they are sorted and not walked along. */
  isFew: boolean;
  /** Whether most links of the account match, so that they are read in the order of their URLs. */
  isMost?: boolean;
};

/** @returns undefined if no link can match */
async function choose(
  store: Store,
  caller: Caller,
  filter: LinkFilter,
  now: number,
): Promise<Chosen | undefined> {
  const { source_id: sourceId, group_id: groupId, attention } = filter;
  const tagNos = await numbersOfTags(store, caller, filter);
  if (!tagNos) return undefined;
  const [tagNo, ...otherTags] = tagNos;
  const isChecking = filter.status === "checking";
  const status = isChecking ? undefined : (filter.status as Verdict | undefined);
  const checking = filter.status && !attention ? await readChecking(store, caller, now) : [];
  const few = filter.search ? await fewWith(store, filter.search, filter.search_in) : undefined;
  const ownSource = sourceId === NO_SOURCE ? sourceId : undefined;
  const rest = { ...filter, status, search: undefined, tag: undefined, source_id: ownSource };
  const conditions = and(
    matchingLinks(caller, rest, SETTLED),
    searched(filter, { isEach: store.engine.name === "sqlite" }),
    ...otherTags.map(hasTag),
    isChecking ? isAmong(store, checking) : undefined,
    few && isAmong(store, few),
  );
  const chosen: Chosen = {
    conditions,
    status,
    groupId: groupId === NO_GROUP ? undefined : groupId,
    tagNo,
    hidden: [],
    isFew: few !== undefined || isChecking || isByFew(filter),
  };
  if (isChecking || checking.length === 0) return chosen;
  const hidden = and(whereOf(caller, chosen), isAmong(store, checking), isTagged(tagNo));
  const rows = await store.select({ no: links.no }).from(links).where(hidden);
  return { ...chosen, hidden: rows.map(({ no }) => no) };
}

const isAmong = (store: Store, nos: number[]) => inArray(links.no, sql`${numbersOf(store, nos)}`);

const isTagged = (tagNo: number | undefined) =>
  tagNo === undefined
    ? undefined
    : sql`${links.no} in (select link_no from link_tags where tag_no = ${tagNo})`;

/** Looked up for each link, which an index of the table has. */
const hasTag = (tagNo: number) =>
  sql`exists (select 1 from link_tags as other where other.tag_no = ${tagNo} and other.link_no = ${links.no})`;

/** Whether links are chosen by what few of them have: a failure, a time of creation, a decision. */
const isByFew = (filter: LinkFilter): boolean =>
  Boolean(
    (filter.reason && filter.reason !== "ok") ||
      filter.created_from ||
      filter.created_to ||
      leavesFew(filter),
  );

/**
 * The numbers of the tags and of the source that links must have, that with the fewest links first. The links of a source
 * have its number as that of a tag.
 * @returns undefined if one is not there
 */
async function numbersOfTags(
  store: Store,
  caller: Caller,
  { tag = [], source_id: sourceId }: LinkFilter,
): Promise<number[] | undefined> {
  const byName = await findTags(store, caller, tag);
  const nos: (number | undefined)[] = tag.map((name) => byName.get(name));
  if (sourceId && sourceId !== NO_SOURCE) nos.push(await numberOfSource(store, caller, sourceId));
  if (nos.includes(undefined)) return undefined;
  const known = nos as number[];
  if (known.length < 2) return known;
  const { subject } = linkCounts;
  const counted = await store
    .select({ subject, total: allCounted.mapWith(Number) })
    .from(linkCounts)
    .where(inArray(subject, known));
  const totals = new Map(counted.map(({ subject, total }) => [subject, total]));
  return known.toSorted((a, b) => (totals.get(a) ?? 0) - (totals.get(b) ?? 0));
}

/** The links that are being checked, which are never many. */
async function readChecking(store: Store, { accountNo }: Caller, now: number): Promise<number[]> {
  const rows = await store
    .select({ no: links.no })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, now)));
  return rows.map(({ no }) => no);
}

/** The links of all accounts that may contain the text; undefined if they are many, or if PostgreSQL searches. */
async function fewWith(
  store: Store,
  text: string,
  place: LinkFilter["search_in"],
): Promise<number[] | undefined> {
  const candidates = mayContain(store, text, place === "all");
  if (!candidates) return undefined;
  const rows = await store.readPool.all<[no: number]>(sql`${candidates} limit ${FEW + 1}`);
  return rows.length > FEW ? undefined : rows.map(([no]) => no);
}

/** Whether all links of the account are wanted, or those of a status. */
const isWholeAccount = (query: LinkQuery): boolean =>
  isCounted(query) &&
  !(query.attention || query.handling || query.tag || query.source_id || query.group_id);

/** What is counted of the account, a group, a tag or a source whenever links change; undefined for other lists. */
async function keptTotal(
  store: Store,
  { accountId, accountNo }: Caller,
  query: LinkQuery,
  { tagNo, groupId, status, hidden }: Chosen,
): Promise<number | undefined> {
  if (!isCounted(query) || query.status === "checking") return undefined;
  const ofGroup = store
    .select({ no: groups.no })
    .from(groups)
    .where(and(eq(groups.id, groupId ?? ""), eq(groups.accountId, accountId)));
  const subject = tagNo ?? (groupId ? sql`(${ofGroup})` : accountNo);
  const totals = await totalLinks({ store }, subject);
  if (query.attention) return totals.attention;
  if (query.handling === "open") {
    const isOurs = and(eq(links.accountNo, accountNo), IS_HANDLED);
    const [handled] = await store.select({ n: count() }).from(links).where(isOurs);
    return totals.total - handled!.n;
  }
  return status ? totals[status] - hidden.length : totals.total;
}

/** A slow count is given again for some seconds, unless it has to be exact. */
async function countRows(
  { store, clock }: Deps,
  caller: Caller,
  query: LinkQuery,
  chosen: Chosen,
  now: number,
): Promise<number> {
  const read = async () => {
    const { tagNo, conditions } = chosen;
    const select = store.readPool.select({ total: count() });
    const [row] = await (tagNo === undefined
      ? select.from(links).where(whereOf(caller, chosen))
      : select
          .from(linkTags)
          .innerJoin(links, eq(links.no, linkTags.linkNo))
          .where(and(eq(linkTags.tagNo, tagNo), conditions)));
    return row!.total;
  };
  const key = `links ${caller.accountNo} ${nameOf(query)}`;
  const all = await (now === SETTLED ? read() : cached({ store, clock }, key, read));
  return all - chosen.hidden.length;
}

async function countByStatus(
  deps: Deps,
  caller: Caller,
  query: LinkQuery,
  chosen: Chosen,
): Promise<Record<Verdict, number>> {
  const { store } = deps;
  if (isWholeAccount(query)) return totalLinks(deps, caller.accountNo);
  const { status } = links;
  const read = () =>
    store.readPool
      .select({ status, count: count() })
      .from(links)
      .where(and(whereOf(caller, chosen), isTagged(chosen.tagNo)))
      .groupBy(status);
  const rows = await cached(deps, `statuses ${caller.accountNo} ${nameOf(query)}`, read);
  const counts = { active: 0, dead: 0, unknown: 0 };
  for (const row of rows) counts[row.status] = row.count;
  return counts;
}

/** What is counted, whichever page is read. */
const nameOf = ({ page: _, per_page: __, sort: ___, ...filter }: LinkQuery) =>
  JSON.stringify(filter);

/** The plus keeps SQLite from the index of the account's numbers, which has those of other groups as well. */
function whereOf(
  { accountNo, accountId }: Pick<Caller, "accountNo" | "accountId">,
  chosen: Chosen,
  by?: Sorted["by"],
): SQL | undefined {
  const { conditions, groupId, isMost } = chosen;
  // The index of URLs begins with the id of the account.
  if (by === "url_key" && isMost && isWalked(chosen))
    return and(eq(links.accountId, accountId), conditions);
  const isOfAccount = groupId
    ? sql`+${links.accountNo} = ${accountNo}`
    : eq(links.accountNo, accountNo);
  return and(isOfAccount, conditions);
}

type Part = Sorted & Window & { before?: number };

async function readNumbers(
  store: Store,
  caller: Caller,
  chosen: Chosen,
  part: Part,
): Promise<number[]> {
  const { tagNo } = chosen;
  const rows = await (tagNo !== undefined && part.by === "no"
    ? ofTag(store, chosen, tagNo, part)
    : sorted(store, caller, chosen, part));
  return rows.map(({ no }) => no);
}

/** Reads the links of a tag in their order, and looks at each only if there are conditions. */
function ofTag(store: Store, chosen: Chosen, tagNo: number, part: Part) {
  const { linkNo: no } = linkTags;
  const from = store.readPool.select({ no }).from(linkTags).$dynamic();
  return (chosen.conditions ? from.innerJoin(links, eq(links.no, no)) : from)
    .where(and(eq(linkTags.tagNo, tagNo), chosen.conditions, isShown(store, no, chosen, part)))
    .orderBy(turned(part)(no))
    .limit(part.limit)
    .offset(part.offset);
}

function sorted(store: Store, caller: Caller, chosen: Chosen, part: Part) {
  const { no, statusChangedAt, status, urlKey } = links;
  const matches = and(
    whereOf(caller, chosen, part.by),
    isTagged(chosen.tagNo),
    isShown(store, no, chosen, part),
  );
  const select = (condition?: SQL) =>
    store.readPool.select({ no, statusChangedAt }).from(links).where(and(matches, condition));
  const direction = turned(part);
  const { limit, offset } = part;
  if (part.by === "status_changed_at" && isWalked(chosen) && !chosen.status) {
    // The index of changes is sorted within each status.
    const [active, dead, unknown] = VERDICTS.map((each) => select(eq(status, each)));
    return unionAll(active!, dead!, unknown!)
      .orderBy(direction(statusChangedAt), direction(no))
      .limit(limit)
      .offset(offset);
  }
  const byNumber = chosen.isFew ? sql`+${no}` : no;
  const columns = { no: [byNumber], status_changed_at: [statusChangedAt, no], url_key: [urlKey] };
  return select()
    .orderBy(...columns[part.by].map((column) => direction(column)))
    .limit(limit)
    .offset(offset);
}

/** Whether links are read in the order of an index of the account until the page is full. */
const isWalked = ({ isFew, groupId, tagNo }: Chosen) =>
  !isFew && groupId === undefined && tagNo === undefined;

const turned = ({ isDown }: Pick<Sorted, "isDown">) => (isDown ? desc : asc);

const isShown = (store: Store, no: SQLiteColumn, { hidden }: Chosen, { before }: Part) =>
  and(
    before === undefined ? undefined : lt(no, before),
    hidden.length > 0 ? notInArray(no, sql`${numbersOf(store, hidden)}`) : undefined,
  );

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
