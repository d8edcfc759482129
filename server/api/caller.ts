import type { AuditRow, Tier } from "../db/tables.ts";
import { AppError } from "../lib/errors.ts";
import type { Claim } from "./idempotency.ts";

export type Permissions = { read: boolean; write: boolean };

/** Who makes a change, as the audit log names them. */
export type Actor = {
  kind: AuditRow["actorKind"];
  /** Of the user or the key; null for others. */
  id: string | null;
  /** An e-mail, or the part of a key that is shown. */
  name: string;
  /** Of a person who is signed in: their own account. */
  accountId?: string;
  /** The address that the request comes from; null on the command line. Computed on demand. */
  address: () => string | null;
};

/** The operator of the installation, on the command line. */
export const OPERATOR: Actor = {
  kind: "operator",
  id: null,
  name: "command line",
  address: () => null,
};

/** Who makes a request, by key or by session. History names the account by its number. */
export type Caller = {
  accountId: string;
  accountNo: number;
  tier: Tier;
  permissions: Permissions;
  /** When the caller's API key expires, in milliseconds since 1970. Not set for people and keys that never expire. */
  expiresAt?: number | null;
  by: Actor;
};

/**
 * Who may call a route: anyone, anyone who is signed in, callers with a permission, owners of the account, or
 * administrators of the installation. Keys have permissions only; people have them by their role.
 */
export type Access = "anyone" | "signed-in" | keyof Permissions | "owner" | "administrator";

/** @throws INSUFFICIENT_PERMISSIONS */
export function requirePermission({ permissions }: Caller, needed: keyof Permissions) {
  if (permissions[needed]) return;
  throw new AppError("INSUFFICIENT_PERMISSIONS", `This needs the ${needed} permission.`);
}

/** What is known of one request beside its own words. */
export type Visit = {
  requestId: string;
  /** The client's address; behind a trusted proxy the one it names. Asked for only where it counts. */
  address: () => string;
  /** The path as it was asked for, without the query. */
  path: string;
  /** When it came, by the clock's `elapsed()`. */
  arrivedAt: number;
  /** The template of the route that answered it, such as `/links/:id`; null when none did. */
  route: string | null;
  /** What the reply leaves with, beside its own. */
  headers: Headers;
  /** Whether the reply has those headers already. */
  isDressed: boolean;
  caller?: Caller;
  /** SHA-256 of the session's cookie, when the session door let it in. */
  sessionHash?: string;
  /** The body as it was parsed, before a route reads it; undefined without one. */
  sentBody?: unknown;
  /** The claim of an idempotency key, while the request runs. */
  claim?: Claim;
};

/** On the request itself: a weak map of all requests costs the garbage collector more than answering. */
const VISIT = Symbol("visit");
type Visited = Request & { [VISIT]: Visit };

export function rememberVisit(request: Request, visit: Visit) {
  (request as Visited)[VISIT] = visit;
}

/** Only requests that came through the front have one; a route cannot be reached otherwise. */
export const visitOf = (request: Request): Visit => (request as Visited)[VISIT];
