import type { EventType } from "../db/tables.ts";
import { checkIdOf, newId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import type { EventData } from "./events/events.ts";

const URL = "https://example.com/a";

/** Data such as an event of this type carries, about a link that does not exist. */
export function sampleOf<T extends EventType>(type: T, now: number): EventData[T] {
  return SAMPLES[type](toIso(now));
}

const SAMPLES: { [T in EventType]: (at: string) => EventData[T] } = {
  "link.dead": (at) => ({ ...statusChange(at), statusCode: 404, reason: "http_404" }),
  "link.alive": (at) => ({
    ...statusChange(at),
    previousStatus: "dead",
    currentStatus: "active",
  }),
  "link.created": (at) => ({
    linkId: newId(),
    url: URL,
    groupId: null,
    service: "generic",
    checkFrequency: "daily",
    status: "unknown",
    createdAt: at,
    batchId: null,
  }),
  "link.deleted": (at) => ({
    linkId: newId(),
    url: URL,
    groupId: null,
    lastStatus: "dead",
    deletedAt: at,
  }),
  "check.complete": (at) => {
    const linkId = newId();
    return {
      checkId: checkIdOf(linkId, Date.parse(at)),
      linkId,
      url: URL,
      previousStatus: "active",
      currentStatus: "active",
      statusChanged: false,
      statusCode: 200,
      reason: "ok",
      responseTimeMs: 182,
      trigger: "scheduled",
      checkedAt: at,
    };
  },
  "batch.complete": (at) => ({
    batchId: newId(),
    total: 3,
    checked: 3,
    active: 2,
    dead: 1,
    unknown: 0,
    skipped: 0,
    startedAt: at,
    completedAt: at,
  }),
};

function statusChange(at: string): EventData["link.dead"] {
  const linkId = newId();
  return {
    linkId,
    url: URL,
    previousStatus: "active",
    currentStatus: "dead",
    checkedAt: at,
    groupId: null,
    statusCode: 200,
    reason: "ok",
    responseTimeMs: 182,
    checkId: checkIdOf(linkId, Date.parse(at)),
  };
}
