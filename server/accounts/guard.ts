import { and, asc, eq, gt, inArray, lte } from "drizzle-orm";
import { isDuplicate, type Store } from "../ground/db/store.ts";
import { guesses } from "../ground/db/tables.ts";
import { AppError } from "../ground/lib/errors.ts";
import { hashToken } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { createPasswords, type Passwords } from "../ground/lib/passwords.ts";
import { contextOf, rangesOf } from "../http/caller.ts";
import { limiterFor, type RateLimiter, rateLimited } from "../http/rate-limit.ts";
import type { Deps } from "../work/deps.ts";

/** Rate limits of proofs, per network from the narrowest to the widest. The first also limits a session or browser. */
const QUOTAS = [
  { perMinute: 20, perHour: 100 },
  { perMinute: 40, perHour: 200 },
  { perMinute: 80, perHour: 400 },
];

/** Enough to invite a team, and too few to try out addresses. */
const INVITATIONS = { perMinute: 10, perHour: 50 };

/** Mails with a link for a new password: to one address, and as requested from one network. */
const MAILS_TO_ADDRESS = { perMinute: 3, perHour: 3 };
const MAILS_FROM_NETWORK = { perMinute: 20, perHour: 20 };

const WINDOW_MS = 15 * 60_000;
const LONGEST_DELAY_S = 60;

/** Free guesses in each network, the narrowest first. Even with the last, a thousand guesses take 16 hours. */
const FREE_IN_NETWORK = [3, 5, 7];
/** Free guesses on one person from everywhere: enough that one network cannot use them up. */
const FREE_EVERYWHERE = 100;
const FREE = 3;

/** Protects passwords and codes against guessing. All routes that take a proof share one. */
export type Guard = {
  passwords: Passwords;
  /**
   * Counts a proof by someone who is not signed in.
   * @param device the id of a device cookie, under which it counts instead of under its network
   * @throws RATE_LIMITED
   */
  countGuess(request: Request, device?: string | null): Promise<void>;
  /** Counts a proof in a session; others in the same network cannot use up its limit. @throws RATE_LIMITED */
  countProof(request: Request): Promise<void>;
  /** Counts an invitation into an account. @throws RATE_LIMITED */
  countInvitation(accountId: string): Promise<void>;
  /** Counts a request for a link for a new password, whether or not there is such a user. @throws RATE_LIMITED */
  countPasswordMail(request: Request, name: string): Promise<void>;
};

export function createGuard(deps: Deps): Guard {
  const limiters = QUOTAS.map((quota, i) => limiterFor(deps, `guesses ${i}`, quota));
  const invitations = limiterFor(deps, "invitations", INVITATIONS);
  const mailsTo = limiterFor(deps, "password mails to", MAILS_TO_ADDRESS);
  const mailsFrom = limiterFor(deps, "password mails from", MAILS_FROM_NETWORK);
  const count = async (limiter: RateLimiter, caller: string) => {
    const allowance = await limiter(caller);
    if (!allowance.allowed) throw rateLimited(allowance);
  };
  return {
    passwords: createPasswords(deps.config.passwordMemoryMb),
    async countGuess(request, device) {
      const callers = device ? [`device ${device}`] : rangesOf(contextOf(request).address());
      for (const [i, caller] of callers.entries()) await count(limiters[i]!, caller);
    },
    countProof: (request) =>
      count(limiters[0]!, `session ${contextOf(request).session?.tokenHash}`),
    countInvitation: (accountId) => count(invitations, accountId),
    async countPasswordMail(request, name) {
      await count(mailsFrom, rangesOf(contextOf(request).address())[0]!);
      await count(mailsTo, hashToken(name));
    },
  };
}

/** A name under which guesses are counted, and how many are free before the first delay. */
type Bucket = {
  name: string;
  free: number;
  /** Guesses of others count here too, so a right one clears only itself. */
  isShared?: boolean;
};

/** One guess, which counts in all buckets. It waits for all of `buckets`, or for `pass` alone if that is sooner. */
export type Attempt = {
  buckets: Bucket[];
  pass?: Bucket | undefined;
  /** Written with the count, and undone unless the guess was wrong. */
  also?: Tally;
};

export type Tally = { count(tx: Store): Promise<void>; undo(tx: Store): Promise<void> };

/** Where a request comes from: its networks, narrowest first, and the id of the person's device cookie if it has one. */
export type Source = { networks: string[]; device?: string | null | undefined };

/**
 * A sign-in counts per person and network, and loosely per person, so that no one can lock the person out of another
 * network. A browser in which the person signed in before is not delayed by guesses from elsewhere.
 */
export const signInAttempt = (email: string, { networks, device }: Source): Attempt => ({
  buckets: [
    ...networks.map((network, i) => ({
      name: `sign-in ${email} ${network}`,
      free: FREE_IN_NETWORK[i] ?? FREE,
    })),
    { name: `sign-in ${email}`, free: FREE_EVERYWHERE, isShared: true },
  ],
  pass: passOf(device),
});

/** A code has only six digits, so it counts per person from everywhere. It is asked for after the right password. */
export const codeAttempt = (email: string, { device }: Source): Attempt => ({
  buckets: [{ name: `code ${email}`, free: FREE }],
  pass: passOf(device && `code ${device}`),
});

/** A proof in a session; strangers cannot use up its free guesses. */
export const proofAttempt = ({ tokenHash }: { tokenHash: string }): Attempt => ({
  buckets: [{ name: `session ${tokenHash}`, free: FREE }],
});

/** A code together with a one-time link. */
export const linkAttempt = (token: string): Attempt => ({
  buckets: [{ name: `link ${hashToken(token)}`, free: FREE }],
});

/** The queue of `Passwords` in which a request waits for its password to be hashed. */
export const turnOf = ({ networks, device }: Source) => device ?? networks.at(-1);

const passOf = (device: string | null | undefined) =>
  device ? { name: `device ${device}`, free: FREE } : undefined;

type Row = typeof guesses.$inferSelect;

type Guessing = Pick<Deps, "store" | "clock">;

/** A guess that was counted, and its rows. */
type Counted = { attempt: Attempt; rows: Row[] };

/**
 * Makes one guess. An error that the work returns means a wrong guess, which stays counted; after an error that it
 * throws, the guess does not count.
 * @throws RATE_LIMITED while it has to wait, and either error
 */
export async function guess<T>(
  deps: Guessing,
  attempt: Attempt,
  work: () => Promise<T | AppError>,
): Promise<T> {
  const counted = await beginGuess(deps, attempt);
  const outcome = await work().catch(async (error) => {
    await withdrawGuess(deps, counted).catch((failure) =>
      log.error("failed to withdraw a guess", describeError(failure)),
    );
    throw error;
  });
  if (outcome instanceof AppError) throw outcome;
  await clearGuesses(deps, counted);
  return outcome;
}

/**
 * Counts an attempt as failed before its outcome is known, so that parallel guesses are delayed as well, in all
 * processes. The numbers are the lock: of two at once one finds a number taken, and tries again with the next one.
 * @throws RATE_LIMITED while it has to wait, which is never longer than a minute
 */
export async function beginGuess({ store, clock }: Guessing, attempt: Attempt): Promise<Counted> {
  for (;;) {
    try {
      const counted = await store.transaction((tx) => countGuess(tx, attempt, clock.now()));
      if (counted instanceof AppError) throw counted;
      return counted;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}

/** The attempt was right: deletes the guesses before it. */
export const clearGuesses = ({ store }: Guessing, { attempt, rows }: Counted): Promise<void> =>
  store.transaction(async (tx) => {
    const own = bucketsOf(attempt).flatMap(({ name, isShared }) =>
      isShared ? [] : hashToken(name),
    );
    await tx.delete(guesses).where(inArray(guesses.account, own));
    const shared = rows.filter(({ account }) => !own.includes(account));
    await deleteRows(tx, shared);
    await attempt.also?.undo(tx);
  });

/** The attempt was neither right nor wrong: it does not count. */
export const withdrawGuess = ({ store }: Guessing, { attempt, rows }: Counted): Promise<void> =>
  store.transaction(async (tx) => {
    await deleteRows(tx, rows);
    await attempt.also?.undo(tx);
  });

/** Deletes guesses that no longer count. Run by housekeeping. */
export const deleteOldGuesses = ({ store, clock }: Guessing) =>
  store.delete(guesses).where(lte(guesses.guessedAt, clock.now() - WINDOW_MS));

async function deleteRows(tx: Store, rows: Row[]) {
  for (const { account, n } of rows) {
    await tx.delete(guesses).where(and(eq(guesses.account, account), eq(guesses.n, n)));
  }
}

const bucketsOf = ({ buckets, pass }: Attempt) => [...buckets, ...(pass ? [pass] : [])];

/** Returns the refusal, since throwing it would undo the repair of times. */
async function countGuess(tx: Store, attempt: Attempt, now: number): Promise<Counted | AppError> {
  // SHA-256, since some people type their password into the e-mail field. All processes lock rows in the same order.
  const names = bucketsOf(attempt)
    .map(({ name }) => hashToken(name))
    .sort();
  const areTheirs = inArray(guesses.account, names);
  const found = await tx.select().from(guesses).where(areTheirs).orderBy(asc(guesses.n));
  const isAhead = gt(guesses.guessedAt, now);
  // After the clock was set back, guesses would wait until it has caught up.
  if (found.some(({ guessedAt }) => guessedAt > now)) {
    await tx.update(guesses).set({ guessedAt: now }).where(and(areTheirs, isAhead));
  }
  const known = found.map((row) => ({ ...row, guessedAt: Math.min(row.guessedAt, now) }));
  const waitMs = waitMsOf(attempt, known, now);
  if (waitMs > 0) return tooSoon(waitMs);
  const rows = names.map((account) => ({ account, n: nextOf(known, account), guessedAt: now }));
  await tx.delete(guesses).where(and(areTheirs, lte(guesses.guessedAt, now - WINDOW_MS)));
  await tx.insert(guesses).values(rows);
  await attempt.also?.count(tx);
  return { attempt, rows };
}

const nextOf = (known: Row[], account: string) =>
  (known.findLast((row) => row.account === account)?.n ?? 0) + 1;

function waitMsOf({ buckets, pass }: Attempt, known: Row[], now: number): number {
  const needed = Math.max(...buckets.map((bucket) => waitMsIn(bucket, known, now)));
  return pass ? Math.min(needed, waitMsIn(pass, known, now)) : needed;
}

function waitMsIn({ name, free }: Bucket, known: Row[], now: number): number {
  const account = hashToken(name);
  const recent = known
    .filter((row) => row.account === account && row.guessedAt > now - WINDOW_MS)
    .map(({ guessedAt }) => guessedAt);
  return Math.max(...recent) + delayMs(recent.length - free) - now;
}

/** 1, 2, 4 … 60 seconds for each failure beyond the free ones. */
const delayMs = (more: number) => (more < 0 ? 0 : Math.min(2 ** more, LONGEST_DELAY_S) * 1000);

function tooSoon(waitMs: number): AppError {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new AppError(
    "RATE_LIMITED",
    `Too many wrong passwords or codes. Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter },
    { "retry-after": String(retryAfter) },
  );
}
