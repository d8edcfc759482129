import { and, asc, count, eq, gte, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { accounts, archiveSaves, hostSettings, links } from "../../ground/db/tables.ts";
import { urlKeyOf } from "../../judge/services/catalogue.ts";
import type { Deps } from "../../work/deps.ts";
import { areOfDead, isStillDue, leaseFor } from "../../work/queue.ts";
import { mayPublish } from "./private.ts";

export const DAY_MS = 86_400_000;
/** A page that has changed is saved again, but not more often. */
const AGAIN_MS = 180 * DAY_MS;
/** Longer than a step waits for its turns at the archive. */
const LEASE_MS = 40 * 60_000;

/** A link that a check found alive at `at`, for the first time or with another page. */
export type Alive = {
  accountNo: number;
  accountId: string;
  url: string;
  at: number;
  isFirst: boolean;
  /** Of its server. */
  address: string | null;
};

/** Has pages saved for the accounts that want it, in the transaction of the checks. */
export async function noteSaves(
  tx: Store,
  { config, catalogue }: Pick<Deps, "config" | "catalogue">,
  alive: Alive[],
): Promise<void> {
  if (alive.length === 0 || config.archive === "off" || config.archiveKeyFile === null) return;
  const nos = [...new Set(alive.map(({ accountNo }) => accountNo))];
  const isWanting = and(inArray(accounts.no, nos), eq(accounts.archiveSave, true));
  const wanting = await tx.select({ id: accounts.id }).from(accounts).where(isWanting);
  if (wanting.length === 0) return;
  const ids = wanting.map(({ id }) => id);
  const settings = await tx
    .select({ accountId: hostSettings.accountId, host: hostSettings.host })
    .from(hostSettings)
    .where(inArray(hostSettings.accountId, ids));
  const meant = alive.filter(({ accountId, url, address }) => {
    const own = settings.filter((setting) => setting.accountId === accountId);
    return ids.includes(accountId) && mayPublish(url, address, own);
  });
  const cells = meant.map(({ url, at, isFirst }): [string, string, number, number] => [
    urlKeyOf(catalogue, new URL(url)),
    url,
    at,
    Number(isFirst),
  ]);
  await saveAgain(tx, cells);
  await addSaves(tx, cells);
}

const CELLS = { key: "text", url: "text", at: "bigint", is_first: "bigint" } as const;

const addSaves = onRows(
  CELLS,
  (rows) => sql`
    insert into archive_saves (url_key, url, state, due_at, looks)
    select given.key, min(given.url), 'waiting', min(given.at), 0 from ${rows} as given
    where given.is_first = 1 group by given.key
    on conflict (url_key) do nothing`,
);

const saveAgain = onRows(
  CELLS,
  (rows) => sql`
    update archive_saves set state = 'waiting', looks = 0, job = null, due_at = case
      when started_at + ${AGAIN_MS} > given.at then started_at + ${AGAIN_MS} else given.at end
    from ${rows} as given
    where given.is_first = 0 and archive_saves.url_key = given.key and due_at is null and started_at is not null`,
);

export type SaveRow = typeof archiveSaves.$inferSelect;
export type ClaimedSave = SaveRow & { lease: string };

/**
 * Returns what is due next. What was begun is ended before anything else begins.
 * @param mayStart whether a save may begin
 */
export async function nextSave(
  { store, clock }: Deps,
  mayStart: boolean,
): Promise<SaveRow | undefined> {
  const first = async (are: SQL) =>
    store
      .select()
      .from(archiveSaves)
      .where(and(isNotNull(archiveSaves.dueAt), are))
      .orderBy(asc(archiveSaves.dueAt), asc(archiveSaves.urlKey))
      .limit(1);
  const begun = await first(ne(archiveSaves.state, "waiting"));
  if (begun[0] && begun[0].dueAt! <= clock.now()) return begun[0];
  const waiting = mayStart ? await first(eq(archiveSaves.state, "waiting")) : [];
  return [...begun, ...waiting].toSorted((a, b) => a.dueAt! - b.dueAt!)[0];
}

/** Of two nodes that choose the same page, the second finds it not due any more. */
export async function claimSave(deps: Deps, { urlKey }: SaveRow): Promise<ClaimedSave | null> {
  const leased = leaseFor(deps, LEASE_MS);
  const [taken] = await deps.store
    .update(archiveSaves)
    .set(leased)
    .where(and(eq(archiveSaves.urlKey, urlKey), isStillDue(archiveSaves, deps.clock.now())))
    .returning();
  return taken ? { ...taken, lease: leased.lease } : null;
}

export type Settled = Partial<Pick<SaveRow, "state" | "job" | "looks" | "startedAt">> & {
  /** Null if nothing is left to do. */
  dueAt: number | null;
};

/** Ends a claim, unless another node has the page by now. */
export const settleSave = ({ store }: Deps, { urlKey, lease }: ClaimedSave, settled: Settled) =>
  store
    .update(archiveSaves)
    .set({ ...settled, lease: null })
    .where(and(eq(archiveSaves.urlKey, urlKey), eq(archiveSaves.lease, lease)));

/** Forgets a page that no account wants to be saved any more. */
export const dropSave = ({ store }: Deps, { urlKey, lease }: ClaimedSave) =>
  store
    .delete(archiveSaves)
    .where(and(eq(archiveSaves.urlKey, urlKey), eq(archiveSaves.lease, lease)));

export async function isStillWanted({ store }: Deps, { urlKey }: SaveRow): Promise<boolean> {
  const [link] = await store
    .select({ no: links.no })
    .from(accounts)
    .innerJoin(links, and(eq(links.accountId, accounts.id), eq(links.urlKey, urlKey)))
    .where(eq(accounts.archiveSave, true))
    .limit(1);
  return link !== undefined;
}

/** Counts the saves that have begun since a moment. */
export async function startedSince({ store }: Deps, at: number): Promise<number> {
  const [row] = await store
    .select({ saves: count() })
    .from(archiveSaves)
    .where(gte(archiveSaves.startedAt, at));
  return row!.saves;
}

export async function breakLeases(deps: Deps): Promise<void> {
  const areLeft = areOfDead(archiveSaves, deps);
  if (!areLeft) return;
  const released = { lease: null, dueAt: deps.clock.now() };
  await deps.store.update(archiveSaves).set(released).where(areLeft);
}

/** Makes due what would wait longer than anything does. Returns how many. */
export async function limitWaits({ store, clock }: Deps): Promise<number> {
  const latest = clock.now() + AGAIN_MS;
  const late = await store
    .update(archiveSaves)
    .set({ dueAt: latest })
    .where(sql`${archiveSaves.dueAt} > ${latest + DAY_MS}`)
    .returning({ key: archiveSaves.urlKey });
  return late.length;
}
