import type { Verdict } from "../db/tables.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import { isMonitorFault } from "../verdict/reasons/reasons.ts";
import type { ClaimedLink } from "./claim.ts";
import { asPersistent, isPersistent, type Series, seriesAfter } from "./persistence.ts";

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

export type Settlement = {
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
};

/** How a check ended, at `at` by the wall clock. */
export type Result = { link: ClaimedLink; conclusion: Conclusion; at: number };

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
  if (isMonitorFault(reason)) return { kind: "void", dueAt: at + pauseAfter(seen) };
  const series = seriesAfter(link, seen, at);
  const conclusion = series && isPersistent(series, seen, at) ? asPersistent(seen) : seen;
  return conclusion.status === "unknown"
    ? inconclusive(link, conclusion, series)
    : decided(link, conclusion, { status: conclusion.status, series });
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
    kind: "settled",
    conclusion,
    status,
    reason,
    statusChanged: link.status !== status,
    decidedStatus: status,
    decidedReason: reason,
    inconclusiveChecks: 0,
    series,
    event: isChange ? event : null,
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
