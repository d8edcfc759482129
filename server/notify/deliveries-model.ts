import * as z from "zod";
import type { AttemptRow, DeliveryRow, EventRow, WebhookRow } from "../ground/db/tables.ts";
import { cursorPaging, id, moment, oneOf, paging, queryNumber } from "../ground/lib/fields.ts";
import { parseId } from "../ground/lib/ids.ts";
import { receiverOf } from "../ground/lib/mail-address.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import {
  ATTEMPT_TRIGGERS,
  DELIVERED_TYPES,
  DELIVERY_STATUSES,
  FORMATS,
  VERDICTS,
  type Verdict,
} from "../ground/lib/vocabulary.ts";

const LONGEST_SPAN_MS = 14 * 86_400_000;

/** A delivery with the id that its receiver sees as `webhook-id`. */
export type DeliveryRecord = DeliveryRow & { messageId: string };

/** The same with the posted body, and up to 49 attempts before the latest, oldest first. */
export type DeliveryDetailRecord = DeliveryRecord &
  DeliveryContent & { requestBody: string; earlier: AttemptRow[] };

/** What a delivery is about: a link and its status before, or how many events or links. */
export type DeliveryContent = {
  link: { id: string; url: string } | null;
  previousStatus: Verdict | null;
  count: number | null;
  /** It was sent to test the webhook. */
  isTest: boolean;
};

const Attempt = z
  .object({
    number: z.int(),
    trigger: z.enum(ATTEMPT_TRIGGERS),
    started_at: z.string(),
    duration_ms: z.int().meta({ example: 143 }).nullable(),
    status_code: z.int().meta({ example: 200 }),
    error_code: z.string().nullable().meta({ example: null }),
    response_content_type: z.string().meta({ example: "text/plain" }).nullable(),
    response_body: z.string().meta({ example: "ok" }).nullable(),
    response_truncated: z.boolean().meta({ example: false }),
  })
  .meta({ id: "DeliveryAttempt" });

/** A delivery has the id of its event. */
export const Delivery = z
  .object({
    id: z.uuid(),
    message_id: z.string().meta({ example: "msg_01J9ZK3V5Q8M7N6P4R2S1T0W9X" }),
    event: z.enum(DELIVERED_TYPES),
    status: z.enum(DELIVERY_STATUSES).meta({ example: "succeeded" }),
    attempts: z.int(),
    next_attempt_at: z.string().nullable().meta({ example: null }),
    digest_id: z.uuid().nullable().meta({ example: null }),
    created_at: z.string(),
    completed_at: z.string().nullable(),
    last_attempt: Attempt.nullable(),
  })
  .meta({ id: "Delivery" });

const content = {
  link: z
    .object({ id: z.uuid(), url: z.string().meta({ example: "https://example.com/a" }) })
    .nullable(),
  previous_status: z.enum(VERDICTS).nullable().meta({ example: null }),
  count: z.int().nullable().meta({ example: null }),
  test: z.boolean().meta({ example: false }),
};

export const DeliveryDetail = Delivery.extend({
  ...content,
  request_body: z.string().meta({
    example:
      '{"event":"link.dead","timestamp":"2026-01-01T00:00:00.000Z","webhookId":"0197a1b2-5a5b-7c6d-8e7f-9a0b1c2d3e4f","data":{}}',
  }),
  all_attempts: z.array(Attempt),
}).meta({ id: "DeliveryDetail" });

/** A delivery of any webhook of an account, with what its event is about. */
export type DeliveryOfAccountRecord = DeliveryRecord &
  DeliveryContent & {
    webhookName: string | null;
    webhookUrl: string;
    webhookFormat: WebhookRow["format"];
  };

/** Contains only the host of the webhook's URL: the rest is often a secret. */
const ofWebhook = {
  webhook_id: z.uuid(),
  webhook_name: z.string().nullable().meta({ example: "Docs" }),
  webhook_host: z.string().meta({ example: "ops.example.com" }),
  webhook_format: z.enum(FORMATS),
};

export const DeliveryOfAccount = Delivery.extend({
  ...ofWebhook,
  ...content,
}).meta({ id: "DeliveryOfAccount" });

/** A delivery of an event of a link, with facts about its webhook. */
export type DeliveryOfLink = Pick<
  DeliveryRow,
  "webhookId" | "status" | "attempts" | "lastStatusCode" | "dueAt"
> &
  Pick<WebhookRow, "name" | "url" | "format">;

export type EventOfLink = Pick<EventRow, "id" | "type" | "createdAt"> & {
  deliveries: DeliveryOfLink[];
};

const LinkEventDelivery = z.object({
  ...ofWebhook,
  status: z.enum(DELIVERY_STATUSES).meta({ example: "succeeded" }),
  attempts: z.int(),
  last_status_code: z.int().meta({ example: 200 }).nullable(),
  next_attempt_at: z.string().nullable().meta({ example: null }),
});

export const LinkEvent = z
  .object({
    id: z.uuid(),
    event: z.enum(DELIVERED_TYPES),
    created_at: z.string(),
    deliveries: z.array(LinkEventDelivery),
  })
  .meta({ id: "LinkEvent" });

export const LinkEventQuery = z.object(paging());

export const DeliveryQuery = z.object({
  status: oneOf(DELIVERY_STATUSES)
    .meta({ description: "Only deliveries with this status." })
    .optional(),
  event: oneOf(DELIVERED_TYPES).meta({ description: "Only deliveries of this event." }).optional(),
  ...paging(),
});
export type DeliveryQuery = z.output<typeof DeliveryQuery>;

/** The delivery before a page, in a list of all webhooks. */
export type DeliveryCursor = { eventId: string; webhookId: string };

function readCursor(text: string): DeliveryCursor | null {
  const [eventId, webhookId, ...rest] = text.split(".").map(parseId);
  return eventId && webhookId && rest.length === 0 ? { eventId, webhookId } : null;
}

const STATUSES_PROBLEM = `must be some of: ${DELIVERY_STATUSES.join(", ")}`;

const statuses = () =>
  z
    .string()
    .transform((text, context) => {
      const read = z.array(z.enum(DELIVERY_STATUSES)).safeParse(text.split(","));
      if (read.success) return [...new Set(read.data)];
      context.addIssue(STATUSES_PROBLEM);
      return z.NEVER;
    })
    .meta({ example: "failed,exhausted" });

export const AllDeliveriesQuery = z.object({
  status: statuses()
    .meta({ description: "Only deliveries with one of these statuses, separated by commas." })
    .optional(),
  event: DeliveryQuery.shape.event,
  webhook_id: id().meta({ description: "Only deliveries of this webhook." }).optional(),
  ...cursorPaging(readCursor),
});
export type AllDeliveriesQuery = z.output<typeof AllDeliveriesQuery>;

const counted = { delivered: z.int(), failed: z.int(), pending: z.int() };

const DeliveryDay = z.object({ day: z.string().meta({ format: "date" }), ...counted });
export type DeliveryDay = z.infer<typeof DeliveryDay>;

export const DeliveryDays = z
  .object({ webhook_id: z.uuid(), ...counted, days: z.array(DeliveryDay) })
  .meta({ id: "DeliveryDays" });
export type DeliveryDays = z.infer<typeof DeliveryDays>;

export const DeliveryDaysQuery = z.object({
  days: queryNumber(30)
    .meta({ description: "How many days, today included." })
    .optional()
    .default(14),
});
export type DeliveryDaysQuery = z.output<typeof DeliveryDaysQuery>;

/** Both ends are inclusive. */
export type CreatedSpan = { since: number; until: number };

/** A span of creation times, up to 14 days. It ends now by default. */
export const createdSpanAt = (now: () => number) =>
  z
    .object(
      {
        since: moment("start"),
        until: moment("end").meta({ example: "2026-01-02T00:00:00.000Z" }).optional(),
      },
      "must be a JSON object",
    )
    .transform(({ since, until }): CreatedSpan => ({ since, until: until ?? now() }))
    .superRefine(({ since, until }, context) => {
      const problem = spanProblem(until - since);
      if (problem) context.addIssue({ code: "custom", message: problem, path: ["since"] });
    });

function spanProblem(ms: number): string | null {
  if (ms <= 0) return "must be before until, which is now if you leave it out";
  return ms > LONGEST_SPAN_MS
    ? "must be at most 14 days before until, which is now if you leave it out"
    : null;
}

export const Queued = z
  .object({ queued: z.int().meta({ example: 12 }) })
  .meta({ id: "QueuedDeliveries" });

export function toDelivery(row: DeliveryRecord): z.infer<typeof Delivery> {
  const last = lastAttemptOf(row);
  return {
    id: row.eventId,
    message_id: row.messageId,
    event: row.type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: nextAttemptAt(row),
    digest_id: row.digestId,
    created_at: toIso(row.createdAt),
    completed_at: toIsoOrNull(row.completedAt),
    last_attempt: last && toAttempt(last),
  };
}

const toContent = ({ link, previousStatus, count, isTest }: DeliveryContent) => ({
  link,
  previous_status: previousStatus,
  count,
  test: isTest,
});

export const toDeliveryOfAccount = (
  row: DeliveryOfAccountRecord,
): z.infer<typeof DeliveryOfAccount> => ({
  ...toDelivery(row),
  webhook_id: row.webhookId,
  webhook_name: row.webhookName,
  webhook_host: receiverOf(row.webhookUrl),
  webhook_format: row.webhookFormat,
  ...toContent(row),
});

export function toDeliveryDetail(row: DeliveryDetailRecord): z.infer<typeof DeliveryDetail> {
  const delivery = toDelivery(row);
  const { last_attempt: last } = delivery;
  return {
    ...delivery,
    ...toContent(row),
    request_body: row.requestBody,
    all_attempts: [...row.earlier.map(toAttempt), ...(last ? [last] : [])],
  };
}

/** While an attempt is running, `dueAt` is the end of the lease. */
const nextAttemptAt = ({ status, dueAt }: Pick<DeliveryRow, "status" | "dueAt">) =>
  toIsoOrNull(status === "pending" || status === "failed" ? dueAt : null);

/** Returns the latest finished attempt. A running one is already counted in `attempts`. */
export function lastAttemptOf(row: DeliveryRow): AttemptRow | null {
  if (row.lastStartedAt === null) return null;
  return {
    webhookId: row.webhookId,
    eventId: row.eventId,
    number: row.status === "delivering" ? row.attempts - 1 : row.attempts,
    trigger: row.lastTrigger ?? "scheduled",
    startedAt: row.lastStartedAt,
    durationMs: row.lastDurationMs,
    statusCode: row.lastStatusCode ?? 0,
    error: row.lastError,
    contentType: row.lastContentType,
    body: row.lastBody,
    truncated: row.lastTruncated ?? false,
  };
}

const toAttempt = (row: AttemptRow): z.infer<typeof Attempt> => ({
  number: row.number,
  trigger: row.trigger,
  started_at: toIso(row.startedAt),
  duration_ms: row.durationMs,
  status_code: row.statusCode,
  error_code: row.error,
  response_content_type: row.contentType,
  response_body: row.body,
  response_truncated: row.truncated,
});

export const toLinkEvent = (row: EventOfLink): z.infer<typeof LinkEvent> => ({
  id: row.id,
  event: row.type,
  created_at: toIso(row.createdAt),
  deliveries: row.deliveries.map((delivery) => ({
    webhook_id: delivery.webhookId,
    webhook_name: delivery.name,
    webhook_host: receiverOf(delivery.url),
    webhook_format: delivery.format,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status_code: delivery.lastStatusCode,
    next_attempt_at: nextAttemptAt(delivery),
  })),
});
