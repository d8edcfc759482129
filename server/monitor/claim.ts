import { sql } from "drizzle-orm";
import { lockLinks } from "../ground/db/queries.ts";
import { onRows, preparedOnce, type Store } from "../ground/db/store.ts";
import { LINK_SUMMARY, type LinkRow, type LinkSummary, links } from "../ground/db/tables.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Expect } from "../judge/expectations.ts";
import { fragmentsIn, type KnownFragment } from "../judge/fragments.ts";
import type { Override } from "../links/fields/override.ts";
import { readMemories, type StoredMemory } from "../links/memories.ts";
import type { Deps } from "../work/deps.ts";
import { GOLDEN_RATIO } from "../work/due.ts";
import { BUCKETS_GIVEN, givenBuckets, LEASE_MS, leasesOf } from "../work/nodes.ts";
import { newLease } from "../work/queue.ts";

/** Most links in one statement: more would delay other requests. */
const ROWS = 500;

/** What is stored of the last full reading of a link's page. Times are in milliseconds since 1970. */
export type StoredReading = {
  readAt: number;
  /** How often the server has said since that the page is unchanged. */
  notModified: number;
  rules: number;
  path: number;
  content: number;
  finalUrl: string | null;
  redirectCount: number;
  etag: string | null;
  lastModified: string | null;
  isProven: number;
  barredUntil: number | null;
};

/** A link that this process holds until its lease ends. Its bucket is 0 where no other process could have it. */
export type ClaimedLink = LinkSummary &
  Pick<LinkRow, "site" | "tlsExpiresAt" | "aliveResponse" | "deadResponse" | "handling"> & {
    lease: string;
    bucket: number;
    /** What a person has overruled, if anything. */
    override?: Override;
    /** What the response must be like, if it was said. */
    expect?: Expect;
    /** What its page should have, if anything. */
    fragments?: KnownFragment[];
    /** The last full reading of its page, if one is kept. */
    reading?: StoredReading | undefined;
    /** What is remembered of its page. */
    memory?: StoredMemory | undefined;
  };

type ClaimDeps = Pick<Deps, "store" | "clock" | "nodes">;

/** Due after `after`, which is long ago by default, and by `by`, which is now by default. */
type Due = { after?: number; by?: number };

/**
 * Claims up to `most` due links, oldest first. The update is the lock: it moves `next_check_at` to the end of the
 * lease, so no other process claims the same link, and a link whose checker died becomes due again.
 */
export const claimDueLinks = (deps: ClaimDeps, most: number, due: Due = {}) =>
  claim(deps, { most, text: "due", ...due });

/** Claims only links whose check a user has requested. */
export const claimRequestedLinks = (deps: ClaimDeps, most: number) =>
  claim(deps, { most, text: "requested" });

type Wanted = Due & { most: number; text: "due" | "requested" };

/** The texts are built once and the rows read by hand, since every check begins here. */
const claimsOf = preparedOnce(({ engine: { isShared } }) => {
  const textOf = isShared ? claimFromShare : claimFromAll;
  return {
    run: isShared ? runOnShare : runOnAll,
    due: textOf(""),
    // A literal, since a database cannot match a parameter with the condition of an index.
    requested: textOf("and next_trigger = 'manual'"),
  };
});

async function claim(deps: ClaimDeps, wanted: Wanted): Promise<ClaimedLink[]> {
  const { most, text, after = -1, by = deps.clock.now() } = wanted;
  if (most <= 0) return [];
  const claims = claimsOf(deps.store);
  const until = deps.clock.now() + LEASE_MS;
  const window = { after, by, until, lease: newLease(deps.nodes) };
  const claimed = await claims.run(deps, claims[text], most, window);
  await addPages(deps.store, claimed);
  return withSettings(deps.store, claimed);
}

/** Adds what is kept of their pages. */
async function addPages(store: Store, claimed: ClaimedLink[]): Promise<void> {
  const nos = claimed.map(({ no }) => no);
  const [readings, memories] = await Promise.all([
    readingsOf(store, nos),
    readMemories(store, nos),
  ]);
  for (const link of claimed) {
    link.reading = readings.get(link.no);
    link.memory = memories.get(link.no);
  }
}

/** Adds to the few links that have them what their checks and verdicts depend on. */
async function withSettings(store: Store, claimed: ClaimedLink[]): Promise<ClaimedLink[]> {
  const rows = await selectSettings(
    store,
    claimed.map(({ no }) => [no]),
  );
  if (rows.length === 0) return claimed;
  const settings = new Map(
    rows.map(([no, override, expect, fragments]) => [
      no as number,
      {
        ...(override !== null && { override: JSON.parse(override as string) as Override }),
        ...(expect !== null && { expect: JSON.parse(expect as string) as Expect }),
        ...(fragments !== null && { fragments: fragmentsIn(fragments) }),
      },
    ]),
  );
  return claimed.map((link) => ({ ...link, ...settings.get(link.no) }));
}

const selectSettings = onRows(
  { no: "bigint" },
  (rows) => sql`
    select given.no, override, expect, fragments from ${rows} as given join link_details on link_no = given.no
    where override is not null or expect is not null or fragments is not null
  `,
);

/** In the order of the rows of `readingsOf`. */
export const READING_COLUMNS = [
  "read_at",
  "not_modified",
  "rules",
  "path",
  "content",
  "final_url",
  "redirect_count",
  "etag",
  "last_modified",
  "is_proven",
  "barred_until",
];

const selectReadings = onRows(
  { no: "bigint" },
  (rows) => sql`
    select given.no, ${sql.raw(READING_COLUMNS.join(", "))} from ${rows} as given
    join link_readings on link_no = given.no
  `,
);

/** The stored readings of links, by their numbers. */
async function readingsOf(store: Store, nos: number[]): Promise<Map<number, StoredReading>> {
  const rows = await selectReadings(
    store,
    nos.map((no) => [no]),
  );
  return new Map(
    rows.map(([no, readAt, notModified, rules, path, content, ...rest]) => {
      const [finalUrl, redirectCount, etag, lastModified, isProven, barredUntil] = rest;
      const reading = {
        readAt,
        notModified,
        rules,
        path,
        content,
        finalUrl,
        redirectCount,
        etag,
        lastModified,
        isProven,
        barredUntil,
      };
      return [no as number, reading as StoredReading];
    }),
  );
}

type Window = { after: number; by: number; until: number; lease: string };

const { site, tlsExpiresAt, aliveResponse, deadResponse, handling } = links;
const CLAIMED = { ...LINK_SUMMARY, site, tlsExpiresAt, aliveResponse, deadResponse, handling };
const NAMES = [...(Object.keys(CLAIMED) as (keyof typeof CLAIMED)[]), "bucket"] as const;
const RETURNED = Object.values(CLAIMED).map(({ name }) => name);

/** The plus makes SQLite find the rows by number, and not once more by when they are due. */
const claimFromAll = (wanted: string) => `
  with due as materialized (
    select no from watched_links as links where next_check_at > ? and next_check_at <= ? ${wanted}
    order by next_check_at limit ?
  )
  update links set next_check_at = ?, checking_until = ?, lease = ?
  where no in (select no from due) and +next_check_at > ? and +next_check_at <= ? ${wanted}
  returning ${RETURNED.join(", ")}, 0`;

async function runOnAll(
  { store }: ClaimDeps,
  sql: string,
  most: number,
  { after, by, until, lease }: Window,
): Promise<ClaimedLink[]> {
  const params = [after, by, most, until, until, lease, after, by];
  return (await store.engine.run({ sql, params })).map(toLink);
}

/**
 * The oldest of each bucket, and the oldest of these. Materialized and as arrays, since PostgreSQL may run a plain
 * subquery once per row and so take more than asked, or scan all links for a few.
 */
const claimFromShare = (wanted: string) => `
  with due as materialized (
    select first.no from ${BUCKETS_GIVEN} cross join lateral (
      select no, next_check_at from watched_links as links
      where bucket = given and next_check_at > ? and next_check_at <= ? ${wanted}
      order by next_check_at limit ?
    ) as first
    order by first.next_check_at limit ?
  ), free as materialized (
    select no from watched_links as links where no = any (array(select no from due))
      and next_check_at > ? and next_check_at <= ? ${wanted}
    for update skip locked
  )
  update links set next_check_at = ?, checking_until = ?, lease = ?
  where no = any (array(select no from free)) and next_check_at > ? and next_check_at <= ? ${wanted}
  returning ${RETURNED.join(", ")}, bucket`;

/** Most buckets in one statement. */
const BUCKETS_AT_ONCE = 256;
/** Rows read for each wanted link, since some buckets have more due links than others. */
const ROWS_PER_LINK = 2;

async function runOnShare(
  deps: ClaimDeps,
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

/** Where among the buckets the next claim begins, as a part of them. */
const startOf = preparedOnce(() => ({ at: 0 }));

/** Yields all buckets in chunks. Claims start at evenly spread buckets, so that none is always last. */
function* inTurn(store: Store, buckets: readonly number[]): Generator<readonly number[]> {
  const start = startOf(store);
  start.at = (start.at + GOLDEN_RATIO) % 1;
  const from = Math.floor(start.at * buckets.length);
  yield* chunksOf(BUCKETS_AT_ONCE, [...buckets.slice(from), ...buckets.slice(0, from)]);
}

type Taking = { sql: string; buckets: readonly number[]; most: number; window: Window };

/** Asks buckets that gave all they were asked for again, until there is enough. */
async function takeFrom({ store }: ClaimDeps, taking: Taking): Promise<ClaimedLink[]> {
  const { sql, most, window } = taking;
  const { after, by, until, lease } = window;
  const taken: ClaimedLink[] = [];
  let { buckets } = taking;
  while (buckets.length > 0 && taken.length < most) {
    const left = most - taken.length;
    const each = Math.ceil((ROWS_PER_LINK * left) / buckets.length);
    const found = [givenBuckets(buckets), after, by, each, left];
    const params = [...found, after, by, until, until, lease, after, by];
    const some = (await store.engine.run({ sql, params })).map(toLink);
    taken.push(...some);
    const counts = Map.groupBy(some, ({ bucket }) => bucket);
    buckets = [...counts].flatMap(([bucket, its]) => (its.length < each ? [] : [bucket]));
  }
  return taken;
}

/** Columns hold texts and numbers only, which need no decoding. */
function toLink(cells: unknown[]): ClaimedLink {
  const link: Record<string, unknown> = {};
  for (let i = 0; i < NAMES.length; i++) link[NAMES[i]!] = cells[i];
  return link as ClaimedLink;
}

const UNTIL = sql.placeholder("until");
const HELD = { link_no: "bigint", old_lease: "text" } as const;

/**
 * Renews leases of links that are still being checked, also expired ones that no process has claimed. A link whose
 * check was requested meanwhile is left due, for a check of its own.
 */
export async function renewLeases(
  { store, clock }: Pick<Deps, "store" | "clock">,
  held: ClaimedLink[],
): Promise<void> {
  for (const some of chunksOf(ROWS, held)) {
    const until = clock.now() + LEASE_MS;
    await store.transaction(async (tx) => {
      await lockLinks(tx, numbersOf(some));
      await renew(tx, some.map(leaseCells), { until });
    });
    await yieldToEventLoop();
  }
}

const renew = onRows(
  HELD,
  (rows) => sql`
    update links set next_check_at = ${UNTIL}, checking_until = ${UNTIL}
    from ${rows} as held
    where links.no = link_no and links.lease = old_lease and next_check_at = checking_until
  `,
);

const numbersOf = (some: ClaimedLink[]) => some.map(({ no }) => no);
const leaseCells = ({ no, lease }: ClaimedLink) => [no, lease];

/** An unchecked link, and when it is due again. `isAnswered`: the user who requested the check has a result. */
type Released = { link: ClaimedLink; dueAt: number; isAnswered?: boolean };

/** Releases links that were not checked, inside a transaction that has locked them. */
export async function releaseLinks(tx: Store, released: Released[]): Promise<void> {
  for (const some of chunksOf(ROWS, released)) {
    const rows = some.map(({ link, dueAt, isAnswered }) => [
      ...leaseCells(link),
      ...[dueAt, isAnswered ? 1 : 0],
    ]);
    await release(tx, rows);
  }
}

const release = onRows(
  { ...HELD, due_at: "bigint", is_answered: "bigint" },
  (rows) => sql`
    update links set next_check_at = due_at, checking_until = null, lease = null,
      next_trigger = case when is_answered = 1 then 'scheduled' else next_trigger end
    from ${rows} as given
    where links.no = link_no and links.lease = old_lease
  `,
);

/** Makes links due that a dead node holds: its results will not count. */
export async function releaseLinksOf(
  { store, clock }: Pick<Deps, "store" | "clock">,
  nodeId: string,
): Promise<void> {
  const now = clock.now();
  await store.run(sql`
    update links set next_check_at = case when next_check_at < ${now} then next_check_at else ${now} end,
      checking_until = null, lease = null
    where lease like ${leasesOf(nodeId)} and no in (
      select no from watched_links as links where checking_until is not null and lease like ${leasesOf(nodeId)}
      order by no ${sql.raw(store.engine.skipLocked)}
    )
  `);
}
