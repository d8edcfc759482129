import * as z from "zod";
import { type EventType, FREQUENCIES, TRIGGERS, VERDICTS } from "../../db/tables.ts";
import type { EventData, StatusChange } from "./events.ts";

const moment = () => z.string().meta({ format: "date-time" });
const verdict = () => z.enum(VERDICTS);

const StatusChangeData = z.object({
  linkId: z.uuid(),
  url: z.string(),
  previousStatus: verdict(),
  currentStatus: verdict(),
  checkedAt: moment(),
  groupId: z.uuid().nullable(),
  statusCode: z.int().nullable(),
  reason: z.string(),
  responseTimeMs: z.int().nullable(),
  checkId: z.string(),
}) satisfies z.ZodType<StatusChange>;

/** The `data` of each event as a receiver gets it. Every field that is recorded is described. */
export const EVENT_DATA = {
  "link.dead": StatusChangeData,
  "link.alive": StatusChangeData,
  "link.created": z.object({
    linkId: z.uuid(),
    url: z.string(),
    groupId: z.uuid().nullable(),
    service: z.string(),
    checkFrequency: z.enum(FREQUENCIES),
    status: verdict(),
    createdAt: moment(),
    batchId: z.uuid().nullable(),
  }),
  "link.deleted": z.object({
    linkId: z.uuid(),
    url: z.string(),
    groupId: z.uuid().nullable(),
    lastStatus: verdict(),
    deletedAt: moment(),
  }),
  "check.complete": z.object({
    checkId: z.string(),
    linkId: z.uuid(),
    url: z.string(),
    previousStatus: verdict(),
    currentStatus: verdict(),
    statusChanged: z.boolean(),
    statusCode: z.int().nullable(),
    reason: z.string(),
    responseTimeMs: z.int().nullable(),
    trigger: z.enum(TRIGGERS),
    checkedAt: moment(),
  }),
  "batch.complete": z.object({
    batchId: z.uuid(),
    total: z.int(),
    checked: z.int(),
    active: z.int(),
    dead: z.int(),
    unknown: z.int(),
    skipped: z.int(),
    startedAt: moment(),
    completedAt: moment(),
  }),
} satisfies { [T in EventType]: z.ZodType<EventData[T]> };

type Described = { [T in EventType]: z.output<(typeof EVENT_DATA)[T]> };

/** The other half of that: fails to compile when a field is described that no event has. */
export const asDescribed = (recorded: EventData): Described => recorded;
