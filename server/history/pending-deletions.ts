import { and, asc, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { lockAccounts } from "../ground/db/queries.ts";
import { rowsOf, type Store } from "../ground/db/store.ts";
import {
  allLinks,
  checks,
  historyDays,
  historyHours,
  type LinkRow,
  occurrences,
  pendingDeletions,
} from "../ground/db/tables.ts";
import { oneAtATime } from "../ground/lib/concurrency.ts";
import { logFailure } from "../ground/lib/log.ts";
import { chunksOf, inSteps, type StepLimits } from "../ground/lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { takeFromRollUps } from "./roll-ups.ts";

/** Checks that a request waits for: two months of a link that is checked hourly, or two of each of a thousand links. */
const CHECKS_IN_REQUEST = 2000;
/** Links and groups that one statement names, so that each is found by an index. */
const NAMED_AT_ONCE = 200;

/**
 * Records links that the same transaction deletes afterwards: their history stays listed and counted until it is
 * deleted as well.
 */
export const markForDeletion = (tx: Store, chosen: SQL | undefined): Promise<unknown> =>
  tx.run(sql`
    insert into pending_deletions (no, id, url) select no, id, url from ${allLinks} where ${chosen}
    on conflict do nothing
  `);

/**
 * Deletes the history of links that have just been deleted: at once unless it is long, and the rest in the background.
 * It never throws, since the links are already deleted and housekeeping continues the deletion.
 */
export async function deleteHistoryOf(deps: Deps, deleted: Pick<LinkRow, "no">[]): Promise<void> {
  let most = CHECKS_IN_REQUEST;
  try {
    for (const some of chunksOf(NAMED_AT_ONCE, deleted)) {
      most -= await deleteHistory(deps, numbersOf(some), { most });
      if (most <= 0) break;
    }
    if (most <= 0) void deletePendingHistory(deps).catch(logDelay);
  } catch (error) {
    logDelay(error);
  }
}

/** Deletes the history of all deleted links and groups, step by step, until the signal. */
export const deletePendingHistory = (deps: Deps, signal?: AbortSignal): Promise<void> =>
  oneAtATime("delete pending history", async () => {
    while (!signal?.aborted) {
      const rows = await deps.store
        .select({ no: pendingDeletions.no })
        .from(pendingDeletions)
        .orderBy(asc(pendingDeletions.no))
        .limit(NAMED_AT_ONCE);
      if (rows.length === 0) return;
      await deleteHistory(deps, numbersOf(rows), { signal });
    }
  });

const numbersOf = (rows: { no: number }[]) => rows.map(({ no }) => no);

/** Deletes places in sources, checks, and then their roll-ups. Returns the number of rows. */
async function deleteHistory(
  { store, clock }: Deps,
  numbers: number[],
  { signal, most = Number.POSITIVE_INFINITY }: StepLimits,
): Promise<number> {
  let done = 0;
  for (const remove of [deletePlaces, deleteChecks, deleteRollUps]) {
    const { rows, isDone } = await inSteps(clock, (some) => remove(store, numbers, some), {
      signal,
      most: most - done,
    });
    done += rows;
    if (!isDone) break;
  }
  return done;
}

const PLACE = { page: "bigint", target: "bigint", nth: "bigint" } as const;

/**
 * Deletes where links stand. Their pages are compared with what is stored when their sources are read next, so that a
 * link that still stands there is created again.
 * @returns how many there were, at most `rows`
 */
async function deletePlaces(store: Store, numbers: number[], rows: number): Promise<number> {
  const { pageNo, targetNo, place } = occurrences;
  const found = await store
    .select({ pageNo, targetNo, place })
    .from(occurrences)
    .where(inArray(targetNo, numbers))
    .limit(rows);
  if (found.length === 0) return 0;
  const keys = found.map((each) => [each.pageNo, each.targetNo, each.place]);
  const given = () => rowsOf(store, PLACE, keys);
  const owners = (await store.all(sql`
    select distinct s.account_no from sources s join source_pages p on p.source_no = s.no
    where p.no in (select page from ${given()} as gone)`)) as [number][];
  await store.transaction(async (tx) => {
    await lockAccounts(
      tx,
      owners.map(([no]) => no),
    );
    await tx.run(sql`
      update source_pages set refused = 1, places = case when places > n then places - n else 0 end
      from (select page, count(*) as n from ${given()} as counted group by page) as gone
      where source_pages.no = gone.page`);
    await tx.run(sql`
      delete from occurrences where (page_no, target_no, place) in (
        select page, target, nth from ${given()} as gone)`);
  });
  return found.length;
}

const KEY = { account_no: "bigint", checked_at: "bigint", link_no: "bigint" } as const;

/** Older checks are deleted with their days, and stay in the roll-ups of their account. */
const isShown = sql`${checks.checkedAt} >= (
  select history_since from accounts where no = ${checks.accountNo})`;

/** @returns how many there were, at most `rows` */
async function deleteChecks(store: Store, numbers: number[], rows: number): Promise<number> {
  const { accountNo, checkedAt, linkNo } = checks;
  const found = await store
    .select({ accountNo, checkedAt, linkNo })
    .from(checks)
    .where(and(inArray(linkNo, numbers), isShown))
    .limit(rows);
  if (found.length === 0) return 0;
  const keys = found.map((check) => [check.accountNo, check.checkedAt, check.linkNo]);
  const isChosen = sql`(account_no, checked_at, link_no) in
    (select account_no, checked_at, link_no from ${rowsOf(store, KEY, keys)} as chosen)`;
  await store.transaction(async (tx) => {
    // What another process deletes first is not subtracted twice.
    await lockAccounts(
      tx,
      found.map((check) => check.accountNo),
    );
    await takeFromRollUps(tx, sql`select * from checks where ${isChosen}`);
    await tx.run(sql`delete from checks where ${isChosen}`);
  });
  return found.length;
}

/**
 * Deletes the pending deletion together with the last of its rows.
 * @returns how many there were, at most `rows`
 */
const deleteRollUps = (store: Store, numbers: number[], rows: number): Promise<number> =>
  store.transaction(async (tx) => {
    const days = await deleteSome(tx, historyDays, historyDays.day, { numbers, rows });
    const hours = await deleteSome(tx, historyHours, historyHours.since, { numbers, rows });
    await tx
      .delete(pendingDeletions)
      .where(
        and(
          inArray(pendingDeletions.no, numbers),
          sql`not exists (select 1 from history_days where subject = pending_deletions.no)`,
          sql`not exists (select 1 from history_hours where subject = pending_deletions.no)`,
          sql`not exists (select 1 from occurrences where target_no = pending_deletions.no)`,
        ),
      );
    return Math.max(days, hours);
  });

async function deleteSome(
  tx: Store,
  table: typeof historyDays | typeof historyHours,
  at: SQLiteColumn,
  { numbers, rows }: { numbers: number[]; rows: number },
): Promise<number> {
  const { subject } = table;
  const some = tx.select({ subject, at }).from(table).where(inArray(subject, numbers)).limit(rows);
  const deleted = await tx
    .delete(table)
    .where(sql`(${subject}, ${at}) in ${some}`)
    .returning({ subject });
  return deleted.length;
}

const logDelay = logFailure("failed to delete history: housekeeping continues");
