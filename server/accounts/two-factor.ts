import { and, eq, isNull } from "drizzle-orm";
import { OPERATOR, type Session } from "../api/caller.ts";
import { recoveryCodes, type UserRow, users } from "../db/tables.ts";
import { conflict, invalid } from "../lib/errors.ts";
import { isShort, SHORTEST_ALONE } from "../lib/passwords.ts";
import type { Deps } from "../work/deps.ts";
import { recordPersonChange } from "./audit.ts";
import {
  deleteRecoveryCodes,
  type FreshTotp,
  newTotp,
  openSecret,
  replaceRecoveryCodes,
  stepOf,
} from "./codes.ts";
import { guess, proofAttempt } from "./guard.ts";
import { queueChangeMail } from "./mails.ts";
import type { TwoFactor } from "./model.ts";
import { createSession, endSessionsOf } from "./sessions.ts";
import {
  isUnchanged,
  NOT_YOURS,
  provesAtProvider,
  reauthenticate,
  type SignedIn,
  type SignInDeps,
  type Visitor,
  verifyPassword,
} from "./sign-in.ts";

type Proof = { password: string; code: string };

const NEW_NEEDED = `is required, with at least ${SHORTEST_ALONE} characters: yours is too short without a second factor`;
const NO_FACTOR = { totpSecret: null, totpPending: null, totpStep: null };

export const findTwoFactor = async (deps: Deps, { user }: Session): Promise<TwoFactor> => ({
  is_on: user.totpSecret !== null,
  recovery_codes_left: await deps.store.$count(recoveryCodes, eq(recoveryCodes.userId, user.id)),
});

/**
 * Creates a secret, which replaces an unconfirmed one. It is used from its confirmation on.
 * @throws VALIDATION_ERROR for a wrong password, CONFLICT when two-factor sign-in is on
 */
export async function beginTwoFactor(
  deps: SignInDeps,
  session: Session,
  password: string,
): Promise<FreshTotp> {
  if (session.user.totpSecret) throw isOnAlready();
  if (provesAtProvider(deps, session)) throw noPassword();
  const user = await guess(deps, proofAttempt(session), async () => {
    const known = await verifyPassword(deps, session.user.email, password, session.tokenHash);
    return known ?? invalid({ password: [NOT_YOURS] });
  });
  const totp = newTotp(user.email);
  const totpPending = deps.secrets.seal(totp.secret);
  await deps.store.transaction(async (tx) => {
    const begun = await tx
      .update(users)
      .set({ totpPending })
      .where(and(eq(users.id, user.id), isNull(users.totpSecret)))
      .returning({ id: users.id });
    if (begun.length === 0) throw isOnAlready();
    const change = { action: "person.two_factor_begun" } as const;
    await recordPersonChange({ ...deps, store: tx }, session.caller.by, user, change);
  });
  return totp;
}

/**
 * Turns two-factor sign-in on with a code of the new secret, creates recovery codes and ends all other sessions.
 * @throws VALIDATION_ERROR for a wrong code, CONFLICT when there is nothing to confirm
 */
export async function confirmTwoFactor(
  deps: SignInDeps,
  session: Session,
  code: string,
  visitor: Visitor,
): Promise<SignedIn & { codes: string[] }> {
  const { user, caller } = session;
  const totpSecret = await pendingSecret(deps, user);
  const secret = openSecret(deps, totpSecret);
  if (secret === null) throw nothingToConfirm();
  const totpStep = await guess(deps, proofAttempt(session), async () => {
    const step = stepOf(secret, code.replace(/\s/g, ""), deps.clock.now());
    return (
      step ?? invalid({ code: ["is wrong; make sure that the clocks of both devices are right"] })
    );
  });
  return deps.store.transaction(async (tx) => {
    const [row] = await tx
      .update(users)
      .set({ totpSecret, totpPending: null, totpStep })
      .where(and(eq(users.id, user.id), eq(users.totpPending, totpSecret)))
      .returning();
    if (!row) throw nothingToConfirm();
    const change = { action: "person.two_factor_on" } as const;
    await recordPersonChange({ ...deps, store: tx }, caller.by, user, change);
    await queueChangeMail({ ...deps, store: tx }, row, "two_factor_on");
    const codes = await replaceRecoveryCodes(tx, user.id);
    await endSessionsOf(tx, user.id);
    const token = await createSession(tx, user.id, deps.clock.now(), visitor);
    return { token, user: row, codes };
  });
}

/**
 * Turns two-factor sign-in off and ends all other sessions. A password that is too short without a second factor is
 * replaced by `next`.
 * @throws VALIDATION_ERROR for a wrong password or code or where a new password is needed, CONFLICT when two-factor
 * sign-in is off
 */
export async function endTwoFactor(
  deps: SignInDeps,
  session: Session,
  { next, ...proof }: Proof & { next: string | undefined },
  visitor: Visitor,
): Promise<SignedIn> {
  refuseWithoutFactor(session);
  const user = await reauthenticate(deps, session, proof, () => {
    if (next === undefined && isShort(proof.password)) throw invalid({ new: [NEW_NEEDED] });
  });
  const { passwords, clock } = deps;
  const passwordHash =
    next === undefined ? user.passwordHash : await passwords.hash(next, session.tokenHash);
  return deps.store.transaction(async (tx) => {
    if (!(await isUnchanged(tx, user))) throw invalid({ password: [NOT_YOURS] });
    const changed = { ...NO_FACTOR, passwordHash };
    await tx.update(users).set(changed).where(eq(users.id, user.id));
    await deleteRecoveryCodes(tx, user.id);
    const change = { action: "person.two_factor_off" } as const;
    await recordPersonChange({ ...deps, store: tx }, session.caller.by, user, change);
    await queueChangeMail({ ...deps, store: tx }, user, "two_factor_off");
    await endSessionsOf(tx, user.id);
    const token = await createSession(tx, user.id, clock.now(), visitor);
    return { token, user: { ...user, ...changed } };
  });
}

/**
 * Replaces all recovery codes.
 * @throws VALIDATION_ERROR for a wrong password or code, CONFLICT when two-factor sign-in is off
 */
export async function renewRecoveryCodes(
  deps: SignInDeps,
  session: Session,
  proof: Proof,
): Promise<string[]> {
  refuseWithoutFactor(session);
  const user = await reauthenticate(deps, session, proof);
  return deps.store.transaction(async (tx) => {
    const change = { action: "person.recovery_codes_made" } as const;
    await recordPersonChange({ ...deps, store: tx }, session.caller.by, user, change);
    return replaceRecoveryCodes(tx, user.id);
  });
}

/** For the operator, when the second factor is lost. Ends all of the user's sessions. */
export const removeTwoFactor = (deps: Deps, user: UserRow): Promise<void> =>
  deps.store.transaction(async (tx) => {
    await tx.update(users).set(NO_FACTOR).where(eq(users.id, user.id));
    await deleteRecoveryCodes(tx, user.id);
    await endSessionsOf(tx, user.id);
    const change = { action: "person.two_factor_off" } as const;
    await recordPersonChange({ ...deps, store: tx }, OPERATOR, user, change);
    await queueChangeMail({ ...deps, store: tx }, user, "two_factor_off");
  });

async function pendingSecret({ store }: Deps, { id }: Session["user"]): Promise<string> {
  const [row] = await store.select().from(users).where(eq(users.id, id));
  if (row?.totpSecret) throw isOnAlready();
  if (!row?.totpPending) throw nothingToConfirm();
  return row.totpPending;
}

function refuseWithoutFactor({ user }: Session) {
  if (user.totpSecret) return;
  throw conflict("Two-factor sign-in is off.", { reason: "two_factor_off" });
}

const noPassword = () =>
  conflict("Two-factor sign-in protects passwords, and you sign in without one.", {
    reason: "no_password",
  });

const isOnAlready = () =>
  conflict("Two-factor sign-in is on already.", { reason: "two_factor_on" });

const nothingToConfirm = () =>
  conflict("There is nothing to confirm. Start again.", { reason: "nothing_to_confirm" });
