import { type Access, requirePermission } from "../api/caller.ts";
import { rangeOf } from "../api/client-address.ts";
import { type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import { refuseOtherSites, refuseUnknownHost } from "../api/same-origin.ts";
import { readSessionCookie } from "../api/session-cookie.ts";
import { type Visit, visitOf } from "../api/visit.ts";
import { AppError } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { findSession, type Session } from "./sessions.ts";

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
