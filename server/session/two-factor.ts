import { and, eq, isNull, type SQL } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { conflict, invalid } from "../lib/errors.ts";
import type { Statement } from "../store/store.ts";
import { type UserRow, users } from "../store/tables.ts";
import {
  countRecoveryCodes,
  forgetRecoveryCodes,
  freshRecoveryCodes,
  openSecret,
  spendCode,
} from "./codes.ts";
import { guess } from "./delays.ts";
import { endSessionsOf, newSession, type Session } from "./sessions.ts";
import { type Entrance, NOT_YOURS, type SignInDeps, type Visitor, whoHas } from "./sign-in.ts";
import { type FreshTotp, newTotp, stepOf } from "./totp.ts";

type Proof = { password: string; code: string };

const WRONG_CODE = "is wrong or was used already";
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
  const user = await guess(deps.delays, session.user.email, async () => {
    const known = await whoHas(deps, session.user.email, password);
    return known ?? invalid({ password: [NOT_YOURS] });
  });
  const totp = newTotp(user.email);
  const totpPending = deps.secrets.seal(totp.secret);
  const begun = await change(deps, user, { totpPending }, isNull(users.totpSecret));
  if (!begun) throw isOnAlready();
  return totp;
}

/**
 * Turns it on for whoever shows a code of the new secret, and gives recovery codes. Other sessions end.
 * @throws VALIDATION_ERROR for a wrong code, CONFLICT when there is nothing to confirm
 */
export async function confirmTwoFactor(
  deps: SignInDeps,
  { user }: Session,
  code: string,
  visitor: Visitor,
): Promise<Entrance & { codes: string[] }> {
  const pending = await pendingSecret(deps, user);
  const secret = openSecret(deps, pending);
  if (secret === null) throw nothingToConfirm();
  const totpStep = await guess(deps.delays, user.email, async () => {
    const step = stepOf(secret, code.replace(/\s/g, ""), deps.clock.now());
    return (
      step ?? invalid({ code: ["is wrong; look whether the clocks of both devices are right"] })
    );
  });
  const on = { totpSecret: pending, totpPending: null, totpStep };
  const row = await change(deps, user, on, eq(users.totpPending, pending));
  if (!row) throw nothingToConfirm();
  const { codes, replace } = freshRecoveryCodes(deps.store, user.id);
  return { ...(await startOver(deps, row, visitor, replace)), codes };
}

/**
 * Back to the password alone. Other sessions end.
 * @throws VALIDATION_ERROR for a wrong password or code, CONFLICT when two-factor sign-in is off
 */
export async function endTwoFactor(
  deps: SignInDeps,
  session: Session,
  proof: Proof,
  visitor: Visitor,
): Promise<Entrance> {
  const user = await prove(deps, session, proof);
  return startOver(deps, { ...user, ...NO_FACTOR }, visitor, withoutTwoFactor(deps, user));
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
  await deps.store.write(replace);
  return codes;
}

/** For the operator, when the second factor is lost. Ends all of the user's sessions. */
export const removeTwoFactor = (deps: Deps, user: UserRow): Promise<void> =>
  deps.store.write([...withoutTwoFactor(deps, user), endSessionsOf(deps.store, user.id)]);

const isOnAlready = () =>
  conflict("Two-factor sign-in is on already.", { reason: "two_factor_on" });

const nothingToConfirm = () =>
  conflict("There is nothing to confirm. Begin again.", { reason: "nothing_to_confirm" });

/** The row after the change; none when the condition did not hold. */
async function change(
  { store }: Deps,
  user: Pick<UserRow, "id" | "accountId">,
  values: Partial<UserRow>,
  condition: SQL,
): Promise<UserRow | undefined> {
  const [row] = await store
    .update(users)
    .set(values)
    .where(and(isUser(user), condition))
    .returning();
  return row;
}

async function pendingSecret({ store }: Deps, user: Session["user"]): Promise<string> {
  const [row] = await store.select().from(users).where(isUser(user));
  if (row?.totpSecret) throw isOnAlready();
  if (!row?.totpPending) throw nothingToConfirm();
  return row.totpPending;
}

/** The user, who has just shown both factors. */
function prove(deps: SignInDeps, { user }: Session, { password, code }: Proof): Promise<UserRow> {
  if (!user.totpSecret) {
    throw conflict("Two-factor sign-in is off.", { reason: "two_factor_off" });
  }
  return guess(deps.delays, user.email, async () => {
    const known = await whoHas(deps, user.email, password);
    if (!known) return invalid({ password: [NOT_YOURS] });
    return (await spendCode(deps, known, code)) ? known : invalid({ code: [WRONG_CODE] });
  });
}

/** Ends all of the user's sessions but a new one, beside what is to happen with them. */
async function startOver(
  { store, clock }: Deps,
  user: UserRow,
  { userAgent }: Visitor,
  changes: Statement[],
): Promise<Entrance> {
  const { token, insert } = newSession(store, user.id, clock.now(), userAgent);
  await store.write([...changes, endSessionsOf(store, user.id), insert]);
  return { token, user };
}

const withoutTwoFactor = ({ store }: Deps, user: UserRow): Statement[] => [
  store.update(users).set(NO_FACTOR).where(isUser(user)),
  forgetRecoveryCodes(store, user.id),
];

const isUser = (user: Pick<UserRow, "id" | "accountId">) =>
  and(eq(users.id, user.id), eq(users.accountId, user.accountId));
