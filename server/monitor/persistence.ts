import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { DeadReason, Reason } from "../verdict/reasons/reasons.ts";

/**
 * Class C4 of docs/verdicts.md: no single check proves death, but the same failure in check after
 * check, for days, does.
 */
export type Series = {
  /** What kind of failure it is: several reasons may tell of the same trouble. */
  kind: FailureKind | DeadReason;
  /** When the first check failed like this, in milliseconds since 1970. */
  since: number;
  checks: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long each kind of failure must go on before it means death. */
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
  // Looked at again as often as the others, but the service's trouble is not the link's.
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

/** The columns of a link that hold its series. */
type Failing = {
  failingClass: string | null;
  failingSince: number | null;
  failingChecks: number | null;
};

/** The series with this check in it, which may have begun with it; null when there is none. */
export function seriesAfter(link: Failing, conclusion: Conclusion, at: number): Series | null {
  const kind = lastingDeath(conclusion) ?? kindOf(conclusion);
  if (!kind) return null;
  const { failingClass, failingSince: since, failingChecks: checks } = link;
  const goesOn = kind === failingClass && since !== null && checks !== null;
  return goesOn ? { kind, since, checks: checks + 1 } : { kind, since: at, checks: 1 };
}

/** Whether the same has been seen so often and for so long that the link is dead. */
export const isPersistent = (
  { kind, since, checks }: Series,
  { patienceMs }: Conclusion,
  at: number,
): boolean =>
  checks >= LEAST_CHECKS && at - since >= (patienceMs ?? PATIENCE_MS[kind as FailureKind]);

/** What the check then comes to: dead, for what was seen all the time. */
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

/** Death that a service tells, and which counts only when it is told for long enough. */
const lastingDeath = ({ patienceMs, cause }: Conclusion): DeadReason | null =>
  patienceMs === null ? null : (cause as DeadReason);

function kindOf({ reason, cause, evidence }: Conclusion): FailureKind | null {
  const isNoticed = (rule: string) => evidence.signals.some((signal) => signal.rule === rule);
  if (isNoticed("no_ipv6_here") || isNoticed("unsafe_location")) return null;
  if (reason === "service_unavailable" && cause !== undefined) return "doubted";
  if (reason === "http_530" && isNoticed("origin_dns_missing")) return "origin_dns_missing";
  return KINDS[reason] ?? (isServerTrouble(reason) ? "server_error" : null);
}

/** 501 does not tell of trouble: the server does not know the method (RFC 9110 §15.6.2). */
const isServerTrouble = (reason: Reason) => /^http_5\d\d$/.test(reason) && reason !== "http_501";
