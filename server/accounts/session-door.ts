import { requirePermission } from "../api/caller.ts";
import { rangeOf } from "../api/client-address.ts";
import { type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import { refuseOtherSites, refuseStrangeHost } from "../api/same-origin.ts";
import { readSessionCookie } from "../api/session-cookie.ts";
import { type Visit, visitOf } from "../api/visit.ts";
import { AppError } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { findSession, type Session } from "./sessions.ts";

/** Open to strangers: how one becomes a user. */
const PUBLIC = new Set(
  [
    "GET session",
    "HEAD session",
    "POST session",
    "DELETE session",
    "POST setup",
    "POST password",
  ].map((route) => route.replace(" ", " /dashboard/api/")),
);
/** Everybody's own: a viewer too may change the password. */
const OWN = /^\/dashboard\/api\/(session|sessions)(\/|$)/;

/** What concerns all accounts. */
const OF_INSTALLATION = /^\/dashboard\/api\/admin\//;

/** Everybody sees who is in the account; to change that, and to delete it, is the owners' matter. */
const OF_OWNERS = /^\/dashboard\/api\/(people(\/|$)|account$)/;

/**
 * Lets a request into /dashboard/api: its site, then its session, the rate limit, and the role. A request without
 * a session counts against its address.
 */
export async function enterBySession(
  deps: Deps & { sessionLimiter: RateLimiter },
  request: Request,
  visit: Visit,
): Promise<void> {
  refuseStrangeHost(deps.config, request);
  refuseOtherSites(deps.config, request);
  const session = await sessionOf(deps, request);
  const who = session ? `user ${session.user.id}` : `address ${rangeOf(visit.address())}`;
  const allowance = await deps.sessionLimiter(who);
  if (!allowance.allowed) throw rateLimited(allowance);
  if (session) {
    visit.sessionHash = session.tokenHash;
    visit.caller = session.caller;
  }
  if (PUBLIC.has(`${request.method} ${visit.path}`)) return;
  if (!session) throw notSignedIn();
  if (OF_INSTALLATION.test(visit.path)) return requireAdministrator(session);
  if (OWN.test(visit.path)) return;
  requirePermission(session.caller, request.method);
  if (OF_OWNERS.test(visit.path) && isUnsafe(request)) requireOwner(session);
}

const isUnsafe = ({ method }: Request) => !["GET", "HEAD", "OPTIONS"].includes(method);

function requireOwner({ user }: Session) {
  if (user.role !== "owner") throw forOwners();
}

const forOwners = () =>
  new AppError("INSUFFICIENT_PERMISSIONS", "This is for owners of the account.");

/** Whatever may be done in one's own account. */
function requireAdministrator({ user }: Session) {
  if (!user.isAdmin) throw forAdministrators();
}

const forAdministrators = () =>
  new AppError("FORBIDDEN", "This is for administrators of the installation.");

const notSignedIn = () => new AppError("UNAUTHORIZED", "Sign in first.");

/** Whose session the request's cookie holds. */
export async function sessionOf(deps: Deps, request: Request): Promise<Session | null> {
  const token = readSessionCookie(deps.config, request);
  return token ? findSession(deps, token, visitOf(request).address) : null;
}

/**
 * The same behind the door, which lets in nobody without one.
 * @throws UNAUTHORIZED when it has ended this very moment
 */
export async function presentSession(deps: Deps, request: Request): Promise<Session> {
  const session = await sessionOf(deps, request);
  if (!session) throw notSignedIn();
  return session;
}
