import { and, eq, gt } from "drizzle-orm";
import type { Actor } from "../accounts/caller.ts";
import { findUser } from "../accounts/users.ts";
import { type Change, recordChange } from "../audit/record.ts";
import { emailTarget } from "../audit/targets.ts";
import type { Deps } from "../deps.ts";
import { AppError, conflict, invalid } from "../lib/errors.ts";
import {
  isShort,
  type Passwords,
  passwordProblem,
  SHORTEST_ALONE,
  SHORTEST_BESIDE_CODE,
} from "../lib/passwords.ts";
import { hashToken } from "../lib/token.ts";
import type { Statement } from "../store/store.ts";
import { passwordLinks, sessions, type UserRow, users } from "../store/tables.ts";
import { spendCode } from "./codes.ts";
import { type Delays, guess } from "./delays.ts";
import type { SignIn } from "./model.ts";
import { endSessionsOf, newSession, type Session } from "./sessions.ts";

/** What guards passwords in this process. */
export type SignInDeps = Deps & { passwords: Passwords; delays: Delays };

/** Someone who has just proved who they are; `token` is for the cookie. */
export type Entrance = { token: string; user: UserRow };

/** The browser that asks: what it calls itself, the session it comes with, and where from. */
export type Visitor = {
  userAgent: string | null;
  sessionHash: string | undefined;
  address: () => string;
};

/**
 * Starts a session under a new id, whatever session there was before.
 * @throws UNAUTHORIZED, alike for a wrong e-mail and a wrong password, and for a code that is wrong or
 * not there yet; CONFLICT when a second factor was taken away and the password is too short to do alone;
 * RATE_LIMITED while guessing has to wait; SERVICE_UNAVAILABLE when too many sign in at once
 */
export async function signIn(
  deps: SignInDeps,
  { email, password, code }: SignIn,
  visitor: Visitor,
): Promise<Entrance> {
  const name = email.trim().toLowerCase();
  const user = await guess(deps.delays, name, async () => {
    const known = await whoHas(deps, name, password);
    if (!known) return new AppError("UNAUTHORIZED", "The e-mail or the password is wrong.");
    if (!known.totpSecret && isShort(password)) throw tooShortAlone();
    return (await passesSecondFactor(deps, known, code)) ? known : wrongCode();
  });
  const { store } = deps;
  const { userAgent, sessionHash } = visitor;
  const { token, insert } = newSession(store, user.id, deps.clock.now(), userAgent);
  const entry = recordOwn(deps, user, visitor, { action: "person.signed_in" });
  const endBefore = sessionHash
    ? [store.delete(sessions).where(eq(sessions.tokenHash, sessionHash))]
    : [];
  await store.write([entry, insert, ...endBefore, ...(await rehash(deps, user, password))]);
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
  visitor: Visitor,
): Promise<Entrance> {
  const { id, email } = session.user;
  const user = await guess(deps.delays, email, async () => {
    const known = await whoHas(deps, email, current);
    return known?.id === id ? known : invalid({ current: [NOT_YOURS] });
  });
  return setPassword(deps, user, await deps.passwords.hash(next), visitor);
}

/**
 * Sets the password of whoever was given the one-time link, ends all sessions and starts one.
 * @throws NOT_FOUND when the link was used or is too old, VALIDATION_ERROR for a password that will not do
 * for them, UNAUTHORIZED when a code is needed as well
 */
export async function followPasswordLink(
  deps: SignInDeps,
  { token, password, code }: { token: string; password: string; code?: string | undefined },
  visitor: Visitor,
): Promise<Entrance> {
  const { store, clock } = deps;
  const isLink = and(
    eq(passwordLinks.tokenHash, hashToken(token)),
    gt(passwordLinks.expiresAt, clock.now()),
  );
  const [known] = await store.select().from(passwordLinks).where(isLink);
  if (!known) throw linkIsVoid();
  const [user] = await store.select().from(users).where(eq(users.id, known.userId));
  if (!user) throw linkIsVoid();
  const problem = await passwordProblem(password, shortestFor(user));
  if (problem) throw invalid({ password: [problem] });
  const hash = await deps.passwords.hash(password);
  if (user.totpSecret) await demandCode(deps, user, code);
  const [taken] = await store.delete(passwordLinks).where(isLink).returning();
  if (!taken) throw linkIsVoid();
  deps.delays.succeed(user.email);
  return setPassword(deps, user, hash, visitor);
}

/**
 * Whoever is signed in shows once more that it is they, before what cannot be taken back.
 * @throws VALIDATION_ERROR for a wrong password, and for a code that is wrong or missing where there is one
 */
export const proveAgain = (
  deps: SignInDeps,
  { user }: Session,
  { password, code }: { password: string; code?: string | undefined },
): Promise<UserRow> =>
  guess(deps.delays, user.email, async () => {
    const known = await whoHas(deps, user.email, password);
    if (known?.id !== user.id) return invalid({ password: [NOT_YOURS] });
    if (!known.totpSecret) return known;
    if (!code?.trim()) throw invalid({ code: ["is required"] });
    return (await spendCode(deps, known, code)) ? known : invalid({ code: [WRONG_CODE] });
  });

/** How long a new password has to be, in code points. */
export const shortestFor = ({ totpSecret }: Pick<UserRow, "totpSecret">) =>
  totpSecret === null ? SHORTEST_ALONE : SHORTEST_BESIDE_CODE;

/** Records what somebody has done about their own signing in, having proved who they are. */
export const recordOwn = (
  deps: Deps,
  user: Pick<UserRow, "id" | "accountId" | "email">,
  { address }: Pick<Actor, "address">,
  change: Pick<Change, "action" | "onlyIf">,
): Statement =>
  recordChange(deps, {
    ...change,
    by: { kind: "user", id: user.id, name: user.email, address },
    accountId: user.accountId,
    target: emailTarget(user),
  });

export const NOT_YOURS = "is not your password";
export const WRONG_CODE = "is wrong or was used already";

/** The user if the password is right. Nobody and a wrong password take the same time. */
export async function whoHas(
  deps: SignInDeps,
  email: string,
  password: string,
): Promise<UserRow | undefined> {
  const user = await findUser(deps, email);
  const isRight = await deps.passwords.verify(password, user?.passwordHash ?? null);
  return isRight ? user : undefined;
}

/** Told only after the right password. */
const tooShortAlone = () =>
  conflict(
    "Your password is too short to be used without a second factor. Ask an owner of your account, or whoever runs the server, for a link that sets a new one.",
    { reason: "password_too_short" },
  );

const linkIsVoid = () =>
  new AppError("NOT_FOUND", "This link was used or is too old. Ask for another one.");

const demandCode = (deps: SignInDeps, user: UserRow, code: string | undefined) =>
  guess(deps.delays, user.email, async () =>
    (await passesSecondFactor(deps, user, code)) ? user : wrongCode(),
  );

/** @throws UNAUTHORIZED where there is a second factor and no code was given */
async function passesSecondFactor(deps: Deps, user: UserRow, code: string | undefined) {
  if (!user.totpSecret) return true;
  if (!code?.trim()) throw codeNeeded();
  return spendCode(deps, user, code);
}

const codeNeeded = () =>
  new AppError("UNAUTHORIZED", "Enter the code that your authenticator app shows.", {
    reason: "two_factor_required",
  });

const wrongCode = () =>
  new AppError("UNAUTHORIZED", "The code is wrong or was used already.", {
    reason: "wrong_code",
  });

async function setPassword(
  deps: Deps,
  user: UserRow,
  passwordHash: string,
  visitor: Visitor,
): Promise<Entrance> {
  const { store, clock } = deps;
  const { token, insert } = newSession(store, user.id, clock.now(), visitor.userAgent);
  await store.write([
    recordOwn(deps, user, visitor, { action: "person.password_changed" }),
    store.update(users).set({ passwordHash }).where(isUser(user)),
    endSessionsOf(store, user.id),
    store.delete(passwordLinks).where(eq(passwordLinks.userId, user.id)),
    insert,
  ]);
  return { token, user };
}

/** Only now is the password known, so only now can its hash be made with today's parameters. */
async function rehash(deps: SignInDeps, user: UserRow, password: string): Promise<Statement[]> {
  if (!user.passwordHash || !deps.passwords.isOutdated(user.passwordHash)) return [];
  const passwordHash = await deps.passwords.hash(password);
  const isSame = and(isUser(user), eq(users.passwordHash, user.passwordHash));
  return [deps.store.update(users).set({ passwordHash }).where(isSame)];
}

const isUser = (user: UserRow) => and(eq(users.id, user.id), eq(users.accountId, user.accountId));
