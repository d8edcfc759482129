import * as z from "zod";
import { type EventType, FREQUENCIES, TRIGGERS, VERDICTS } from "../db/tables.ts";
import { checkIdOf, newId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";

const moment = () => z.string().meta({ format: "date-time" });
const verdict = () => z.enum(VERDICTS);
const url = () => z.string().meta({ example: "https://example.com/a" });
const checkId = () => z.string().meta({ example: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00" });

const StatusChange = z.object({
  linkId: z.uuid(),
  url: url(),
  previousStatus: verdict(),
  currentStatus: verdict(),
  checkedAt: moment(),
  groupId: z.uuid().nullable(),
  statusCode: z.int().meta({ example: 200 }).nullable(),
  reason: z.string().meta({ example: "ok" }),
  responseTimeMs: z.int().meta({ example: 182 }).nullable(),
  checkId: checkId(),
});
export type StatusChange = z.output<typeof StatusChange>;

/** The `data` of each event, as it is stored and sent. */
export const EVENT_DATA = {
  "link.dead": StatusChange.meta({
    title: "A link is dead",
    description: "Sent when a link is found dead and was not dead at its last result.",
    example: { currentStatus: "dead", statusCode: 404, reason: "http_404" },
  }),
  "link.alive": StatusChange.meta({
    title: "A link is alive again",
    description:
      "Sent when a link is found alive and was not alive at its last result. A webhook with `first_verdicts` also gets it when a new link is first found alive.",
    example: { previousStatus: "dead" },
  }),
  "link.created": z
    .object({
      linkId: z.uuid(),
      url: url(),
      groupId: z.uuid().nullable(),
      service: z.string().meta({ example: "generic" }),
      checkFrequency: z.enum(FREQUENCIES).meta({ example: "daily" }),
      status: verdict().meta({ example: "unknown" }),
      createdAt: moment(),
      batchId: z.uuid().nullable().meta({ example: null }),
    })
    .meta({
      title: "A link was created",
      description: "One for each link, also of a batch; `batchId` then identifies the batch.",
    }),
  "link.deleted": z
    .object({
      linkId: z.uuid(),
      url: url(),
      groupId: z.uuid().nullable(),
      lastStatus: verdict().meta({ example: "dead" }),
      deletedAt: moment(),
    })
    .meta({
      title: "A link was deleted",
      description: "Contains the last known state, since the link can no longer be read.",
    }),
  "check.complete": z
    .object({
      checkId: checkId(),
      linkId: z.uuid(),
      url: url(),
      previousStatus: verdict(),
      currentStatus: verdict(),
      statusChanged: z.boolean().meta({ example: false }),
      statusCode: z.int().meta({ example: 200 }).nullable(),
      reason: z.string().meta({ example: "ok" }),
      responseTimeMs: z.int().meta({ example: 182 }).nullable(),
      trigger: z.enum(TRIGGERS),
      checkedAt: moment(),
    })
    .meta({
      title: "A check of a link has finished",
      description: "Sent after every check, whether or not the status changed.",
    }),
  "batch.complete": z
    .object({
      batchId: z.uuid(),
      total: z.int(),
      checked: z.int(),
      active: z.int(),
      dead: z.int(),
      unknown: z.int(),
      skipped: z.int(),
      startedAt: moment(),
      completedAt: moment(),
    })
    .meta({
      title: "All checks of a batch have finished",
      description:
        "Sent once for each batch: the first checks of links that were created together, or checks that were requested together. `checked + skipped = total`, and `active + dead + unknown = checked`; links that were deleted before their check are skipped.",
      example: {
        total: 1000,
        checked: 998,
        active: 940,
        dead: 41,
        unknown: 17,
        skipped: 2,
        completedAt: "2026-01-01T00:07:12.000Z",
      },
    }),
} satisfies { [T in EventType]: z.ZodType };

export type EventData = { [T in EventType]: z.output<(typeof EVENT_DATA)[T]> };

const EXAMPLE_URL = "https://example.com/a";

/** Returns data of an event of this type about a link that does not exist. */
export function sampleOf<T extends EventType>(type: T, now: number): EventData[T] {
  return SAMPLES[type](toIso(now));
}

const SAMPLES: { [T in EventType]: (at: string) => EventData[T] } = {
  "link.dead": (at) => ({ ...sampleChange(at), statusCode: 404, reason: "http_404" }),
  "link.alive": (at) => ({ ...sampleChange(at), previousStatus: "dead", currentStatus: "active" }),
  "link.created": (at) => ({
    linkId: newId(),
    url: EXAMPLE_URL,
    groupId: null,
    service: "generic",
    checkFrequency: "daily",
    status: "unknown",
    createdAt: at,
    batchId: null,
  }),
  "link.deleted": (at) => ({
    linkId: newId(),
    url: EXAMPLE_URL,
    groupId: null,
    lastStatus: "dead",
    deletedAt: at,
  }),
  "check.complete": (at) => {
    const linkId = newId();
    return {
      checkId: checkIdOf(linkId, Date.parse(at)),
      linkId,
      url: EXAMPLE_URL,
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
    ...{ total: 3, checked: 3, active: 2, dead: 1, unknown: 0, skipped: 0 },
    startedAt: at,
    completedAt: at,
  }),
};

function sampleChange(at: string): StatusChange {
  const linkId = newId();
  return {
    linkId,
    url: EXAMPLE_URL,
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
