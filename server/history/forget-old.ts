import { and, asc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import type { Statement, Store } from "../store/store.ts";
import { accounts, checks } from "../store/tables.ts";
import { LEFT_OF_CHECK } from "./link-hours.ts";
import { DAY_MS, HOUR_MS } from "./roll-ups.ts";
import { floorTo } from "./span.ts";
import { inSteps } from "./steps.ts";

/**
 * Deletes the checks that are older than the configured days, in whole hours. They are no longer shown
 * from the first moment on, and then go step by step, until the signal. Roll-ups stay, and the days of a
 * link keep what is left of its hours, for as long again.
 */
export async function forgetOldChecks(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, config, online } = deps;
  // By a clock that is a year ahead, all of it would be old.
  if (online.clockIsOff()) return;
  await bringBack(deps);
  const since = floorTo(HOUR_MS, clock.now() - config.historyDays * DAY_MS);
  await store.update(accounts).set({ historySince: since }).where(lt(accounts.historySince, since));
  for (let account = await nextWithOld(store, 0); account && !signal?.aborted; ) {
    const { no } = account;
    const old = { no, since, days: config.historyDays };
    await inSteps(clock, (rows) => forgetSome(store, old, rows), { signal });
    account = await nextWithOld(store, no);
  }
}

/**
 * What a clock that was ahead has taken for old is gone; what is there is shown again, in whole hours. The
 * oldest goes first, so that all hours after that of the oldest check are whole.
 */
function bringBack({ store, clock }: Deps) {
  const hour = sql.raw(String(HOUR_MS));
  return store.run(sql`
    update accounts set history_since = coalesce(
      (select min(checked_at) - min(checked_at) % ${hour} + ${hour} from checks where account_no = accounts.no),
      ${floorTo(HOUR_MS, clock.now()) + HOUR_MS})
    where history_since > ${clock.now() + HOUR_MS}
  `);
}

/** The first account after that number which has checks of before its history begins. */
async function nextWithOld(store: Store, after: number): Promise<{ no: number } | undefined> {
  const hasOld = sql`exists (
    select 1 from checks c where c.account_no = accounts.no and c.checked_at < accounts.history_since)`;
  const [account] = await store
    .select({ no: accounts.no })
    .from(accounts)
    .where(and(gt(accounts.no, after), hasOld))
    .orderBy(asc(accounts.no))
    .limit(1);
  return account;
}

/** @returns how many there were, at most `rows` */
async function forgetSome(
  store: Store,
  { no, since, days }: { no: number; since: number; days: number },
  rows: number,
): Promise<number> {
  const oldest = await store
    .select({ at: checks.checkedAt, linkNo: checks.linkNo })
    .from(checks)
    .where(and(eq(checks.accountNo, no), lt(checks.checkedAt, since)))
    .orderBy(asc(checks.checkedAt), asc(checks.linkNo))
    .limit(rows);
  const last = oldest.at(-1);
  if (!last) return 0;
  const isChosen = sql`account_no = ${no} and (checked_at, link_no) <= (${last.at}, ${last.linkNo})`;
  const held = sql.raw(`order by checked_at, link_no ${store.engine.holdRows}`);
  await store.write([
    // Held, since another process may be forgetting some of them too: each is written down once.
    store.run(sql`select link_no from checks where ${isChosen} ${held}`),
    writeDown(store, sql`select * from checks where ${isChosen}`),
    dropHours(store, sql`select * from checks where ${isChosen}`, days),
    store.run(sql`delete from checks where ${isChosen}`),
  ]);
  return oldest.length;
}

/** Adds what is left of the checks to the days of their links. */
const writeDown = (store: Store, chosen: SQL): Statement =>
  store.run(sql`
    update history_days set hours = coalesce(hours, '') || gone.hours_left
    from (
      select c.link_no, c.checked_at / ${sql.raw(String(DAY_MS))} as day_no,
        string_agg(${LEFT_OF_CHECK}, '') as hours_left
      from (${chosen}) as c join check_kinds k on k.no = c.kind_no
      group by c.link_no, day_no
    ) as gone
    where subject = gone.link_no and day = gone.day_no
  `);

/** What was left of the hours of the same links so many days before, or it would gather for ever. */
const dropHours = (store: Store, chosen: SQL, days: number): Statement =>
  store.run(sql`
    update history_days set hours = null
    from (
      select distinct c.link_no, c.checked_at / ${sql.raw(String(DAY_MS))} - ${sql.raw(String(days))} as day_no
      from (${chosen}) as c
    ) as older
    where subject = older.link_no and day = older.day_no
  `);
