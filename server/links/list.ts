import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  lt,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
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
import { leadingIn, leavesFew } from "./fields/registry.ts";
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
const FEW = 50_000;

/** So many numbers of links are counted at once where other lists wait for the same thread, and in so many steps. */
const [COUNTED_AT_ONCE, MOST_STEPS] = [50_000, 100];

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
  /** The number of the tag or source with the fewest links of those asked for. */
  tagNo: number | undefined;
  /** Whether its links are read in their order, and not those of a status, which are fewer. */
  isTagLed: boolean;
  /** The conditions on a link's number alone, which need no row of the link. */
  ofNumber: (no: SQL) => SQL | undefined;
  /** The links that may contain the text, if they are few, or that a filter leaves: they are read in their order. */
  candidates: SQL | undefined;
  /** Links that match but are being checked, and so are not listed under their status. */
  hidden: number[];
  /** Whether an index finds the matching links, which are few, so that they are sorted and not walked along. */
  isFew: boolean;
  /** Whether most links of the account match, so that they are read in the order of their URLs. */
  isMost?: boolean;
};

const NO = sql`${links.no}`;
/** As drizzle names it, in statements of our own. */
const ROWS = '"watched_links" as "links"';

/** @returns undefined if no link can match */
async function choose(
  store: Store,
  caller: Caller,
  filter: LinkFilter,
  now: number,
): Promise<Chosen | undefined> {
  const { source_id: sourceId, group_id: groupId, attention } = filter;
  const ofTags = await numbersOfTags(store, caller, filter);
  if (!ofTags) return undefined;
  const isSqlite = store.engine.name === "sqlite";
  const totals = await totalsOf(store, caller, ofTags, filter);
  const totalOf = (no: number) => totals.get(no)?.total ?? 0;
  const [tagNo, ...otherTags] = ofTags.toSorted((a, b) => totalOf(a) - totalOf(b));
  const isChecking = filter.status === "checking";
  const status = isChecking ? undefined : (filter.status as Verdict | undefined);
  const checking = filter.status && !attention ? await readChecking(store, caller, now) : [];
  const smallest = Math.min(FEW, ...totals.values().map(({ total }) => total));
  const found = await candidatesFor(store, filter, smallest);
  const leading = found || !isSqlite ? undefined : leadingIn(filter, caller);
  const candidates = found ?? leading?.numbers;
  const ownSource = sourceId === NO_SOURCE ? sourceId : undefined;
  // Handled links are few, and an index has them. That a link is open is only in its row.
  const isOpen = isSqlite && filter.handling === "open";
  const rest = {
    ...(leading?.rest ?? filter),
    status,
    search: undefined,
    tag: undefined,
    source_id: ownSource,
    ...(isOpen && { handling: undefined }),
  };
  const conditions = and(
    matchingLinks(caller, rest, SETTLED),
    searched(filter, { isEach: isSqlite }),
    isChecking ? isAmong(store, checking) : undefined,
  );
  const chosen: Chosen = {
    conditions,
    status,
    groupId: groupId === NO_GROUP ? undefined : groupId,
    tagNo,
    isTagLed:
      tagNo !== undefined &&
      !(status && (totals.get(caller.accountNo)?.[status] ?? 0) < totalOf(tagNo)),
    ofNumber: (no) =>
      and(...otherTags.map((tag) => hasTag(tag, no)), isOpen ? isUnhandled(caller, no) : undefined),
    candidates,
    hidden: [],
    isFew: candidates !== undefined || isChecking || isByFew(filter),
  };
  if (isChecking || checking.length === 0) return chosen;
  const hidden = and(whereOf(caller, chosen), isAmong(store, checking), isTagged(chosen));
  const rows = await store.select({ no: links.no }).from(links).where(hidden);
  return { ...chosen, hidden: rows.map(({ no }) => no) };
}

const isAmong = (store: Store, nos: number[]) => inArray(links.no, sql`${numbersOf(store, nos)}`);

function isTagged({ tagNo, isTagLed }: Chosen): SQL | undefined {
  if (tagNo === undefined) return undefined;
  return isTagLed
    ? sql`${links.no} in (select link_no from link_tags where tag_no = ${tagNo})`
    : hasTag(tagNo, NO);
}

/** Looked up for each link, which an index of the table has. */
const hasTag = (tagNo: number, no: SQL) =>
  sql`exists (select 1 from link_tags as other where other.tag_no = ${tagNo} and other.link_no = ${no})`;

const isUnhandled = ({ accountNo }: Caller, no: SQL) =>
  sql`${no} not in (
    select no from watched_links where account_no = ${accountNo} and handling <> 'open')`;

/** Tags stay with links that are retired, which are few. SQLite would read the row of each link to look at that. */
const isWatched = ({ engine }: Store, no: SQL) =>
  engine.name === "sqlite"
    ? sql`${no} not in (select no from links as gone where retired_at > 0)`
    : sql`not exists (select 1 from links as gone where gone.no = ${no} and gone.retired_at > 0)`;

/** Whether links are chosen by what few of them have: a failure, a time of creation, a decision. */
const isByFew = (filter: LinkFilter): boolean =>
  Boolean(
    (filter.reason && filter.reason !== "ok") ||
      filter.created_from ||
      filter.created_to ||
      leavesFew(filter),
  );

/**
 * The numbers of the tags and of the source that links must have. The links of a source have its number as that of a tag.
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
  return nos as number[];
}

type Totals = Record<Verdict | "total", number>;

/** What is counted of the account, the tags and the group, by which it is decided what of them is read. */
async function totalsOf(
  store: Store,
  { accountNo }: Caller,
  tagNos: number[],
  { search, group_id: groupId }: LinkFilter,
): Promise<Map<number, Totals>> {
  if (tagNos.length === 0 && !search) return new Map();
  const { subject, active, dead, unknown } = linkCounts;
  const isGroup = groupId
    ? inArray(subject, store.select({ no: groups.no }).from(groups).where(eq(groups.id, groupId)))
    : undefined;
  const rows = await store
    .select({ subject, active, dead, unknown, total: allCounted.mapWith(Number) })
    .from(linkCounts)
    .where(or(inArray(subject, [accountNo, ...tagNos]), isGroup));
  return new Map(rows.map(({ subject, ...totals }) => [subject, totals]));
}

/** The links that are being checked, which are never many. */
async function readChecking(store: Store, { accountNo }: Caller, now: number): Promise<number[]> {
  const rows = await store
    .select({ no: links.no })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, now)));
  return rows.map(({ no }) => no);
}

/**
 * Selects the numbers of links of all accounts that may contain the text; undefined if they are more than `most`, or if
 * PostgreSQL searches.
 */
async function candidatesFor(
  store: Store,
  { search, search_in: place }: LinkFilter,
  most: number,
): Promise<SQL | undefined> {
  const candidates = search ? mayContain(store, search, place === "all") : undefined;
  if (!candidates) return undefined;
  const some = sql`select count(*) from (select 1 from (${candidates}) limit ${most + 1})`;
  const [[count]] = (await store.readPool.all(some)) as [[number]];
  return count > most ? undefined : candidates;
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
  const read = async (part?: Numbers) => {
    const no = ledBy(chosen);
    const isIn = part && sql`${no} > ${part.after} and ${no} <= ${part.to}`;
    const counted = sql`select count(*) ${matchingFrom(store, caller, chosen, isIn)}`;
    const [[total]] = (await store.readPool.all(counted)) as [[number | string]];
    return Number(total);
  };
  const readInSteps = async () => {
    let total = 0;
    for (const part of await stepsFor(store, caller, chosen)) total += await read(part);
    return total;
  };
  const key = `links ${caller.accountNo} ${nameOf(query)}`;
  const all = await (now === SETTLED ? read() : cached({ store, clock }, key, readInSteps));
  return all - chosen.hidden.length;
}

/** Numbers above `after`, up to `to`. */
type Numbers = { after: number; to: number };

/** The parts of a count; `undefined` stands for all. Other lists are read between them, in SQLite's one thread. */
async function stepsFor(
  store: Store,
  { accountNo }: Caller,
  { isFew }: Chosen,
): Promise<(Numbers | undefined)[]> {
  if (isFew || store.engine.name === "postgres") return [undefined];
  const { total } = await totalLinks({ store }, accountNo);
  if (total <= COUNTED_AT_ONCE) return [undefined];
  const end = (direction: typeof asc) =>
    store
      .select({ no: links.no })
      .from(links)
      .where(eq(links.accountNo, accountNo))
      .orderBy(direction(links.no))
      .limit(1);
  const [[first], [last]] = await Promise.all([end(asc), end(desc)]);
  if (!first || !last) return [undefined];
  const before = first.no - 1;
  const size = Math.max(COUNTED_AT_ONCE, Math.ceil((last.no - before) / MOST_STEPS));
  return Array.from({ length: Math.ceil((last.no - before) / size) }, (_, i) => ({
    after: before + i * size,
    to: before + (i + 1) * size,
  }));
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
      .where(and(whereOf(caller, chosen), isTagged(chosen)))
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
  const { groupId, isMost, candidates } = chosen;
  const conditions = and(
    chosen.conditions,
    chosen.ofNumber(NO),
    candidates && sql`${links.no} in (${candidates})`,
  );
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
  const isLed = chosen.isTagLed || chosen.candidates !== undefined;
  if (part.by !== "no" || !isLed) {
    const rows = await sorted(store, caller, chosen, part);
    return rows.map(({ no }) => no);
  }
  const no = ledBy(chosen);
  const from = matchingFrom(store, caller, chosen, isShown(store, no, chosen, part));
  const rows = await store.readPool.all<[no: number]>(
    sql`select ${no} ${from} order by ${turned(part)(no)} limit ${part.limit} offset ${part.offset}`,
  );
  return rows.map(([no]) => no);
}

/** The number of the links that are read in their order. */
const ledBy = ({ candidates, isTagLed }: Chosen): SQL => {
  if (candidates) return sql`found.no`;
  return isTagLed ? sql`${linkTags.linkNo}` : NO;
};

/** The matching links: first what may contain a text, or has a tag, and then their rows, where conditions need them. */
function matchingFrom(store: Store, caller: Caller, chosen: Chosen, shown?: SQL): SQL {
  const { candidates, tagNo, isTagLed, conditions, ofNumber } = chosen;
  const no = ledBy(chosen);
  const rows = sql`${sql.raw(ROWS)} on ${NO} = ${no}`;
  const rest = and(ofNumber(no), shown);
  if (candidates) {
    const isOurs = and(eq(links.accountNo, caller.accountNo), conditions);
    const isWithTag = tagNo === undefined ? undefined : hasTag(tagNo, no);
    return sql`from (${candidates}) as found cross join ${rows} where ${and(isWithTag, rest, isOurs)}`;
  }
  if (!isTagLed)
    return sql`from ${sql.raw(ROWS)} where ${and(whereOf(caller, chosen), isTagged(chosen), shown)}`;
  const ofTag = eq(linkTags.tagNo, tagNo!);
  return conditions
    ? sql`from link_tags join ${rows} where ${and(ofTag, rest, conditions)}`
    : sql`from link_tags where ${and(ofTag, rest, isWatched(store, no))}`;
}

function sorted(store: Store, caller: Caller, chosen: Chosen, part: Part) {
  const { no, statusChangedAt, status, urlKey } = links;
  const matches = and(
    whereOf(caller, chosen, part.by),
    isTagged(chosen),
    isShown(store, NO, chosen, part),
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

const isShown = (store: Store, no: SQL, { hidden }: Chosen, { before }: Part) =>
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
