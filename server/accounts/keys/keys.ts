import { and, count, desc, eq, isNull } from "drizzle-orm";
import type { Caller, Permissions } from "../../api/caller.ts";
import { asSeen } from "../../db/as-seen.ts";
import { type ApiKeyRow, apiKeys } from "../../db/tables.ts";
import { oneAtATime } from "../../lib/concurrency.ts";
import { conflict, foreign, invalid, notFound } from "../../lib/errors.ts";
import { newId, parseId } from "../../lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../../lib/paging.ts";
import { hashToken, newApiKey, shownPart } from "../../lib/token.ts";
import { type Deps, noReceipt, type Receipt } from "../../work/deps.ts";
import { fieldsOf, isThere, makeChange, onRecord } from "../audit/record.ts";
import { keyTarget } from "../audit/targets.ts";
import { refuseEscalation, refuseOutliving, refuseOwnKey } from "./escalation.ts";
import { onlyBelowLimit, refuseAtLimit } from "./limit.ts";
import { expiryProblem, type KeyChange, type NewKey } from "./model.ts";

/** A key and its value, which exists in clear only here and in one reply. */
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
  const [items, [counted]] = await store.batch([
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
 * Creates a key, which expires with the caller's own unless `expires_at` says when.
 * @throws CONFLICT at the account's limit, INSUFFICIENT_PERMISSIONS beyond the caller's own permissions or expiry
 */
export async function createKey(
  deps: Deps,
  caller: Caller,
  input: NewKey,
  receipt: Receipt<FreshKey> = noReceipt,
): Promise<FreshKey> {
  const permissions = merged({ read: true, write: true }, input.permissions);
  refuseEscalation(caller, permissions);
  const { expires_at: expiresAt = caller.expiresAt ?? null } = input;
  refuseBadExpiry(input.expires_at, deps.clock.now());
  refuseOutliving(caller, expiresAt);
  const create = async () => {
    await refuseAtLimit(deps, caller);
    const now = deps.clock.now();
    const madeBy = await makerOf(deps, caller);
    const given = { ...input, expires_at: expiresAt };
    const fresh = freshKey(caller.accountId, given, { permissions, now, madeBy });
    await deps.store.write([
      ...onRecord(deps, caller, { action: "key.created", target: keyTarget(fresh.row) }),
      ...onlyBelowLimit(deps, caller),
      deps.store.insert(apiKeys).values(fresh.row),
      ...receipt(fresh),
    ]);
    return fresh;
  };
  return oneAtATime(caller.accountId, () => asSeen(create));
}

export async function findKey({ store }: Deps, caller: Caller, id: string): Promise<ApiKeyRow> {
  const [key] = await store
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, parseId(id) ?? ""), isLive));
  if (!key) throw notFound("API key");
  if (key.accountId !== caller.accountId) throw foreign("API key");
  return key;
}

/**
 * Whose key it is, for the operator, who may revoke anyone's.
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

/** @throws INSUFFICIENT_PERMISSIONS for the caller's own key, and beyond its permissions or expiry */
export async function changeKey(
  deps: Deps,
  caller: Caller,
  id: string,
  change: KeyChange,
): Promise<ApiKeyRow> {
  const key = await findKey(deps, caller, id);
  refuseOwnKey(caller, key);
  refuseEscalation(caller, permissionsOf(key));
  if (Object.values(change).every((value) => value === undefined)) return key;
  const permissions = merged(permissionsOf(key), change.permissions);
  refuseNoPermission(permissions);
  refuseEscalation(caller, permissions);
  const now = deps.clock.now();
  refuseBadExpiry(change.expires_at, now);
  const { expires_at: expiresAt = key.expiresAt } = change;
  if (expiresAt !== key.expiresAt) refuseOutliving(caller, expiresAt);
  // What is not given is not written: another change of the key may come at the same moment.
  const changed = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.permissions && { canRead: permissions.read, canWrite: permissions.write }),
    ...(change.expires_at !== undefined && { expiresAt }),
    updatedAt: now,
  };
  const wanted = { ...change, permissions };
  const present = { ...key, permissions: permissionsOf(key), expires_at: key.expiresAt };
  const [row] = await makeChange(
    deps,
    onRecord(deps, caller, {
      action: "key.changed",
      target: keyTarget(key),
      fields: fieldsOf(wanted, present),
      onlyIf: isThere(deps.store, apiKeys, isLiveKey(caller, key.id)),
    }),
    deps.store.update(apiKeys).set(changed).where(isLiveKey(caller, key.id)).returning(),
  );
  if (!row) throw notFound("API key");
  return row;
}

/**
 * The key keeps its id and settings; the old value is refused from now on.
 * @throws INSUFFICIENT_PERMISSIONS for a key with more permissions than the caller, or one that expires later
 */
export async function rotateKey(
  deps: Deps,
  caller: Caller,
  id: string,
  receipt: Receipt<FreshKey> = noReceipt,
): Promise<FreshKey> {
  const key = await findKey(deps, caller, id);
  refuseEscalation(caller, permissionsOf(key));
  refuseOutliving(caller, key.expiresAt);
  const value = newApiKey();
  const change = {
    hash: hashToken(value),
    previousHash: key.hash,
    prefix: shownPart(value),
    updatedAt: deps.clock.now(),
    madeBy: await makerOf(deps, caller),
  };
  const fresh = { id: key.id, row: { ...key, ...change }, value };
  const isAsRead = and(isLiveKey(caller, key.id), eq(apiKeys.hash, key.hash));
  const changed = await makeChange(
    deps,
    onRecord(deps, caller, {
      action: "key.rotated",
      target: keyTarget(fresh.row),
      onlyIf: isThere(deps.store, apiKeys, isAsRead),
    }),
    deps.store.update(apiKeys).set(change).where(isAsRead).returning({ id: apiKeys.id }),
    receipt(fresh, isThere(deps.store, apiKeys, eq(apiKeys.hash, change.hash))),
  );
  if (changed.length === 0) {
    throw conflict("The key was rotated or revoked by somebody else at this moment.", {
      reason: "changed_meanwhile",
    });
  }
  return fresh;
}

/** The row stays, so that whoever still uses the key is told that it was revoked. */
export async function revokeKey(deps: Deps, caller: Caller, id: string): Promise<void> {
  const key = await findKey(deps, caller, id);
  const now = deps.clock.now();
  const isIt = isLiveKey(caller, key.id);
  const { store } = deps;
  await store.write([
    ...onRecord(deps, caller, {
      action: "key.revoked",
      target: keyTarget(key),
      onlyIf: isThere(store, apiKeys, isIt),
    }),
    store.update(apiKeys).set({ revokedAt: now, updatedAt: now }).where(isIt),
  ]);
}

/** The person who gets to know a key's value: who asks, or whose key does. Null on the command line. */
async function makerOf({ store }: Deps, { by }: Caller): Promise<string | null> {
  if (by.kind === "user") return by.id;
  if (by.kind !== "key" || by.id === null) return null;
  const [key] = await store
    .select({ madeBy: apiKeys.madeBy })
    .from(apiKeys)
    .where(eq(apiKeys.id, by.id));
  return key?.madeBy ?? null;
}

type Making = { permissions: Permissions; now: number; madeBy: string | null };

/** A key that is not written yet. @param madeBy the person who gets to know its value */
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

const isLiveKey = (caller: Caller, id: string) =>
  and(eq(apiKeys.id, id), eq(apiKeys.accountId, caller.accountId), isLive);

const merged = (present: Permissions, given: NewKey["permissions"]): Permissions => ({
  read: given?.read ?? present.read,
  write: given?.write ?? present.write,
});

const permissionsOf = (key: ApiKeyRow): Permissions => ({ read: key.canRead, write: key.canWrite });

function refuseNoPermission({ read, write }: Permissions) {
  if (!read && !write) throw invalid({ permissions: ["must allow read or write"] });
}

function refuseBadExpiry(expiresAt: number | null | undefined, now: number) {
  if (expiresAt === null || expiresAt === undefined) return;
  const problem = expiryProblem(expiresAt, now);
  if (problem) throw invalid({ expires_at: [problem] });
}
