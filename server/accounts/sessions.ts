import { and, desc, eq, gt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Caller, Permissions } from "../api/caller.ts";
import { preparedOnce, rowsOf, type Statement, type Store } from "../db/store.ts";
import {
  accounts,
  passwordLinks,
  type SessionRow,
  sessions,
  type UserRow,
  users,
} from "../db/tables.ts";
import { notFound } from "../lib/errors.ts";
import { describeError, log } from "../lib/log.ts";
import { storedUserAgent } from "../lib/text.ts";
import { hashToken, newSessionToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import { isThere, onRecord } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import { type FailedSignIns, SESSION_ID_LENGTH } from "./session-model.ts";

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
  /** What failed before it began and was not dismissed. */
  failed?: FailedSignIns | null;
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
 * The session of a cookie's value, if it is one and has not ended. Notes that it was used.
 * @param address where the cookie came from
 */
export async function findSession(
  deps: Deps,
  token: string,
  address: () => string | null,
): Promise<Session | null> {
  const hash = hashToken(token);
  const [found] = await sessionByHash(deps.store).execute({ hash });
  if (!found || hasEnded(found.session, deps.clock.now())) return null;
  await noteUse(deps, found.session);
  const { user, tier, accountNo } = found;
  const { accountId, role } = user;
  const by = { kind: "user", id: user.id, name: user.email, accountId, address } as const;
  const caller = { accountId, accountNo, tier, permissions: permissionsOf(role), by };
  const { failedSignIns } = found.session;
  const failed: FailedSignIns | null = failedSignIns ? JSON.parse(failedSignIns) : null;
  return { tokenHash: hash, user, caller, failed };
}

/**
 * A new session: the token for the cookie, and the statement that lets it in.
 * @param userAgent as the browser calls itself
 * @param onlyIf must hold when that is run
 * @param failed the sign-ins that failed before it
 */
export function newSession(
  store: Store,
  userId: string,
  now: number,
  userAgent: string | null = null,
  onlyIf: SQL = sql`1 = 1`,
  failed: FailedSignIns | null = null,
): { token: string; insert: Statement } {
  const token = newSessionToken();
  const row = [hashToken(token), userId, now, now, storedUserAgent(userAgent)].concat(
    failed && JSON.stringify(failed),
  );
  const fresh = rowsOf(store, COLUMNS, [row]);
  return {
    token,
    insert: store.run(
      sql`insert into ${sessions} (${NAMES}) select ${NAMES} from ${fresh} as fresh where ${onlyIf}`,
    ),
  };
}

const COLUMNS = {
  token_hash: "text",
  user_id: "text",
  created_at: "bigint",
  last_seen_at: "bigint",
  user_agent: "text",
  failed_sign_ins: "text",
} as const;
const NAMES = sql.raw(Object.keys(COLUMNS).join(", "));

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

/** Signs out. */
export const endSession = (deps: Deps, session: Session): Promise<void> =>
  end(deps, session, "person.signed_out", eq(sessions.tokenHash, session.tokenHash));

export const endOtherSessions = (deps: Deps, session: Session): Promise<void> =>
  end(deps, session, "person.sessions_ended", ne(sessions.tokenHash, session.tokenHash));

/**
 * Ends one of the user's sessions, whichever.
 * @throws NOT_FOUND
 */
export async function endSessionById(deps: Deps, session: Session, id: string) {
  const length = sql.raw(String(SESSION_ID_LENGTH));
  const isIt = sql`substr(${sessions.tokenHash}, 1, ${length}) = ${id}`;
  if ((await countOwn(deps, session, isIt)) === 0) throw notFound("session");
  await end(deps, session, "person.sessions_ended", isIt);
}

/** Ends those of the user's sessions, if there are any. */
async function end(
  deps: Deps,
  session: Session,
  action: "person.signed_out" | "person.sessions_ended",
  which: SQL,
): Promise<void> {
  const { store } = deps;
  const { user, caller } = session;
  const areIt = and(eq(sessions.userId, user.id), which);
  const ended = await countOwn(deps, session, which);
  await store.write([
    ...onRecord(deps, caller, {
      action,
      target: emailTarget(user),
      count: ended,
      onlyIf: isThere(store, sessions, areIt),
    }),
    store.delete(sessions).where(areIt),
  ]);
}

const countOwn = ({ store }: Deps, { user }: Session, which: SQL): Promise<number> =>
  store.$count(sessions, and(eq(sessions.userId, user.id), which));

export const endSessionsOf = (store: Store, userId: string, onlyIf?: SQL): Statement =>
  store.delete(sessions).where(and(eq(sessions.userId, userId), onlyIf));

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
async function noteUse({ store, clock, troubles }: Deps, { tokenHash, lastSeenAt }: SessionRow) {
  const now = clock.now();
  if (now - lastSeenAt < MINUTE || troubles.stoppingWrites()) return;
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
