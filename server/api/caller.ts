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

/** What is known of a request besides its own content. */
export type RequestContext = {
  requestId: string;
  /** The client's address; behind a trusted proxy the one that it forwards. Computed on demand. */
  address: () => string;
  /** The path of the request, without the query. */
  path: string;
  /** When the request arrived, by the clock's `elapsed()`. */
  receivedAt: number;
  /** The template of the route that ran, such as `/links/:id`; null if none did. */
  route: string | null;
  /** The headers of every reply to this request. */
  headers: Headers;
  /** Whether the reply already has them. */
  hasHeaders: boolean;
  caller?: Caller;
  /** SHA-256 of the session's cookie, of a request with a valid session. */
  sessionHash?: string;
  /** The parsed body, before a route validates it; undefined without one. */
  sentBody?: unknown;
  /** The claim of an idempotency key, while the request runs. */
  claim?: Claim;
};

/** A property of the request: a weak map of all requests costs the garbage collector more than handling them. */
const CONTEXT = Symbol("context");
type WithContext = Request & { [CONTEXT]: RequestContext };

export function attachContext(request: Request, context: RequestContext) {
  (request as WithContext)[CONTEXT] = context;
}

/** Every request that reaches a route has one. */
export const contextOf = (request: Request): RequestContext => (request as WithContext)[CONTEXT];
