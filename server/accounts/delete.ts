import { and, asc, eq, inArray, notExists, type SQL, sql } from "drizzle-orm";
import { deleteAboutLinks, lockAdministration } from "../ground/db/queries.ts";
import { rowsOf, type Store } from "../ground/db/store.ts";
import {
  type AccountRow,
  accounts,
  allLinks,
  apiKeys,
  audit,
  batches,
  checks,
  events,
  groups,
  historyDays,
  importItems,
  imports,
  linkCounts,
  occurrences,
  pendingDeletions,
  replacements,
  sourcePages,
  sources,
  statusDays,
  tags,
  usageLevels,
  users,
  webhooks,
} from "../ground/db/tables.ts";
import { oneAtATime } from "../ground/lib/concurrency.ts";
import { notFound } from "../ground/lib/errors.ts";
import { inSteps } from "../ground/lib/steps.ts";
import { deletePendingHistory } from "../history/pending-deletions.ts";
import type { Actor } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit } from "../work/unit.ts";
import { emailTarget, recordChange } from "./audit.ts";

/**
 * Deletes an account with everything in it. The first transaction removes its people and keys, so that no one has
 * access any more; the rest goes in steps, since a running server must not wait for a million links. The account's row
 * goes nearly last: housekeeping, or another call, finishes a deletion that was cut short.
 * @param refuse throws in the first transaction when the account may not be deleted
 * @throws NOT_FOUND
 */
export async function deleteAccount(
  deps: Deps,
  accountId: string,
  by: Actor,
  refuse: (tx: Store) => Promise<void> = async () => {},
): Promise<void> {
  const account = await inUnit(deps, async (unit) => {
    const { store: tx, clock } = unit;
    const [found] = await tx.select().from(accounts).where(eq(accounts.id, accountId));
    if (!found) throw notFound("account");
    await lockAdministration(tx, found.no);
    await refuse(tx);
    // Without people, the deletion has begun and is on record.
    const isFirst = (await tx.$count(users, eq(users.accountId, accountId))) > 0;
    const entry = { action: "account.deleted", by, accountId, target: emailTarget(found) } as const;
    if (isFirst) await recordChange(unit, entry);
    await removeAccess(tx, accountId, clock.now());
    return found;
  });
  await eraseAccount(deps, account);
}

/** Finishes deletions that were cut short, until the signal. */
export async function finishDeletions(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store } = deps;
  const people = store.select({ id: users.id }).from(users).where(eq(users.accountId, accounts.id));
  for (const account of await store.select().from(accounts).where(notExists(people))) {
    const isDeletion = and(eq(audit.accountId, account.id), eq(audit.action, "account.deleted"));
    if ((await store.$count(audit, isDeletion)) > 0) await eraseAccount(deps, account, signal);
  }
}

/** Erases an account to which no one has access any more. */
const eraseAccount = (deps: Deps, account: AccountRow, signal?: AbortSignal): Promise<void> =>
  oneAtATime(`erase ${account.id}`, async () => {
    const { store, clock } = deps;
    const { id, no } = account;
    for (const step of [
      (rows: number) => deleteEvents(store, id, rows),
      (rows: number) => deleteBatches(store, id, rows),
      (rows: number) => deleteImports(store, no, rows),
      (rows: number) => deleteReplacements(store, id, rows),
      (rows: number) => deletePages(store, no, rows),
      (rows: number) => deleteLinks(store, id, rows),
      (rows: number) => deleteRuns(store, no, rows),
      (rows: number) => deleteChecks(store, no, rows),
      (rows: number) => deleteStatusDays(store, no, rows),
    ]) {
      const { isDone } = await inSteps(clock, step, { signal });
      if (!isDone) return;
    }
    await store.transaction(async (tx) => {
      const subjects = await subjectsOf(tx, account);
      const rows = subjects.map((subject) => ({ no: subject }));
      await tx.insert(pendingDeletions).values(rows).onConflictDoNothing();
      await tx.delete(linkCounts).where(inArray(linkCounts.subject, subjects));
      await tx.delete(usageLevels).where(eq(usageLevels.accountNo, no));
      await tx.delete(accounts).where(eq(accounts.id, id));
    });
    await deletePendingHistory(deps, signal);
  });

/** Sessions, codes and links for passwords go with the users. */
async function removeAccess(tx: Store, accountId: string, now: number): Promise<void> {
  await tx.delete(apiKeys).where(eq(apiKeys.accountId, accountId));
  await tx.update(webhooks).set({ isActive: false }).where(eq(webhooks.accountId, accountId));
  // A process that reads a source loses its lease.
  await tx
    .update(sources)
    .set({ deletedAt: now, lease: null, dueAt: null })
    .where(eq(sources.accountId, accountId));
  await tx.delete(users).where(eq(users.accountId, accountId));
}

/**
 * Deletes events with their deliveries. Returns how many it found, at most `rows`, like the other steps: another
 * process may be deleting them too.
 */
async function deleteEvents(store: Store, accountId: string, rows: number): Promise<number> {
  const found = await store
    .select({ id: events.id })
    .from(events)
    .where(eq(events.accountId, accountId))
    .limit(rows);
  await store.delete(events).where(inArray(events.id, idsOf(store, found)));
  return found.length;
}

/** Runs before `deleteLinks`, since a running batch would go on to add links. */
async function deleteBatches(store: Store, accountId: string, rows: number): Promise<number> {
  const found = await store
    .select({ id: batches.id })
    .from(batches)
    .where(eq(batches.accountId, accountId))
    .limit(rows);
  await store.delete(batches).where(inArray(batches.id, idsOf(store, found)));
  return found.length;
}

/** Runs before `deleteLinks`, since a running import would go on to add links. An import goes with its last item. */
async function deleteImports(store: Store, accountNo: number, rows: number): Promise<number> {
  const ofAccount = eq(imports.accountNo, accountNo);
  await store.update(imports).set({ dueAt: null, lease: null }).where(ofAccount);
  const { importNo, n } = importItems;
  const some = await store
    .select({ importNo, n })
    .from(importItems)
    .innerJoin(imports, eq(imports.no, importNo))
    .where(ofAccount)
    .orderBy(asc(importNo), asc(n))
    .limit(rows);
  const last = some.at(-1);
  if (!last) await store.delete(imports).where(ofAccount);
  else {
    const numbers = sql`select no from imports where account_no = ${accountNo}`;
    const isBefore = sql`(${importNo}, ${n}) <= (${last.importNo}, ${last.n})`;
    await store.delete(importItems).where(and(sql`${importNo} in (${numbers})`, isBefore));
  }
  return last ? rows : 0;
}

/** Deletes previews of replacements, one at a time, each with the links that it is about. */
async function deleteReplacements(store: Store, accountId: string, rows: number): Promise<number> {
  const ofAccount = eq(replacements.accountId, accountId);
  const first = store.select({ id: replacements.id }).from(replacements).where(ofAccount).limit(1);
  const gone = await store
    .delete(replacements)
    .where(inArray(replacements.id, first))
    .returning({ id: replacements.id });
  return gone.length > 0 ? rows : 0;
}

const idsOf = (store: Store, found: { id: string }[]): SQL =>
  rowsOf(
    store,
    { id: "text" },
    found.map(({ id }) => [id]),
  );

/** Deletes pages of sources, each with where links stand on it. */
async function deletePages(store: Store, accountNo: number, rows: number): Promise<number> {
  const ofAccount = sql`select no from sources where account_no = ${accountNo}`;
  const pages = await store
    .select({ no: sourcePages.no, places: sourcePages.places })
    .from(sourcePages)
    .where(sql`${sourcePages.sourceNo} in (${ofAccount})`)
    .limit(rows);
  let places = 0;
  const some = pages.filter((page, i) => {
    places += page.places;
    return i === 0 || places <= PLACES_AT_ONCE;
  });
  const numbers = some.map(({ no }) => no);
  await store.transaction(async (tx) => {
    await tx.delete(occurrences).where(inArray(occurrences.pageNo, numbers));
    await tx.delete(sourcePages).where(inArray(sourcePages.no, numbers));
  });
  return some.length < pages.length ? rows : pages.length;
}

const PLACES_AT_ONCE = 2000;

/** The sources themselves go with the account. */
async function deleteRuns(store: Store, accountNo: number, rows: number): Promise<number> {
  const gone = await store.all(sql`
    delete from source_runs where id in (
      select r.id from sources s join source_runs r on r.source_no = s.no
      where s.account_no = ${accountNo} limit ${rows}
    ) returning id`);
  return gone.length;
}

/** Deletes links, also retired ones, with their history and their places in batches. */
async function deleteLinks(store: Store, accountId: string, rows: number): Promise<number> {
  const found = await store
    .select({ no: allLinks.no })
    .from(allLinks)
    .where(eq(allLinks.accountId, accountId))
    .limit(rows);
  const numbers = found.map(({ no }) => no);
  await store.transaction(async (tx) => {
    await tx.delete(historyDays).where(inArray(historyDays.subject, numbers));
    await tx.delete(allLinks).where(inArray(allLinks.no, numbers));
    await deleteAboutLinks(tx, numbers);
  });
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

/** Of the account and its groups: those of a site went with its last link. */
async function deleteStatusDays(store: Store, no: number, rows: number): Promise<number> {
  const { accountNo, groupNo, site, day } = statusDays;
  const isOfAccount = eq(accountNo, no);
  const first = await store
    .select({ groupNo, site, day })
    .from(statusDays)
    .where(isOfAccount)
    .orderBy(asc(groupNo), asc(site), asc(day))
    .limit(rows);
  const last = first.at(-1);
  if (last) {
    const isEarlier = sql`(${groupNo}, ${site}, ${day}) <= (${last.groupNo}, ${last.site}, ${last.day})`;
    await store.delete(statusDays).where(and(isOfAccount, isEarlier));
  }
  return first.length;
}

async function subjectsOf(store: Store, { id, no }: { id: string; no: number }): Promise<number[]> {
  const own = await store.select({ no: groups.no }).from(groups).where(eq(groups.accountId, id));
  const read = await store
    .select({ no: sources.no })
    .from(sources)
    .where(eq(sources.accountId, id));
  const named = await store.select({ no: tags.no }).from(tags).where(eq(tags.accountId, id));
  return [no, ...[...own, ...read, ...named].map((each) => each.no)];
}
