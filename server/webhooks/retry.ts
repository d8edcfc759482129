import type { Config } from "../config/config.ts";
import { LONGEST_MS as LONGEST_ASKED_MS, readRetryAfter } from "../verdict/politeness/site-load.ts";

/** The part of an outcome that decides how long to wait. */
type Failure =
  | { kind: "answered"; statusCode: number; retryAfter: string | null }
  | { kind: "failed"; error: string };

/** Responses of an overloaded receiver: an early retry would make it worse. */
const OVERLOADED = [429, 502, 504];
const OVERLOAD_MS = 60_000;
const LEAST_JITTER = 0.8;
const JITTER_RANGE = 0.4;

/**
 * Returns when a delivery is retried after its `attempts`-th attempt failed; null when that was the last. Waits vary by
 * a fifth, so that deliveries that failed together are not retried together; the receiver's `Retry-After` can only
 * lengthen them.
 */
export function nextAttemptAt(input: {
  /** Those of the schedule, the one that failed included. */
  attempts: number;
  outcome: Failure;
  now: number;
  /** Waits between attempts, in seconds. */
  retrySeconds: readonly number[];
  /** From 0 to 1, as from `Math.random`. */
  random: number;
}): number | null {
  const { attempts, outcome, now } = input;
  const seconds = input.retrySeconds[attempts - 1];
  if (seconds === undefined) return null;
  const planned = seconds * 1000 * (LEAST_JITTER + JITTER_RANGE * input.random);
  return now + Math.round(Math.max(planned, leastWait(outcome), requestedWait(outcome, now)));
}

/** Longest wait for the next attempt. */
export const longestWaitMs = ({ webhookRetrySeconds }: Pick<Config, "webhookRetrySeconds">) =>
  Math.max(
    LONGEST_ASKED_MS,
    OVERLOAD_MS,
    ...webhookRetrySeconds.map((seconds) => seconds * 1000 * (LEAST_JITTER + JITTER_RANGE)),
  );

function leastWait(outcome: Failure): number {
  const isOverload =
    outcome.kind === "answered"
      ? OVERLOADED.includes(outcome.statusCode)
      : outcome.kind === "failed" && outcome.error === "timeout";
  return isOverload ? OVERLOAD_MS : 0;
}

const requestedWait = (outcome: Failure, now: number) =>
  outcome.kind === "answered" ? (readRetryAfter(outcome.retryAfter, now) ?? 0) : 0;
