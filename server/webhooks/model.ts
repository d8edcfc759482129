import * as z from "zod";
import { flag, list, oneOf, text, unread } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";
import { MAX_URL_LENGTH } from "../outbound/address.ts";
import { DISABLED_REASONS, EVENT_TYPES, type EventType, type WebhookRow } from "../store/tables.ts";

const MOST_EVENTS = 10;

/** A webhook with the event types it subscribes to, in the order in which they were given. */
export type WebhookRecord = WebhookRow & { events: EventType[] };

export const Webhook = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    is_active: z.boolean(),
    disabled_reason: z.enum(DISABLED_REASONS).nullable(),
    disabled_at: z.string().nullable(),
    failing_since: z.string().nullable(),
    last_delivery_at: z.string().nullable(),
    last_status_code: z.int().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Webhook" });

/** The only reply that holds the signing secret: that of creation. */
export const WebhookWithSecret = Webhook.extend({ signing_secret: z.string() }).meta({
  id: "WebhookWithSecret",
});

const url = () => text(MAX_URL_LENGTH).meta({ format: "uri" });

const events = () =>
  list(oneOf(EVENT_TYPES), MOST_EVENTS).transform((types) => [...new Set(types)]);

/** What a new webhook looks like; the verb judges the URL as well, all in one answer. */
export const NewWebhook = z.object({ url: url(), events: events() }, "must be a JSON object");
export type NewWebhook = z.output<typeof NewWebhook>;

export const WebhookChange = z.object(
  { url: url().optional(), events: events().optional(), is_active: flag().optional() },
  "must be a JSON object",
);
export type WebhookChange = z.output<typeof WebhookChange>;

export const NewWebhookBody = unread(NewWebhook);
export const WebhookChangeBody = unread(WebhookChange);

/** `statusCode` is 0 when no answer came; `duration` is in milliseconds. */
export const TestResult = z
  .object({
    success: z.boolean(),
    message: z.string(),
    response: z.object({ statusCode: z.int(), duration: z.int() }),
  })
  .meta({ id: "WebhookTestResult" });

export const toWebhook = (webhook: WebhookRecord): z.infer<typeof Webhook> => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  is_active: webhook.isActive,
  disabled_reason: webhook.disabledReason,
  disabled_at: toIsoOrNull(webhook.disabledAt),
  failing_since: toIsoOrNull(webhook.failingSince),
  last_delivery_at: toIsoOrNull(webhook.lastDeliveryAt),
  last_status_code: webhook.lastStatusCode,
  created_at: toIso(webhook.createdAt),
  updated_at: toIso(webhook.updatedAt),
});

export const toWebhookWithSecret = (fresh: {
  webhook: WebhookRecord;
  signingSecret: string;
}): z.infer<typeof WebhookWithSecret> => ({
  ...toWebhook(fresh.webhook),
  signing_secret: fresh.signingSecret,
});
