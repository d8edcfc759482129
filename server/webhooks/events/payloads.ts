import * as z from "zod";
import { type EventType, FREQUENCIES, TRIGGERS, VERDICTS } from "../../db/tables.ts";
import type { EventData, StatusChange } from "./events.ts";

const moment = () => z.string().meta({ format: "date-time" });
const verdict = () => z.enum(VERDICTS);
const url = () => z.string().meta({ example: "https://example.com/a" });
const checkId = () => z.string().meta({ example: "0197a1b2-3c4d-7e5f-8a6b-7c8d9e0f1a2b-mjuq8c00" });

const StatusChangeData = z.object({
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
}) satisfies z.ZodType<StatusChange>;

/** The `data` of each event as a receiver gets it. Every field that is recorded is described. */
export const EVENT_DATA = {
  "link.dead": StatusChangeData.meta({
    title: "A link is dead",
    description: "Sent when a link is found dead and was not dead at its last result.",
    example: { currentStatus: "dead", statusCode: 404, reason: "http_404" },
  }),
  "link.alive": StatusChangeData.meta({
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
} satisfies { [T in EventType]: z.ZodType<EventData[T]> };

type Described = { [T in EventType]: z.output<(typeof EVENT_DATA)[T]> };

/** The other half of that: fails to compile when a field is described that no event has. */
export const asDescribed = (recorded: EventData): Described => recorded;
