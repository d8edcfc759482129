import ipaddr from "ipaddr.js";
import { type Access, contextOf, type RequestContext, requirePermission } from "../api/caller.ts";
import { rangeOf } from "../api/client-address.ts";
import { readSessionCookie } from "../api/credentials.ts";
import { addRateLimitHeaders, type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { authenticate } from "./keys/authenticate.ts";
import { findSession, type Session } from "./sessions.ts";
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
    context.sessionHash = session.tokenHash;
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

/** The same for a route that requires a session. @throws UNAUTHORIZED when the session has ended since the check */
export async function presentSession(deps: Deps, request: Request): Promise<Session> {
  const session = await sessionOf(deps, request);
  if (!session) throw notSignedIn();
  return session;
}

const SAFE = ["GET", "HEAD", "OPTIONS"];
const SAME = ["same-origin", "none"];

/**
 * An attacker who points a name of their own at this machine could use the dashboard from their pages (DNS rebinding),
 * so only the configured name, localhost and addresses are accepted.
 */
export function refuseUnknownHost(
  { publicUrl }: Pick<Config, "publicUrl">,
  request: Request,
): void {
  const hostname = ownUrl(request)?.hostname ?? "";
  if (publicUrl && hostname === new URL(publicUrl).hostname) return;
  if (hostname === "localhost" || isAddress(hostname)) return;
  throw new AppError(
    "FORBIDDEN",
    `The dashboard is not available under the name ${hostname}. Set STILLUP_PUBLIC_URL to the address that people use.`,
  );
}

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

/** Our address as the browser knows it: the request line may contain another host than `Host`. */
function ownUrl(request: Request): URL | null {
  const host = request.headers.get("host");
  return host === null ? new URL(request.url) : URL.parse(`http://${host}`);
}

const isAddress = (hostname: string) => ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
