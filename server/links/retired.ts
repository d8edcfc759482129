import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { deleteAboutLinks } from "../db/queries.ts";
import { onRows, type Store } from "../db/store.ts";
import { groups, type LinkRow, pendingDeletions, retiredLinks } from "../db/tables.ts";
import { deleteHistoryOf } from "../history/pending-deletions.ts";
import { conflict } from "../lib/errors.ts";
import { inSteps } from "../lib/steps.ts";
import type { Deps } from "../work/deps.ts";

/** A link that is not checked, listed or counted any more, as it was. */
export type RetiredLink = LinkRow & { retiredAt: number; externalId: string | null };

type Stored = typeof retiredLinks.$inferSelect;

/** Without a group that was deleted since. */
async function toRetired(store: Store, rows: Stored[]): Promise<RetiredLink[]> {
  const read = rows.map(({ link, retiredAt }) => ({
    ...(JSON.parse(link) as Omit<RetiredLink, "retiredAt">),
    ...{ retiredAt, checkingUntil: null, lease: null },
  }));
  const ids = new Set(read.flatMap(({ groupId }) => groupId ?? []));
  if (ids.size === 0) return read;
  const known = await store
    .select({ id: groups.id })
    .from(groups)
    .where(inArray(groups.id, [...ids]));
  const isKnown = new Set(known.map(({ id }) => id));
  return read.map((link) => ({
    ...link,
    groupId: link.groupId !== null && isKnown.has(link.groupId) ? link.groupId : null,
  }));
}

/** The error for a change of a link that can only be read. */
export const isRetired = () =>
  conflict(
    "The link is retired: it stands in none of its sources any more. Add its URL to check it again, or delete it.",
    { reason: "retired" },
  );

/** The account's retired links that have one of the keys, by key. */
export async function findRetired(
  store: Store,
  accountNo: number,
  keys: string[],
): Promise<Map<string, RetiredLink>> {
  const rows = await store
    .select()
    .from(retiredLinks)
    .where(and(eq(retiredLinks.accountNo, accountNo), inArray(retiredLinks.urlKey, keys)));
  return new Map((await toRetired(store, rows)).map((link) => [link.urlKey, link]));
}

/** Returns a retired link by its id; undefined if there is none. */
export async function retiredById(store: Store, id: string): Promise<RetiredLink | undefined> {
  const rows = await store.select().from(retiredLinks).where(eq(retiredLinks.id, id));
  return (await toRetired(store, rows))[0];
}

/** Returns which of the ids are those of the account's retired links. */
export async function retiredAmong(
  store: Store,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { id } = retiredLinks;
  const rows = await store
    .select({ id })
    .from(retiredLinks)
    .where(and(eq(retiredLinks.accountId, accountId), inArray(id, ids)));
  return new Set(rows.map((row) => row.id));
}

/** Ends that links are retired, since their rows are in `links` again. */
export const forgetRetirement = (tx: Store, nos: number[]): Promise<unknown> =>
  tx.delete(retiredLinks).where(inArray(retiredLinks.no, nos));

/**
 * Deletes retired links with their history.
 * @param record is called in the transaction
 */
export async function deleteRetired(
  deps: Deps,
  some: Pick<Stored, "no" | "id" | "url">[],
  record: (tx: Store) => Promise<void> = async () => {},
): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await record(tx);
    const rows = some.map(({ no, id, url }) => ({ no, id, url }));
    await tx.insert(pendingDeletions).values(rows).onConflictDoNothing();
    const nos = some.map(({ no }) => no);
    await forgetRetirement(tx, nos);
    await deleteAboutLinks(tx, nos);
  });
  await deleteHistoryOf(deps, some);
}

/** Deletes links that were retired before the history that is kept, until the signal. */
export async function deleteOldRetired(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, config, online } = deps;
  // By a clock that is ahead, all of them would be old.
  if (online.clockIsOff()) return;
  const before = clock.now() - config.historyDays * 86_400_000;
  const step = async (rows: number) => {
    const old = await store
      .select({ no: retiredLinks.no, id: retiredLinks.id, url: retiredLinks.url })
      .from(retiredLinks)
      .where(lt(retiredLinks.retiredAt, before))
      .orderBy(asc(retiredLinks.retiredAt))
      .limit(rows);
    if (old.length > 0) await deleteRetired(deps, old);
    return old.length;
  };
  await inSteps(clock, step, { signal });
}

/** Gives links that have returned their own ids back, unless others have them by now. */
export async function returnExternalIds(tx: Store, some: RetiredLink[]): Promise<void> {
  const rows = some.flatMap(({ no, accountNo, externalId }) =>
    externalId === null ? [] : [[no, accountNo, externalId]],
  );
  await setExternalIds(tx, rows);
}

const setExternalIds = onRows(
  { link: "bigint", account: "bigint", given_id: "text" },
  (rows) => sql`
    update link_details set external_id = given_id from ${rows} as given
    where link_no = link and not exists (
      select 1 from link_details other where other.account_no = account and other.external_id = given_id
    )
  `,
);
