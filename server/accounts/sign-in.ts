import { and, eq, gt, isNull, type SQL } from "drizzle-orm";
import type { Actor } from "../api/caller.ts";
import { holdUser } from "../db/hold.ts";
import type { Statement, Store } from "../db/store.ts";
import { passwordLinks, sessions, type UserRow, users } from "../db/tables.ts";
import { AppError, conflict, invalid } from "../lib/errors.ts";
import {
  isShort,
  type Passwords,
  passwordProblem,
  SHORTEST_ALONE,
  SHORTEST_WITH_CODE,
} from "../lib/passwords.ts";
import { hashToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import {
  codeAttempt,
  linkAttempt,
  proofAttempt,
  type Source,
  signInAttempt,
  turnOf,
} from "./attempts.ts";
import { type Change, isThere, makeChange, recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import { spendCode } from "./codes.ts";
import { type Attempt, type Delays, guess } from "./delays.ts";
import { failureOf, takeFailures } from "./failed-sign-ins.ts";
import type { FailedSignIns, SignIn } from "./session-model.ts";
import { newSession, type Session } from "./sessions.ts";
import { findUser } from "./users.ts";

/** What guards passwords. */
export type SignInDeps = Deps & { passwords: Passwords; delays: Delays };

/** Someone who has just proved who they are; `token` is for the cookie. */
export type Entrance = {
  token: string;
  user: UserRow;
  /** Sign-ins that failed before. */
  failed?: FailedSignIns | null;
};

/** The browser that asks: what it calls itself, the session it comes with, and where from. */
export type Visitor = Source & {
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
  const name = signInName(email);
  const also = failureOf(deps, name, visitor.networks[0] ?? "");
  const attempt = { ...signInAttempt(name, visitor), also };
  const user = await guess(deps.delays, attempt, async () => {
    const known = await whoHas(deps, name, password, turnOf(visitor));
    if (!known) return wrongPassword();
    if (!known.totpSecret && isShort(password)) throw tooShortAlone();
    if (!known.totpSecret) return known;
    return showCode(deps, known, code, codeAttempt(name, visitor)).catch(asWrongCode);
  });
  return enter(deps, user, password, visitor);
}

/** As it is stored, however it was typed. */
export const signInName = (email: string) => email.trim().toLowerCase();

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
  const { tokenHash } = session;
  const user = await guess(deps.delays, proofAttempt(session), async () => {
    const known = await whoHas(deps, email, current, tokenHash);
    return known?.id === id ? known : invalid({ current: [NOT_YOURS] });
  });
  const hash = await deps.passwords.hash(next, tokenHash);
  const changed = await setPassword(deps, user, hash, visitor);
  if (!changed) throw invalid({ current: [NOT_YOURS] });
  return changed;
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
  if (!user || user.invitedEmail !== null) throw linkIsVoid();
  const problem = await passwordProblem(password, shortestFor(user));
  if (problem) throw invalid({ password: [problem] });
  const hash = await deps.passwords.hash(password, turnOf(visitor));
  if (user.totpSecret) await showCode(deps, user, code, linkAttempt(token));
  const [taken] = await store.delete(passwordLinks).where(isLink).returning();
  if (!taken) throw linkIsVoid();
  const changed = await setPassword(deps, user, hash, visitor);
  if (!changed) throw linkIsVoid();
  return changed;
}

/**
 * Whoever is signed in shows once more that it is they, before what cannot be taken back.
 * @throws VALIDATION_ERROR for a wrong password, and for a code that is wrong or missing where there is one
 */
export const proveAgain = (
  deps: SignInDeps,
  session: Session,
  { password, code }: { password: string; code?: string | undefined },
): Promise<UserRow> =>
  guess(deps.delays, proofAttempt(session), async () => {
    const { user, tokenHash } = session;
    const known = await whoHas(deps, user.email, password, tokenHash);
    if (known?.id !== user.id) return invalid({ password: [NOT_YOURS] });
    if (!known.totpSecret) return known;
    if (!code?.trim()) throw invalid({ code: ["is required"] });
    return (await spendCode(deps, known, code)) ? known : invalid({ code: [WRONG_CODE] });
  });

/**
 * Starts a session of whoever has just proved who they are, if password and second factor are still those of the
 * proof, and otherwise gives nothing.
 * @param ends which sessions before it end
 * @param changes what else is to happen, each with `isUnchanged`, and last what makes that untrue
 * @param failed the sign-ins before it that failed
 */
export async function startSession(
  deps: Deps,
  user: UserRow,
  { userAgent }: Pick<Visitor, "userAgent">,
  { ends, changes, failed = null }: Starting,
): Promise<Entrance | undefined> {
  const { store, clock } = deps;
  const holds = isUnchanged(store, user);
  const { token, insert } = newSession(store, user.id, clock.now(), userAgent, holds, failed);
  const found = await makeChange(
    deps,
    [holdUser(store, user.id)],
    store
      .select()
      .from(users)
      .where(and(isUser(user), holds)),
    [store.delete(sessions).where(and(ends, holds)), insert, ...changes],
  );
  return found.length > 0 ? { token, user, failed } : undefined;
}

type Starting = { ends: SQL; changes: Statement[]; failed?: FailedSignIns | null };

/** Whether the user's password and second factor are what they were when they were read. */
export const isUnchanged = (store: Store, user: UserRow): SQL =>
  isThere(
    store,
    users,
    and(
      isUser(user),
      user.passwordHash === null
        ? isNull(users.passwordHash)
        : eq(users.passwordHash, user.passwordHash),
      user.totpSecret === null ? isNull(users.totpSecret) : eq(users.totpSecret, user.totpSecret),
    ),
  );

/** How long a new password has to be, in code points. */
export const shortestFor = ({ totpSecret }: Pick<UserRow, "totpSecret">) =>
  totpSecret === null ? SHORTEST_ALONE : SHORTEST_WITH_CODE;

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

/**
 * The user if the password is right. An unknown e-mail and a wrong password take the same time.
 * @param turn see `Passwords`
 */
export async function whoHas(
  deps: SignInDeps,
  email: string,
  password: string,
  turn: string | undefined,
): Promise<UserRow | undefined> {
  const user = await findUser(deps, email);
  const isRight = await deps.passwords.verify(password, user?.passwordHash ?? null, turn);
  return isRight ? user : undefined;
}

const wrongPassword = () => new AppError("UNAUTHORIZED", "The e-mail or the password is wrong.");

/** Told only after the right password. */
const tooShortAlone = () =>
  conflict(
    "Your password is too short to be used without a second factor. Ask an owner of your account, or whoever runs the server, for a link that sets a new one.",
    { reason: "password_too_short" },
  );

const linkIsVoid = () =>
  new AppError(
    "NOT_FOUND",
    "This link was used, is too old, or is for an address that already has an account here. Ask for another one.",
  );

/**
 * The user, once the code of their second factor was right.
 * @throws UNAUTHORIZED for a wrong code, and where none was given; RATE_LIMITED while the attempt has to wait
 */
async function showCode(
  deps: SignInDeps,
  user: UserRow,
  code: string | undefined,
  attempt: Attempt,
): Promise<UserRow> {
  if (!code?.trim()) throw codeNeeded();
  return guess(deps.delays, attempt, async () =>
    (await spendCode(deps, user, code)) ? user : wrongCode(),
  );
}

const codeNeeded = () =>
  new AppError("UNAUTHORIZED", "Enter the code that your authenticator app shows.", {
    reason: "two_factor_required",
  });

/** For a guess of which the code is only a part: a wrong one is its outcome. */
function asWrongCode(error: unknown): AppError {
  if (error instanceof AppError && error.details?.reason === "wrong_code") return error;
  throw error;
}

const wrongCode = () =>
  new AppError("UNAUTHORIZED", "The code is wrong or was used already.", {
    reason: "wrong_code",
  });

/** Nothing where the password was changed meanwhile. */
async function setPassword(deps: Deps, user: UserRow, passwordHash: string, visitor: Visitor) {
  const { store } = deps;
  const onlyIf = isUnchanged(store, user);
  const isTheirs = eq(passwordLinks.userId, user.id);
  const started = await startSession(deps, user, visitor, {
    ends: eq(sessions.userId, user.id),
    changes: [
      recordOwn(deps, user, visitor, { action: "person.password_changed", onlyIf }),
      store.delete(passwordLinks).where(and(isTheirs, onlyIf)),
      store
        .update(users)
        .set({ passwordHash })
        .where(and(isUser(user), onlyIf)),
    ],
  });
  return started && { ...started, user: { ...user, passwordHash } };
}

/** Whoever signs in elsewhere at the same moment may have the hash made anew, which changes no password. */
async function enter(
  deps: SignInDeps,
  user: UserRow,
  password: string,
  visitor: Visitor,
): Promise<Entrance> {
  const onlyIf = isUnchanged(deps.store, user);
  const entry = recordOwn(deps, user, visitor, { action: "person.signed_in", onlyIf });
  const passwordHash = await presentHash(deps, user, password, visitor);
  const { failed, forget } = await takeFailures(deps, user, onlyIf);
  const started = await startSession(deps, user, visitor, {
    ends: eq(sessions.tokenHash, visitor.sessionHash ?? ""),
    changes: [...forget, entry, ...replaceHash(deps.store, user, passwordHash)],
    failed,
  });
  if (started) return { ...started, user: { ...user, passwordHash } };
  const again = await whoHas(deps, user.email, password, turnOf(visitor));
  if (again?.totpSecret !== user.totpSecret) throw wrongPassword();
  return enter(deps, again, password, visitor);
}

/** Only now is the password known, so only now can an old hash be replaced by one with the present parameters. */
async function presentHash(
  { passwords }: SignInDeps,
  { passwordHash }: UserRow,
  password: string,
  visitor: Visitor,
): Promise<string | null> {
  const isPresent = !passwordHash || !passwords.isOutdated(passwordHash);
  return isPresent ? passwordHash : passwords.hash(password, turnOf(visitor));
}

const replaceHash = (store: Store, user: UserRow, passwordHash: string | null): Statement[] => {
  if (passwordHash === user.passwordHash) return [];
  const isSame = and(isUser(user), isUnchanged(store, user));
  return [store.update(users).set({ passwordHash }).where(isSame)];
};

const isUser = (user: UserRow) => and(eq(users.id, user.id), eq(users.accountId, user.accountId));
