import type { Config } from "../config/config.ts";
import { LONGEST_MS as LONGEST_ASKED_MS, readRetryAfter } from "../verdict/politeness/site-load.ts";

/** What of an attempt's outcome the wait goes by. */
type Said =
  | { kind: "answered"; statusCode: number; retryAfter: string | null }
  | { kind: "failed"; error: string };

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
  /** By the schedule, the one that failed included. */
  attempts: number;
  outcome: Said;
  now: number;
  /** Waits between attempts, in seconds. */
  retrySeconds: readonly number[];
  /** From 0 to 1, as of `Math.random`. */
  random: number;
}): number | null {
  const { attempts, outcome, now } = input;
  const seconds = input.retrySeconds[attempts - 1];
  if (seconds === undefined) return null;
  const planned = seconds * 1000 * (LEAST_JITTER + JITTER_RANGE * input.random);
  return now + Math.round(Math.max(planned, leastWait(outcome), askedWait(outcome, now)));
}

/** No delivery waits longer than this for its next attempt. */
export const longestWaitMs = ({ webhookRetrySeconds }: Pick<Config, "webhookRetrySeconds">) =>
  Math.max(
    LONGEST_ASKED_MS,
    OVERLOAD_MS,
    ...webhookRetrySeconds.map((seconds) => seconds * 1000 * (LEAST_JITTER + JITTER_RANGE)),
  );

function leastWait(outcome: Said): number {
  const isOverload =
    outcome.kind === "answered"
      ? OVERLOADED.includes(outcome.statusCode)
      : outcome.kind === "failed" && outcome.error === "timeout";
  return isOverload ? OVERLOAD_MS : 0;
}

const askedWait = (outcome: Said, now: number) =>
  outcome.kind === "answered" ? (readRetryAfter(outcome.retryAfter, now) ?? 0) : 0;
