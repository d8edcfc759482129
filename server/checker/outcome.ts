import type { Verdict } from "../store/tables.ts";
import type { ClaimedLink } from "./claim.ts";
import type { Conclusion } from "./conclusion.ts";
import { isMonitorFault } from "./reasons.ts";

/** Inconclusive checks in a row after which a link no longer shows its last decided status. */
const PATIENCE = 3;

/** What a check makes of its link. */
export type Outcome =
  /** Our own fault says nothing about the link: it stays as it is and is due again. */
  | { kind: "void" }
  | {
      kind: "settled";
      status: Verdict;
      reason: string;
      statusChanged: boolean;
      decidedStatus: "active" | "dead" | null;
      inconclusiveChecks: number;
      /** The event that is due: told against the last decided status, so that nothing is told twice. */
      event: "link.dead" | "link.alive" | null;
    };

/**
 * Active and dead take hold at once. An unknown leaves the last decided status standing twice; with
 * the third in a row the link becomes unknown.
 */
export function outcomeOf(link: ClaimedLink, { status, reason }: Conclusion): Outcome {
  if (isMonitorFault(reason)) return { kind: "void" };
  if (status === "unknown") return inconclusive(link, reason);
  const isNews = link.decidedStatus !== status;
  const event = status === "dead" ? "link.dead" : "link.alive";
  return {
    kind: "settled",
    status,
    reason,
    statusChanged: link.status !== status,
    decidedStatus: status,
    inconclusiveChecks: 0,
    event: isNews ? event : null,
  };
}

function inconclusive(link: ClaimedLink, reason: string): Outcome {
  const inconclusiveChecks = link.inconclusiveChecks + 1;
  const keeps = link.status !== "unknown" && inconclusiveChecks < PATIENCE;
  const status = keeps ? link.status : "unknown";
  return {
    kind: "settled",
    status,
    reason: keeps ? (link.reason ?? reason) : reason,
    statusChanged: link.status !== status,
    decidedStatus: link.decidedStatus,
    inconclusiveChecks,
    event: null,
  };
}
