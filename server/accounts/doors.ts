import { timingSafeEqual } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { basePathOf, type Config } from "../ground/config/config.ts";
import { preparedOnce, type Store } from "../ground/db/store.ts";
import { apiKeys } from "../ground/db/tables.ts";
import { AppError, type ErrorCode } from "../ground/lib/errors.ts";
import { hashToken, isApiKey } from "../ground/lib/ids.ts";
import { log } from "../ground/lib/log.ts";
import type { Tier } from "../ground/lib/vocabulary.ts";
import {
  type Access,
  type Caller,
  contextOf,
  type RequestContext,
  rangeOf,
  rangesOf,
  requirePermission,
  type Session,
} from "../http/caller.ts";
import { ownUrl, refuseUnknownHost } from "../http/own-host.ts";
import { addRateLimitHeaders, type RateLimiter, rateLimited } from "../http/rate-limit.ts";
import type { Deps } from "../work/deps.ts";
import { findSession, type Visitor } from "./sessions.ts";
import type { Meter } from "./usage.ts";

type KeyDoor = Deps & { limiter: RateLimiter; meter: Meter };

/**
 * Checks a request under /api/v1: authentication, then rate limit, plan and the permission that the route requires.
 * A request without a valid key counts against its address, so guessing never uses up the budget of a real key.
 */
export async function enterByKey(
  deps: KeyDoor,
  request: Request,
  context: RequestContext,
  access: Access,
): Promise<void> {
  const header = request.headers.get("authorization");
  const caller = await authenticate(deps, header, context.address).catch(async (refusal) => {
    await countRequest(deps, context, `address ${rangeOf(context.address())}`);
    throw refusal;
  });
  await countRequest(deps, context, `key ${caller.keyId}`);
  deps.meter.countRequest(caller.accountId, caller.keyId);
  if (!deps.config.tierLimits[caller.tier].api) {
    throw new AppError("BUSINESS_PLAN_REQUIRED", `The ${caller.tier} plan has no API access.`);
  }
  requirePermission(caller, access === "read" ? "read" : "write");
  context.caller = caller;
}

/** Every reply under /api/v1 shows the remaining requests. @throws RATE_LIMITED */
async function countRequest({ limiter, clock }: KeyDoor, { headers }: RequestContext, who: string) {
  const allowance = await limiter(who);
  addRateLimitHeaders(headers, allowance, clock.now());
  if (!allowance.allowed) throw rateLimited(allowance);
}

/**
 * Checks a request under /dashboard/api: its host and site, its session, the rate limit, and that its caller has the
 * access that the route requires. A request without a session counts against its address.
 */
export async function enterBySession(
  deps: Deps & { sessionLimiter: RateLimiter },
  request: Request,
  context: RequestContext,
  access: Access,
): Promise<void> {
  refuseUnknownHost(deps.config, request);
  refuseOtherSites(deps.config, request);
  const session = await sessionOf(deps, request);
  const who = session ? `user ${session.user.id}` : `address ${rangeOf(context.address())}`;
  const allowance = await deps.sessionLimiter(who);
  if (!allowance.allowed) throw rateLimited(allowance);
  if (session) {
    context.session = session;
    context.caller = session.caller;
  }
  if (access === "anyone") return;
  if (!session) throw notSignedIn();
  requireAccess(session, access);
}

function requireAccess({ user, caller }: Session, access: Exclude<Access, "anyone">) {
  if (access === "signed-in") return;
  if (access === "owner") {
    if (user.role !== "owner") throw forOwners();
  } else if (access === "administrator") {
    if (!user.isAdmin) throw forAdministrators();
  } else requirePermission(caller, access);
}

const forOwners = () =>
  new AppError("INSUFFICIENT_PERMISSIONS", "Only owners of the account can do this.");

const forAdministrators = () =>
  new AppError("FORBIDDEN", "Only administrators of the installation can do this.");

const notSignedIn = () => new AppError("UNAUTHORIZED", "Sign in first.");

/** The session of the request's cookie; null without a valid one. */
export async function sessionOf(deps: Deps, request: Request): Promise<Session | null> {
  const token = readSessionCookie(deps.config, request);
  return token ? findSession(deps, token, contextOf(request).address) : null;
}

/** Returns the session of a request to a route behind the door, which has checked that there is one. */
export const presentSession = (request: Request): Session => contextOf(request).session!;

/** The browser that sends a request. */
export const visitorOf = (request: Request): Visitor => ({
  userAgent: request.headers.get("user-agent"),
  sessionHash: contextOf(request).session?.tokenHash,
  address: contextOf(request).address,
  networks: rangesOf(contextOf(request).address()),
});

const SAFE = ["GET", "HEAD", "OPTIONS"];
const SAME = ["same-origin", "none"];

/**
 * Other sites must not act for people who are signed in. Browsers send the origin of a request in `Sec-Fetch-Site`, or
 * on plain HTTP at least in `Origin`. Requests without either are refused, since programs use API keys.
 */
function refuseOtherSites(config: Config, request: Request): void {
  if (SAFE.includes(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === null ? isOwnOrigin(config, request) : SAME.includes(site)) return;
  throw new AppError("FORBIDDEN", "This request does not come from the dashboard's own pages.");
}

function isOwnOrigin({ publicUrl }: Config, request: Request): boolean {
  const own = publicUrl ? new URL(publicUrl) : ownUrl(request);
  return own !== null && request.headers.get("origin") === own.origin;
}

const YEAR_S = 365 * 86_400;

/** Whether browsers use HTTPS. Only the setting counts, since anyone can send a forwarded header. */
export const isSecure = ({ publicUrl }: Config) => publicUrl?.startsWith("https:") === true;

/** The token in the request's cookie. */
function readSessionCookie(config: Config, request: Request): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(nameOf(config));
}

/** The browser's device cookie for the person with this e-mail. */
export function readDeviceCookie(config: Config, request: Request, email: string): string | null {
  const cookies = request.headers.get("cookie");
  return cookies && new Bun.CookieMap(cookies).get(deviceNameOf(config, email));
}

/** `Set-Cookie` that marks the browser as one in which the person has signed in. */
export const deviceCookie = (config: Config, email: string, value: string) =>
  `${deviceNameOf(config, email)}=${value}; Max-Age=${YEAR_S}; ${cookieAttributes(config)}`;

/** `Set-Cookie` for a new session; the browser keeps the cookie until it is closed. */
export const sessionCookie = (config: Config, token: string) =>
  `${nameOf(config)}=${token}; ${cookieAttributes(config)}`;

/** `Set-Cookie` that removes the session. */
export const endedCookie = (config: Config) => `${sessionCookie(config, "")}; Max-Age=0`;

/**
 * Makes browsers accept a cookie of this name only from this exact host over HTTPS; below a path, whose cookies cannot
 * have that prefix, only over HTTPS (RFC 6265bis §4.1.3).
 */
export function cookiePrefix(config: Config): string {
  if (!isSecure(config)) return "";
  return basePathOf(config) === "" ? "__Host-" : "__Secure-";
}

const nameOf = (config: Config) => `${cookiePrefix(config)}session`;

/** One for each person, since several may use a browser; the name does not reveal whose it is. */
const deviceNameOf = (config: Config, email: string) =>
  `${cookiePrefix(config)}device-${hashToken(email).slice(0, 8)}`;

/** Of every cookie. With the path, other programs on the host do not get them, nor do two Stillups share them. */
export const cookieAttributes = (config: Config) =>
  `${isSecure(config) ? "Secure; " : ""}HttpOnly; SameSite=Lax; Path=${basePathOf(config) || "/"}`;

/** Whether the request has the token of STILLUP_METRICS_TOKEN; false if none is set. */
export function hasMetricsToken({ metricsToken }: Config, { headers }: Request): boolean {
  const given = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return (
    metricsToken !== null &&
    given !== undefined &&
    isSame(hashToken(given), hashToken(metricsToken))
  );
}

type KeyCaller = Caller & { keyId: string };

const selectKey = preparedOnce((store) =>
  selectKeys(store)
    .where(eq(apiKeys.hash, sql.placeholder("hash")))
    .prepare(),
);

const selectKeys = (store: Store) =>
  store
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      prefix: apiKeys.prefix,
      hash: apiKeys.hash,
      canRead: apiKeys.canRead,
      canWrite: apiKeys.canWrite,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      // SQLite reads one row of each table three times as fast this way as by a join.
      tier: sql<Tier>`(select accounts.tier from accounts where accounts.id = api_keys.account_id)`,
      accountNo: sql<number>`(select accounts.no from accounts where accounts.id = api_keys.account_id)`,
    })
    .from(apiKeys);

/**
 * Who holds the key of an `Authorization` header. The scheme is case-insensitive and followed by
 * exactly one space (RFC 6750 §2.1).
 * @throws UNAUTHORIZED, INVALID_API_KEY, REVOKED_API_KEY or EXPIRED_API_KEY
 */
export async function authenticate(
  deps: Deps,
  header: string | null,
  address: () => string | null,
): Promise<KeyCaller> {
  const token = /^bearer ([^ ]+)$/i.exec(header ?? "")?.[1];
  if (!token) throw refusal("UNAUTHORIZED", "Send your API key as `Authorization: Bearer <key>`.");
  if (!isApiKey(token))
    throw refusal("INVALID_API_KEY", "This is not an API key. Was it cut or mistyped?");
  const hash = hashToken(token);
  const key = (await keyByHash(deps, hash)) ?? (await keyByOldHash(deps, hash));
  if (!key) throw await refuseUnknown(deps, hash);
  if (key.revokedAt !== null) throw refusal("REVOKED_API_KEY", "This API key was revoked.");
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) {
    throw refusal("EXPIRED_API_KEY", "This API key has expired.");
  }
  const permissions = { read: key.canRead, write: key.canWrite };
  const { id, accountId, accountNo, tier, expiresAt } = key;
  const by = { kind: "key", id, name: key.prefix, address } as const;
  return { keyId: id, accountId, accountNo, tier, permissions, expiresAt, by };
}

type FoundKey = Awaited<ReturnType<ReturnType<typeof selectKey>["execute"]>>[number];

/** More keys than any account asks with at once; what is forgotten is looked up again. */
const MOST_KEPT = 10_000;

/**
 * Keys with the version of the database they were read under, since most requests come with the key of
 * the one before. Each has its own: while one is looked up another may see the database change, and a
 * key that was revoked then must not pass for present.
 */
const foundKeys = preparedOnce(() => new Map<string, { version: number; key: FoundKey }>());

async function keyByHash({ store }: Deps, hash: string): Promise<FoundKey | undefined> {
  const found = foundKeys(store);
  const version = store.engine.version();
  const known = found.get(hash);
  if (known && known.version === version) return known.key;
  const [key] = await selectKey(store).execute({ hash });
  if (!key || !isSame(key.hash, hash)) return undefined;
  if (found.size >= MOST_KEPT) found.clear();
  if (version !== null) found.set(hash, { version, key });
  return key;
}

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The key whose value this was before its rotation, while that is still accepted. */
async function keyByOldHash({ store, clock }: Deps, hash: string): Promise<FoundKey | undefined> {
  const { previousHash, previousExpiresAt } = apiKeys;
  const [key] = await selectKeys(store)
    .where(and(eq(previousHash, hash), gt(previousExpiresAt, clock.now())))
    .limit(1);
  return key;
}

/** The value before a rotation is unknown like any other, but its use is worth a line in the log. */
async function refuseUnknown({ store }: Deps, hash: string): Promise<AppError> {
  const [rotated] = await store
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.previousHash, hash))
    .limit(1);
  if (rotated) log.warning("the value before its last rotation was used", { key: rotated.id });
  return refusal("INVALID_API_KEY", "There is no such API key.");
}

/** RFC 6750 §3: the challenge names an error only when a token was given. */
function refusal(code: ErrorCode, message: string): AppError {
  const error = code === "UNAUTHORIZED" ? "" : ', error="invalid_token"';
  return new AppError(code, message, undefined, {
    "www-authenticate": `Bearer realm="api"${error}`,
  });
}
