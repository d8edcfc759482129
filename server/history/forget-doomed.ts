import { and, asc, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { lockAccounts } from "../db/queries.ts";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import { checks, doomed, historyDays, historyHours, type LinkRow, links } from "../db/tables.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import { logFailure } from "../lib/log.ts";
import { chunksOf, inSteps, type StepLimits } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { takeFromRollUps } from "./roll-ups.ts";

/** Checks that a request waits for: two months of one link that is checked hourly, or two of a thousand links. */
const ROWS_AT_ONCE = 2000;
/** Links and groups that one statement names, so that each is found by an index. */
const NAMED_AT_ONCE = 200;

/**
 * Writes down that the links go, for the batch that deletes them and before it does: their history stays
 * listed and counted until it has gone as well.
 */
export const doom = (store: Store, chosen: SQL | undefined): Statement =>
  store.run(sql`
    insert into doomed (no, id, url) select no, id, url from ${links} where ${chosen}
    on conflict do nothing
  `);

/**
 * Forgets the history of links that have just been deleted, at once unless it is long; then the rest goes
 * in the background. Whatever happens here, the links are gone, and housekeeping comes back to it.
 */
export async function forgetSoon(deps: Deps, gone: Pick<LinkRow, "no">[]): Promise<void> {
  let most = ROWS_AT_ONCE;
  try {
    for (const some of chunksOf(NAMED_AT_ONCE, gone)) {
      most -= await forget(deps, numbersOf(some), { most });
      if (most <= 0) break;
    }
    if (most <= 0) void forgetDoomed(deps).catch(noteFailure);
  } catch (error) {
    noteFailure(error);
  }
}

/** Forgets the history of all links and groups that were deleted, step by step, until the signal. */
export const forgetDoomed = (deps: Deps, signal?: AbortSignal): Promise<void> =>
  oneAtATime("forget what is doomed", async () => {
    while (!signal?.aborted) {
      const rows = await deps.store
        .select({ no: doomed.no })
        .from(doomed)
        .orderBy(asc(doomed.no))
        .limit(NAMED_AT_ONCE);
      if (rows.length === 0) return;
      await forget(deps, numbersOf(rows), { signal });
    }
  });

const numbersOf = (rows: { no: number }[]) => rows.map(({ no }) => no);

/** First the checks, then what they came to. Returns how many rows there were. */
async function forget(
  { store, clock }: Deps,
  numbers: number[],
  patience: StepLimits,
): Promise<number> {
  const first = await inSteps(clock, (rows) => forgetChecks(store, numbers, rows), patience);
  if (!first.isDone) return first.rows;
  const most = (patience.most ?? Number.POSITIVE_INFINITY) - first.rows;
  const step = (rows: number) => forgetRollUps(store, numbers, rows);
  return first.rows + (await inSteps(clock, step, { ...patience, most })).rows;
}

const KEY = { account_no: "bigint", checked_at: "bigint", link_no: "bigint" } as const;

/** What is older goes with its days, and stays in what the checks of its account came to. */
const isKept = sql`${checks.checkedAt} >= (
  select history_since from accounts where no = ${checks.accountNo})`;

/** @returns how many there were, at most `rows` */
async function forgetChecks(store: Store, numbers: number[], rows: number): Promise<number> {
  const { accountNo, checkedAt, linkNo } = checks;
  const found = await store
    .select({ accountNo, checkedAt, linkNo })
    .from(checks)
    .where(and(inArray(linkNo, numbers), isKept))
    .limit(rows);
  const keys = found.map((check) => [check.accountNo, check.checkedAt, check.linkNo]);
  if (keys.length > 0) {
    await store.transaction(async (tx) => {
      await lockAccounts(
        tx,
        found.map((check) => check.accountNo),
      );
      for (const statement of forgetting(tx, rowsOf(tx, KEY, keys))) await statement;
    });
  }
  return keys.length;
}

/** Held first, since another process may be forgetting some of them too: what is gone then is not counted. */
function forgetting(store: Store, keys: SQL): Statement[] {
  const isChosen = sql`(account_no, checked_at, link_no) in
    (select account_no, checked_at, link_no from ${keys} as gone)`;
  const chosen = sql`select * from checks where ${isChosen}`;
  const held = sql.raw(`order by account_no, checked_at, link_no ${store.engine.holdRows}`);
  return [
    store.run(sql`select link_no from checks where ${isChosen} ${held}`),
    ...takeFromRollUps(store, chosen),
    store.run(sql`delete from checks where ${isChosen}`),
  ];
}

/**
 * With the last of them goes the note that they are to go.
 * @returns how many there were, at most `rows`
 */
async function forgetRollUps(store: Store, numbers: number[], rows: number): Promise<number> {
  const some = (subject: SQLiteColumn, at: SQLiteColumn, table: SQLiteTable) => sql`
    (${subject}, ${at}) in (${store
      .select({ subject, at })
      .from(table)
      .where(inArray(subject, numbers))
      .limit(rows)})`;
  const [days, hours] = await store.batch([
    store
      .delete(historyDays)
      .where(some(historyDays.subject, historyDays.day, historyDays))
      .returning({ subject: historyDays.subject }),
    store
      .delete(historyHours)
      .where(some(historyHours.subject, historyHours.since, historyHours))
      .returning({ subject: historyHours.subject }),
    store
      .delete(doomed)
      .where(
        and(
          inArray(doomed.no, numbers),
          sql`not exists (select 1 from history_days where subject = doomed.no)`,
          sql`not exists (select 1 from history_hours where subject = doomed.no)`,
        ),
      ),
  ]);
  return Math.max(days.length, hours.length);
}

const noteFailure = logFailure("the history of what was deleted is still there");
