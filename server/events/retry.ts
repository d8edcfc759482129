import { readRetryAfter } from "../checker/manners/retry-after.ts";
import type { Outcome } from "./send.ts";

/** Answers of a receiver that has too much to do: coming back soon would make it worse. */
const OVERLOADED = [429, 502, 504];
const OVERLOAD_MS = 60_000;
const LEAST_JITTER = 0.8;
const JITTER_RANGE = 0.4;

/**
 * When a delivery is tried again after its `attempts`-th attempt failed, or null when that was the
 * last. Waits vary by a fifth either way, so that what failed together does not come back together;
 * a receiver's own `Retry-After` can only lengthen them.
 */
export function nextAttemptAt(input: {
  attempts: number;
  outcome: Outcome;
  now: number;
  /** Waits between attempts, in seconds. */
  retrySeconds: readonly number[];
  /** As `Math.random`. */
  random: () => number;
}): number | null {
  const { attempts, outcome, now } = input;
  const seconds = input.retrySeconds[attempts - 1];
  if (seconds === undefined) return null;
  const planned = seconds * 1000 * (LEAST_JITTER + JITTER_RANGE * input.random());
  return now + Math.round(Math.max(planned, leastWait(outcome), askedWait(outcome, now)));
}

function leastWait(outcome: Outcome): number {
  const isOverload =
    outcome.kind === "answered"
      ? OVERLOADED.includes(outcome.statusCode)
      : outcome.kind === "failed" && outcome.error === "timeout";
  return isOverload ? OVERLOAD_MS : 0;
}

const askedWait = (outcome: Outcome, now: number) =>
  outcome.kind === "answered" ? (readRetryAfter(outcome.retryAfter, now) ?? 0) : 0;
