import ipaddr from "ipaddr.js";
import { type Access, type Caller, requirePermission, type Visit, visitOf } from "../api/caller.ts";
import { rangeOf } from "../api/client-address.ts";
import { readSessionCookie } from "../api/credentials.ts";
import { type Allowance, type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { authenticate, type KeyCaller } from "./keys/authenticate.ts";
import type { Meter } from "./meter.ts";
import { findSession, type Session } from "./sessions.ts";

type Admission = { allowance: Allowance } & (
  | { admitted: true; caller: KeyCaller }
  | { admitted: false; refusal: unknown }
);

/**
 * Checks a request under /api/v1: authentication, then rate limit, plan and the permission that the route requires.
 * A request without a valid key counts against its address, so guessing never uses up the budget of a real key.
 */
export async function enterByKey(
  deps: Deps & { limiter: RateLimiter; meter: Meter },
  request: Request,
  visit: Visit,
  access: Access,
): Promise<Admission> {
  const header = request.headers.get("authorization");
  const caller = await authenticate(deps, header, visit.address).catch(asRefusal);
  if ("refusal" in caller) {
    const allowance = await deps.limiter(`address ${rangeOf(visit.address())}`);
    const refusal = allowance.allowed ? caller.refusal : rateLimited(allowance);
    return { admitted: false, allowance, refusal };
  }
  const allowance = await deps.limiter(`key ${caller.keyId}`);
  if (!allowance.allowed) return { admitted: false, allowance, refusal: rateLimited(allowance) };
  deps.meter.countRequest(caller.accountId, caller.keyId);
  const refusal = refuseCaller(deps, caller, access);
  return refusal ? { admitted: false, allowance, refusal } : { admitted: true, allowance, caller };
}

const asRefusal = (refusal: unknown) => ({ refusal });

/** Keys have permissions only: whatever else a route may require, a key cannot have it. */
function refuseCaller({ config }: Deps, caller: Caller, access: Access): unknown {
  if (!config.tierLimits[caller.tier].api) {
    return new AppError("BUSINESS_PLAN_REQUIRED", `The ${caller.tier} plan has no API access.`);
  }
  try {
    requirePermission(caller, access === "read" ? "read" : "write");
  } catch (refusal) {
    return refusal;
  }
}

/**
 * Checks a request under /dashboard/api: its host and site, its session, the rate limit, and that its caller has the
 * access that the route requires. A request without a session counts against its address.
 */
export async function enterBySession(
  deps: Deps & { sessionLimiter: RateLimiter },
  request: Request,
  visit: Visit,
  access: Access,
): Promise<void> {
  refuseUnknownHost(deps.config, request);
  refuseOtherSites(deps.config, request);
  const session = await sessionOf(deps, request);
  const who = session ? `user ${session.user.id}` : `address ${rangeOf(visit.address())}`;
  const allowance = await deps.sessionLimiter(who);
  if (!allowance.allowed) throw rateLimited(allowance);
  if (session) {
    visit.sessionHash = session.tokenHash;
    visit.caller = session.caller;
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
  return token ? findSession(deps, token, visitOf(request).address) : null;
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
 * A name that an attacker points at this machine makes a browser treat us as the attacker's own site
 * (DNS rebinding), so only names that nobody else can hold are answered.
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
    `The dashboard does not answer to the name ${hostname}. Set STILLUP_PUBLIC_URL to the address that people use.`,
  );
}

/**
 * No other site may act for whoever is signed in. Browsers say where a request comes from in
 * `Sec-Fetch-Site`, or on plain HTTP at least in `Origin`; without either it is refused, since
 * programs have API keys.
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

/** Our address as the browser knows it: a request line may name another one than `Host`. */
function ownUrl(request: Request): URL | null {
  const host = request.headers.get("host");
  return host === null ? new URL(request.url) : URL.parse(`http://${host}`);
}

const isAddress = (hostname: string) => ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
