import { and, eq, gt } from "drizzle-orm";
import { findUser } from "../accounts/users.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../lib/errors.ts";
import { isOutdated, type Passwords } from "../lib/passwords.ts";
import { hashToken } from "../lib/token.ts";
import type { Statement } from "../store/store.ts";
import { passwordLinks, sessions, type UserRow, users } from "../store/tables.ts";
import type { Delays } from "./delays.ts";
import type { SignIn } from "./model.ts";
import { endSessionsOf, newSession, type Session } from "./sessions.ts";

/** What guards passwords in this process. */
export type SignInDeps = Deps & { passwords: Passwords; delays: Delays };

/** Someone who has just proved who they are; `token` is for the cookie. */
export type Entrance = { token: string; user: UserRow };

/**
 * Starts a session under a new id, whatever session there was before.
 * @throws UNAUTHORIZED, alike for a wrong e-mail and a wrong password; RATE_LIMITED while guessing
 * has to wait; SERVICE_UNAVAILABLE when too many sign in at once
 */
export async function signIn(
  deps: SignInDeps,
  { email, password }: SignIn,
  before: string | undefined,
): Promise<Entrance> {
  const name = email.trim().toLowerCase();
  const user = await verified(deps, name, password, () => findUser(deps, name));
  if (!user) throw new AppError("UNAUTHORIZED", "The e-mail or the password is wrong.");
  const { store } = deps;
  const { token, insert } = newSession(store, user.id, deps.clock.now());
  const endBefore = before ? [store.delete(sessions).where(eq(sessions.tokenHash, before))] : [];
  await store.write([insert, ...endBefore, ...(await rehash(deps, user, password))]);
  return { token, user };
}

/**
 * Ends all of the user's sessions but a new one for whoever knew the present password.
 * @throws VALIDATION_ERROR when it was wrong
 */
export async function changePassword(
  deps: SignInDeps,
  session: Session,
  { current, next }: { current: string; next: string },
): Promise<Entrance> {
  const { id, email } = session.user;
  const user = await verified(deps, email, current, () => findUser(deps, email));
  if (!user || user.id !== id) throw invalid({ current: ["is not your password"] });
  return setPassword(deps, user, await deps.passwords.hash(next));
}

/**
 * Sets the password of whoever was given the one-time link, ends all sessions and starts one.
 * @throws NOT_FOUND when the link was used or is too old
 */
export async function followPasswordLink(
  deps: SignInDeps,
  { token, password }: { token: string; password: string },
): Promise<Entrance> {
  const { store, clock } = deps;
  const isLink = and(
    eq(passwordLinks.tokenHash, hashToken(token)),
    gt(passwordLinks.expiresAt, clock.now()),
  );
  const [known] = await store.select().from(passwordLinks).where(isLink);
  if (!known) throw linkIsVoid();
  const hash = await deps.passwords.hash(password);
  const [taken] = await store.delete(passwordLinks).where(isLink).returning();
  const [user] = await store.select().from(users).where(eq(users.id, known.userId));
  if (!taken || !user) throw linkIsVoid();
  deps.delays.succeed(user.email);
  return setPassword(deps, user, hash);
}

const linkIsVoid = () =>
  new AppError("NOT_FOUND", "This link was used or is too old. Ask for another one.");

/** The user if the password is right. Nobody and a wrong password take the same time. */
async function verified(
  { passwords, delays }: SignInDeps,
  email: string,
  password: string,
  find: () => Promise<UserRow | undefined>,
): Promise<UserRow | undefined> {
  delays.begin(email);
  try {
    const user = await find();
    const isRight = await passwords.verify(password, user?.passwordHash ?? null);
    if (!isRight) return undefined;
    delays.succeed(email);
    return user;
  } catch (error) {
    delays.withdraw(email);
    throw error;
  }
}

async function setPassword(
  { store, clock }: Deps,
  user: UserRow,
  passwordHash: string,
): Promise<Entrance> {
  const { token, insert } = newSession(store, user.id, clock.now());
  await store.write([
    store.update(users).set({ passwordHash }).where(isUser(user)),
    endSessionsOf(store, user.id),
    store.delete(passwordLinks).where(eq(passwordLinks.userId, user.id)),
    insert,
  ]);
  return { token, user };
}

/** Only now is the password known, so only now can its hash be made with today's parameters. */
async function rehash(deps: SignInDeps, user: UserRow, password: string): Promise<Statement[]> {
  if (!user.passwordHash || !isOutdated(user.passwordHash)) return [];
  const passwordHash = await deps.passwords.hash(password);
  return [deps.store.update(users).set({ passwordHash }).where(isUser(user))];
}

const isUser = (user: UserRow) => and(eq(users.id, user.id), eq(users.accountId, user.accountId));
