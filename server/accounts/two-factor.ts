import { and, eq, isNull } from "drizzle-orm";
import { recoveryCodes, type UserRow, users } from "../ground/db/tables.ts";
import { conflict, invalid } from "../ground/lib/errors.ts";
import { isShort, SHORTEST_ALONE } from "../ground/lib/passwords.ts";
import { type Actor, OPERATOR, type Session } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { inUnit, type Unit } from "../work/unit.ts";
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
import { createSession, endSessionsOf, type SignedIn, type Visitor } from "./sessions.ts";
import {
  isUnchanged,
  NOT_YOURS,
  provesAtProvider,
  reauthenticate,
  type SignInDeps,
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
  await inUnit(deps, async (unit) => {
    const begun = await unit.store
      .update(users)
      .set({ totpPending })
      .where(and(eq(users.id, user.id), isNull(users.totpSecret)))
      .returning({ id: users.id });
    if (begun.length === 0) throw isOnAlready();
    const change = { action: "person.two_factor_begun" } as const;
    await recordPersonChange(unit, session.caller.by, user, change);
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
  return inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    const [row] = await store
      .update(users)
      .set({ totpSecret, totpPending: null, totpStep })
      .where(and(eq(users.id, user.id), eq(users.totpPending, totpSecret)))
      .returning();
    if (!row) throw nothingToConfirm();
    const change = { action: "person.two_factor_on" } as const;
    await recordPersonChange(unit, caller.by, user, change);
    await queueChangeMail(unit, row, "two_factor_on");
    const codes = await replaceRecoveryCodes(store, user.id);
    await endSessionsOf(store, user.id);
    const token = await createSession(store, user.id, clock.now(), visitor);
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
  const passwordHash =
    next === undefined ? user.passwordHash : await deps.passwords.hash(next, session.tokenHash);
  return inUnit(deps, async (unit) => {
    const { store, clock } = unit;
    if (!(await isUnchanged(store, user))) throw invalid({ password: [NOT_YOURS] });
    const changed = { ...NO_FACTOR, passwordHash };
    await removeFactor(unit, session.caller.by, user, changed);
    const token = await createSession(store, user.id, clock.now(), visitor);
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
  return inUnit(deps, async (unit) => {
    const change = { action: "person.recovery_codes_made" } as const;
    await recordPersonChange(unit, session.caller.by, user, change);
    return replaceRecoveryCodes(unit.store, user.id);
  });
}

/** For the operator, when the second factor is lost. Ends all of the user's sessions. */
export const removeTwoFactor = (deps: Deps, user: UserRow): Promise<void> =>
  inUnit(deps, (unit) => removeFactor(unit, OPERATOR, user, NO_FACTOR));

/** Turns it off, and ends all of the user's sessions. */
async function removeFactor(unit: Unit, by: Actor, user: UserRow, changed: Partial<UserRow>) {
  const { store } = unit;
  await store.update(users).set(changed).where(eq(users.id, user.id));
  await deleteRecoveryCodes(store, user.id);
  await endSessionsOf(store, user.id);
  await recordPersonChange(unit, by, user, { action: "person.two_factor_off" });
  await queueChangeMail(unit, user, "two_factor_off");
}

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
