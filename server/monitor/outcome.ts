import type { Verdict } from "../db/tables.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import { isMonitorFault } from "../verdict/reasons/reasons.ts";
import type { ClaimedLink } from "./claim.ts";
import { asPersistent, isPersistent, type Series, seriesAfter } from "./persistence.ts";

/** Inconclusive checks in a row after which a link no longer shows its last decided status. */
const PATIENCE = 3;
/** When to try again after a fault of the way out, which may be over soon. */
const SHORT_PAUSE_MS = 60_000;
/** After any other: it may come again with every check of the link, and each of them asks its site. */
const LONG_PAUSE_MS = 15 * 60_000;

/** What a check makes of its link. */
export type Outcome =
  /** Nothing was learned: the link stays as it is, nothing is counted, and it is due again. */
  { kind: "void"; dueAt: number } | Settlement;

export type Settlement = {
  kind: "settled";
  /** As history and events tell it: what was seen, or that it has been seen for too long. */
  conclusion: Conclusion;
  status: Verdict;
  reason: string;
  statusChanged: boolean;
  decidedStatus: "active" | "dead" | null;
  decidedReason: string | null;
  inconclusiveChecks: number;
  /** The failures in a row of which this check is the latest. */
  series: Series | null;
  /** The event that is due: told against the last decided status, so that nothing is told twice. */
  event: "link.dead" | "link.alive" | null;
};

/**
 * Active and dead take hold at once, and so does the same failure once it has gone on for too long. Any
 * other unknown leaves the last decided status standing twice; with the third in a row the link becomes
 * unknown. `at` is when the check ended.
 */
export function outcomeOf(link: ClaimedLink, seen: Conclusion, at: number): Outcome {
  const { deferMs, reason } = seen;
  if (deferMs !== null) return { kind: "void", dueAt: at + deferMs };
  if (isMonitorFault(reason)) return { kind: "void", dueAt: at + pauseAfter(seen) };
  const series = seriesAfter(link, seen, at);
  const conclusion = series && isPersistent(series, seen, at) ? asPersistent(seen) : seen;
  return conclusion.status === "unknown"
    ? inconclusive(link, conclusion, series)
    : decided(link, conclusion, { status: conclusion.status, series });
}

function pauseAfter({ reason, statusCode }: Conclusion): number {
  // Whoever runs next, or is online again, can check the link at once.
  if (reason === "check_aborted" || reason === "monitor_offline") return 0;
  const isOfWayOut = reason === "monitor_degraded" || reason === "monitor_proxy_error";
  return isOfWayOut && statusCode === null ? SHORT_PAUSE_MS : LONG_PAUSE_MS;
}

function decided(
  link: ClaimedLink,
  conclusion: Conclusion,
  { status, series }: { status: "active" | "dead"; series: Series | null },
): Settlement {
  const { reason } = conclusion;
  const isNews = link.decidedStatus !== status;
  const event = status === "dead" ? "link.dead" : "link.alive";
  return {
    kind: "settled",
    conclusion,
    status,
    reason,
    statusChanged: link.status !== status,
    decidedStatus: status,
    decidedReason: reason,
    inconclusiveChecks: 0,
    series,
    event: isNews ? event : null,
  };
}

function inconclusive(
  link: ClaimedLink,
  conclusion: Conclusion,
  series: Series | null,
): Settlement {
  const { reason } = conclusion;
  const { decidedStatus, decidedReason } = link;
  const inconclusiveChecks = link.inconclusiveChecks + 1;
  const keeps = link.status !== "unknown" && inconclusiveChecks < PATIENCE;
  const status = keeps ? link.status : "unknown";
  return {
    kind: "settled",
    conclusion,
    status,
    reason: keeps ? (link.reason ?? reason) : reason,
    statusChanged: link.status !== status,
    decidedStatus,
    decidedReason,
    inconclusiveChecks,
    series,
    event: null,
  };
}
