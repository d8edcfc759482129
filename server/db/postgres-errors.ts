import { SQL } from "bun";
import { causeOf, Duplicate, Gone, Unavailable } from "./store.ts";

/**
 * A unique column has the value; or two make the same table at once, and "if not exists" saw none:
 * the table, its type or its row in the catalogue is then there already, as the moment has it.
 */
const ALREADY_THERE = ["23505", "42P07", "42710"];
const FOREIGN_KEY_VIOLATION = "23503";
/** A deadlock, a serialization failure or a lock that was not to be had undid everything: the same may be tried again. */
const TRY_AGAIN = ["40001", "40P01", "55P03"];
const ATTEMPTS = 5;
/**
 * Out of disk, memory or connections (class 53), trouble with its files (58), read-only, shutting down or
 * starting up, cut off (08, a transaction that was left alone), or not done in time.
 */
const OUT_OF_ORDER = /^(53|58|08|25006$|25P03$|55P03$|57014$|57P0[1-5]$)/;
/** The driver's own: refused, closed, not connected in time. */
const CUT_OFF = /^ERR_POSTGRES_(CONNECTION_|IDLE_TIMEOUT|LIFETIME_TIMEOUT)/;
const READ_ONLY = "25006";

/** Does the work, once more where everything of it was undone by chance. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt < ATTEMPTS && isRetryable(causeOf(error))) continue;
      throw toKnown(causeOf(error));
    }
  }
}

/** The error in the words of every engine, where they have one for it. */
export function toKnown(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error;
  const { message } = error;
  const state = stateOf(error);
  if (ALREADY_THERE.includes(state ?? "")) return new Duplicate(message);
  if (state === FOREIGN_KEY_VIOLATION) return new Gone(message);
  const isOut = CUT_OFF.test(error.code) || OUT_OF_ORDER.test(state ?? "");
  return isOut ? new Unavailable(message) : error;
}

export const asKnown = (error: unknown) => {
  throw toKnown(error);
};

const isRetryable = (error: unknown) => TRY_AGAIN.includes(stateOf(error) ?? "");

/** The same, but an error after which everything may be tried again stays as it is. */
export const asRetryable = (error: unknown) => {
  throw isRetryable(error) ? error : toKnown(error);
};

/** Whether the server only reads: after a failover another one of the same name may write. */
export const isReadOnly = (error: unknown) => stateOf(error) === READ_ONLY;

/** What the server calls it (SQLSTATE); nothing when the driver itself failed. */
const stateOf = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError ? error.errno : undefined;
