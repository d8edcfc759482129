import { and, desc, eq, gt, lte, ne, or, sql } from "drizzle-orm";
import type { Caller, Permissions } from "../accounts/caller.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../lib/errors.ts";
import { describeError, log } from "../lib/log.ts";
import { hashToken, newSessionToken } from "../lib/token.ts";
import { keptName } from "../lib/user-agent.ts";
import { preparedOnce, type Statement, type Store } from "../store/store.ts";
import {
  accounts,
  passwordLinks,
  type SessionRow,
  sessions,
  type UserRow,
  users,
} from "../store/tables.ts";
import { SESSION_ID_LENGTH } from "./model.ts";

const MINUTE = 60_000;
const DAY = 24 * 3_600_000;
/** How long a session lasts unused, and at most. */
const IDLE_MS = 7 * DAY;
const LONGEST_MS = 30 * DAY;

/** Who is signed in. */
export type Session = {
  tokenHash: string;
  user: Pick<UserRow, "id" | "accountId" | "email" | "role" | "isAdmin" | "totpSecret">;
  caller: Caller;
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

/** The session of a cookie's value, if it is one and has not ended. Notes that it was used. */
export async function findSession(deps: Deps, token: string): Promise<Session | null> {
  const hash = hashToken(token);
  const [found] = await sessionByHash(deps.store).execute({ hash });
  if (!found || hasEnded(found.session, deps.clock.now())) return null;
  await noteUse(deps, found.session);
  const { user, tier, accountNo } = found;
  const { accountId, role } = user;
  const caller = { accountId, accountNo, tier, permissions: permissionsOf(role) };
  return { tokenHash: hash, user, caller };
}

/**
 * A new session: the token for the cookie, and the statement that lets it in.
 * @param userAgent as the browser calls itself
 */
export function newSession(
  store: Store,
  userId: string,
  now: number,
  userAgent: string | null = null,
): { token: string; insert: Statement } {
  const token = newSessionToken();
  const times = { createdAt: now, lastSeenAt: now };
  const row = { tokenHash: hashToken(token), userId, ...times, userAgent: keptName(userAgent) };
  return { token, insert: store.insert(sessions).values(row) };
}

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
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.tokenHash));
}

export async function endSession({ store }: Deps, tokenHash: string): Promise<void> {
  await store.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}

export async function endOtherSessions({ store }: Deps, { user, tokenHash }: Session) {
  await store
    .delete(sessions)
    .where(and(eq(sessions.userId, user.id), ne(sessions.tokenHash, tokenHash)));
}

/**
 * Ends one of the user's sessions, whichever.
 * @throws NOT_FOUND
 */
export async function endSessionById({ store }: Deps, { user }: Session, id: string) {
  const length = sql.raw(String(SESSION_ID_LENGTH));
  const isIt = sql`substr(${sessions.tokenHash}, 1, ${length}) = ${id}`;
  const ended = await store
    .delete(sessions)
    .where(and(eq(sessions.userId, user.id), isIt))
    .returning({ userId: sessions.userId });
  if (ended.length === 0) throw notFound("session");
}

export const endSessionsOf = (store: Store, userId: string): Statement =>
  store.delete(sessions).where(eq(sessions.userId, userId));

/** Sessions and one-time links whose time is over, to be run by housekeeping. */
export const forgetEndedSessions = ({ store, clock }: Deps): Statement[] => [
  store
    .delete(sessions)
    .where(
      or(
        lte(sessions.createdAt, clock.now() - LONGEST_MS),
        lte(sessions.lastSeenAt, clock.now() - IDLE_MS),
      ),
    ),
  store.delete(passwordLinks).where(lte(passwordLinks.expiresAt, clock.now())),
];

const hasEnded = ({ createdAt, lastSeenAt }: SessionRow, now: number) =>
  now - createdAt >= LONGEST_MS || now - lastSeenAt >= IDLE_MS;

/** At most once a minute, and never a reason to refuse what was asked. */
async function noteUse({ store, clock }: Deps, { tokenHash, lastSeenAt }: SessionRow) {
  const now = clock.now();
  if (now - lastSeenAt < MINUTE) return;
  await store
    .update(sessions)
    .set({ lastSeenAt: now })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.lastSeenAt, lastSeenAt)))
    .catch((error) => log.error("a session's use was not noted", describeError(error)));
}

/** Editors differ from owners in who may manage people; viewers only look. */
const permissionsOf = (role: UserRow["role"]): Permissions => ({
  read: true,
  write: role !== "viewer",
});

/** Whether the session has not ended. Unlike `findSession` it does not count as use. */
export async function isOn({ store, clock }: Deps, tokenHash: string): Promise<boolean> {
  const [found] = await sessionByHash(store).execute({ hash: tokenHash });
  return found !== undefined && !hasEnded(found.session, clock.now());
}
