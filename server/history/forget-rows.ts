import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { Store } from "../db/store.ts";
import { accounts, checks } from "../db/tables.ts";
import { dropHours, type Forgetting, writeDown } from "./hours-left.ts";

/** Where checks go one by one, each with its step. */
export const forgettingRows: Forgetting = { nextAccount, forgetSome };

async function nextAccount(store: Store, after: number): Promise<number | null> {
  const hasOld = sql`exists (
    select 1 from checks c where c.account_no = accounts.no and c.checked_at < accounts.history_since)`;
  const [account] = await store
    .select({ no: accounts.no })
    .from(accounts)
    .where(and(gt(accounts.no, after), hasOld))
    .orderBy(asc(accounts.no))
    .limit(1);
  return account?.no ?? null;
}

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
  const chosen = sql`select * from checks where ${isChosen}`;
  await store.write([
    writeDown(store, chosen),
    dropHours(store, chosen, days),
    store.run(sql`delete from checks where ${isChosen}`),
  ]);
  return oldest.length;
}
