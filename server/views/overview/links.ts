import { and, count, desc, eq, gt, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../api/caller.ts";
import { preparedOnce } from "../../db/store.ts";
import { groups, linkCounts, links, recoveries, type Verdict } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import type {
  CountedGroup,
  CountedService,
  Counts,
  DeadLink,
  DeadLinks,
  FirstOf,
  RecoveredLink,
  UnknownLinks,
  UnknownReason,
} from "./model.ts";

const DAY_MS = 86_400_000;
/** Recoveries that are listed. */
const RECENT_MS = 7 * DAY_MS;
export const LISTED_ITEMS = 10;

const SHOWN = { id: links.id, url: links.url, service: links.service, groupId: links.groupId };

/** @param total how many there are, which the kept counts know */
export async function findDead(deps: Deps, caller: Caller, total: number): Promise<DeadLinks> {
  const [items, newInDay] = await Promise.all([
    listDead(deps, caller),
    cached(deps, `newly dead ${caller.accountNo}`, () => countNewlyDead(deps, caller)),
  ]);
  return { total, items, newInDay };
}

const isDead = ({ accountNo }: Caller) =>
  and(eq(links.accountNo, accountNo), eq(links.status, "dead"));

const listDead = ({ store }: Deps, caller: Caller): Promise<DeadLink[]> =>
  store
    .select({
      ...SHOWN,
      reason: links.reason,
      statusChangedAt: links.statusChangedAt,
      lastReason: links.lastReason,
      lastStatusCode: links.lastStatusCode,
      lastCause: links.lastCause,
    })
    .from(links)
    .where(isDead(caller))
    .orderBy(desc(links.statusChangedAt), desc(links.no))
    .limit(LISTED_ITEMS);

/** From the index alone; still they may be very many, when a large site has gone. */
async function countNewlyDead({ store, clock }: Deps, caller: Caller): Promise<number> {
  const [found] = await store.readPool
    .select({ count: count() })
    .from(links)
    .where(and(isDead(caller), gt(links.statusChangedAt, clock.now() - DAY_MS)));
  return found!.count;
}

/** Links that came back from being dead within the last week, and are still there: many after an outage. */
export const findRecovered = (deps: Deps, caller: Caller): Promise<FirstOf<RecoveredLink>> =>
  cached(deps, `recovered ${caller.accountNo}`, () => readRecovered(deps, caller));

async function readRecovered(deps: Deps, caller: Caller): Promise<FirstOf<RecoveredLink>> {
  const [items, [counted]] = await Promise.all([
    listRecovered(deps, caller),
    deps.store.readPool
      .select({ count: count() })
      .from(recoveries)
      .innerJoin(links, eq(links.no, recoveries.linkNo))
      .where(isRecovered(deps, caller)),
  ]);
  return { total: counted!.count, items };
}

const isRecovered = ({ clock }: Deps, { accountNo }: Caller) =>
  and(
    eq(recoveries.accountNo, accountNo),
    gt(recoveries.recoveredAt, clock.now() - RECENT_MS),
    eq(links.status, "active"),
  );

const listRecovered = (deps: Deps, caller: Caller): Promise<RecoveredLink[]> =>
  deps.store.readPool
    .select({ ...SHOWN, recoveredAt: recoveries.recoveredAt })
    .from(recoveries)
    .innerJoin(links, eq(links.no, recoveries.linkNo))
    .where(isRecovered(deps, caller))
    .orderBy(desc(recoveries.recoveredAt), desc(recoveries.linkNo))
    .limit(LISTED_ITEMS);

const sumOf = (column: AnySQLiteColumn) => sql`coalesce(sum(${column}), 0)`.mapWith(Number);

export async function countByStatus(
  { store, clock }: Deps,
  { accountNo }: Caller,
): Promise<Counts> {
  const { active, dead, unknown, subject } = linkCounts;
  const [[settled], [checking]] = await store.batch([
    store
      .select({ active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) })
      .from(linkCounts)
      .where(eq(subject, accountNo)),
    store
      .select({ count: count() })
      .from(links)
      .where(and(eq(links.accountNo, accountNo), gt(links.checkingUntil, clock.now()))),
  ]);
  const by = settled!;
  return { total: by.active + by.dead + by.unknown, ...by, checking: checking!.count };
}

/** After a million links were added, all are unknown: as many tell what the reasons are. */
const MOST_COUNTED = 50_000;

/**
 * Why links are unknown, the most frequent reason first; only of the newest where they are very many. There
 * are not many more reasons than can be shown.
 * @param total how many are unknown, which the kept counts know
 */
export async function countUnknownByReason(
  deps: Deps,
  { accountNo }: Caller,
  total: number,
): Promise<UnknownLinks> {
  const items = await cached(deps, `unknown ${accountNo}`, () => readUnknown(deps, accountNo));
  const counted = items.reduce((sum, item) => sum + item.count, 0);
  return { total, isWhole: counted < MOST_COUNTED, items };
}

/** In the order of their numbers, in which their rows are adjacent. */
function readUnknown({ store: { readPool } }: Deps, accountNo: number): Promise<UnknownReason[]> {
  const newest = readPool
    .select({ reason: links.reason })
    .from(links)
    .where(and(eq(links.accountNo, accountNo), eq(links.status, "unknown")))
    .orderBy(desc(links.no))
    .limit(MOST_COUNTED)
    .as("newest");
  return readPool
    .select({ reason: newest.reason, count: count() })
    .from(newest)
    .groupBy(newest.reason)
    .orderBy(desc(count()), sql`coalesce(${newest.reason}, '')`);
}

/** The groups with most links first. */
export const findLargestGroups = (deps: Deps, caller: Caller): Promise<FirstOf<CountedGroup>> =>
  cached(deps, `groups ${caller.accountNo}`, () => readGroups(deps, caller));

async function readGroups(
  { store: { readPool } }: Deps,
  { accountId }: Caller,
): Promise<FirstOf<CountedGroup>> {
  const { id, name, color, no } = groups;
  const { active, dead, unknown, subject } = linkCounts;
  const ours = eq(groups.accountId, accountId);
  const [items, [counted]] = await Promise.all([
    readPool
      .select({
        id,
        name,
        color,
        active: sumOf(active),
        dead: sumOf(dead),
        unknown: sumOf(unknown),
      })
      .from(groups)
      .leftJoin(linkCounts, eq(subject, no))
      .where(ours)
      .groupBy(id, name, color)
      .orderBy(desc(sql`coalesce(sum(${active} + ${dead} + ${unknown}), 0)`), id)
      .limit(LISTED_ITEMS),
    readPool.select({ total: count() }).from(groups).where(ours),
  ]);
  return { total: counted!.total, items };
}

/** The services with most links first. */
export async function findLargestServices(
  deps: Deps,
  caller: Caller,
): Promise<FirstOf<CountedService>> {
  const all = await cached(deps, `services ${caller.accountNo}`, () => readServices(deps, caller));
  return { total: all.length, items: all.slice(0, LISTED_ITEMS) };
}

async function readServices(deps: Deps, caller: Caller): Promise<CountedService[]> {
  const services = new Map<string, CountedService & { total: number }>();
  for (const { service, status, count: many } of await readTallies(deps, caller)) {
    const known = services.get(service) ?? { service, total: 0, active: 0, dead: 0, unknown: 0 };
    if (status === "all") known.total = many;
    else known[status] = many;
    services.set(service, known);
  }
  return [...services.values()]
    .map((each) => ({ ...each, active: each.total - each.dead - each.unknown }))
    .sort((a, b) => b.total - a.total || (a.service < b.service ? -1 : 1));
}

/**
 * All links are counted from an index alone. Only of those that are not active the rows are read, which
 * are few where there are many links.
 */
const readTallies = ({ store: { readPool } }: Deps, { accountNo }: Caller) =>
  readPool
    .select({
      service: sql`service`.mapWith(String),
      status: sql`status`.mapWith((text) => text as Verdict | "all"),
      count: sql`many`.mapWith(Number),
    })
    .from(sql`(
      select service, 'all' as status, count(*) as many from links where account_no = ${accountNo} group by service
      union all
      select service, status, count(*) from links
      where account_no = ${accountNo} and status in ('dead', 'unknown') group by status, service
    ) as told`);

const MOST_KEPT = 1000;
/** An answer serves for so many times as long as it took, so that at most a twentieth of all time is spent on it. */
const KEPT_TIMES = 20;
/** What takes no longer is looked up whenever it is asked for, in milliseconds. */
const QUICK_MS = 20;

type Kept = { value: Promise<unknown>; until: number };

const keptOf = preparedOnce(() => new LRUCache<string, Kept>({ max: MOST_KEPT }));

/** What `make` gives, or gave a short while ago where that took long. Who asks meanwhile waits for the same. */
export function cached<T>(
  { store, clock }: Pick<Deps, "store" | "clock">,
  key: string,
  make: () => PromiseLike<T>,
): Promise<T> {
  const answers = keptOf(store);
  const known = answers.get(key);
  if (known && clock.elapsed() < known.until) return known.value as Promise<T>;
  const startedAt = clock.elapsed();
  // A query that is not awaited here would run again for each that awaits it.
  const value = (async () => make())();
  const entry: Kept = { value, until: Number.POSITIVE_INFINITY };
  answers.set(key, entry);
  const settle = (isGood: boolean) => {
    const took = clock.elapsed() - startedAt;
    entry.until = isGood && took > QUICK_MS ? clock.elapsed() + took * KEPT_TIMES : 0;
  };
  value.then(
    () => settle(true),
    () => settle(false),
  );
  return value;
}
