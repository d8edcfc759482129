import { checkIdOf } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { rounded, type Settled } from "./outcome.ts";

/** Returns the events of a result: the change of status, if there is one, and that the check is complete. */
export function eventsOf(result: Settled): NewEvent[] {
  const { link, outcome, at } = result;
  if (!outcome.event) return [checkCompleted(result)];
  const change: NewEvent = {
    type: outcome.event,
    accountId: link.accountId,
    at,
    ...(link.decidedStatus === null && {
      first: link.nextTrigger === "batch" ? "batch" : "single",
    }),
    data: {
      ...commonData(result),
      currentStatus: outcome.status,
      groupId: link.groupId,
    },
  };
  return [change, checkCompleted(result)];
}

export function checkCompleted(result: Settled): NewEvent {
  const { link, outcome, at } = result;
  return {
    type: "check.complete",
    accountId: link.accountId,
    at,
    data: {
      ...commonData(result),
      currentStatus: outcome.conclusion.status,
      statusChanged: outcome.statusChanged,
      trigger: link.nextTrigger,
    },
  };
}

const commonData = ({ link, outcome: { conclusion }, checkedAt }: Settled) => ({
  checkId: checkIdOf(link.id, checkedAt),
  linkId: link.id,
  url: link.url,
  previousStatus: link.status,
  statusCode: conclusion.statusCode,
  reason: conclusion.reason,
  responseTimeMs: rounded(conclusion.responseTimeMs),
  checkedAt: toIso(checkedAt),
});
