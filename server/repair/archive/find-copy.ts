import type { Memory } from "../../judge/identity/memory.ts";
import type { Deps } from "../../work/deps.ts";

/** A dead link, and what is known of the page that it led to. Moments are milliseconds since 1970. */
export type Wanted = {
  /** Of the link, whose account has asked for copies. */
  accountNo: number;
  url: string;
  /** Null if it never was active. */
  lastActiveAt: number | null;
  /** Where it led to while it was active, if that was elsewhere. */
  finalUrl: string | null;
  memory: Memory | null;
  /** When its page was first seen; null without a memory. */
  firstSeenAt: number | null;
  /** Whether the page is known to have become another one since. */
  hasChanged: boolean;
  /** A person asks for this link, and knows that the archive learns its URL. */
  isByHand: boolean;
  signal?: AbortSignal;
};

/** Whether a page is the remembered one; `unknown` where nothing is remembered that could be compared. */
export type Matches = "yes" | "no" | "unknown";

export type Copy = {
  /** Of the archive's page, for people. */
  url: string;
  captured_at: number;
  matches: Matches;
};

/** Why a capture is not offered: the reason of a verdict, or one of its own such as `not_archived`. */
export type Refusal = { reason: string; captured_at: number | null };

export type Found =
  | { state: "found"; copy: Copy }
  | { state: "nothing_good"; reasons: Refusal[] }
  /** The archive is not to be asked now. */
  | { state: "unavailable"; retryAt: number }
  | { state: "not_asked"; reason: "private" };

/**
 * Looks for an archived copy of a dead link's page which our own rules judge active. Waits for its turn at the archive,
 * so it may take minutes. Does not look whether the account wants that: see `lookupsOf`.
 */
export async function findCopy(_deps: Deps, _wanted: Wanted): Promise<Found> {
  return { state: "unavailable", retryAt: Number.POSITIVE_INFINITY };
}
