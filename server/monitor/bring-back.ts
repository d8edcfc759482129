import { sql } from "drizzle-orm";
import { holdLinks } from "../db/hold.ts";
import { rowsOf, type Store } from "../db/store.ts";
import { FREQUENCIES, type Frequency } from "../db/tables.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { ALL_BUCKETS } from "../work/buckets.ts";
import type { Deps } from "../work/deps.ts";
import { BUCKETS_GIVEN, givenBuckets } from "../work/given-buckets.ts";
import { LEASE_MS } from "../work/lease.ts";
import { LONGEST_INTERVAL, nextPlace } from "../work/schedule.ts";

/** Links that are looked at without a pause. */
const ROWS = 250;
/** Sites ask for a day at most to be left alone; a link may wait for that beside its frequency. */
export const LONGEST_REST_MS = 25 * 3_600_000;

/**
 * Brings back what was written while the clock was ahead: no lease lasts longer than leases do, and no link
 * waits longer than its own frequency has it wait, or than `restMs` where that is more. Each goes to its
 * place, so that they do not all come at once. In steps that keep nobody waiting. Returns how many links that were.
 */
export async function bringBack(deps: Deps, restMs: number, signal: AbortSignal): Promise<number> {
  let count = await shortenLeases(deps);
  const after = deps.clock.now() + shortestWait(deps, restMs);
  for (const part of await partsAfter(deps.store, after)) {
    count += await bringBackPart(deps, part, { restMs, signal });
  }
  return count;
}

/** How far ahead a link may be due, in milliseconds. */
const longestWait = ({ config }: Deps, frequency: Frequency, restMs: number): number =>
  Math.max(config.frequencySeconds[frequency] * 1000 * LONGEST_INTERVAL, restMs);

const shortestWait = (deps: Deps, restMs: number): number =>
  Math.min(...FREQUENCIES.map((frequency) => longestWait(deps, frequency, restMs)));

/** A part of all links, in the order in which they are due. */
type Part = { next: string; params: number[] };

type Limits = { restMs: number; signal: AbortSignal };

async function bringBackPart(deps: Deps, part: Part, { restMs, signal }: Limits): Promise<number> {
  let count = 0;
  let last = [deps.clock.now() + shortestWait(deps, restMs), 0];
  while (!signal.aborted) {
    const links = await linksAfter(deps.store, part, last);
    const now = deps.clock.now();
    const far = links.filter(
      ({ frequency, nextCheckAt }) => nextCheckAt > now + longestWait(deps, frequency, restMs),
    );
    count += await putInPlace(deps, far);
    const end = links.at(-1);
    if (!end || links.length < ROWS) break;
    last = [end.nextCheckAt, end.no];
    await yieldToEventLoop();
  }
  return count;
}

/** Whoever holds such a link has renewed its lease, or does so before it ends. What was asked for is due. */
async function shortenLeases({ store, clock }: Deps): Promise<number> {
  for (let count = 0; ; ) {
    const now = clock.now();
    const end = now + LEASE_MS;
    const rows: unknown[] = await store.all(sql`
      update links set checking_until = ${end},
        next_check_at = cast(case when lease is null then ${now} else ${end} end as bigint)
      where no in (select no from links where checking_until > ${end} limit ${ROWS})
      returning no
    `);
    count += rows.length;
    if (rows.length < ROWS) return count;
    await yieldToEventLoop();
  }
}

type Waiting = { no: number; id: string; frequency: Frequency; nextCheckAt: number };

/** Where several processes share the database, its index has them by bucket. Those that have a link due so late. */
async function partsAfter({ engine }: Store, after: number): Promise<Part[]> {
  if (!engine.isShared) return [{ next: nextStep(""), params: [] }];
  const found = await engine.run({ sql: LATE_BUCKETS, params: [givenBuckets(ALL_BUCKETS), after] });
  return found.map(([bucket]) => ({
    next: nextStep("bucket = ? and"),
    params: [bucket as number],
  }));
}

const LATE_BUCKETS = `
  select given from ${BUCKETS_GIVEN}
  where exists (select 1 from links where bucket = given and next_check_at > ?)`;

const nextStep = (isInPart: string) =>
  `select no, id, check_frequency, next_check_at from links where ${isInPart} (next_check_at, no) > (?, ?) ` +
  "order by next_check_at, no limit ?";

async function linksAfter({ engine }: Store, part: Part, last: number[]): Promise<Waiting[]> {
  const rows = await engine.run({ sql: part.next, params: [...part.params, ...last, ROWS] });
  return (rows as [number, string, Frequency, number][]).map(
    ([no, id, frequency, nextCheckAt]) => ({ no, id, frequency, nextCheckAt }),
  );
}

/** What began in the future never ends, and so it begins anew. */
async function putInPlace({ store, clock, config }: Deps, far: Waiting[]): Promise<number> {
  if (far.length === 0) return 0;
  const now = clock.now();
  const rows = far.map(({ no, id, frequency, nextCheckAt }) => [
    ...[no, nextCheckAt],
    nextPlace(id, config.frequencySeconds[frequency], now),
  ]);
  const change = store.run(sql`
    update links set next_check_at = new_at,
      unconfirmed_since = case when unconfirmed_since > ${now} then null else unconfirmed_since end,
      failing_since = case when failing_since > ${now} then null else failing_since end
    from ${rowsOf(store, MOVED, rows)} as moved
    where links.no = link_no and next_check_at = old_at and lease is null
  `);
  const numbers = far.map(({ no }) => no);
  await store.write([...holdLinks(store, numbers), change]);
  return far.length;
}

const MOVED = { link_no: "bigint", old_at: "bigint", new_at: "bigint" } as const;
