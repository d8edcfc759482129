import { and, eq, gt, isNull } from "drizzle-orm";
import { type Oidc, oidcOf } from "../ground/config/oidc.ts";
import { lockUser } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { identities, passwordLinks, sessions, type UserRow, users } from "../ground/db/tables.ts";
import { AppError, conflict, invalid } from "../ground/lib/errors.ts";
import { hashToken, newSessionToken } from "../ground/lib/ids.ts";
import {
  isShort,
  type Passwords,
  passwordProblem,
  SHORTEST_ALONE,
  SHORTEST_WITH_CODE,
} from "../ground/lib/passwords.ts";
import type { Actor, Session } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, type Unit } from "../work/unit.ts";
import { recordPersonChange } from "./audit.ts";
import { redeemCode } from "./codes.ts";
import { failureTally, takeFailures } from "./failed-sign-ins.ts";
import {
  type Attempt,
  codeAttempt,
  guess,
  linkAttempt,
  proofAttempt,
  signInAttempt,
  turnOf,
} from "./guard.ts";
import { queueChangeMail } from "./mails.ts";
import type { SignIn } from "./model.ts";
import { createSession, endSessionsOf, type SignedIn, type Visitor } from "./sessions.ts";
import { findUser } from "./users.ts";

export type SignInDeps = Deps & { passwords: Passwords };

export const NOT_YOURS = "is not your password";
const WRONG_CODE = "is wrong or was used already";

/**
 * Starts a session with a new token and ends the one that the browser had.
 * @throws UNAUTHORIZED, with the same message for a wrong e-mail and a wrong password, and for a wrong or missing code;
 * CONFLICT when the second factor was removed and the password is too short without one;
 * RATE_LIMITED while guessing has to wait; SERVICE_UNAVAILABLE when too many sign in at once
 */
export async function signIn(
  deps: SignInDeps,
  { email, password, code }: SignIn,
  visitor: Visitor,
): Promise<SignedIn> {
  const name = signInName(email);
  const also = failureTally(deps, name, visitor.networks[0] ?? "");
  const attempt = { ...signInAttempt(name, visitor), also };
  const user = await guess(deps, attempt, async () => {
    const known = await verifyPassword(deps, name, password, turnOf(visitor));
    if (!known) return wrongPassword();
    if (known.totpSecret) {
      return requireCode(deps, known, code, codeAttempt(name, visitor)).catch(asWrongCode);
    }
    if (isShort(password)) throw tooShortAlone();
    return known;
  });
  return startSession(deps, user, password, visitor);
}

/** An e-mail in the form in which it is stored. */
export const signInName = (email: string) => email.trim().toLowerCase();

/**
 * Sets a new password, ends all of the user's sessions and starts a new one.
 * @throws VALIDATION_ERROR when the current password is wrong
 */
export async function changePassword(
  deps: SignInDeps,
  session: Session,
  { current, next }: { current: string; next: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const { id, email } = session.user;
  const { tokenHash } = session;
  const user = await guess(deps, proofAttempt(session), async () => {
    if (provesAtProvider(deps, session)) return provedUser(deps, session);
    const known = await verifyPassword(deps, email, current, tokenHash);
    return known?.id === id ? known : invalid({ current: [NOT_YOURS] });
  });
  const hash = await deps.passwords.hash(next, tokenHash);
  return inUnit(deps, async (unit) => {
    if (!(await isUnchanged(unit.store, user))) throw invalid({ current: [NOT_YOURS] });
    return setPassword(unit, user, hash, visitor);
  });
}

/**
 * Sets the password of the user of a one-time link, ends all of their sessions and starts a new one.
 * @throws NOT_FOUND when the link was used or has expired, VALIDATION_ERROR for a password that is too weak for them,
 * UNAUTHORIZED when a code is needed as well
 */
export async function setPasswordByLink(
  deps: SignInDeps,
  { token, password, code }: { token: string; password: string; code?: string | undefined },
  visitor: Visitor,
): Promise<SignedIn> {
  const found = await findLinkedUser(deps, token);
  if (!found) throw linkIsInvalid();
  const { user, isMailed } = found;
  const oidc = oidcOf(deps.config);
  if (oidc?.only) return signInByLink(deps, oidc, { user, token, code }, visitor);
  const problem = await passwordProblem(password, shortestFor(user));
  if (problem) throw invalid({ password: [problem] });
  const hash = await deps.passwords.hash(password, turnOf(visitor));
  if (user.totpSecret) await requireCode(deps, user, code, linkAttempt(token));
  return inUnit(deps, async (unit) => {
    if (!(await isUnchanged(unit.store, user))) throw linkIsInvalid();
    if (!(await findLinkedUser(unit, token))) throw linkIsInvalid();
    if (isMailed) await noteVerified(unit.store, user.id, unit.clock.now());
    return setPassword(unit, user, hash, visitor);
  });
}

/** Returns the user of a one-time link that is valid, and whether it was sent to their address. */
export async function findLinkedUser(
  { store, clock }: Pick<Deps, "store" | "clock">,
  token: string,
): Promise<{ user: UserRow; isMailed: boolean } | null> {
  const isLink = and(
    eq(passwordLinks.tokenHash, hashToken(token)),
    gt(passwordLinks.expiresAt, clock.now()),
  );
  const [found] = await store
    .select({ user: users, isMailed: passwordLinks.isMailed })
    .from(passwordLinks)
    .innerJoin(users, eq(users.id, passwordLinks.userId))
    .where(isLink);
  return found && found.user.invitedEmail === null ? found : null;
}

/**
 * While passwords are off, a link signs its user in once: the way in when the provider is gone. An invitation is
 * accepted at the provider instead.
 */
async function signInByLink(
  deps: SignInDeps,
  { sessionMs }: Oidc,
  { user, token, code }: { user: UserRow; token: string; code: string | undefined },
  visitor: Visitor,
): Promise<SignedIn> {
  if (await isInvited(deps, user)) throw passwordOff();
  if (user.totpSecret) await requireCode(deps, user, code, linkAttempt(token));
  return inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    if (!(await findLinkedUser(unit, token))) throw linkIsInvalid();
    await store.delete(passwordLinks).where(eq(passwordLinks.userId, user.id));
    await recordPersonChange(unit, actorOf(user, visitor), user, { action: "person.signed_in" });
    const { userAgent } = visitor;
    const endsAt = clock.now() + sessionMs;
    return { token: await createSession(store, user.id, clock.now(), { userAgent, endsAt }), user };
  });
}

/** Whether someone was added by an owner and has never signed in. */
async function isInvited({ store }: Deps, { id, accountId, passwordHash }: UserRow) {
  if (passwordHash !== null) return false;
  if ((await store.$count(identities, eq(identities.userId, id))) > 0) return false;
  return (await store.$count(users, eq(users.accountId, accountId))) > 1;
}

/** @throws FORBIDDEN while people sign in only at the provider */
export function refusePasswords({ config }: Pick<Deps, "config">): void {
  if (oidcOf(config)?.only) throw passwordOff();
}

const passwordOff = () =>
  new AppError("FORBIDDEN", "Passwords are off on this server. Use single sign-on.", {
    reason: "password_off",
  });

/** The person has shown that their e-mail address is theirs. */
export async function noteVerified(tx: Store, userId: string, now: number): Promise<void> {
  const isUnverified = and(eq(users.id, userId), isNull(users.emailVerifiedAt));
  await tx.update(users).set({ emailVerifiedAt: now }).where(isUnverified);
}

/**
 * Asks a signed-in user for their password and code again, before something that cannot be undone.
 * @param refuse throws for another reason, before the code is used up
 * @throws VALIDATION_ERROR for a wrong password, and for a wrong or missing code
 */
export const reauthenticate = (
  deps: SignInDeps,
  session: Session,
  { password, code }: { password: string; code?: string | undefined },
  refuse = () => {},
): Promise<UserRow> =>
  guess(deps, proofAttempt(session), async () => {
    const { user, tokenHash } = session;
    if (provesAtProvider(deps, session)) return provedUser(deps, session);
    const known = await verifyPassword(deps, user.email, password, tokenHash);
    if (known?.id !== user.id) return invalid({ password: [NOT_YOURS] });
    refuse();
    if (!known.totpSecret) return known;
    if (!code?.trim()) throw invalid({ code: ["is required"] });
    return (await redeemCode(deps, known, code)) ? known : invalid({ code: [WRONG_CODE] });
  });

/** How long a sign-in at the provider proves who someone is. */
export const PROOF_MS = 5 * 60_000;

/** Whether the person proves who they are at the provider: they have no password that is accepted. */
export function provesAtProvider(
  { config }: Pick<Deps, "config">,
  { user }: { user: Pick<UserRow, "passwordHash"> },
): boolean {
  const oidc = oidcOf(config);
  return oidc !== null && (oidc.only || user.passwordHash === null);
}

/** @throws CONFLICT unless they have just signed in there again */
async function provedUser(
  { store, clock }: Deps,
  { user: { id }, provedAt }: Session,
): Promise<UserRow> {
  const [user] = await store.select().from(users).where(eq(users.id, id));
  if (user && provedAt !== null && clock.now() - provedAt < PROOF_MS) return user;
  throw conflict("Sign in again with single sign-on first, to show that it is you.", {
    reason: "proof_needed",
  });
}

/** Locks the user until the transaction ends. Whether their password and second factor are those that were read. */
export async function isUnchanged(tx: Store, user: UserRow): Promise<boolean> {
  await lockUser(tx, user.id);
  const [now] = await tx.select().from(users).where(eq(users.id, user.id));
  return now?.passwordHash === user.passwordHash && now?.totpSecret === user.totpSecret;
}

/** The minimum length of a new password in code points. */
export const shortestFor = ({ totpSecret }: Pick<UserRow, "totpSecret">) =>
  totpSecret === null ? SHORTEST_ALONE : SHORTEST_WITH_CODE;

const actorOf = ({ id, email }: UserRow, { address }: Visitor): Actor => ({
  kind: "user",
  id,
  name: email,
  address,
});

/**
 * Returns the user if the password is right. An unknown e-mail and a wrong password take the same time.
 * @param turn see `Passwords`
 */
export async function verifyPassword(
  deps: SignInDeps,
  email: string,
  password: string,
  turn: string | undefined,
): Promise<UserRow | undefined> {
  const user = await findUser(deps, email);
  const isRight = await deps.passwords.verify(password, user?.passwordHash ?? null, turn);
  return isRight ? user : undefined;
}

const YEAR_MS = 365 * 86_400_000;
/** No other sealed text begins like this. */
const DEVICE = "device ";

/** The content of a device cookie. `password` is the SHA-256 of the password's hash. */
type Device = { id: string; user: string; password: string; at: number };

/**
 * Returns the value of a cookie that proves that this person signed in with this browser (OWASP "device cookies").
 * It is sealed, gives no access, and becomes invalid when the password changes.
 */
export function newDevice({ secrets, clock }: Deps, user: UserRow): string {
  const password = hashToken(user.passwordHash ?? "");
  const device: Device = { id: newSessionToken(), user: user.id, password, at: clock.now() };
  const sealed = secrets.seal(DEVICE + JSON.stringify(device));
  return Buffer.from(sealed, "base64").toString("base64url");
}

/** Returns the id of the device if the cookie belongs to the person with this e-mail, and null otherwise. */
export async function findDevice(
  deps: Deps,
  email: string,
  cookie: string | null,
): Promise<string | null> {
  const device = cookie && openDevice(deps, cookie);
  if (!device || Math.abs(deps.clock.now() - device.at) > YEAR_MS) return null;
  const user = await findUser(deps, email);
  const isTheirs =
    user?.id === device.user &&
    user.passwordHash !== null &&
    hashToken(user.passwordHash) === device.password;
  // Not the cookie itself, which can be written in several ways.
  return isTheirs ? device.id : null;
}

function openDevice({ secrets }: Deps, cookie: string): Device | null {
  try {
    const text = secrets.open(Buffer.from(cookie, "base64url").toString("base64"));
    return text.startsWith(DEVICE) ? JSON.parse(text.slice(DEVICE.length)) : null;
  } catch {
    return null;
  }
}

/**
 * Returns the user once the code of their second factor was right.
 * @throws UNAUTHORIZED for a wrong or missing code; RATE_LIMITED while the attempt has to wait
 */
async function requireCode(
  deps: SignInDeps,
  user: UserRow,
  code: string | undefined,
  attempt: Attempt,
): Promise<UserRow> {
  if (!code?.trim()) throw codeNeeded();
  return guess(deps, attempt, async () =>
    (await redeemCode(deps, user, code)) ? user : wrongCode(),
  );
}

/** Inside a guess of password and code: returns a wrong code as the outcome of that guess. */
function asWrongCode(error: unknown): AppError {
  if (error instanceof AppError && error.details?.reason === "wrong_code") return error;
  throw error;
}

/** Where `isUnchanged` holds. */
async function setPassword(
  unit: Unit,
  user: UserRow,
  passwordHash: string,
  visitor: Visitor,
): Promise<SignedIn> {
  const { store, clock } = unit;
  await store.update(users).set({ passwordHash }).where(eq(users.id, user.id));
  await store.delete(passwordLinks).where(eq(passwordLinks.userId, user.id));
  const change = { action: "person.password_changed" } as const;
  await recordPersonChange(unit, actorOf(user, visitor), user, change);
  if (user.passwordHash !== null) await queueChangeMail(unit, user, "password");
  await endSessionsOf(store, user.id);
  const token = await createSession(store, user.id, clock.now(), visitor);
  return { token, user: { ...user, passwordHash } };
}

/** Verifies the password again when its hash has changed, since a sign-in elsewhere may have renewed the hash. */
async function startSession(
  deps: SignInDeps,
  user: UserRow,
  password: string,
  visitor: Visitor,
): Promise<SignedIn> {
  const passwordHash = await currentHash(deps, user, password, visitor);
  const started = await inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    if (!(await isUnchanged(store, user))) return null;
    const failed = await takeFailures(unit, user);
    await recordPersonChange(unit, actorOf(user, visitor), user, { action: "person.signed_in" });
    if (passwordHash !== user.passwordHash) {
      await store.update(users).set({ passwordHash }).where(eq(users.id, user.id));
    }
    await store.delete(sessions).where(eq(sessions.tokenHash, visitor.sessionHash ?? ""));
    const { userAgent } = visitor;
    const token = await createSession(store, user.id, clock.now(), { userAgent, failed });
    return { token, user: { ...user, passwordHash }, failed };
  });
  if (started) return started;
  const again = await verifyPassword(deps, user.email, password, turnOf(visitor));
  if (again?.totpSecret !== user.totpSecret) throw wrongPassword();
  return startSession(deps, again, password, visitor);
}

/** The user's hash, or a new one when it was made with outdated parameters. */
async function currentHash(
  { passwords }: SignInDeps,
  { passwordHash }: UserRow,
  password: string,
  visitor: Visitor,
): Promise<string | null> {
  const isCurrent = !passwordHash || !passwords.isOutdated(passwordHash);
  return isCurrent ? passwordHash : passwords.hash(password, turnOf(visitor));
}

const wrongPassword = () => new AppError("UNAUTHORIZED", "The e-mail or the password is wrong.");

/** Shown only after the right password. */
const tooShortAlone = () =>
  conflict(
    "Your password is too short to use without a second factor. Ask an owner of your account, or the operator of the server, for a link to set a new one.",
    { reason: "password_too_short" },
  );

const linkIsInvalid = () =>
  new AppError(
    "NOT_FOUND",
    "This link was used, has expired, or is for an address that already has an account here. Ask for a new one.",
  );

const codeNeeded = () =>
  new AppError("UNAUTHORIZED", "Enter the code from your authenticator app.", {
    reason: "two_factor_required",
  });

const wrongCode = () =>
  new AppError("UNAUTHORIZED", "The code is wrong or was used already.", {
    reason: "wrong_code",
  });
