import type { Verdict } from "../ground/lib/vocabulary.ts";
import type { Compared } from "../judge/identity/compare.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import { type DeadReason, isMonitorFault, type Reason } from "../judge/reasons/reasons.ts";
import type { Override } from "../links/fields/override.ts";
import type { OverrideEnd } from "../links/triage/after-checks.ts";
import type { ClaimedLink } from "./claim.ts";

/** Inconclusive checks in a row after which a link no longer shows its last decided status. */
const PATIENCE = 3;
/** Pause after a fault of this monitor's own network, which may be over soon. */
const SHORT_PAUSE_MS = 60_000;
/** Pause after another fault of this monitor: it may recur, and every check sends requests to the site. */
const LONG_PAUSE_MS = 15 * 60_000;

/** What a check means for its link. */
export type Outcome =
  /** It decides nothing: the link stays as it is, nothing is counted, and it is due again. */
  { kind: "void"; dueAt: number } | Settlement;

type Settlement = {
  kind: "settled";
  /** As history and events show it: what was seen, or that it has been seen for too long. */
  conclusion: Conclusion;
  status: Verdict;
  reason: string;
  statusChanged: boolean;
  decidedStatus: "active" | "dead" | null;
  decidedReason: string | null;
  inconclusiveChecks: number;
  /** Consecutive failures, this check included. */
  series: Series | null;
  /** The event to publish: by the last decided status, so that none is published twice. */
  event: "link.dead" | "link.alive" | null;
  /** Why the check ends an override; null if it does not. */
  overrideEnds: OverrideEnd["why"] | null;
};

/** How a check ended, at `at` by the wall clock. */
export type Result = {
  link: ClaimedLink;
  conclusion: Conclusion;
  at: number;
  /** What the comparison with the remembered page changes; missing if nothing. */
  compared?: Compared;
};

/** A result that counts, and what it makes of its link. Its conclusion is that of the outcome. */
export type Settled = Omit<Result, "conclusion"> & {
  outcome: Settlement;
  /** Time in history: the end of the check, but always after the link's last one, even if the clock was set. */
  checkedAt: number;
};

export const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms));

/**
 * Decides what a check that ended at `at` means for its link. Active and dead count at once, and so does a failure that
 * has lasted for too long. Any other unknown keeps the last decided status twice; with the third the link is unknown.
 */
export function outcomeOf(link: ClaimedLink, seen: Conclusion, at: number): Outcome {
  const { deferMs, reason } = seen;
  if (deferMs !== null) return { kind: "void", dueAt: at + deferMs };
  if (isMonitorFault(reason) && !seen.endedProcess)
    return { kind: "void", dueAt: at + pauseAfter(seen) };
  const override = link.override ?? null;
  if (override && override.until > at && overrules(override, seen))
    return decided(link, overruled(seen), { status: "active", series: null });
  return { ...judged(link, seen, at), overrideEnds: override && whyOver(override, seen, at) };
}

function judged(link: ClaimedLink, seen: Conclusion, at: number): Settlement {
  const series = seriesAfter(link, seen, at);
  const conclusion = series && isPersistent(series, seen, at) ? toPersistent(seen) : seen;
  return conclusion.status === "unknown"
    ? inconclusive(link, conclusion, series)
    : decided(link, conclusion, { status: conclusion.status, series });
}

/** Whether the check saw the very thing that a person has overruled. */
function overrules({ overruled: { reason, cause, ...rest } }: Override, seen: Conclusion): boolean {
  const known = [reason, cause].filter((each) => each !== null);
  return (
    [seen.reason, seen.cause].some((each) => each !== undefined && known.includes(each)) &&
    seen.statusCode === rest.status_code &&
    (URL.parse(seen.finalUrl ?? "")?.host ?? null) === rest.final_host
  );
}

/** The page is not kept as one of a link that is alive. */
const overruled = ({ response: _, ...seen }: Conclusion): Conclusion => ({
  ...seen,
  status: "active",
  reason: "ok_overridden",
  cause: seen.reason,
  followUpMs: null,
  patienceMs: null,
});

/** An unknown result says nothing new, so the override stays. */
function whyOver({ until }: Override, { status }: Conclusion, at: number) {
  if (until <= at) return "expired";
  if (status === "active") return "worked";
  return status === "dead" ? "changed" : null;
}

function pauseAfter({ reason, statusCode }: Conclusion): number {
  // The next process, or this one once it is online, can check the link at once.
  if (reason === "check_aborted" || reason === "monitor_offline") return 0;
  const isOwnNetwork = reason === "monitor_degraded" || reason === "monitor_proxy_error";
  return isOwnNetwork && statusCode === null ? SHORT_PAUSE_MS : LONG_PAUSE_MS;
}

function decided(
  link: ClaimedLink,
  conclusion: Conclusion,
  { status, series }: { status: "active" | "dead"; series: Series | null },
): Settlement {
  const { reason } = conclusion;
  const isChange = link.decidedStatus !== status;
  const event = status === "dead" ? "link.dead" : "link.alive";
  return {
    ...unchanged(link, conclusion),
    status,
    reason,
    statusChanged: link.status !== status,
    series,
    decidedStatus: status,
    decidedReason: reason,
    inconclusiveChecks: 0,
    event: isChange ? event : null,
  };
}

function inconclusive(
  link: ClaimedLink,
  conclusion: Conclusion,
  series: Series | null,
): Settlement {
  const inconclusiveChecks = link.inconclusiveChecks + 1;
  const keepsStatus = link.status !== "unknown" && inconclusiveChecks < PATIENCE;
  return {
    ...unchanged(link, conclusion),
    ...(!keepsStatus && { status: "unknown", reason: conclusion.reason }),
    statusChanged: !keepsStatus && link.status !== "unknown",
    inconclusiveChecks,
    series,
  };
}

/** A check that leaves its link as it is. */
export const unchanged = (link: ClaimedLink, conclusion: Conclusion): Settlement => ({
  kind: "settled",
  conclusion,
  status: link.status,
  reason: link.reason ?? conclusion.reason,
  statusChanged: false,
  decidedStatus: link.decidedStatus,
  decidedReason: link.decidedReason,
  inconclusiveChecks: link.inconclusiveChecks,
  series: null,
  event: null,
  overrideEnds: null,
});

/** Class C4 of docs/verdicts.md: no single check proves death, but the same failure in all checks for days does. */
type Series = {
  /** Kind of the failure: several reasons may have the same cause. */
  kind: FailureKind | DeadReason;
  /** Time of the first such failure, in milliseconds since 1970. */
  since: number;
  checks: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long each kind of failure must last until the link is dead. */
const PATIENCE_MS = {
  refused: DAY_MS,
  origin_dns_missing: DAY_MS,
  unreachable: 3 * DAY_MS,
  timeout: 3 * DAY_MS,
  reset: 3 * DAY_MS,
  no_address: 3 * DAY_MS,
  redirects: 3 * DAY_MS,
  server_error: 3 * DAY_MS,
  unavailable: 7 * DAY_MS,
  tls: 7 * DAY_MS,
  malformed: 7 * DAY_MS,
  dns_servfail: 7 * DAY_MS,
  bad_location: 7 * DAY_MS,
  placeholder: 7 * DAY_MS,
  site_error: 7 * DAY_MS,
  // The same page as for a random address, where the site offers no page to compare it with.
  uncompared: 7 * DAY_MS,
  // Checked again as often as the others, but the service's failure is not the link's.
  doubted: Number.POSITIVE_INFINITY,
  // Until the credentials are known to work.
  unproven: Number.POSITIVE_INFINITY,
} as const;

type FailureKind = keyof typeof PATIENCE_MS;

const KINDS: Partial<Record<Reason, FailureKind>> = {
  conn_refused: "refused",
  conn_unreachable: "unreachable",
  conn_timeout: "timeout",
  read_timeout: "timeout",
  http_408: "timeout",
  conn_reset: "reset",
  dns_nodata: "no_address",
  redirect_loop: "redirects",
  redirect_too_many: "redirects",
  http_503: "unavailable",
  maintenance: "unavailable",
  tls_protocol: "tls",
  tls_handshake_reset: "tls",
  http_malformed: "malformed",
  header_overflow: "malformed",
  dns_servfail: "dns_servfail",
  redirect_bad_location: "bad_location",
  placeholder_page: "placeholder",
  site_error: "site_error",
  credentials_unproven: "unproven",
};

const LEAST_CHECKS = 3;

/** Columns of a link that hold its series. */
type Failing = {
  failingClass: string | null;
  failingSince: number | null;
  failingChecks: number | null;
};

/** Returns the series with this check, which may be its first; null when there is none. */
function seriesAfter(link: Failing, conclusion: Conclusion, at: number): Series | null {
  const kind = lastingDeath(conclusion) ?? kindOf(conclusion);
  if (!kind) return null;
  const { failingClass, failingSince: since, failingChecks: checks } = link;
  const continues = kind === failingClass && since !== null && checks !== null;
  return continues ? { kind, since, checks: checks + 1 } : { kind, since: at, checks: 1 };
}

/** Whether the failure has lasted so long that the link is dead. */
const isPersistent = (
  { kind, since, checks }: Series,
  { patienceMs }: Conclusion,
  at: number,
): boolean =>
  checks >= LEAST_CHECKS && at - since >= (patienceMs ?? PATIENCE_MS[kind as FailureKind]);

/** Returns the conclusion of such a check: dead, because of what was seen all the time. */
function toPersistent(seen: Conclusion): Conclusion {
  const reason = lastingDeath(seen);
  if (!reason) {
    const cause = { cause: seen.reason };
    return {
      ...persistent(seen, "persistent_failure"),
      ...cause,
      evidence: { ...evidenceOfDeath(seen), ...cause },
    };
  }
  const { cause: _, ...evidence } = evidenceOfDeath(seen);
  const { cause, ...rest } = persistent(seen, reason);
  return { ...rest, evidence };
}

const evidenceOfDeath = ({ evidence, excerpt }: Conclusion) =>
  excerpt === undefined ? evidence : { ...evidence, excerpt };

const persistent = (seen: Conclusion, reason: DeadReason): Conclusion => ({
  ...seen,
  status: "dead",
  reason,
});

/** Returns a death that a service reports, and which counts only if it does so for long enough. */
const lastingDeath = ({ patienceMs, cause }: Conclusion): DeadReason | null =>
  patienceMs === null ? null : (cause as DeadReason);

/** Signals of failures that browsers, or other machines, may not have. */
const NEVER_LASTING = ["no_ipv6_here", "unsafe_location", "answered_malformed"];

function kindOf({ reason, cause, evidence }: Conclusion): FailureKind | null {
  const hasSignal = (rule: string) => evidence.signals.some((signal) => signal.rule === rule);
  if (NEVER_LASTING.some(hasSignal)) return null;
  if (reason === "service_unavailable" && cause !== undefined) return "doubted";
  if (reason === "http_530" && hasSignal("origin_dns_missing")) return "origin_dns_missing";
  if (reason === "soft404_suspected" && hasSignal("no_control")) return "uncompared";
  return KINDS[reason] ?? (isServerError(reason) ? "server_error" : null);
}

/** 501 is not a failure of the server: it does not know the method (RFC 9110 §15.6.2). */
const isServerError = (reason: Reason) => /^http_5\d\d$/.test(reason) && reason !== "http_501";
