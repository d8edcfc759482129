import { and, asc, eq, inArray, not, type SQL, sql } from "drizzle-orm";
import type { Actor } from "../api/caller.ts";
import { holdAdministration } from "../db/hold.ts";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import {
  type AccountRow,
  accounts,
  apiKeys,
  batches,
  checks,
  doomed,
  events,
  groups,
  historyDays,
  linkCounts,
  links,
  users,
  webhooks,
} from "../db/tables.ts";
import { forgetDoomed } from "../history/forget-doomed.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";
import { isNotTold, isThere, makeChange, recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";

/**
 * Deletes an account with everything in it, if it may be when that begins, and says whether it did. In the first
 * moment its people go, and with them all ways in; the rest goes in steps, since a running server must not wait
 * for a million links. The account itself goes nearly last: what was cut short is known by it, and is finished
 * by housekeeping or by whoever deletes it again. So is what is left of its history.
 */
export async function deleteAccount(
  deps: Deps,
  accountId: string,
  by: Actor,
  may: SQL = sql`1 = 1`,
): Promise<boolean> {
  const { store } = deps;
  const isIt = eq(accounts.id, accountId);
  const [account] = await store.select().from(accounts).where(isIt);
  if (!account) return false;
  const entry = recordChange(deps, {
    action: "account.deleted",
    by,
    accountId,
    target: emailTarget(account),
    onlyIf: and(isThere(store, users, eq(users.accountId, accountId)), may),
  });
  const allowed = store.select({ id: accounts.id }).from(accounts).where(and(isIt, may));
  const held = holdAdministration(store, account.no);
  const found = await makeChange(deps, held, allowed, [entry, ...lockOut(store, accountId, may)]);
  if (found.length === 0) return false;
  await eraseAccount(deps, account);
  return true;
}

/** Goes on with deletions that were cut short, until the signal. */
export async function finishDeletions(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store } = deps;
  const hasPeople = isThere(store, users, eq(users.accountId, accounts.id));
  const deserted = await store.select().from(accounts).where(not(hasPeople));
  for (const account of deserted) {
    const isBegun = not(
      isNotTold(store, account.id, { action: "account.deleted", id: account.id }),
    );
    const isLeft = and(eq(accounts.id, account.id), isBegun);
    if ((await store.$count(accounts, isLeft)) > 0) await eraseAccount(deps, account, signal);
  }
}

/** Of an account that nobody can get into any more. */
const eraseAccount = (deps: Deps, account: AccountRow, signal?: AbortSignal): Promise<void> =>
  oneAtATime(`erase ${account.id}`, async () => {
    const { store, clock } = deps;
    const { id, no } = account;
    for (const step of [
      (rows: number) => deleteEvents(store, id, rows),
      (rows: number) => deleteBatches(store, id, rows),
      (rows: number) => deleteLinks(store, no, rows),
      (rows: number) => deleteChecks(store, no, rows),
    ]) {
      const { isDone } = await inSteps(clock, step, { signal });
      if (!isDone) return;
    }
    const subjects = await subjectsOf(store, account);
    await store.write([
      store
        .insert(doomed)
        .values(subjects.map((subject) => ({ no: subject })))
        .onConflictDoNothing(),
      store.delete(linkCounts).where(inArray(linkCounts.subject, subjects)),
      store.delete(accounts).where(eq(accounts.id, id)),
    ]);
    await forgetDoomed(deps, signal);
  });

/** People last, since whether it may be can depend on them; their sessions and codes go with them. */
const lockOut = (store: Store, accountId: string, may: SQL): Statement[] => [
  store.delete(apiKeys).where(and(eq(apiKeys.accountId, accountId), may)),
  store
    .update(webhooks)
    .set({ isActive: false })
    .where(and(eq(webhooks.accountId, accountId), may)),
  store.delete(users).where(and(eq(users.accountId, accountId), may)),
];

/**
 * With their deliveries. Returns how many it found, at most `rows`, as the others do: another process that is at
 * the same may be quicker to delete them.
 */
async function deleteEvents(store: Store, accountId: string, rows: number): Promise<number> {
  const found = await store
    .select({ id: events.id })
    .from(events)
    .where(eq(events.accountId, accountId))
    .limit(rows);
  await store.delete(events).where(inArray(events.id, named(store, found)));
  return found.length;
}

/** Before the links, which else would go on to join them. */
async function deleteBatches(store: Store, accountId: string, rows: number): Promise<number> {
  const found = await store
    .select({ id: batches.id })
    .from(batches)
    .where(eq(batches.accountId, accountId))
    .limit(rows);
  await store.delete(batches).where(inArray(batches.id, named(store, found)));
  return found.length;
}

const named = (store: Store, found: { id: string }[]): SQL => {
  const rows = found.map(({ id }) => [id]);
  return sql`${rowsOf(store, { id: "text" }, rows)}`;
};

/** With their days, and with their places in batches. */
async function deleteLinks(store: Store, accountNo: number, rows: number): Promise<number> {
  const found = await store
    .select({ no: links.no })
    .from(links)
    .where(eq(links.accountNo, accountNo))
    .orderBy(asc(links.no))
    .limit(rows);
  const numbers = found.map(({ no }) => no);
  await store.write([
    store.delete(historyDays).where(inArray(historyDays.subject, numbers)),
    store.delete(links).where(inArray(links.no, numbers)),
  ]);
  return found.length;
}

async function deleteChecks(store: Store, accountNo: number, rows: number): Promise<number> {
  const { checkedAt, linkNo } = checks;
  const isOfAccount = eq(checks.accountNo, accountNo);
  const oldest = await store
    .select({ at: checkedAt, linkNo })
    .from(checks)
    .where(isOfAccount)
    .orderBy(asc(checkedAt), asc(linkNo))
    .limit(rows);
  const last = oldest.at(-1);
  if (last) {
    const isOlder = sql`(${checkedAt}, ${linkNo}) <= (${last.at}, ${last.linkNo})`;
    await store.delete(checks).where(and(isOfAccount, isOlder));
  }
  return oldest.length;
}

async function subjectsOf(store: Store, { id, no }: { id: string; no: number }): Promise<number[]> {
  const own = await store.select({ no: groups.no }).from(groups).where(eq(groups.accountId, id));
  return [no, ...own.map((group) => group.no)];
}
