import { and, asc, eq, gt, inArray, lte, type SQL } from "drizzle-orm";
import { isDuplicate, type Statement } from "../db/store.ts";
import { guesses } from "../db/tables.ts";
import { AppError } from "../lib/errors.ts";
import { describeError, log } from "../lib/log.ts";
import { hashToken } from "../lib/token.ts";
import type { Deps } from "../work/deps.ts";

const WINDOW_MS = 15 * 60_000;
const LONGEST_S = 60;

/** What guesses are counted under, and how many are free before the first wait. */
type Bucket = {
  name: string;
  free: number;
  /** Others' guesses count here too, so one that was right clears only itself. */
  isShared?: boolean;
};

/** One guess, which counts in all buckets. It waits for all of `buckets`, or for `pass` alone if that is sooner. */
export type Attempt = {
  buckets: Bucket[];
  pass?: Bucket | undefined;
  /** Written with the count, and taken back unless the guess was wrong. */
  also?: { count: Statement[]; uncount: Statement[] };
};

type Row = typeof guesses.$inferSelect;

/** A guess that was counted, and its rows. */
type Counted = { attempt: Attempt; rows: Row[] };

/** Makes guessing slow, in whichever process. It never locks anything for longer than a minute. */
export type Delays = {
  /**
   * Counts an attempt as failed before its outcome is known, so that parallel guesses do not slip by.
   * @throws RATE_LIMITED while it has to wait
   */
  begin(attempt: Attempt): Promise<Counted>;
  /** An attempt was right: what was counted before it is forgotten. */
  succeed(counted: Counted): Promise<void>;
  /** The attempt came to nothing: it is not counted. */
  withdraw(counted: Counted): Promise<void>;
};

/**
 * Makes one guess. What it returns as an error was wrong and stays counted; what it throws came to
 * nothing and is not.
 * @throws RATE_LIMITED while it has to wait, and either error
 */
export async function guess<T>(
  delays: Delays,
  attempt: Attempt,
  work: () => Promise<T | AppError>,
): Promise<T> {
  const counted = await delays.begin(attempt);
  const outcome = await work().catch(async (error) => {
    await delays.withdraw(counted).catch(notWithdrawn);
    throw error;
  });
  if (outcome instanceof AppError) throw outcome;
  await delays.succeed(counted);
  return outcome;
}

/** In the database, with the SHA-256 of names: some type their password where the e-mail belongs. */
export function createDelays(deps: Pick<Deps, "store" | "clock">): Delays {
  const { store } = deps;
  return {
    begin: (attempt) => beginGuess(deps, attempt),
    succeed: ({ attempt, rows }) => {
      const own = bucketsOf(attempt).flatMap(({ name, isShared }) =>
        isShared ? [] : hashToken(name),
      );
      return store.write([
        store.delete(guesses).where(inArray(guesses.account, own)),
        ...rows.filter(({ account }) => !own.includes(account)).map(deletionOf),
        ...(attempt.also?.uncount ?? []),
      ]);
    },
    withdraw: ({ attempt, rows }) =>
      store.write([...rows.map(deletionOf), ...(attempt.also?.uncount ?? [])]),
  };

  function deletionOf({ account, n }: Row): Statement {
    return store.delete(guesses).where(and(eq(guesses.account, account), eq(guesses.n, n)));
  }
}

/** Guesses that no longer count, to be run by housekeeping. */
export const forgetOldGuesses = ({ store, clock }: Pick<Deps, "store" | "clock">): Statement =>
  store.delete(guesses).where(lte(guesses.guessedAt, clock.now() - WINDOW_MS));

const notWithdrawn = (error: unknown) =>
  log.error("a guess that came to nothing stays counted", describeError(error));

const bucketsOf = ({ buckets, pass }: Attempt) => [...buckets, ...(pass ? [pass] : [])];

/** The numbers are the lock: of two at once one finds a number taken, and waits like any later one. */
async function beginGuess(deps: Pick<Deps, "store" | "clock">, attempt: Attempt): Promise<Counted> {
  const { store, clock } = deps;
  // All processes lock rows in the same order.
  const names = bucketsOf(attempt)
    .map(({ name }) => hashToken(name))
    .sort();
  const areTheirs = inArray(guesses.account, names);
  for (;;) {
    const now = clock.now();
    const known = await store.select().from(guesses).where(areTheirs).orderBy(asc(guesses.n));
    if (known.some(({ guessedAt }) => guessedAt > now)) await bringBack(deps, areTheirs, now);
    refuseTooSoon(attempt, known, now);
    const rows = names.map((account) => ({ account, n: nextOf(known, account), guessedAt: now }));
    try {
      await store.write([
        store.delete(guesses).where(and(areTheirs, lte(guesses.guessedAt, now - WINDOW_MS))),
        store.insert(guesses).values(rows),
        ...(attempt.also?.count ?? []),
      ]);
      return { attempt, rows };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}

const nextOf = (known: Row[], account: string) =>
  (known.findLast((row) => row.account === account)?.n ?? 0) + 1;

/** A clock that was set back would make them wait until it has caught up. */
async function bringBack({ store }: Pick<Deps, "store">, areTheirs: SQL, now: number) {
  await store
    .update(guesses)
    .set({ guessedAt: now })
    .where(and(areTheirs, gt(guesses.guessedAt, now)));
}

function refuseTooSoon({ buckets, pass }: Attempt, known: Row[], now: number) {
  const waitOf = (bucket: Bucket) => waitMsOf(bucket, known, now);
  const needed = Math.max(...buckets.map(waitOf));
  const waitMs = pass ? Math.min(needed, waitOf(pass)) : needed;
  if (waitMs > 0) throw tooSoon(waitMs);
}

function waitMsOf({ name, free }: Bucket, known: Row[], now: number): number {
  const account = hashToken(name);
  const recent = known
    .filter((row) => row.account === account)
    .map(({ guessedAt }) => Math.min(guessedAt, now))
    .filter((guessedAt) => guessedAt > now - WINDOW_MS);
  return Math.max(...recent) + delayMs(recent.length - free) - now;
}

/** 1, 2, 4 … 60 seconds after so many failures more than the free ones. */
const delayMs = (more: number) => (more < 0 ? 0 : Math.min(2 ** more, LONGEST_S) * 1000);

function tooSoon(waitMs: number): AppError {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new AppError(
    "RATE_LIMITED",
    `Too many wrong passwords or codes. Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter },
    { "retry-after": String(retryAfter) },
  );
}
