import type { SentinelReport } from "../online.ts";
import { type Reason, type Verdict, verdictOf } from "../reasons.ts";
import type { Finding, Profile, Signal } from "./finding.ts";
import type { Hop } from "./hops.ts";
import type { Probe } from "./probe.ts";

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

/** Other addresses that were requested to judge the page, such as a random one next to it. */
export type ProbeRecord = {
  asked: "sibling" | "root" | "home" | "subdomain" | "service" | "canary";
  url: string;
  status: number | null;
  /** Of a failure. */
  reason: Reason | null;
  /** Where its redirects led, if there were any. */
  final_url: string | null;
};

/** What a check saw, as JSON for anyone who asks why. Holds no secrets of ours and no user names. */
export type Evidence = {
  attempts: AttemptRecord[];
  redirects: Hop[];
  final_url: string | null;
  address: string | null;
  tls_expires_at: string | null;
  /** What on the page, or around it, spoke for the verdict. */
  signals: Signal[];
  probes: ProbeRecord[];
  /** What else may help a person: the same address over plain http, a redirect to less safety. */
  notes: string[];
  /** What the sentinels said, when they were asked whether this monitor is online. */
  monitor?: SentinelReport;
  /** Status changes so often that death takes longer to be believed. */
  flapping?: true;
  /** Behind `unconfirmed` and `persistent_failure`: what was seen. */
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
  /** Death was seen that must be seen in several checks over so many milliseconds. */
  patienceMs: number | null;
  /** Milliseconds for which the link is at least left alone. */
  restMs: number | null;
  /**
   * The host asked to be left alone, so nothing was asked: the link is due again after so many
   * milliseconds and nothing counts. `reason` is why the host is left alone.
   */
  deferMs: number | null;
  evidence: Evidence;
};

/** An attempt and what it shows. */
export type Observation = { probe: Probe; finding: Finding };

/** How a check ends beyond its last attempt. */
export type Ending = {
  reason: Reason;
  cause?: Reason;
  followUpMs?: number | undefined;
  patienceMs?: number | undefined;
  evidence?: Partial<Evidence>;
};

const LONGEST_URL = 2048;
/** Of the many addresses on the way, less is kept: a hostile site makes them as long as it likes. */
const LONGEST_URL_ON_THE_WAY = 512;

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
    patienceMs: ending.patienceMs ?? null,
    restMs: finding.restMs,
    deferMs: null,
    evidence: {
      ...evidenceOf(attempts, { probe, finding }),
      ...ending.evidence,
      notes: [...(isDowngraded(probe) ? [LESS_SAFE] : []), ...(ending.evidence?.notes ?? [])],
      ...cause,
    },
  };
}

/** The end of a check that saw nothing, whosever fault that is. */
export const sawNothing = (reason: Reason, evidence: Partial<Evidence> = {}): Conclusion => ({
  status: verdictOf(reason),
  reason,
  statusCode: null,
  responseTimeMs: null,
  finalUrl: null,
  redirectCount: 0,
  followUpMs: null,
  patienceMs: null,
  restMs: null,
  deferMs: null,
  evidence: {
    attempts: [],
    redirects: [],
    final_url: null,
    address: null,
    tls_expires_at: null,
    signals: [],
    probes: [],
    notes: [],
    ...evidence,
  },
});

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

function evidenceOf(attempts: AttemptRecord[], { probe, finding }: Observation): Evidence {
  const { hops, finalUrl, address, tlsExpiresAt } = probe;
  return {
    attempts,
    redirects: hops.map((hop) => ({ ...hop, url: toShownOnTheWay(hop.url) })),
    final_url: toShown(finalUrl),
    address,
    tls_expires_at: tlsExpiresAt === null ? null : new Date(tlsExpiresAt).toISOString(),
    signals: finding.signals,
    probes: [],
    notes: [],
  };
}

const LESS_SAFE = "The redirects leave https for plain http.";

/** Whether the way led from an encrypted connection to one that is not. */
function isDowngraded({ hops, finalUrl }: Probe): boolean {
  const way = [...hops.map(({ url }) => url), finalUrl];
  return way.some((url, i) => url.startsWith("http:") && way[i - 1]?.startsWith("https:"));
}

/** A URL fit for keeping: without user name and password, and not endless. */
const toShown = (url: string) => url.replace(/^([a-z]+:\/*)[^/?#]*@/i, "$1").slice(0, LONGEST_URL);

/** The same for one of the addresses that a check passes or asks for on its way. */
export const toShownOnTheWay = (url: string) => toShown(url).slice(0, LONGEST_URL_ON_THE_WAY);
