import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { isThere, recordChange } from "../audit/record.ts";
import { emailTarget } from "../audit/targets.ts";
import type { Deps } from "../deps.ts";
import { forgetDoomed } from "../history/forget-doomed.ts";
import { inSteps } from "../history/steps.ts";
import type { Statement, Store } from "../store/store.ts";
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
  recoveryCodes,
  sessions,
  users,
  webhooks,
} from "../store/tables.ts";
import type { Actor } from "./caller.ts";

/**
 * Deletes an account with everything in it. Nobody gets in from the first moment on; the rest goes in
 * steps, since a running server must not wait for a million links. The account itself goes nearly last, so
 * that what was cut short can be done again; housekeeping forgets what is left of its history.
 */
export async function deleteAccount(deps: Deps, accountId: string, by: Actor): Promise<void> {
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) return;
  const entry = recordChange(deps, {
    action: "account.deleted",
    by,
    accountId,
    target: emailTarget(account),
    onlyIf: isThere(deps.store, accounts, eq(accounts.id, accountId)),
  });
  await eraseAccount(deps, account, [entry]);
}

/** What `deleteAccount` does, when it is on record already or by these first statements. */
export async function eraseAccount(
  deps: Deps,
  account: AccountRow,
  first: Statement[] = [],
): Promise<void> {
  const { store, clock } = deps;
  const { id: accountId } = account;
  await store.write([...first, ...lockOut(store, accountId)]);
  await inSteps(clock, (rows) => deleteEvents(store, accountId, rows));
  await inSteps(clock, (rows) => deleteBatches(store, accountId, rows));
  await inSteps(clock, (rows) => deleteLinks(store, account.no, rows));
  await inSteps(clock, (rows) => deleteChecks(store, account.no, rows));
  const subjects = await subjectsOf(store, account);
  await store.write([
    store
      .insert(doomed)
      .values(subjects.map((no) => ({ no })))
      .onConflictDoNothing(),
    store.delete(linkCounts).where(inArray(linkCounts.subject, subjects)),
    store.delete(accounts).where(eq(accounts.id, accountId)),
  ]);
  await forgetDoomed(deps);
}

function lockOut(store: Store, accountId: string): Statement[] {
  const people = store.select({ id: users.id }).from(users).where(eq(users.accountId, accountId));
  return [
    store.delete(apiKeys).where(eq(apiKeys.accountId, accountId)),
    store.delete(sessions).where(inArray(sessions.userId, people)),
    store.delete(recoveryCodes).where(inArray(recoveryCodes.userId, people)),
    store.update(webhooks).set({ isActive: false }).where(eq(webhooks.accountId, accountId)),
  ];
}

/** With their deliveries. Returns how many there were, at most `rows`, as the others do. */
async function deleteEvents(store: Store, accountId: string, rows: number): Promise<number> {
  const some = store
    .select({ id: events.id })
    .from(events)
    .where(eq(events.accountId, accountId))
    .limit(rows);
  const gone = await store
    .delete(events)
    .where(inArray(events.id, some))
    .returning({ id: events.id });
  return gone.length;
}

/** Before the links, which else would go on to join them. */
async function deleteBatches(store: Store, accountId: string, rows: number): Promise<number> {
  const some = store
    .select({ id: batches.id })
    .from(batches)
    .where(eq(batches.accountId, accountId))
    .limit(rows);
  const gone = await store
    .delete(batches)
    .where(inArray(batches.id, some))
    .returning({ id: batches.id });
  return gone.length;
}

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
