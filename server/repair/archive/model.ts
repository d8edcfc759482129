import type { Matches } from "../../judge/identity/matches.ts";
import type { Memory } from "../../judge/identity/memory.ts";

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

export type Copy = {
  /** Of the archive's page, for people. */
  url: string;
  captured_at: number;
  matches: Matches;
};

/** Why a capture is not offered: the reason of a verdict, or one of `OWN_REASONS`. */
export type Refusal = { reason: string; captured_at: number | null };

export type Found =
  | { state: "found"; copy: Copy }
  | { state: "nothing_good"; reasons: Refusal[] }
  /** The archive is not to be asked now. */
  | { state: "unavailable"; retryAt: number }
  | { state: "not_asked"; reason: "private" };
