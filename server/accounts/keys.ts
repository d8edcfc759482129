import { and, count, desc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { type ApiKeyRow, apiKeys, type UserRow, users } from "../ground/db/tables.ts";
import { AppError, foreign, invalid, limitReached, notFound } from "../ground/lib/errors.ts";
import { hashToken, newApiKey, newId, parseId, shownPart } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import { type Page, type PageQuery, windowOf } from "../ground/lib/paging.ts";
import type { Actor, Caller, Permissions } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import { auditChange, fieldsOf, keyTarget, recordChange } from "./audit.ts";
import { expiryProblem, type KeyChange, type NewKey } from "./model.ts";

/** A key and its value, which exists in clear text only here and in one reply. */
export type FreshKey = { id: string; row: ApiKeyRow; value: string };

const isLive = isNull(apiKeys.revokedAt);

export async function listKeys(
  { store }: Deps,
  caller: Caller,
  page: PageQuery,
): Promise<Page<ApiKeyRow>> {
  const { limit, offset } = windowOf(page);
  const matches = and(eq(apiKeys.accountId, caller.accountId), isLive);
  const newestFirst = [desc(apiKeys.createdAt), desc(apiKeys.id)];
  const [items, [counted]] = await Promise.all([
    store
      .select()
      .from(apiKeys)
      .where(matches)
      .orderBy(...newestFirst)
      .limit(limit)
      .offset(offset),
    store.select({ total: count() }).from(apiKeys).where(matches),
  ]);
  return { items, total: counted!.total };
}

/**
 * Creates a key with the caller's own permissions, which expires with the caller's own key, unless the input says less.
 * @throws CONFLICT at the account's limit, and INSUFFICIENT_PERMISSIONS beyond the caller's own permissions or expiry
 */
export async function createKey(unit: Unit, caller: Caller, input: NewKey): Promise<FreshKey> {
  const permissions = merged(caller.permissions, input.permissions);
  refuseUseless(permissions);
  refuseEscalation(caller, permissions);
  const { expires_at: expiresAt = caller.expiresAt ?? null } = input;
  const now = unit.clock.now();
  refuseBadExpiry(input.expires_at, now);
  refuseOutliving(caller, expiresAt);
  await refuseAtLimit(unit.store, caller, unit.config.tierLimits[caller.tier].apiKeys);
  const madeBy = await makerOf(unit.store, caller);
  const given = { ...input, expires_at: expiresAt };
  const fresh = freshKey(caller.accountId, given, { permissions, now, madeBy });
  await unit.store.insert(apiKeys).values(fresh.row);
  await auditChange(unit, caller, { action: "key.created", target: keyTarget(fresh.row) });
  return fresh;
}

/** @throws NOT_FOUND, and FORBIDDEN for a key of another account */
export async function findKey(
  { store }: Pick<Deps, "store">,
  caller: Caller,
  id: string,
): Promise<ApiKeyRow> {
  const [key] = await store
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, parseId(id) ?? ""), isLive));
  if (!key) throw notFound("API key");
  if (key.accountId !== caller.accountId) throw foreign("API key");
  return key;
}

/**
 * The account of a key, for the operator, who may revoke the keys of all accounts.
 * @throws NOT_FOUND
 */
export async function accountOfKey({ store }: Deps, id: string): Promise<string> {
  const [key] = await store
    .select({ accountId: apiKeys.accountId })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, parseId(id) ?? ""), isLive));
  if (!key) throw notFound("API key");
  return key.accountId;
}

/**
 * A key may rename itself and narrow its own permissions and expiry.
 * @throws INSUFFICIENT_PERMISSIONS beyond the caller's permissions or expiry
 */
export async function changeKey(
  unit: Unit,
  caller: Caller,
  id: string,
  change: KeyChange,
): Promise<ApiKeyRow> {
  const key = await findKey(unit, caller, id);
  refuseEscalation(caller, permissionsOf(key));
  if (Object.values(change).every((value) => value === undefined)) return key;
  const permissions = merged(permissionsOf(key), change.permissions);
  refuseUseless(permissions);
  const { name = key.name, expires_at: expiresAt = key.expiresAt } = change;
  refuseWideningOwnKey(caller, key, { permissions, expiresAt });
  refuseEscalation(caller, permissions);
  const now = unit.clock.now();
  refuseBadExpiry(change.expires_at, now);
  if (expiresAt !== key.expiresAt) refuseOutliving(caller, expiresAt);
  const [row] = await unit.store
    .update(apiKeys)
    .set({
      name,
      canRead: permissions.read,
      canWrite: permissions.write,
      expiresAt,
      updatedAt: now,
    })
    .where(eq(apiKeys.id, key.id))
    .returning();
  await auditChange(unit, caller, {
    action: "key.changed",
    target: keyTarget(key),
    fields: fieldsOf(
      { ...change, permissions },
      { ...key, permissions: permissionsOf(key), expires_at: key.expiresAt },
    ),
  });
  return row!;
}

/**
 * Gives the key a new value; it keeps its id and settings. The old value is accepted for `graceSeconds` more, and a value
 * before that one no longer.
 * @throws INSUFFICIENT_PERMISSIONS for a key with more permissions than the caller, or one that expires later
 */
export async function rotateKey(
  unit: Unit,
  caller: Caller,
  id: string,
  graceSeconds: number,
): Promise<FreshKey> {
  const key = await findKey(unit, caller, id);
  refuseEscalation(caller, permissionsOf(key));
  refuseOutliving(caller, key.expiresAt);
  const value = newApiKey();
  const now = unit.clock.now();
  const [row] = await unit.store
    .update(apiKeys)
    .set({
      hash: hashToken(value),
      previousHash: key.hash,
      previousExpiresAt: graceSeconds > 0 ? now + graceSeconds * 1000 : null,
      prefix: shownPart(value),
      updatedAt: now,
      madeBy: await makerOf(unit.store, caller),
    })
    .where(eq(apiKeys.id, key.id))
    .returning();
  await auditChange(unit, caller, { action: "key.rotated", target: keyTarget(row!) });
  return { id, row: row!, value };
}

/** Revokes a key. The row stays, so that the reply to its later use can say that it was revoked. */
export async function revokeKey(unit: Unit, caller: Caller, id: string): Promise<void> {
  await revoke(unit, caller.by, await findKey(unit, caller, id));
}

/** How many keys that are not revoked each person of these accounts made, by the id of the person. */
export async function countKeysByMaker(
  store: Store,
  accountIds: string[],
): Promise<Map<string, number>> {
  const areTheirs = and(inArray(apiKeys.accountId, accountIds), isLive, isNotNull(apiKeys.madeBy));
  const rows = await store
    .select({ id: apiKeys.madeBy, keys: count() })
    .from(apiKeys)
    .where(areTheirs)
    .groupBy(apiKeys.madeBy);
  return new Map(rows.map(({ id, keys }) => [id!, keys]));
}

/** Revokes all keys whose value the person knows; `deps.store` is a transaction that has locked the account. */
export async function revokeKeysMadeBy(
  deps: Pick<Deps, "store" | "clock">,
  by: Actor,
  { id, accountId }: UserRow,
): Promise<void> {
  const keys = await deps.store
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.madeBy, id), isLive));
  for (const key of keys) await revoke(deps, by, key);
}

type Making = { permissions: Permissions; now: number; madeBy: string | null };

/** A key that is not stored yet. @param madeBy the id of the person who learns its value */
export function freshKey(
  accountId: string,
  input: NewKey,
  { permissions: { read, write }, now, madeBy }: Making,
): FreshKey {
  const value = newApiKey();
  const row: ApiKeyRow = {
    id: newId(),
    accountId,
    name: input.name,
    prefix: shownPart(value),
    hash: hashToken(value),
    previousHash: null,
    previousExpiresAt: null,
    canRead: read,
    canWrite: write,
    expiresAt: input.expires_at ?? null,
    lastUsedAt: null,
    revokedAt: null,
    createdAt: now,
    updatedAt: now,
    madeBy,
  };
  return { id: row.id, row, value };
}

/** Does nothing for a key that was revoked meanwhile. */
async function revoke(deps: Pick<Deps, "store" | "clock">, by: Actor, key: ApiKeyRow) {
  const { store, clock } = deps;
  const now = clock.now();
  const revoked = await store
    .update(apiKeys)
    .set({ revokedAt: now, updatedAt: now })
    .where(and(eq(apiKeys.id, key.id), isLive))
    .returning({ id: apiKeys.id });
  if (revoked.length === 0) return;
  const { accountId } = key;
  await recordChange(deps, { action: "key.revoked", by, accountId, target: keyTarget(key) });
}

async function refuseAtLimit(tx: Store, { accountId }: Caller, limit: number) {
  const used = await tx.$count(apiKeys, and(eq(apiKeys.accountId, accountId), isLive));
  if (used >= limit) throw limitReached("API keys", limit, used);
}

/**
 * The person who learns a key's value: the caller, or the person whose key the caller uses. Null on the command line.
 * @throws UNAUTHORIZED when that person or key was removed meanwhile, so that removing a person revokes all their keys
 */
async function makerOf(tx: Store, { by }: Caller): Promise<string | null> {
  if (by.id === null) return null;
  if (by.kind === "user") {
    if ((await tx.$count(users, eq(users.id, by.id))) === 0) throw removedMeanwhile();
    return by.id;
  }
  const isIt = and(eq(apiKeys.id, by.id), isLive);
  const [key] = await tx.select({ madeBy: apiKeys.madeBy }).from(apiKeys).where(isIt);
  if (!key) throw removedMeanwhile();
  return key.madeBy;
}

/** Refuses a key with a permission that the caller lacks. */
function refuseEscalation({ permissions }: Caller, wanted: Permissions) {
  const exceeds = (wanted.read && !permissions.read) || (wanted.write && !permissions.write);
  if (exceeds) throw exceedsCaller("This key would have a permission that you lack.");
}

/** Refuses a key that would work longer than the caller's own. */
function refuseOutliving({ expiresAt: own }: Caller, expiresAt: number | null) {
  if (own === undefined || own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw exceedsCaller(
    `Your key expires at ${toIso(own)}. It cannot create, rotate or extend a key that expires later or never.`,
    { expires_at: toIso(own) },
  );
}

const exceedsCaller = (message: string, details: object = {}) =>
  new AppError("INSUFFICIENT_PERMISSIONS", message, { reason: "exceeds_caller", ...details });

/** A key cannot remove its own restrictions. */
function refuseWideningOwnKey(
  { by }: Caller,
  key: ApiKeyRow,
  wanted: { permissions: Permissions; expiresAt: number | null },
) {
  if (by.kind !== "key" || by.id !== key.id) return;
  const { permissions, expiresAt } = wanted;
  const gains = (permissions.read && !key.canRead) || (permissions.write && !key.canWrite);
  const present = key.expiresAt ?? Number.POSITIVE_INFINITY;
  if (!gains && (expiresAt ?? Number.POSITIVE_INFINITY) <= present) return;
  throw new AppError(
    "INSUFFICIENT_PERMISSIONS",
    "A key cannot extend its own permissions or expiry. Use another key, or the dashboard.",
    { reason: "own_key" },
  );
}

function refuseBadExpiry(expiresAt: number | null | undefined, now: number) {
  if (expiresAt === null || expiresAt === undefined) return;
  const problem = expiryProblem(expiresAt, now);
  if (problem) throw invalid({ expires_at: [problem] });
}

const merged = (present: Permissions, given: NewKey["permissions"]): Permissions => ({
  read: given?.read ?? present.read,
  write: given?.write ?? present.write,
});

const permissionsOf = (key: ApiKeyRow): Permissions => ({ read: key.canRead, write: key.canWrite });

function refuseUseless({ read, write }: Permissions) {
  if (!read && !write) throw invalid({ permissions: ["must allow read or write"] });
}

const removedMeanwhile = () =>
  new AppError("UNAUTHORIZED", "Your access was removed while the request was running.");
