import type { AuditRow, Tier } from "../db/tables.ts";
import { AppError } from "../lib/errors.ts";

export type Permissions = { read: boolean; write: boolean };

/** Who is at work, as the audit log names them. */
export type Actor = {
  kind: AuditRow["actorKind"];
  /** Of the user or the key; null for others. */
  id: string | null;
  /** An e-mail, or the part of a key that is shown. */
  name: string;
  /** Of a person who is signed in: their own account. */
  accountId?: string;
  /** Where from; null on the command line. Worked out only when it is wanted. */
  address: () => string | null;
};

/** Whoever runs the installation, at its command line. */
export const OPERATOR: Actor = {
  kind: "operator",
  id: null,
  name: "command line",
  address: () => null,
};

/** Who asks, whichever door they came by. History names the account by its number. */
export type Caller = {
  accountId: string;
  accountNo: number;
  tier: Tier;
  permissions: Permissions;
  /** When the caller's API key expires, in milliseconds since 1970. Not set for people and keys that never expire. */
  expiresAt?: number | null;
  by: Actor;
};

/** `read` allows GET, `write` allows POST, PATCH and DELETE. */
export function requirePermission({ permissions }: Caller, method: string) {
  const needed = method === "GET" || method === "HEAD" ? "read" : "write";
  if (permissions[needed]) return;
  throw new AppError("INSUFFICIENT_PERMISSIONS", `This needs the ${needed} permission.`);
}
