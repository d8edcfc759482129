import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Deps } from "../deps.ts";
import { AppError } from "../lib/errors.ts";
import { describeError, log } from "../lib/log.ts";
import { hashToken } from "../lib/token.ts";
import { isDuplicate, type Statement } from "../store/store.ts";
import { guesses } from "../store/tables.ts";

const WINDOW_MS = 15 * 60_000;
const LONGEST_S = 60;
/** Guesses before the first wait. */
const FREE = 3;

/** A guess that was counted, by the name it was made for and its number. */
type Counted = { account: string; n: number };

/**
 * Makes guessing slow, whoever guesses, from wherever and in whichever process. It never locks an account,
 * since that would let strangers lock its owner out.
 */
export type Delays = {
  /**
   * Counts an attempt as failed before its outcome is known, so that parallel guesses do not slip by.
   * @throws RATE_LIMITED while the account has to wait
   */
  begin(account: string): Promise<Counted>;
  /** An attempt was right: all is forgotten. */
  succeed(account: string): Promise<void>;
  /** The attempt came to nothing: it is not counted. */
  withdraw(attempt: Counted): Promise<void>;
};

/**
 * Makes one guess. What it returns as an error was wrong and stays counted; what it throws came to
 * nothing and is not.
 * @throws RATE_LIMITED while the account has to wait, and either error
 */
export async function guess<T>(
  delays: Delays,
  account: string,
  attempt: () => Promise<T | AppError>,
): Promise<T> {
  const counted = await delays.begin(account);
  const outcome = await attempt().catch(async (error) => {
    await delays.withdraw(counted).catch(notWithdrawn);
    throw error;
  });
  if (outcome instanceof AppError) throw outcome;
  await delays.succeed(account);
  return outcome;
}

/** In the database, with the name's SHA-256: some type their password where the name belongs. */
export function createDelays(deps: Pick<Deps, "store" | "clock">): Delays {
  const { store } = deps;
  return {
    begin: (account) => beginGuess(deps, hashToken(account)),
    succeed: async (account) => {
      await store.delete(guesses).where(eq(guesses.account, hashToken(account)));
    },
    withdraw: async ({ account, n }) => {
      await store.delete(guesses).where(and(eq(guesses.account, account), eq(guesses.n, n)));
    },
  };
}

/** Guesses that no longer count, to be run by housekeeping. */
export const forgetOldGuesses = ({ store, clock }: Pick<Deps, "store" | "clock">): Statement =>
  store.delete(guesses).where(lte(guesses.guessedAt, clock.now() - WINDOW_MS));

const notWithdrawn = (error: unknown) =>
  log.error("a guess that came to nothing stays counted", describeError(error));

/** The number is the lock: of two at once one finds it taken, and waits like any later one. */
async function beginGuess(deps: Pick<Deps, "store" | "clock">, account: string): Promise<Counted> {
  const { store, clock } = deps;
  const areTheirs = eq(guesses.account, account);
  for (;;) {
    const now = clock.now();
    const known = await store.select().from(guesses).where(areTheirs).orderBy(asc(guesses.n));
    if (known.some(({ guessedAt }) => guessedAt > now)) await bringBack(deps, account, now);
    refuseTooSoon(known, now);
    const n = (known.at(-1)?.n ?? 0) + 1;
    try {
      await store.write([
        store.delete(guesses).where(and(areTheirs, lte(guesses.guessedAt, now - WINDOW_MS))),
        store.insert(guesses).values({ account, n, guessedAt: now }),
      ]);
      return { account, n };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}

/** A clock that was set back would make them wait until it has caught up. */
async function bringBack({ store }: Pick<Deps, "store">, account: string, now: number) {
  const areAhead = and(eq(guesses.account, account), gt(guesses.guessedAt, now));
  await store.update(guesses).set({ guessedAt: now }).where(areAhead);
}

function refuseTooSoon(known: { guessedAt: number }[], now: number) {
  const recent = known
    .map(({ guessedAt }) => Math.min(guessedAt, now))
    .filter((guessedAt) => guessedAt > now - WINDOW_MS);
  const waitMs = Math.max(...recent) + delayMs(recent.length) - now;
  if (waitMs > 0) throw tooSoon(waitMs);
}

/** 0, 0, 0, 1, 2, 4 … 60 seconds after so many failures. */
const delayMs = (failed: number) =>
  failed < FREE ? 0 : Math.min(2 ** (failed - FREE), LONGEST_S) * 1000;

function tooSoon(waitMs: number): AppError {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new AppError(
    "RATE_LIMITED",
    `Too many wrong passwords or codes. Try again in ${retryAfter} seconds.`,
    { retryAfter },
    { "retry-after": String(retryAfter) },
  );
}
