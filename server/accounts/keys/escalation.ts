import type { Caller, Permissions } from "../../api/caller.ts";
import type { ApiKeyRow } from "../../db/tables.ts";
import { AppError } from "../../lib/errors.ts";
import { toIso } from "../../lib/moments.ts";

/** No one creates, changes or rotates a key with a permission that they lack. @throws INSUFFICIENT_PERMISSIONS */
export function refuseEscalation(caller: Caller, wanted: Permissions) {
  const exceeds =
    (wanted.read && !caller.permissions.read) || (wanted.write && !caller.permissions.write);
  if (!exceeds) return;
  throw new AppError(
    "INSUFFICIENT_PERMISSIONS",
    "This key would have a permission that you lack.",
    {
      reason: "exceeds_caller",
    },
  );
}

/**
 * A key that expires cannot create, rotate or extend one that works longer.
 * @throws INSUFFICIENT_PERMISSIONS
 */
export function refuseOutliving({ expiresAt: own }: Caller, expiresAt: number | null) {
  if (own === undefined || own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw new AppError(
    "INSUFFICIENT_PERMISSIONS",
    `Your key expires at ${toIso(own)}. It cannot create, rotate or extend a key that expires later or never.`,
    { reason: "exceeds_caller", expires_at: toIso(own) },
  );
}

/** A key cannot change itself, or it could lift its own limits. @throws INSUFFICIENT_PERMISSIONS */
export function refuseOwnKey({ by }: Caller, key: ApiKeyRow) {
  if (by.kind !== "key" || by.id !== key.id) return;
  throw new AppError(
    "INSUFFICIENT_PERMISSIONS",
    "A key cannot change itself. Use another key, or the dashboard.",
    { reason: "own_key" },
  );
}
