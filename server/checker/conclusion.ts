import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import type { Profile } from "./profiles.ts";
import { type Reason, type Verdict, verdictOf } from "./reasons.ts";

/** One attempt as it is kept. `at` is ISO 8601. */
export type AttemptRecord = {
  at: string;
  profile: Profile;
  outcome: "answered" | "failed";
  status: number | null;
  reason: Reason;
  /** One sentence about a failure. */
  detail: string | null;
  elapsed_ms: number;
  address: string | null;
};

/** What a check saw, as JSON for anyone who asks why. Holds no secrets of ours and no user names. */
export type Evidence = {
  attempts: AttemptRecord[];
  redirects: { url: string; status: number }[];
  final_url: string | null;
  address: string | null;
  tls_expires_at: string | null;
  cause?: Reason;
};

/** What a whole check came to. */
export type Conclusion = {
  status: Verdict;
  reason: Reason;
  /** Behind `unconfirmed`: what was seen but not seen again. */
  cause?: Reason;
  statusCode: number | null;
  responseTimeMs: number | null;
  finalUrl: string | null;
  redirectCount: number;
  /** Milliseconds after which the link wants another check, whatever its frequency. */
  followUpMs: number | null;
  /** Milliseconds for which the server wants to be left alone. */
  retryAfterMs: number | null;
  evidence: Evidence;
};

/** An attempt and what it shows. */
export type Observation = { probe: Probe; finding: Finding };

type Ending = { reason: Reason; cause?: Reason; followUpMs?: number };

const LONGEST_URL = 2048;

/** What a check comes to, by its last attempt; `ending` may overrule that attempt's reason. */
export function conclude(
  attempts: AttemptRecord[],
  { probe, finding }: Observation,
  ending: Ending,
): Conclusion {
  const cause = ending.cause && { cause: ending.cause };
  return {
    status: verdictOf(ending.reason),
    reason: ending.reason,
    ...cause,
    statusCode: probe.kind === "answered" ? probe.status : null,
    responseTimeMs: probe.kind === "answered" ? probe.responseTimeMs : null,
    finalUrl: toShown(probe.finalUrl),
    redirectCount: probe.hops.length,
    followUpMs: ending.followUpMs ?? null,
    retryAfterMs: finding.retryAfterMs,
    evidence: { ...evidenceOf(attempts, probe), ...cause },
  };
}

/** One attempt as the evidence shows it; `at` is wall time in milliseconds. */
export function recordOf(
  { probe, finding }: Observation,
  profile: Profile,
  at: number,
): AttemptRecord {
  return {
    at: new Date(at).toISOString(),
    profile,
    outcome: probe.kind,
    status: probe.kind === "answered" ? probe.status : null,
    reason: finding.reason,
    detail: probe.kind === "failed" ? probe.detail : null,
    elapsed_ms: Math.round(probe.elapsedMs),
    address: probe.address,
  };
}

function evidenceOf(attempts: AttemptRecord[], probe: Probe): Evidence {
  const { hops, finalUrl, address, tlsExpiresAt } = probe;
  return {
    attempts,
    redirects: hops.map(({ url, status }) => ({ url: toShown(url), status })),
    final_url: toShown(finalUrl),
    address,
    tls_expires_at: tlsExpiresAt === null ? null : new Date(tlsExpiresAt).toISOString(),
  };
}

/** A URL fit for keeping: without user name and password, and not endless. */
const toShown = (url: string) => url.replace(/^([a-z]+:\/*)[^/?#]*@/i, "$1").slice(0, LONGEST_URL);
