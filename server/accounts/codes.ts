import { and, count, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { rowsOf, type Statement, type Store } from "../db/store.ts";
import { recoveryCodes, type UserRow, users } from "../db/tables.ts";
import { conflict } from "../lib/errors.ts";
import { describeError, log } from "../lib/log.ts";
import { hashToken, newRecoveryCode } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";
import { stepOf } from "./totp.ts";

const RECOVERY_CODES = 10;

type Secured = Pick<UserRow, "id" | "accountId" | "totpSecret">;

/**
 * Whether the code is right, from the app or a recovery code. It is used up by that: of two at once one is right.
 * @throws CONFLICT for a code from the app when the key file is not the one it was set up under
 */
export function spendCode(deps: Deps, user: Secured, code: string): Promise<boolean> {
  const typed = code.replace(/[\s-]/g, "");
  return /^\d{6}$/.test(typed)
    ? spendStep(deps, user, typed)
    : spendRecoveryCode(deps, user, typed);
}

/**
 * Codes to be shown this once, and what puts them in the place of those before.
 * @param onlyIf must hold when that is run
 */
export function freshRecoveryCodes(
  store: Store,
  userId: string,
  onlyIf: SQL = sql`1 = 1`,
): { codes: string[]; replace: Statement[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const rows = codes.map((code) => [userId, hashOf(code)]);
  const fresh = rowsOf(store, { user_id: "text", hash: "text" }, rows);
  return {
    codes,
    replace: [
      store.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), onlyIf)),
      store.run(
        sql`insert into ${recoveryCodes} (user_id, hash) select fresh.user_id, fresh.hash from ${fresh} as fresh where ${onlyIf}`,
      ),
    ],
  };
}

export const forgetRecoveryCodes = (store: Store, userId: string, onlyIf?: SQL): Statement =>
  store.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), onlyIf));

export async function countRecoveryCodes({ store }: Deps, userId: string): Promise<number> {
  const [counted] = await store
    .select({ left: count() })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId));
  return counted!.left;
}

/** What an app shows codes of; null when it was sealed under a key that is lost. */
export function openSecret({ secrets }: Deps, sealed: string): string | null {
  try {
    return secrets.open(sealed);
  } catch (error) {
    log.error("a second factor was set up under another key file", describeError(error));
    return null;
  }
}

/** A recovery code needs no key. */
const keyLost = () =>
  conflict(
    "The server has lost the key that it checks app codes with. Use a recovery code instead, or ask whoever runs the server to remove your two-factor sign-in.",
    { reason: "key_lost" },
  );

/** RFC 6238 §5.2: a step is used once, and none before it afterwards. */
async function spendStep(deps: Deps, user: Secured, code: string) {
  const { store, clock } = deps;
  if (!user.totpSecret) return false;
  const secret = openSecret(deps, user.totpSecret);
  if (secret === null) throw keyLost();
  const step = stepOf(secret, code, clock.now());
  if (step === null) return false;
  const spent = await store
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
  return spent.length > 0;
}

async function spendRecoveryCode({ store }: Deps, user: Secured, code: string) {
  const spent = await store
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, user.id), eq(recoveryCodes.hash, hashOf(code))))
    .returning({ userId: recoveryCodes.userId });
  return spent.length > 0;
}

/** Typed by hand, a code may come in lower case and without its dashes. */
const hashOf = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z2-7]/g, ""));
