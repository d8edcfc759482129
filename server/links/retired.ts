import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { deleteAboutLinks } from "../ground/db/queries.ts";
import { onRows, type Store } from "../ground/db/store.ts";
import { allLinks, type LinkRow, pendingDeletions } from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import { inSteps } from "../ground/lib/steps.ts";
import { deleteHistoryOf } from "../history/pending-deletions.ts";
import type { Deps } from "../work/deps.ts";

/** The condition of their index, which SQLite uses only for queries that repeat it. */
const IS_RETIRED = sql`${allLinks.retiredAt} > 0`;

/** The error for a change of a link that can only be read. */
export const isRetired = () =>
  conflict(
    "The link is retired: it stands in none of its sources any more. Add its URL to check it again, or delete it.",
    { reason: "retired" },
  );

/** The account's retired links that have one of the keys, by key: the last one, if several were retired. */
export async function findRetired(
  store: Store,
  accountId: string,
  keys: string[],
): Promise<Map<string, LinkRow>> {
  const rows = await store
    .select()
    .from(allLinks)
    .where(and(eq(allLinks.accountId, accountId), inArray(allLinks.urlKey, keys), IS_RETIRED))
    .orderBy(allLinks.retiredAt, allLinks.id);
  return new Map(rows.map((row) => [row.urlKey, row]));
}

/** Returns which of the ids are those of the account's retired links. */
export async function retiredAmong(
  store: Store,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await store
    .select({ id: allLinks.id })
    .from(allLinks)
    .where(and(eq(allLinks.accountId, accountId), inArray(allLinks.id, ids), IS_RETIRED));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Deletes retired links with their history.
 * @param record is called in the transaction
 */
export async function deleteRetired(
  deps: Deps,
  some: { no: number }[],
  record: (tx: Store) => Promise<void> = async () => {},
): Promise<void> {
  const nos = some.map(({ no }) => no);
  const gone = await deps.store.transaction(async (tx) => {
    await record(tx);
    const rows = await tx
      .delete(allLinks)
      .where(and(inArray(allLinks.no, nos), IS_RETIRED))
      .returning({ no: allLinks.no, id: allLinks.id, url: allLinks.url });
    if (rows.length > 0) await tx.insert(pendingDeletions).values(rows).onConflictDoNothing();
    await deleteAboutLinks(
      tx,
      rows.map(({ no }) => no),
    );
    return rows;
  });
  await deleteHistoryOf(deps, gone);
}

/** Deletes links that were retired before the history that is kept, until the signal. */
export async function deleteOldRetired(deps: Deps, signal?: AbortSignal): Promise<void> {
  const { store, clock, config, online } = deps;
  // By a clock that is ahead, all of them would be old.
  if (online.clockIsOff()) return;
  const before = clock.now() - config.historyDays * 86_400_000;
  const step = async (rows: number) => {
    const old = await store
      .select({ no: allLinks.no })
      .from(allLinks)
      .where(and(IS_RETIRED, lt(allLinks.retiredAt, before)))
      .orderBy(asc(allLinks.retiredAt))
      .limit(rows);
    if (old.length > 0) await deleteRetired(deps, old);
    return old.length;
  };
  await inSteps(clock, step, { signal });
}

/** Frees the ids that people gave to links, since others may have those of retired ones. */
export const freeExternalIds = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_details set retired_external_id = external_id, external_id = null
    where link_no in (select link from ${rows} as chosen) and external_id is not null
  `,
);

/** Gives links that have returned their own ids back, unless others have them by now. */
export const returnExternalIds = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_details set retired_external_id = null, external_id = case when not exists (
      select 1 from link_details other
      where other.account_no = link_details.account_no and other.external_id = link_details.retired_external_id
    ) then retired_external_id end
    where link_no in (select link from ${rows} as chosen) and retired_external_id is not null
  `,
);
