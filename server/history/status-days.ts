import { and, asc, eq, lt, sql } from "drizzle-orm";
import { onRows, prepared, type Store } from "../ground/db/store.ts";
import { facts, statusDays } from "../ground/db/tables.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { DAY_MS } from "./roll-ups.ts";

/** Links that came back within less time dead than this are in the first bucket of the histogram. */
const SHORTEST_MS = 15 * 60_000;
const BUCKETS = 16;

/** Columns of the histogram. */
export const BUCKET_NAMES = Array.from({ length: BUCKETS }, (_, i) => `back_${i}`);

/** Returns the bucket of the histogram: each begins where the one before ends, and is twice as wide. */
export function bucketOfTimeDead(ms: number): number {
  const doubled = Math.floor(Math.log2(Math.max(ms, 1) / SHORTEST_MS)) + 1;
  return Math.min(Math.max(doubled, 0), BUCKETS - 1);
}

/**
 * Estimates the median from the 16 numbers of a histogram, in milliseconds: within its bucket, values are taken to
 * be evenly spread on a logarithmic scale.
 * @returns null if all are 0
 */
export function medianTimeDead(buckets: readonly number[]): number | null {
  const half = buckets.reduce((sum, count) => sum + count, 0) / 2;
  if (half === 0) return null;
  let before = 0;
  for (const [i, count] of buckets.entries()) {
    if (before + count >= half)
      return Math.round(SHORTEST_MS * 2 ** (i - 1 + (half - before) / count));
    before += count;
  }
  return null;
}

/** A link whose status has changed. `bucket` is that of `bucketOfTimeDead` if the link was dead and came back. */
export type DayChange = {
  linkNo: number;
  at: number;
  /** A first verdict changes the counts only. */
  kind: "died" | "came_back" | "became_unknown" | "first";
  bucket: number | null;
};

/**
 * Counts changes of status on their days for their accounts, groups and sites, in the transaction that has changed the
 * links already.
 */
export const addToStatusDays = (tx: Store, some: DayChange[]): Promise<unknown> =>
  add(
    tx,
    some.map(({ linkNo, at, kind, bucket }) => [
      linkNo,
      Math.floor(at / DAY_MS),
      ...["died", "came_back", "became_unknown"].map((name) => (kind === name ? 1 : 0)),
      bucket ?? -1,
    ]),
  );

const COUNTED = ["died", "came_back", "became_unknown", ...BUCKET_NAMES];
const ZEROS = sql.raw(COUNTED.map(() => "0").join(", "));
const ADDED = sql.raw(
  COUNTED.map((name) => `${name} = status_days.${name} + excluded.${name}`).join(", "),
);
const SUMS = sql.raw(
  [
    "sum(died)",
    "sum(back)",
    "sum(lost)",
    ...BUCKET_NAMES.map((_, i) => `sum(case when dead_bucket = ${i} then 1 else 0 end)`),
  ].join(", "),
);
const NAMES = sql.raw(
  ["account_no", "group_no", "site", "day", "active", "dead", "unknown", ...COUNTED].join(", "),
);

/** The counts of a site are those that it has now. Those of accounts and groups are written when the day is over. */
const add = onRows(
  {
    link_no: "bigint",
    day: "bigint",
    died: "bigint",
    back: "bigint",
    lost: "bigint",
    dead_bucket: "bigint",
  },
  (rows) => sql`
    with done as (
      select l.account_no, g.no as group_no, l.site, day, died, back, lost, dead_bucket
      from ${rows} as given join watched_links l on l.no = given.link_no left join groups g on g.id = l.group_id
    ), counted as (
      select account_no, 0 as group_no, '' as site, day, died, back, lost, dead_bucket from done
      union all select account_no, group_no, '', day, died, back, lost, dead_bucket from done where group_no is not null
      union all select account_no, 0, site, day, died, back, lost, dead_bucket from done where site <> ''
    )
    insert into status_days (${NAMES})
    select c.account_no, c.group_no, c.site, c.day, max(s.active), max(s.dead), max(s.unknown), ${SUMS}
    from counted c left join sites s on s.account_no = c.account_no and s.site = c.site
    group by c.account_no, c.group_no, c.site, c.day order by c.account_no, c.group_no, c.site, c.day
    on conflict (account_no, group_no, site, day) do update set
      active = coalesce(excluded.active, status_days.active), dead = coalesce(excluded.dead, status_days.dead),
      unknown = coalesce(excluded.unknown, status_days.unknown), ${ADDED}
  `,
);

/** Stores the counts of sites from which links were deleted, in the transaction that has deleted them already. */
export const noteSites = (
  tx: Store,
  { accountNo, at }: { accountNo: number; at: number },
  sites: Iterable<string>,
): Promise<unknown> =>
  note(
    tx,
    [...new Set(sites)].sort().map((site) => [accountNo, site, Math.floor(at / DAY_MS)]),
  );

const COUNTS = sql.raw(
  "active = excluded.active, dead = excluded.dead, unknown = excluded.unknown",
);

const note = onRows(
  { account: "bigint", name: "text", on_day: "bigint" },
  (rows) => sql`
    insert into status_days (${NAMES})
    select s.account_no, 0, s.site, on_day, s.active, s.dead, s.unknown, ${ZEROS}
    from ${rows} as given join sites s on s.account_no = account and s.site = name where s.site <> ''
    on conflict (account_no, group_no, site, day) do update set ${COUNTS}
  `,
);

/** Its value is the last day that was closed. */
const FACT = "closed day";

/**
 * Writes the counts of accounts and groups at the end of yesterday (UTC), unless that was done. Runs before the first
 * change of each day is recorded, so that the counts are still those of yesterday.
 */
export async function closeYesterday({
  store,
  clock,
}: Pick<Deps, "store" | "clock">): Promise<void> {
  const day = Math.floor(clock.now() / DAY_MS) - 1;
  const [row] = await readClosed(store);
  if (row?.[0] === String(day)) return;
  await store.transaction(async (tx) => {
    await closeDaysWithChanges(tx, { day });
    await closeOtherDays(tx, { day });
    await tx.delete(facts).where(eq(facts.name, FACT));
    await tx
      .insert(facts)
      .values({ name: FACT, value: String(day) })
      .onConflictDoNothing();
  });
}

const readClosed = prepared(() => sql`select value from facts where name = ${FACT}`);

const DAY_TO_CLOSE = sql`cast(${sql.placeholder("day")} as bigint)`;

/** The counts of all accounts and groups that existed on the day. */
const COUNTED_NOW = sql`
  select a.no as account_no, 0 as group_no, sum(k.active) as active, sum(k.dead) as dead, sum(k.unknown) as unknown
  from accounts a join link_counts k on k.subject = a.no
  where a.created_at < (${DAY_TO_CLOSE} + 1) * ${sql.raw(String(DAY_MS))} group by a.no
  union all
  select a.no, g.no, sum(k.active), sum(k.dead), sum(k.unknown)
  from groups g join accounts a on a.id = g.account_id join link_counts k on k.subject = g.no
  where g.created_at < (${DAY_TO_CLOSE} + 1) * ${sql.raw(String(DAY_MS))} group by a.no, g.no`;

/** A day with changes that was not closed when it was over, since this program did not run, is the last with any. */
const closeDaysWithChanges = prepared(
  () => sql`
    with counted as (${COUNTED_NOW})
    update status_days set active = c.active, dead = c.dead, unknown = c.unknown
    from counted c
    where status_days.account_no = c.account_no and status_days.group_no = c.group_no and status_days.site = ''
      and status_days.active is null and status_days.day <= ${DAY_TO_CLOSE}
  `,
);

/** Where the counts are still those of the latest closed day, no row is needed. */
const closeOtherDays = prepared(
  () => sql`
    with counted as (${COUNTED_NOW})
    insert into status_days (${NAMES})
    select c.account_no, c.group_no, '', ${DAY_TO_CLOSE}, c.active, c.dead, c.unknown, ${ZEROS} from counted c
    where not exists (
      select 1 from status_days d
      where d.account_no = c.account_no and d.group_no = c.group_no and d.site = ''
        and d.active = c.active and d.dead = c.dead and d.unknown = c.unknown and d.day = (
          select max(day) from status_days
          where account_no = c.account_no and group_no = c.group_no and site = '' and day <= ${DAY_TO_CLOSE})
    )
    order by c.account_no, c.group_no
    on conflict do nothing
  `,
);

/** Deletes the days of sites before `since`, in steps, until the signal. */
export const deleteOldSiteDays = ({ store, clock }: Deps, since: number, signal?: AbortSignal) =>
  inSteps(clock, (rows) => deleteOldest(store, Math.floor(since / DAY_MS), rows), { signal });

/** @returns how many were deleted, at most `rows` */
async function deleteOldest(store: Store, before: number, rows: number): Promise<number> {
  const { accountNo, site, day } = statusDays;
  const isOld = and(sql`${site} <> ''`, lt(day, before));
  const oldest = await store
    .select({ accountNo, site, day })
    .from(statusDays)
    .where(isOld)
    .orderBy(asc(day))
    .limit(rows);
  await removeDays(
    store,
    oldest.map((row) => [row.accountNo, row.site, row.day]),
  );
  return oldest.length;
}

const removeDays = onRows(
  { account: "bigint", name: "text", on_day: "bigint" },
  (rows) => sql`
    delete from status_days where (account_no, group_no, site, day) in (
      select account, 0, name, on_day from ${rows} as old)
  `,
);
