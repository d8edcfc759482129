import { and, desc, eq, gt, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { preparedOnce, type Store } from "../ground/db/store.ts";
import {
  accounts,
  passwordLinks,
  type SessionRow,
  sessions,
  type UserRow,
  users,
} from "../ground/db/tables.ts";
import { notFound } from "../ground/lib/errors.ts";
import { hashToken, newSessionToken } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { storedUserAgent } from "../ground/lib/text.ts";
import type { FailedSignIns, Permissions, Session } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit } from "../work/unit.ts";
import { recordPersonChange } from "./audit.ts";
import type { Source } from "./guard.ts";
import { SESSION_ID_LENGTH } from "./model.ts";

const MINUTE = 60_000;
const DAY = 24 * 3_600_000;
/** A session ends when it is not used for so long, and after so long in any case. */
const IDLE_MS = 7 * DAY;
const LONGEST_MS = 30 * DAY;

/** A user who has just proved their identity, with the token of their new session. */
export type SignedIn = {
  token: string;
  user: UserRow;
  /** Failed sign-ins before it. */
  failed?: FailedSignIns | null;
};

/** The browser that sends a request, and the session that it has. */
export type Visitor = Source & {
  userAgent: string | null;
  sessionHash: string | undefined;
  address: () => string;
};

const sessionByHash = preparedOnce((store) =>
  store
    .select({ session: sessions, user: users, tier: accounts.tier, accountNo: accounts.no })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(sessions.tokenHash, sql.placeholder("hash")))
    .prepare(),
);

/**
 * Finds the session of a cookie's value, unless it has ended, and stores when it was last used.
 * @param address of the client
 */
export async function findSession(
  deps: Deps,
  token: string,
  address: () => string | null,
): Promise<Session | null> {
  const hash = hashToken(token);
  const [found] = await sessionByHash(deps.store).execute({ hash });
  if (!found || hasEnded(found.session, deps.clock.now())) return null;
  await storeUse(deps, found.session);
  const { user, tier, accountNo } = found;
  const { accountId, role } = user;
  const by = { kind: "user", id: user.id, name: user.email, accountId, address } as const;
  const caller = { accountId, accountNo, tier, permissions: permissionsOfRole(role), by };
  const { failedSignIns } = found.session;
  const failed: FailedSignIns | null = failedSignIns ? JSON.parse(failedSignIns) : null;
  const { via, provedAt, idToken } = found.session;
  return { tokenHash: hash, user, caller, failed, via, provedAt, idToken };
}

/** Starts a session and returns the token for its cookie. */
export async function createSession(
  store: Store,
  userId: string,
  now: number,
  { userAgent = null, failed = null, via = "password", endsAt = null, idToken = null }: Begun = {},
): Promise<string> {
  const token = newSessionToken();
  await store.insert(sessions).values({
    tokenHash: hashToken(token),
    userId,
    createdAt: now,
    lastSeenAt: now,
    userAgent: storedUserAgent(userAgent),
    failedSignIns: failed && JSON.stringify(failed),
    via,
    endsAt,
    idToken,
  });
  return token;
}

/** The browser's own name for itself, and the failed sign-ins before the session. */
type Begun = {
  userAgent?: string | null;
  failed?: FailedSignIns | null;
  via?: SessionRow["via"];
  /** When it ends in any case; null for the usual time. */
  endsAt?: number | null;
  /** Sealed. */
  idToken?: string | null;
};

/** Newest first. */
export async function listSessions(
  { store, clock }: Deps,
  { user }: Session,
): Promise<SessionRow[]> {
  const now = clock.now();
  return store
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, user.id),
        gt(sessions.createdAt, now - LONGEST_MS),
        gt(sessions.lastSeenAt, now - IDLE_MS),
        or(isNull(sessions.endsAt), gt(sessions.endsAt, now)),
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.tokenHash));
}

/** Signs out. */
export const endSession = (deps: Deps, session: Session): Promise<number> =>
  end(deps, session, "person.signed_out", eq(sessions.tokenHash, session.tokenHash));

export const endOtherSessions = (deps: Deps, session: Session): Promise<number> =>
  end(deps, session, "person.sessions_ended", ne(sessions.tokenHash, session.tokenHash));

/**
 * Ends one of the user's sessions.
 * @throws NOT_FOUND
 */
export async function endSessionById(deps: Deps, session: Session, id: string): Promise<void> {
  // An id has no other characters, and PostgreSQL cannot compare a text with NUL.
  if (!/^[\w-]+$/.test(id)) throw notFound("session");
  const length = sql.raw(String(SESSION_ID_LENGTH));
  const isIt = sql`substr(${sessions.tokenHash}, 1, ${length}) = ${id}`;
  const ended = await end(deps, session, "person.sessions_ended", isIt);
  if (ended === 0) throw notFound("session");
}

/** Ends those of the user's sessions and returns how many they were. */
const end = (
  deps: Deps,
  { user, caller }: Session,
  action: "person.signed_out" | "person.sessions_ended",
  which: SQL,
): Promise<number> =>
  inUnit(deps, async (unit) => {
    const ended = await unit.store
      .delete(sessions)
      .where(and(eq(sessions.userId, user.id), which))
      .returning({ hash: sessions.tokenHash });
    const change = { action, count: ended.length };
    await recordPersonChange(unit, caller.by, user, change);
    return ended.length;
  });

export async function endSessionsOf(store: Store, userId: string): Promise<void> {
  await store.delete(sessions).where(eq(sessions.userId, userId));
}

/** Deletes expired sessions and one-time links. Run by housekeeping. */
export async function deleteExpiredSessions({ store, clock }: Deps): Promise<void> {
  const now = clock.now();
  const isOld = lte(sessions.createdAt, now - LONGEST_MS);
  const isIdle = lte(sessions.lastSeenAt, now - IDLE_MS);
  await store.delete(sessions).where(or(isOld, isIdle, lte(sessions.endsAt, now)));
  await store.delete(passwordLinks).where(lte(passwordLinks.expiresAt, now));
}

const hasEnded = ({ createdAt, lastSeenAt, endsAt }: SessionRow, now: number) =>
  now - createdAt >= LONGEST_MS ||
  now - lastSeenAt >= IDLE_MS ||
  (endsAt !== null && now >= endsAt);

/** Writes at most once a minute. A failure does not fail the request. */
async function storeUse({ store, clock, troubles }: Deps, { tokenHash, lastSeenAt }: SessionRow) {
  const now = clock.now();
  if (now - lastSeenAt < MINUTE || troubles.stoppingWrites()) return;
  await store
    .update(sessions)
    .set({ lastSeenAt: now })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.lastSeenAt, lastSeenAt)))
    .catch((error) =>
      log.error("failed to store when a session was last used", describeError(error)),
    );
}

/** Viewers are read-only. Editors differ from owners only in that they cannot manage people. */
export const permissionsOfRole = (role: UserRow["role"]): Permissions => ({
  read: true,
  write: role !== "viewer",
});

/** Whether the session has not ended. Unlike `findSession`, this does not count as use. */
export async function isSessionActive({ store, clock }: Deps, tokenHash: string): Promise<boolean> {
  const [found] = await sessionByHash(store).execute({ hash: tokenHash });
  return found !== undefined && !hasEnded(found.session, clock.now());
}
