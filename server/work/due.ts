import { sql } from "drizzle-orm";
import { preparedOnce, rowsOf, type Store } from "../ground/db/store.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Work } from "../ground/lib/vocabulary.ts";
import type { Deps } from "./deps.ts";
import {
  ALL_BUCKETS,
  BUCKETS_GIVEN,
  bucketOf,
  givenBuckets,
  ROLE_OF,
  type Share,
} from "./nodes.ts";

/** Multiples of it, without their whole parts, are evenly spread between 0 and 1. */
export const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Due links up to this number are counted one by one. */
const COUNTED = 10_000;
/** Number of links that the estimate looks at. */
const SAMPLES = 400;
const SAMPLES_AT_ONCE = 50;

/** A shared database has an index of due links by bucket, SQLite one by time. */
const queriesOf = preparedOnce(({ engine }) => (engine.isShared ? BY_BUCKET : BY_TIME));

const BY_TIME = {
  given: () => [],
  count:
    "select count(*) from (select no from watched_links as links where next_check_at <= ? limit ?) as counted",
  earliest: "select min(next_check_at) from watched_links as links",
};

const BY_BUCKET = {
  given: (buckets: readonly number[]) => [givenBuckets(buckets)],
  count: `
    select count(*) from (
      select no from ${BUCKETS_GIVEN} cross join lateral (
        select no from watched_links as links where bucket = given and next_check_at <= ?
      ) as due limit ?
    ) as counted`,
  earliest: `
    select min(first.next_check_at) from ${BUCKETS_GIVEN} cross join lateral (
      select next_check_at from watched_links as links where bucket = given order by next_check_at limit 1
    ) as first`,
};

type Reading = Pick<Deps, "store" | "clock">;

/** Counts due links: exactly while they are few, otherwise by an estimate, since counting would take too long. */
export const countDueLinks = (deps: Reading): Promise<number> => countDue(deps, ALL_BUCKETS);

/** Counts those of this node's share. */
export const countOwnDueLinks = (deps: Reading & Pick<Deps, "nodes">): Promise<number> =>
  countDue(deps, deps.nodes.share("checks").buckets);

/**
 * Returns when the next link is due, in milliseconds since 1970; null when there is none. Links that are being checked
 * are due when their leases end.
 * @param buckets of which links, on a shared database
 */
export async function earliestDue(
  { store }: Pick<Deps, "store">,
  buckets: readonly number[] = ALL_BUCKETS,
): Promise<number | null> {
  const { given, earliest } = queriesOf(store);
  const [row] = await store.engine.runInReadPool({ sql: earliest, params: given(buckets) });
  return row![0] as number | null;
}

async function countDue({ store, clock }: Reading, buckets: readonly number[]): Promise<number> {
  const { given, count: sql } = queriesOf(store);
  const now = clock.now();
  const params = [...given(buckets), now, COUNTED];
  const [row] = await store.engine.runInReadPool({ sql, params });
  const count = row![0] as number;
  return count < COUNTED ? count : Math.max(count, await estimate(store, now, buckets));
}

/** Looks at links by their numbers: evenly spread, but not in steps of equal length, which links could have too. */
async function estimate(store: Store, now: number, buckets: readonly number[]): Promise<number> {
  const [ends] = await store.engine.runInReadPool({
    sql: "select (select min(no) from watched_links as links), (select max(no) from watched_links as links)",
    params: [],
  });
  const [first, last] = ends as [number, number];
  const all = last - first + 1;
  const samples = Array.from({ length: SAMPLES }, (_, i) => [
    first + Math.floor(((i * GOLDEN_RATIO) % 1) * all),
  ]);
  const wanted = new Set(buckets);
  let due = 0;
  for (const some of chunksOf(SAMPLES_AT_ONCE, samples)) {
    const hits: [number][] = await store.readPool.all(sql`
      select bucket from ${rowsOf(store, { sampled: "bigint" }, some)} as sample
      join watched_links as links on links.no = sampled where next_check_at <= ${now}
    `);
    due += hits.filter(([bucket]) => wanted.has(bucket)).length;
    await yieldToEventLoop();
  }
  return Math.round((due / SAMPLES) * all);
}

/** Lateness is read rarely: that costs one step down an index for each bucket, or for each webhook. */
export const LAG_EVERY_MS = 15_000;

type Lags = Record<Work, number | null>;

const NO_LAG: Lags = { checks: null, deliveries: null };

/** Knows how late this node's oldest due work is, in milliseconds; null for work that it does not do. */
export function createLagWatch(deps: Deps) {
  let latest = NO_LAG;
  let isOldAt = 0;
  return {
    latest: (): Lags => latest,
    /** Reads it again, unless that was done recently. */
    async look() {
      if (deps.clock.elapsed() < isOldAt) return;
      isOldAt = deps.clock.elapsed() + LAG_EVERY_MS;
      latest = await readLags(deps).catch(() => NO_LAG);
    },
  };
}

async function readLags(deps: Deps): Promise<Lags> {
  const { config, nodes, clock } = deps;
  const lagOf = async (work: Work, earliest: () => Promise<number | null>) => {
    if (!config.role.includes(ROLE_OF[work])) return null;
    const dueAt = await earliest();
    return dueAt === null ? 0 : Math.max(0, clock.now() - dueAt);
  };
  const [checks, deliveries] = await Promise.all([
    lagOf("checks", () => earliestDue(deps, nodes.share("checks").buckets)),
    lagOf("deliveries", () => earliestDelivery(deps, nodes.share("deliveries"))),
  ]);
  return { checks, deliveries };
}

async function earliestDelivery({ store, clock }: Reading, share: Share): Promise<number | null> {
  const rows = await store.readPool.all<[id: string, dueAt: number]>(sql`
    select id, due from (
      select w.id, (select min(d.due_at) from deliveries d where d.webhook_id = w.id and d.due_at > 0) as due
      from webhooks w where w.is_active = 1
    ) as next where due <= ${clock.now()}`);
  const own = rows.filter(([id]) => share.has(bucketOf(id))).map(([, dueAt]) => dueAt);
  return own.length === 0 ? null : Math.min(...own);
}
