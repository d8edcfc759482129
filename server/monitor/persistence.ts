import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { DeadReason, Reason } from "../verdict/reasons/reasons.ts";

/** Class C4 of docs/verdicts.md: no single check proves death, but the same failure in all checks for days does. */
export type Series = {
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
  // Checked again as often as the others, but the service's failure is not the link's.
  doubted: Number.POSITIVE_INFINITY,
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
};

const LEAST_CHECKS = 3;

/** Columns of a link that hold its series. */
type Failing = {
  failingClass: string | null;
  failingSince: number | null;
  failingChecks: number | null;
};

/** Returns the series with this check, which may be its first; null when there is none. */
export function seriesAfter(link: Failing, conclusion: Conclusion, at: number): Series | null {
  const kind = lastingDeath(conclusion) ?? kindOf(conclusion);
  if (!kind) return null;
  const { failingClass, failingSince: since, failingChecks: checks } = link;
  const continues = kind === failingClass && since !== null && checks !== null;
  return continues ? { kind, since, checks: checks + 1 } : { kind, since: at, checks: 1 };
}

/** Whether the failure has lasted so long that the link is dead. */
export const isPersistent = (
  { kind, since, checks }: Series,
  { patienceMs }: Conclusion,
  at: number,
): boolean =>
  checks >= LEAST_CHECKS && at - since >= (patienceMs ?? PATIENCE_MS[kind as FailureKind]);

/** Returns the conclusion of such a check: dead, because of what was seen all the time. */
export function asPersistent(seen: Conclusion): Conclusion {
  const reason = lastingDeath(seen);
  if (!reason) {
    const cause = { cause: seen.reason };
    return {
      ...persistent(seen, "persistent_failure"),
      ...cause,
      evidence: { ...seen.evidence, ...cause },
    };
  }
  const { cause: _, ...evidence } = seen.evidence;
  const { cause, ...rest } = persistent(seen, reason);
  return { ...rest, evidence };
}

const persistent = (seen: Conclusion, reason: DeadReason): Conclusion => ({
  ...seen,
  status: "dead",
  reason,
});

/** Returns a death that a service reports, and which counts only if it does so for long enough. */
const lastingDeath = ({ patienceMs, cause }: Conclusion): DeadReason | null =>
  patienceMs === null ? null : (cause as DeadReason);

function kindOf({ reason, cause, evidence }: Conclusion): FailureKind | null {
  const hasSignal = (rule: string) => evidence.signals.some((signal) => signal.rule === rule);
  if (hasSignal("no_ipv6_here") || hasSignal("unsafe_location")) return null;
  if (reason === "service_unavailable" && cause !== undefined) return "doubted";
  if (reason === "http_530" && hasSignal("origin_dns_missing")) return "origin_dns_missing";
  return KINDS[reason] ?? (isServerError(reason) ? "server_error" : null);
}

/** 501 is not a failure of the server: it does not know the method (RFC 9110 §15.6.2). */
const isServerError = (reason: Reason) => /^http_5\d\d$/.test(reason) && reason !== "http_501";
