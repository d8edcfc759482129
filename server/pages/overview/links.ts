import { and, count, desc, eq, gt, sql } from "drizzle-orm";
import { cached } from "../../ground/db/cached.ts";
import { allCounted, sumOf, totalLinks } from "../../ground/db/queries.ts";
import { groups, linkCounts, links, recoveries, sites } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import type { Verdict } from "../../ground/lib/vocabulary.ts";
import type { Caller } from "../../http/caller.ts";
import { messageOf, type Reason } from "../../judge/reasons/reasons.ts";
import type { Deps } from "../../work/deps.ts";
import type {
  CountedGroup,
  DeadLink,
  FirstOf,
  Overview,
  ReasonCount,
  RecoveredLink,
  ServiceCounts,
} from "./model.ts";

const DAY_MS = 86_400_000;
/** Age up to which recoveries are listed. */
const RECENT_MS = 7 * DAY_MS;
export const LISTED_ITEMS = 10;
/** Unknown links that are counted by reason. After a million links were added, so many show what the reasons are. */
const MOST_UNKNOWN = 50_000;

const SHOWN = { id: links.id, url: links.url, service: links.service, groupId: links.groupId };

export async function countByStatus(
  { store, clock }: Deps,
  { accountNo }: Caller,
): Promise<Overview["counts"]> {
  const [totals, [checking]] = await Promise.all([
    totalLinks({ store }, accountNo),
    store
      .select({ count: count() })
      .from(links)
      .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, clock.now()))),
  ]);
  return { ...totals, checking: checking!.count };
}

export const countSites = ({ store: { readPool } }: Deps, { accountNo }: Caller): Promise<number> =>
  readPool.$count(sites, eq(sites.accountNo, accountNo));

/** Lists the latest dead links. @param total the number of dead links, which the link counts contain */
export async function findDead(
  deps: Deps,
  caller: Caller,
  total: number,
): Promise<Overview["dead"]> {
  const { accountNo } = caller;
  const [items, newInDay, reasons] = await Promise.all([
    listDead(deps, caller),
    cached(deps, `newly dead ${accountNo}`, () => countNewlyDead(deps, caller)),
    cached(deps, `reasons ${accountNo}`, () => countDeadByReason(deps, caller)),
  ]);
  return { total, items, newInDay, reasons };
}

/** Counts links that are not what they were, by indexes that have only those. */
export const countOtherPages = (deps: Deps, { accountNo }: Caller): Promise<Overview["pages"]> =>
  cached(deps, `other pages ${accountNo}`, async () => {
    const { readPool } = deps.store;
    const [states, missing] = await Promise.all([
      readPool.all<[state: string, count: number]>(sql`
        select state, count(*) from page_memories join watched_links on no = link_no
        where page_memories.account_no = ${accountNo} and state in ('doubted', 'changed', 'lost') group by state`),
      readPool.all<[count: number]>(sql`
        select count(*) from link_details join watched_links on no = link_no
        where link_details.account_no = ${accountNo} and missing_fragments > 0`),
    ]);
    const { lost = 0, changed = 0 } = Object.fromEntries(
      states.map(([state, count]) => [state, Number(count)]),
    );
    return { lost, changed, missingFragments: Number(missing[0]![0]) };
  });

const isDead = ({ accountNo }: Caller) =>
  and(eq(links.accountNo, accountNo), eq(links.status, "dead"));

async function listDead({ store }: Deps, caller: Caller): Promise<DeadLink[]> {
  const { reason, statusChangedAt: since, lastReason, lastStatusCode, lastCause } = links;
  const rows = await store
    .select({ ...SHOWN, reason, since, lastReason, lastStatusCode, lastCause })
    .from(links)
    .where(isDead(caller))
    .orderBy(desc(since), desc(links.no))
    .limit(LISTED_ITEMS);
  return rows.map(({ reason, since, lastReason, lastStatusCode, lastCause, ...link }) => {
    // The details of the last check describe the status only if the check had the same reason.
    const isLast = reason === lastReason;
    const message = isLast ? messageFor(reason, lastStatusCode, lastCause) : messageFor(reason);
    return { ...link, reason, message, since: toIso(since) };
  });
}

const messageFor = (
  reason: string | null,
  statusCode: number | null = null,
  cause: string | null = null,
) =>
  reason === null
    ? "Not checked yet."
    : messageOf(reason as Reason, statusCode, cause as Reason | null);

/** Reads only an index, but there may be very many when a large site is down. */
async function countNewlyDead({ store, clock }: Deps, caller: Caller): Promise<number> {
  const [found] = await store.readPool
    .select({ count: count() })
    .from(links)
    .where(and(isDead(caller), gt(links.statusChangedAt, clock.now() - DAY_MS)));
  return found!.count;
}

/** Counts dead links by reason, the most frequent first. The literal lets both databases use the index of dead links. */
async function countDeadByReason({ store }: Deps, caller: Caller): Promise<ReasonCount[]> {
  const rows = await store.readPool
    .select({ reason: links.reason, count: count() })
    .from(links)
    .where(and(eq(links.accountNo, caller.accountNo), sql`${links.status} = 'dead'`))
    .groupBy(links.reason)
    .orderBy(desc(count()), links.reason);
  return rows.map((row) => ({ ...row, message: messageFor(row.reason) }));
}

/** Lists the latest links that recovered within a week and are still alive: there are many after an outage. */
export const findRecovered = (deps: Deps, caller: Caller): Promise<FirstOf<RecoveredLink>> =>
  cached(deps, `recovered ${caller.accountNo}`, () => readRecovered(deps, caller));

async function readRecovered(
  { store: { readPool }, clock }: Deps,
  { accountNo }: Caller,
): Promise<FirstOf<RecoveredLink>> {
  const { linkNo, recoveredAt } = recoveries;
  const isRecovered = and(
    eq(recoveries.accountNo, accountNo),
    gt(recoveredAt, clock.now() - RECENT_MS),
    eq(links.status, "active"),
  );
  const [rows, [counted]] = await Promise.all([
    readPool
      .select({ ...SHOWN, recoveredAt })
      .from(recoveries)
      .innerJoin(links, eq(links.no, linkNo))
      .where(isRecovered)
      .orderBy(desc(recoveredAt), desc(linkNo))
      .limit(LISTED_ITEMS),
    readPool
      .select({ count: count() })
      .from(recoveries)
      .innerJoin(links, eq(links.no, linkNo))
      .where(isRecovered),
  ]);
  const items = rows.map((row) => ({ ...row, recoveredAt: toIso(row.recoveredAt) }));
  return { total: counted!.count, items };
}

/**
 * Counts unknown links by reason, the most frequent first; only the newest links where there are very many. There are
 * not many more reasons than can be shown.
 * @param total the number of unknown links, which the link counts contain
 */
export async function countUnknownByReason(
  deps: Deps,
  { accountNo }: Caller,
  total: number,
): Promise<Overview["unknown"]> {
  const items = await cached(deps, `unknown ${accountNo}`, () => readUnknown(deps, accountNo));
  const counted = items.reduce((sum, item) => sum + item.count, 0);
  return { total, isWhole: counted < MOST_UNKNOWN, items };
}

/** Reads links in the order of their numbers, in which their rows are adjacent. */
async function readUnknown(
  { store: { readPool } }: Deps,
  accountNo: number,
): Promise<ReasonCount[]> {
  const newest = readPool
    .select({ reason: links.reason })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), eq(links.status, "unknown")))
    .orderBy(desc(links.no))
    .limit(MOST_UNKNOWN)
    .as("newest");
  const rows = await readPool
    .select({ reason: newest.reason, count: count() })
    .from(newest)
    .groupBy(newest.reason)
    .orderBy(desc(count()), sql`coalesce(${newest.reason}, '')`);
  return rows.map((row) => ({ ...row, message: messageFor(row.reason) }));
}

/** Lists the groups with the most links. */
export const findLargestGroups = (deps: Deps, caller: Caller): Promise<FirstOf<CountedGroup>> =>
  cached(deps, `groups ${caller.accountNo}`, () => readGroups(deps, caller));

async function readGroups(
  { store: { readPool } }: Deps,
  { accountId }: Caller,
): Promise<FirstOf<CountedGroup>> {
  const { id, name, color, no } = groups;
  const { active, dead, unknown, subject } = linkCounts;
  const isOwn = eq(groups.accountId, accountId);
  const counts = { active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) };
  const [items, [counted]] = await Promise.all([
    readPool
      .select({ id, name, color, ...counts })
      .from(groups)
      .leftJoin(linkCounts, eq(subject, no))
      .where(isOwn)
      .groupBy(id, name, color)
      .orderBy(desc(sumOf(allCounted)), id)
      .limit(LISTED_ITEMS),
    readPool.select({ total: count() }).from(groups).where(isOwn),
  ]);
  return { total: counted!.total, items };
}

/** Lists the services with the most links. */
export async function findLargestServices(
  deps: Deps,
  { accountNo }: Caller,
  most: number,
): Promise<FirstOf<ServiceCounts>> {
  const all = await cached(deps, `services ${accountNo}`, () => readServices(deps, accountNo));
  return { total: all.length, items: all.slice(0, most) };
}

async function readServices(deps: Deps, accountNo: number): Promise<ServiceCounts[]> {
  const rows = await readServiceCounts(deps, accountNo);
  const services = [...Map.groupBy(rows, ({ service }) => service)].map(([service, counts]) => {
    const countOf = (wanted: Verdict | "all") =>
      counts.find(({ status }) => status === wanted)?.count ?? 0;
    const [total, dead, unknown] = [countOf("all"), countOf("dead"), countOf("unknown")];
    return { total, counts: { service, active: total - dead - unknown, dead, unknown } };
  });
  return services
    .sort((a, b) => b.total - a.total || (a.counts.service < b.counts.service ? -1 : 1))
    .map(({ counts }) => counts);
}

/** Counts all links by an index alone, and reads rows only of links that are not active, usually few. */
const readServiceCounts = ({ store: { readPool } }: Deps, accountNo: number) =>
  readPool
    .select({
      service: sql`service`.mapWith(String),
      status: sql`status`.mapWith((text) => text as Verdict | "all"),
      count: sql`many`.mapWith(Number),
    })
    .from(sql`(
      select service, 'all' as status, count(*) as many from watched_links as links where account_no = ${accountNo} group by service
      union all
      select service, status, count(*) from watched_links as links
      where account_no = ${accountNo} and status in ('dead', 'unknown') group by status, service
    ) as counts`);
