import { and, eq, isNull, type SQL } from "drizzle-orm";
import { OPERATOR } from "../api/caller.ts";
import type { Statement } from "../db/store.ts";
import { sessions, type UserRow, users } from "../db/tables.ts";
import { conflict, invalid } from "../lib/errors.ts";
import { isShort, SHORTEST_ALONE } from "../lib/passwords.ts";
import type { Deps } from "../work/deps.ts";
import { proofAttempt } from "./attempts.ts";
import { isThere, makeChange, onRecord, recordChange } from "./audit/record.ts";
import { emailTarget } from "./audit/targets.ts";
import {
  countRecoveryCodes,
  forgetRecoveryCodes,
  freshRecoveryCodes,
  openSecret,
  spendCode,
} from "./codes.ts";
import { guess } from "./delays.ts";
import { endSessionsOf, newSession, type Session } from "./sessions.ts";
import {
  type Entrance,
  isUnchanged,
  NOT_YOURS,
  recordOwn,
  type SignInDeps,
  startSession,
  type Visitor,
  WRONG_CODE,
  whoHas,
} from "./sign-in.ts";
import { type FreshTotp, newTotp, stepOf } from "./totp.ts";

type Proof = { password: string; code: string };

const NEW_NEEDED = `is needed, with at least ${SHORTEST_ALONE} characters: yours is too short to do alone`;
const NO_FACTOR = { totpSecret: null, totpPending: null, totpStep: null };

export const findTwoFactor = async (deps: Deps, { user }: Session) => ({
  isOn: user.totpSecret !== null,
  recoveryCodesLeft: await countRecoveryCodes(deps, user.id),
});

/**
 * A secret for whoever knows the password. It counts once a code of it was given; one before it that
 * was not confirmed is void.
 * @throws VALIDATION_ERROR for a wrong password, CONFLICT when two-factor sign-in is on
 */
export async function beginTwoFactor(
  deps: SignInDeps,
  session: Session,
  password: string,
): Promise<FreshTotp> {
  if (session.user.totpSecret) throw isOnAlready();
  const user = await guess(deps.delays, proofAttempt(session), async () => {
    const known = await whoHas(deps, session.user.email, password, session.tokenHash);
    return known ?? invalid({ password: [NOT_YOURS] });
  });
  const totp = newTotp(user.email);
  const totpPending = deps.secrets.seal(totp.secret);
  const isOff = and(isUser(user), isNull(users.totpSecret));
  const entry = onRecord(deps, session.caller, {
    action: "person.two_factor_begun",
    target: emailTarget(user),
    onlyIf: isThere(deps.store, users, isOff),
  });
  const update = deps.store.update(users).set({ totpPending }).where(isOff).returning();
  const [begun] = await makeChange(deps, entry, update);
  if (!begun) throw isOnAlready();
  return totp;
}

/**
 * Turns it on for whoever shows a code of the new secret, and gives recovery codes. Other sessions end.
 * @throws VALIDATION_ERROR for a wrong code, CONFLICT when there is nothing to confirm
 */
export async function confirmTwoFactor(
  deps: SignInDeps,
  session: Session,
  code: string,
  visitor: Visitor,
): Promise<Entrance & { codes: string[] }> {
  const { user } = session;
  const pending = await pendingSecret(deps, user);
  const secret = openSecret(deps, pending);
  if (secret === null) throw nothingToConfirm();
  const totpStep = await guess(deps.delays, proofAttempt(session), async () => {
    const step = stepOf(secret, code.replace(/\s/g, ""), deps.clock.now());
    return (
      step ?? invalid({ code: ["is wrong; look whether the clocks of both devices are right"] })
    );
  });
  return turnOn(deps, session, visitor, { pending, secret, totpStep });
}

/**
 * Back to the password alone, for which a short one does not do: then `next` takes its place. Other sessions end.
 * @throws VALIDATION_ERROR for a wrong password or code or where a new password is needed, CONFLICT when two-factor sign-in is off
 */
export async function endTwoFactor(
  deps: SignInDeps,
  session: Session,
  { next, ...proof }: Proof & { next: string | undefined },
  visitor: Visitor,
): Promise<Entrance> {
  const user = await prove(deps, session, proof, () => {
    if (next === undefined && isShort(proof.password)) throw invalid({ new: [NEW_NEEDED] });
  });
  const { store } = deps;
  const renewed =
    next === undefined ? {} : { passwordHash: await deps.passwords.hash(next, session.tokenHash) };
  const onlyIf = isUnchanged(store, user);
  const started = await startSession(deps, user, visitor, {
    ends: eq(sessions.userId, user.id),
    changes: [
      recordOwn(deps, user, visitor, { action: "person.two_factor_off", onlyIf }),
      ...withoutTwoFactor(deps, user, { besides: renewed, onlyIf }),
    ],
  });
  if (!started) throw invalid({ password: [NOT_YOURS] });
  return { ...started, user: { ...user, ...NO_FACTOR, ...renewed } };
}

/**
 * New recovery codes in the place of all before.
 * @throws VALIDATION_ERROR for a wrong password or code, CONFLICT when two-factor sign-in is off
 */
export async function renewRecoveryCodes(
  deps: SignInDeps,
  session: Session,
  proof: Proof,
): Promise<string[]> {
  const user = await prove(deps, session, proof);
  const { codes, replace } = freshRecoveryCodes(deps.store, user.id);
  const entry = recordOwn(deps, user, session.caller.by, { action: "person.recovery_codes_made" });
  await deps.store.write([entry, ...replace]);
  return codes;
}

/** For the operator, when the second factor is lost. Ends all of the user's sessions. */
export const removeTwoFactor = (deps: Deps, user: UserRow): Promise<void> =>
  deps.store.write([
    recordChange(deps, {
      action: "person.two_factor_off",
      by: OPERATOR,
      accountId: user.accountId,
      target: emailTarget(user),
    }),
    ...withoutTwoFactor(deps, user),
    endSessionsOf(deps.store, user.id),
  ]);

const isOnAlready = () =>
  conflict("Two-factor sign-in is on already.", { reason: "two_factor_on" });

const nothingToConfirm = () =>
  conflict("There is nothing to confirm. Begin again.", { reason: "nothing_to_confirm" });

/**
 * The factor, its recovery codes and a session in the place of all before, at once. The secret is sealed anew, by
 * which the others know that it was this confirmation which counted.
 */
async function turnOn(
  deps: Deps,
  { user, caller }: Session,
  { userAgent }: Visitor,
  { pending, secret, totpStep }: { pending: string; secret: string; totpStep: number },
): Promise<Entrance & { codes: string[] }> {
  const { store, secrets, clock } = deps;
  const isPending = and(isUser(user), eq(users.totpPending, pending));
  const totpSecret = secrets.seal(secret);
  const isOn = isThere(store, users, and(isUser(user), eq(users.totpSecret, totpSecret)));
  const { codes, replace } = freshRecoveryCodes(store, user.id, isOn);
  const { token, insert } = newSession(store, user.id, clock.now(), userAgent, isOn);
  const entry = onRecord(deps, caller, {
    action: "person.two_factor_on",
    target: emailTarget(user),
    onlyIf: isThere(store, users, isPending),
  });
  const update = store
    .update(users)
    .set({ totpSecret, totpPending: null, totpStep })
    .where(isPending)
    .returning();
  const endBefore = endSessionsOf(store, user.id, isOn);
  const [row] = await makeChange(deps, entry, update, [...replace, endBefore, insert]);
  if (!row) throw nothingToConfirm();
  return { token, user: row, codes };
}

async function pendingSecret({ store }: Deps, user: Session["user"]): Promise<string> {
  const [row] = await store.select().from(users).where(isUser(user));
  if (row?.totpSecret) throw isOnAlready();
  if (!row?.totpPending) throw nothingToConfirm();
  return row.totpPending;
}

/**
 * The user, who has just shown both factors.
 * @param refuse is run before the code is used up
 */
function prove(
  deps: SignInDeps,
  session: Session,
  { password, code }: Proof,
  refuse = () => {},
): Promise<UserRow> {
  const { user, tokenHash } = session;
  if (!user.totpSecret) {
    throw conflict("Two-factor sign-in is off.", { reason: "two_factor_off" });
  }
  return guess(deps.delays, proofAttempt(session), async () => {
    const known = await whoHas(deps, user.email, password, tokenHash);
    if (!known) return invalid({ password: [NOT_YOURS] });
    refuse();
    return (await spendCode(deps, known, code)) ? known : invalid({ code: [WRONG_CODE] });
  });
}

const withoutTwoFactor = (
  { store }: Deps,
  user: UserRow,
  { besides = {}, onlyIf }: { besides?: Partial<UserRow>; onlyIf?: SQL } = {},
): Statement[] => [
  forgetRecoveryCodes(store, user.id, onlyIf),
  store
    .update(users)
    .set({ ...NO_FACTOR, ...besides })
    .where(and(isUser(user), onlyIf)),
];

const isUser = (user: Pick<UserRow, "id" | "accountId">) =>
  and(eq(users.id, user.id), eq(users.accountId, user.accountId));
