import { and, eq, isNull, lt, or } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Store } from "../ground/db/store.ts";
import { recoveryCodes, type UserRow, users } from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import { hashToken, newRecoveryCode } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import type { Deps } from "../work/deps.ts";

/** RFC 6238 with the parameters that every authenticator app supports. */
const TOTP_PARAMETERS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const STEP_MS = TOTP_PARAMETERS.period * 1000;
const SECRET_BYTES = 20;
/** Accepted clock difference in steps, either way. */
const DRIFT = 1;

const RECOVERY_CODES = 10;

/** A secret in base32, and the `otpauth:` URI that an app reads from a QR code. */
export type FreshTotp = { secret: string; uri: string };

type Secured = Pick<UserRow, "id" | "accountId" | "totpSecret">;

export function newTotp(email: string): FreshTotp {
  const secret = new Secret({ size: SECRET_BYTES });
  const totp = new TOTP({ ...TOTP_PARAMETERS, issuer: "Stillup", label: email, secret });
  return { secret: secret.base32, uri: totp.toString() };
}

/** The time step of a code that is valid now, and null for any other code. */
export function stepOf(secret: string, code: string, now: number): number | null {
  const delta = TOTP.validate({
    ...TOTP_PARAMETERS,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: DRIFT,
  });
  return delta === null ? null : Math.floor(now / STEP_MS) + delta;
}

/**
 * Whether the code, from the app or a recovery code, is right. A code works once, also in parallel requests.
 * @throws CONFLICT for a code from the app when the secret was sealed under another key file
 */
export function redeemCode(deps: Deps, user: Secured, code: string): Promise<boolean> {
  const typed = code.replace(/[\s-]/g, "");
  return /^\d{6}$/.test(typed)
    ? redeemAppCode(deps, user, typed)
    : redeemRecoveryCode(deps.store, user, typed);
}

/** Replaces the user's recovery codes and returns the new ones, which are shown once. */
export async function replaceRecoveryCodes(store: Store, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await deleteRecoveryCodes(store, userId);
  await store.insert(recoveryCodes).values(codes.map((code) => ({ userId, hash: hashOf(code) })));
  return codes;
}

export async function deleteRecoveryCodes(store: Store, userId: string): Promise<void> {
  await store.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/** Opens a sealed TOTP secret; null when it was sealed under another key file. */
export function openSecret({ secrets }: Deps, sealed: string): string | null {
  try {
    return secrets.open(sealed);
  } catch (error) {
    log.error("a second factor was set up under another key file", describeError(error));
    return null;
  }
}

/** Accepts no code of the last used step or of one before it (RFC 6238 §5.2). */
async function redeemAppCode(deps: Deps, user: Secured, code: string) {
  const { store, clock } = deps;
  if (!user.totpSecret) return false;
  const secret = openSecret(deps, user.totpSecret);
  if (secret === null) throw keyLost();
  const step = stepOf(secret, code, clock.now());
  if (step === null) return false;
  const used = await store
    .update(users)
    .set({ totpStep: step })
    .where(
      and(
        eq(users.id, user.id),
        eq(users.accountId, user.accountId),
        eq(users.totpSecret, user.totpSecret),
        or(isNull(users.totpStep), lt(users.totpStep, step)),
      ),
    )
    .returning({ id: users.id });
  return used.length > 0;
}

async function redeemRecoveryCode(store: Store, { id }: Secured, code: string) {
  const used = await store
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, id), eq(recoveryCodes.hash, hashOf(code))))
    .returning({ userId: recoveryCodes.userId });
  return used.length > 0;
}

/** Ignores case, spaces and dashes, since codes are typed by hand. */
const hashOf = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z2-7]/g, ""));

/** Recovery codes are only hashed, so they work without the key. */
const keyLost = () =>
  conflict(
    "The server has lost the key for checking app codes. Use a recovery code, or ask the operator of the server to turn off your two-factor sign-in.",
    { reason: "key_lost" },
  );
