import { sql } from "drizzle-orm";
import { preparedOnce, rowsOf, type Store } from "../db/store.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { ALL_BUCKETS } from "./buckets.ts";
import type { Deps } from "./deps.ts";
import { BUCKETS_GIVEN, givenBuckets } from "./given-buckets.ts";

/** Due links that are counted one by one. */
const COUNTED = 10_000;
/** Links of all that are looked at to estimate how many are due. */
const SAMPLES = 400;
const SAMPLES_AT_ONCE = 50;

/** Where several processes share the database, its index has what is due by bucket, and else by moment. */
const queriesOf = preparedOnce(({ engine }) => (engine.isShared ? BY_BUCKET : BY_MOMENT));

const BY_MOMENT = {
  given: () => [],
  count: "select count(*) from (select no from links where next_check_at <= ? limit ?) as counted",
  earliest: "select min(next_check_at) from links",
};

const BY_BUCKET = {
  given: (buckets: readonly number[]) => [givenBuckets(buckets)],
  count: `
    select count(*) from (
      select no from ${BUCKETS_GIVEN} cross join lateral (
        select no from links where bucket = given and next_check_at <= ?
      ) as due limit ?
    ) as counted`,
  earliest: `
    select min(first.next_check_at) from ${BUCKETS_GIVEN} cross join lateral (
      select next_check_at from links where bucket = given order by next_check_at limit 1
    ) as first`,
};

/** How many links are due: exactly while they are few, else about, as counting would take too long. */
export const countDueLinks = (deps: Deps): Promise<number> => countDue(deps, ALL_BUCKETS);

/** The same, of those that this process checks. */
export const countOwnDueLinks = (deps: Deps): Promise<number> =>
  countDue(deps, deps.nodes.share("checks").buckets);

/**
 * When the link is due that is due first, in milliseconds since 1970; null when there is none. Links under way are
 * due at the end of their lease only.
 * @param buckets of which links, where processes share them
 */
export async function earliestDue(
  { store }: Pick<Deps, "store">,
  buckets: readonly number[] = ALL_BUCKETS,
): Promise<number | null> {
  const { given, earliest } = queriesOf(store);
  const [row] = await store.engine.runInReadPool({ sql: earliest, params: given(buckets) });
  return row![0] as number | null;
}

async function countDue({ store, clock }: Deps, buckets: readonly number[]): Promise<number> {
  const { given, count: sql } = queriesOf(store);
  const now = clock.now();
  const params = [...given(buckets), now, COUNTED];
  const [row] = await store.engine.runInReadPool({ sql, params });
  const count = row![0] as number;
  return count < COUNTED ? count : Math.max(count, await estimate(store, now, buckets));
}

/** From some of the numbers that links have, evenly spread but in no step that they might have as well. */
async function estimate(store: Store, now: number, buckets: readonly number[]): Promise<number> {
  const [ends] = await store.engine.runInReadPool({
    sql: "select (select min(no) from links), (select max(no) from links)",
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
      join links on links.no = sampled where next_check_at <= ${now}
    `);
    due += hits.filter(([bucket]) => wanted.has(bucket)).length;
    await yieldToEventLoop();
  }
  return Math.round((due / SAMPLES) * all);
}

/** Multiples of it, without their whole parts, lie evenly between 0 and 1, in no step that anything else has. */
export const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
