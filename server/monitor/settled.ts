import { checkIdOf } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { NewEvent } from "../webhooks/events/events.ts";
import type { ClaimedLink } from "./claim.ts";
import type { Settlement } from "./outcome.ts";

/** A check that came to its end at `at`, by wall time. */
export type Result = { link: ClaimedLink; conclusion: Conclusion; at: number };

/** A result that counts, and what it makes of its link. Its conclusion is that of the outcome. */
export type Settled = Omit<Result, "conclusion"> & {
  outcome: Settlement;
  /** Its moment in history: that of its end, but always after the link's last, whatever the clock did. */
  checkedAt: number;
};

/** What a result tells: that the check is complete, and before it the change of status if there is one. */
export function eventsOf(result: Settled): NewEvent[] {
  const complete = completed(result);
  const { link, outcome, at, checkedAt } = result;
  if (!outcome.event) return [complete];
  const { conclusion } = outcome;
  const change: NewEvent = {
    type: outcome.event,
    accountId: link.accountId,
    at,
    onlyIf: { held: link },
    ...(link.decidedStatus === null && {
      first: link.nextTrigger === "batch" ? "batch" : "single",
    }),
    data: {
      linkId: link.id,
      url: link.url,
      previousStatus: link.status,
      currentStatus: outcome.status,
      checkedAt: toIso(checkedAt),
      groupId: link.groupId,
      statusCode: conclusion.statusCode,
      reason: conclusion.reason,
      responseTimeMs: rounded(conclusion.responseTimeMs),
      checkId: checkIdOf(link.id, checkedAt),
    },
  };
  return [change, complete];
}

export function completed({ link, outcome, at, checkedAt }: Settled): NewEvent {
  const { conclusion } = outcome;
  return {
    type: "check.complete",
    accountId: link.accountId,
    at,
    onlyIf: { held: link },
    data: {
      checkId: checkIdOf(link.id, checkedAt),
      linkId: link.id,
      url: link.url,
      previousStatus: link.status,
      currentStatus: conclusion.status,
      statusChanged: outcome.statusChanged,
      statusCode: conclusion.statusCode,
      reason: conclusion.reason,
      responseTimeMs: rounded(conclusion.responseTimeMs),
      trigger: link.nextTrigger,
      checkedAt: toIso(checkedAt),
    },
  };
}

export const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms));
