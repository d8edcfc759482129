import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";

const WINDOW_MS = 15 * 60_000;
const LONGEST_S = 60;
/** Guesses before the first wait. */
const FREE = 3;
const MOST_ACCOUNTS = 20_000;

/**
 * Makes guessing slow, whoever guesses and from wherever. It never locks an account, since that would
 * let strangers lock its owner out.
 */
export type Delays = {
  /**
   * Counts an attempt as failed before its outcome is known, so that parallel guesses do not slip by.
   * @throws RATE_LIMITED while the account has to wait
   */
  begin(account: string): void;
  /** The attempt was right: all is forgotten. */
  succeed(account: string): void;
  /** The attempt came to nothing: it is not counted. */
  withdraw(account: string): void;
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
  delays.begin(account);
  const outcome = await attempt().catch((error) => {
    delays.withdraw(account);
    throw error;
  });
  if (outcome instanceof AppError) throw outcome;
  delays.succeed(account);
  return outcome;
}

export function createDelays(clock: Clock): Delays {
  const failures = new LRUCache<string, number[]>({ max: MOST_ACCOUNTS });
  return {
    begin(account) {
      const now = clock.elapsed();
      const recent = (failures.get(account) ?? []).filter((at) => at > now - WINDOW_MS);
      const waitMs = (recent.at(-1) ?? now) + delayMs(recent.length) - now;
      if (waitMs > 0) throw tooSoon(waitMs);
      failures.set(account, [...recent, now]);
    },
    succeed: (account) => failures.delete(account),
    withdraw: (account) => failures.get(account)?.pop(),
  };
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
