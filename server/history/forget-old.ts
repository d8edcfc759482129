import { and, asc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { HistoryPartitions, Store } from "../ground/db/store.ts";
import { accounts, checks } from "../ground/db/tables.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { inSteps } from "../ground/lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { deleteOldChanges } from "./changes.ts";
import { deleteRetainedHours, retainHours } from "./retained-hours.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { deleteOldSiteDays } from "./status-days.ts";
import { floorTo } from "./subject.ts";

/**
 * Deletes the checks that are older than the configured days, in whole hours. They are hidden at once, and then deleted
 * step by step, until the signal: one by one, or by month. Changes of status and the days of sites go with them. Other
 * roll-ups stay, and the days of a link retain its hours for the same time again.
 */
export async function forgetOldChecks(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, config, online } = deps;
  // By a clock that is a year ahead, all of it would be old.
  if (online.clockIsOff()) return;
  await showAgain(deps);
  const since = floorTo(HOUR_MS, clock.now() - config.historyDays * DAY_MS);
  await store.update(accounts).set({ historySince: since }).where(lt(accounts.historySince, since));
  for (let no = await nextAccount(store, 0); no !== null && !signal?.aborted; ) {
    const old = { no, since, days: config.historyDays };
    await inSteps(clock, (rows) => forgetSome(store, old, rows), { signal });
    no = await nextAccount(store, no);
  }
  await forgetOldChanges(deps, since, signal);
  const { historyPartitions } = store.engine;
  if (historyPartitions && !signal?.aborted) await replaceParts(deps, historyPartitions, since);
}

async function forgetOldChanges(deps: Deps, since: number, signal?: AbortSignal): Promise<void> {
  const { no } = accounts;
  const hasOld = sql`exists (
    select 1 from changes c where c.account_no = ${no} and c.changed_at < ${since})`;
  const withOld = await deps.store.select({ no }).from(accounts).where(hasOld).orderBy(asc(no));
  for (const account of withOld) await deleteOldChanges(deps, { ...account, since }, signal);
  await deleteOldSiteDays(deps, since, signal);
}

/** Creates the partitions of this month and the next two, where history has any. */
export async function makeParts({ store, clock }: Pick<Deps, "store" | "clock">): Promise<void> {
  const now = clock.now();
  const inTwoMonths = new Date(now).setUTCMonth(new Date(now).getUTCMonth() + 2, 1);
  await store.engine.historyPartitions?.create(now, inTwoMonths);
}

async function replaceParts(deps: Deps, parts: HistoryPartitions, since: number): Promise<void> {
  // A month that cannot be created now does not keep old ones.
  await makeParts(deps).catch((error) =>
    log.warning("failed to create history partitions", describeError(error)),
  );
  const dropped = await parts.drop(since);
  if (dropped.length > 0) log.info("old history partitions dropped", { parts: dropped });
}

/**
 * Shows checks that a clock that was ahead took for old, in whole hours, unless they are deleted. The oldest are
 * deleted first, so all hours after that of the oldest check are complete.
 */
function showAgain({ store, clock }: Deps) {
  const hour = sql.raw(String(HOUR_MS));
  return store.run(sql`
    update accounts set history_since = coalesce(
      (select min(checked_at) - min(checked_at) % ${hour} + ${hour}
        from checks c where c.account_no = accounts.no and ${sql.raw(store.engine.notWrittenDown)}),
      ${floorTo(HOUR_MS, clock.now()) + HOUR_MS})
    where history_since > ${clock.now() + HOUR_MS}
  `);
}

/**
 * Returns the number of the next account that has old checks. With partitions, `written_down` has the last check of
 * each account whose hours are retained. Only the first row is selected, so that no plan reads all checks.
 */
async function nextAccount({ engine }: Store, after: number): Promise<number | null> {
  const [join, isLeft] = engine.historyPartitions
    ? [
        "left join written_down w on w.account_no = a.no",
        `and c.checked_at >= coalesce(w.checked_at, 0)
          and (c.checked_at, c.link_no) > (coalesce(w.checked_at, 0), coalesce(w.link_no, 0))`,
      ]
    : ["", ""];
  const [row] = await engine.run({
    sql: `select a.no from accounts a ${join}
      where a.no > ? and (
        select 1 from checks c
        where c.account_no = a.no and c.checked_at < a.history_since ${isLeft} limit 1) = 1
      order by a.no limit 1`,
    params: [after],
  });
  return row ? Number(row[0]) : null;
}

/** Of a check among those of its account. */
type Place = { at: number; linkNo: number };

/**
 * Retains the hours of the account's oldest checks. Deletes the checks unless a partition is dropped with them.
 * @returns how many there were, at most `rows`
 */
const forgetSome = (
  store: Store,
  { no, since, days }: { no: number; since: number; days: number },
  rows: number,
): Promise<number> =>
  store.transaction(async (tx) => {
    const hasPartitions = tx.engine.historyPartitions !== null;
    const isLeft = hasPartitions ? isAfter(await lockPlace(tx, no)) : sql`true`;
    const oldest = await tx
      .select({ at: checks.checkedAt, linkNo: checks.linkNo })
      .from(checks)
      .where(and(eq(checks.accountNo, no), isLeft, lt(checks.checkedAt, since)))
      .orderBy(asc(checks.checkedAt), asc(checks.linkNo))
      .limit(rows);
    const last = oldest.at(-1);
    if (!last) return 0;
    const isChosen = sql`account_no = ${no} and ${isLeft}
      and checked_at <= ${last.at} and (checked_at, link_no) <= (${last.at}, ${last.linkNo})`;
    const chosen = sql`select * from checks where ${isChosen}`;
    await retainHours(tx, chosen);
    await deleteRetainedHours(tx, chosen, days);
    await tx.run(
      sql`delete from checks where ${isChosen} ${hasPartitions ? IN_NO_PARTITION : sql``}`,
    );
    if (hasPartitions)
      await tx.run(sql`
      update written_down set checked_at = ${last.at}, link_no = ${last.linkNo} where account_no = ${no}
    `);
    return oldest.length;
  });

/** Returns the last check of the account whose hours are retained. Other processes wait for the transaction. */
async function lockPlace(tx: Store, no: number): Promise<Place> {
  await tx.run(sql`
    insert into written_down (account_no, checked_at, link_no)
    select no, 0, 0 from accounts where no = ${no} on conflict do nothing`);
  const [row] = await tx.all<[at: number, linkNo: number]>(
    sql`select checked_at, link_no from written_down where account_no = ${no} for update`,
  );
  return { at: Number(row?.[0] ?? 0), linkNo: Number(row?.[1] ?? 0) };
}

/** The moment alone leads to the partitions that have it. */
const isAfter = ({ at, linkNo }: Place): SQL =>
  sql`checked_at >= ${at} and (checked_at, link_no) > (${at}, ${linkNo})`;

const IN_NO_PARTITION = sql.raw("and tableoid = cast('checks_rest' as regclass)");
