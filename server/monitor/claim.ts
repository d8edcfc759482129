import { sql } from "drizzle-orm";
import { holdLinks } from "../db/hold.ts";
import { preparedOnce, rowsOf, type Statement, type Store } from "../db/store.ts";
import { LINK_SUMMARY, type LinkSummary } from "../db/tables.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { GOLDEN_RATIO } from "../work/due.ts";
import { BUCKETS_GIVEN, givenBuckets } from "../work/given-buckets.ts";
import { LEASE_MS } from "../work/lease.ts";
import { newLease } from "../work/node-lease.ts";

/** Links named by one statement: more would keep other requests waiting. */
const ROWS = 500;

/**
 * A link that this process holds until its lease runs out. What was seen last is not needed to check it. Its
 * bucket is 0 where no other process could have it.
 */
export type ClaimedLink = LinkSummary & { lease: string; bucket: number };

/** Due after the one moment, which is long ago if not said, and by the other, which is now. */
type Due = { after?: number; by?: number };

/**
 * The update is the lock. `next_check_at` moves past the lease, so no other process takes the same
 * link, and a link whose checker died becomes due again by itself. What is due first is taken first.
 */
export const claimDueLinks = (deps: Deps, most: number, due: Due = {}): Promise<ClaimedLink[]> =>
  claim(deps, { most, texts: "due", ...due });

/** The same, but only what somebody asked for by hand. */
export const claimAskedLinks = (deps: Deps, most: number): Promise<ClaimedLink[]> =>
  claim(deps, { most, texts: "asked" });

type Wanted = Due & { most: number; texts: "due" | "asked" };

/** Every check of every link begins here, so that the text is written once, and the rows are read by hand. */
const claimsOf = preparedOnce(({ engine: { isShared } }) => {
  const textOf = isShared ? claimFromShare : claimFromAll;
  return {
    run: isShared ? runOnShare : runOnAll,
    due: textOf(""),
    // Written out, since a database cannot match a parameter with the condition of an index.
    asked: textOf("and next_trigger = 'manual'"),
  };
});

async function claim(deps: Deps, wanted: Wanted): Promise<ClaimedLink[]> {
  const { most, texts, after = -1, by = deps.clock.now() } = wanted;
  if (most <= 0) return [];
  const claims = claimsOf(deps.store);
  const until = deps.clock.now() + LEASE_MS;
  const window = { after, by, until, lease: newLease(deps.nodes) };
  return claims.run(deps, claims[texts], most, window);
}

/** What is claimed, and under what. */
type Window = { after: number; by: number; until: number; lease: string };

const NAMES = [...(Object.keys(LINK_SUMMARY) as (keyof typeof LINK_SUMMARY)[]), "bucket"] as const;
const RETURNED = Object.values(LINK_SUMMARY).map(({ name }) => name);

/** With a plus, by which SQLite finds the rows by number and not once more by when they are due. */
const claimFromAll = (wanted: string) => `
  with due as materialized (
    select no from links where next_check_at > ? and next_check_at <= ? ${wanted}
    order by next_check_at limit ?
  )
  update links set next_check_at = ?, checking_until = ?, lease = ?
  where no in (select no from due) and +next_check_at > ? and +next_check_at <= ? ${wanted}
  returning ${RETURNED.join(", ")}, 0`;

async function runOnAll(
  { store }: Deps,
  sql: string,
  most: number,
  { after, by, until, lease }: Window,
): Promise<ClaimedLink[]> {
  const params = [after, by, most, until, until, lease, after, by];
  return (await store.engine.run({ sql, params })).map(toLink);
}

/**
 * What is due first of each bucket, and the first of these. Materialized and as lists, since PostgreSQL may
 * run a plain subquery once per row and so take more than asked, or go through all links for so few.
 */
const claimFromShare = (wanted: string) => `
  with due as materialized (
    select first.no from ${BUCKETS_GIVEN} cross join lateral (
      select no, next_check_at from links
      where bucket = given and next_check_at > ? and next_check_at <= ? ${wanted}
      order by next_check_at limit ?
    ) as first
    order by first.next_check_at limit ?
  ), free as materialized (
    select no from links where no = any (array(select no from due))
      and next_check_at > ? and next_check_at <= ? ${wanted}
    for update skip locked
  )
  update links set next_check_at = ?, checking_until = ?, lease = ?
  where no = any (array(select no from free)) and next_check_at > ? and next_check_at <= ? ${wanted}
  returning ${RETURNED.join(", ")}, bucket`;

/** So many buckets are looked at by one statement, however many the node has. */
const BUCKETS_AT_ONCE = 256;
/** For each link that is wanted so many are looked at, as some buckets have more of them than others. */
const LOOKED_AT = 2;

async function runOnShare(
  deps: Deps,
  sql: string,
  most: number,
  window: Window,
): Promise<ClaimedLink[]> {
  const taken: ClaimedLink[] = [];
  for (const buckets of inTurn(deps.store, deps.nodes.share("checks").buckets)) {
    taken.push(...(await takeFrom(deps, { sql, buckets, most: most - taken.length, window })));
    if (taken.length >= most) break;
  }
  return taken;
}

/** Where among the buckets the next claim begins. */
const placeOf = preparedOnce(() => ({ at: 0 }));

/**
 * All of the buckets, some at a time. Claims begin evenly spread, and in no step that would have one kind of
 * them always come by the same buckets first.
 */
function* inTurn(store: Store, buckets: readonly number[]): Generator<readonly number[]> {
  const place = placeOf(store);
  place.at = (place.at + GOLDEN_RATIO) % 1;
  const from = Math.floor(place.at * buckets.length);
  yield* chunksOf(BUCKETS_AT_ONCE, [...buckets.slice(from), ...buckets.slice(0, from)]);
}

type Taking = { sql: string; buckets: readonly number[]; most: number; window: Window };

/** Buckets that gave all that they were asked for may have more, and are asked again until there is enough. */
async function takeFrom({ store }: Deps, taking: Taking): Promise<ClaimedLink[]> {
  const { sql, most, window } = taking;
  const { after, by, until, lease } = window;
  const taken: ClaimedLink[] = [];
  let { buckets } = taking;
  while (buckets.length > 0 && taken.length < most) {
    const left = most - taken.length;
    const each = Math.ceil((LOOKED_AT * left) / buckets.length);
    const found = [givenBuckets(buckets), after, by, each, left];
    const params = [...found, after, by, until, until, lease, after, by];
    const some = (await store.engine.run({ sql, params })).map(toLink);
    taken.push(...some);
    const counts = Map.groupBy(some, ({ bucket }) => bucket);
    buckets = [...counts].flatMap(([bucket, its]) => (its.length < each ? [] : [bucket]));
  }
  return taken;
}

/** None of the columns holds anything but a text or a number, which are as they come. */
function toLink(cells: unknown[]): ClaimedLink {
  const link: Record<string, unknown> = {};
  for (let i = 0; i < NAMES.length; i++) link[NAMES[i]!] = cells[i];
  return link as ClaimedLink;
}

/**
 * Holds on to links whose checks are still under way, such as those that wait for a busy site, also when
 * their leases ran out and nobody took them. Somebody who asked meanwhile has a check of their own.
 */
export async function renewLeases({ store, clock }: Deps, held: ClaimedLink[]): Promise<void> {
  for (const some of chunksOf(ROWS, held)) {
    const until = clock.now() + LEASE_MS;
    const rows = rowsOf(
      store,
      HELD,
      some.map(({ no, lease }) => [no, lease]),
    );
    const renewal = store.run(sql`
      update links set next_check_at = ${until}, checking_until = ${until} from ${rows} as held
      where links.no = link_no and links.lease = old_lease and next_check_at = checking_until
    `);
    await store.write([
      ...holdLinks(
        store,
        some.map(({ no }) => no),
      ),
      renewal,
    ]);
    await yieldToEventLoop();
  }
}

const HELD = { link_no: "bigint", old_lease: "text" } as const;

/** A link that goes back unchecked, and when it is due again. `isAnswered`: whoever asked for it was told. */
type GivenBack = { link: ClaimedLink; dueAt: number; isAnswered?: boolean };

/** Gives links back unchecked: in one statement, since a busy site may send back hundreds at a time. */
export function giveBack(store: Store, given: GivenBack[]): Statement[] {
  return chunksOf(ROWS, given).map((some) => {
    const rows = some.map(({ link: { no, lease }, dueAt, isAnswered }) => [
      ...[no, lease, dueAt],
      isAnswered ? 1 : 0,
    ]);
    return store.run(sql`
      update links set next_check_at = due_at, checking_until = null, lease = null,
        next_trigger = case when is_answered = 1 then 'scheduled' else next_trigger end
      from ${rowsOf(store, { ...HELD, due_at: "bigint", is_answered: "bigint" }, rows)} as given
      where links.no = link_no and links.lease = old_lease
    `);
  });
}

export const releaseLinks = ({ store }: Deps, given: GivenBack[]): Promise<void> =>
  store.write([
    ...holdLinks(
      store,
      given.map(({ link }) => link.no),
    ),
    ...giveBack(store, given),
  ]);
