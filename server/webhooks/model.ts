import * as z from "zod";
import {
  DISABLED_REASONS,
  EVENT_TYPES,
  type EventType,
  FORMATS,
  URL_STATES,
  type UrlState,
  type WebhookRow,
} from "../db/tables.ts";
import { flag, list, oneOf, text, unread } from "../lib/fields.ts";
import { toIso, toIsoOrNull } from "../lib/moments.ts";
import { MAX_URL_LENGTH } from "../net/address.ts";

const MOST_EVENTS = 10;
const USUAL_GRACE_S = 86_400;
const LONGEST_GRACE_S = 604_800;

/**
 * A webhook with the event types it subscribes to, in the order in which they were given. `url` is as much of the URL
 * as the caller may see.
 */
export type WebhookRecord = WebhookRow & { urlState: UrlState; events: EventType[] };

/** A webhook with its new signing secret in clear, and when the old ones end that still sign. */
export type RotatedWebhook = {
  id: string;
  webhook: WebhookRecord;
  signingSecret: string;
  oldSecretsExpireAt: number[];
};

export const Webhook = z
  .object({
    id: z.uuid(),
    url: z.string().meta({ example: "https://ops.example.com/hooks/links" }),
    url_state: z.enum(URL_STATES),
    events: z.array(z.enum(EVENT_TYPES)).meta({ example: ["link.dead", "link.alive"] }),
    first_verdicts: z.boolean().meta({ example: false }),
    format: z.enum(FORMATS),
    is_active: z.boolean(),
    disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({ example: null }),
    disabled_at: z.string().nullable().meta({ example: null }),
    failing_since: z.string().nullable().meta({ example: null }),
    last_delivery_at: z.string().nullable(),
    last_status_code: z.int().meta({ example: 200 }).nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Webhook" });

/** The replies that hold a signing secret: that of creation, and that of its rotation. */
export const WebhookWithSecret = Webhook.extend({
  signing_secret: z
    .string()
    .meta({ example: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" }),
}).meta({
  id: "WebhookWithSecret",
});
export const WebhookWithNewSecret = WebhookWithSecret.extend({
  previous_secrets_expire_at: z.array(z.string().meta({ format: "date-time" })),
}).meta({ id: "WebhookWithNewSecret" });

const url = () =>
  text(MAX_URL_LENGTH).meta({ format: "uri", example: "https://ops.example.com/hooks/links" });

const events = () =>
  list(oneOf(EVENT_TYPES), MOST_EVENTS)
    .meta({ example: ["link.dead", "link.alive"] })
    .transform((types) => [...new Set(types)]);

/** What a new webhook looks like; the verb judges the URL as well, all in one answer. */
export const NewWebhook = z.object(
  {
    url: url(),
    events: events(),
    first_verdicts: flag().optional().default(false),
    format: oneOf(FORMATS).optional().default("standard"),
  },
  "must be a JSON object",
);
export type NewWebhook = z.output<typeof NewWebhook>;

export const WebhookChange = z.object(
  {
    url: url().optional(),
    events: events().optional(),
    first_verdicts: flag().optional(),
    is_active: flag().optional(),
  },
  "must be a JSON object",
);
export type WebhookChange = z.output<typeof WebhookChange>;

export const NewWebhookBody = unread(NewWebhook);
export const WebhookChangeBody = unread(WebhookChange);

/** Seconds for which the old secret signs as well. Without a body it is as if nothing was said. */
export const Rotation = z
  .object(
    {
      grace_period_seconds: z
        .int("must be a whole number")
        .min(0, "must be at least 0")
        .max(LONGEST_GRACE_S, `must be at most ${LONGEST_GRACE_S}`)
        .optional()
        .default(USUAL_GRACE_S),
    },
    "must be a JSON object",
  )
  .optional()
  .transform((rotation) => ({ graceSeconds: rotation?.grace_period_seconds ?? USUAL_GRACE_S }));

/** `statusCode` is 0 when no answer came; `duration` is in milliseconds. */
export const TestResult = z
  .object({
    success: z.boolean(),
    message: z.string().meta({ example: "The receiver answered 200." }),
    response: z
      .object({ statusCode: z.int(), duration: z.int() })
      .meta({ example: { statusCode: 200, duration: 143 } }),
  })
  .meta({ id: "WebhookTestResult" });

export const toWebhook = (webhook: WebhookRecord): z.infer<typeof Webhook> => ({
  id: webhook.id,
  url: webhook.url,
  url_state: webhook.urlState,
  events: webhook.events,
  first_verdicts: webhook.firstVerdicts,
  format: webhook.format,
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

export const toWebhookWithNewSecret = (
  rotated: RotatedWebhook,
): z.infer<typeof WebhookWithNewSecret> => ({
  ...toWebhookWithSecret(rotated),
  previous_secrets_expire_at: rotated.oldSecretsExpireAt.map(toIso),
});
