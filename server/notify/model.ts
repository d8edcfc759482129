import * as z from "zod";
import type { WebhookRow } from "../ground/db/tables.ts";
import { conflict, type FieldProblems, invalid } from "../ground/lib/errors.ts";
import {
  flag,
  list,
  oneOf,
  paging,
  problemsOf,
  rotation,
  text,
  timeZone,
  unread,
} from "../ground/lib/fields.ts";
import { mailtoUrl, readMailto } from "../ground/lib/mail-address.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import {
  DISABLED_REASONS,
  EVENT_TYPES,
  type EventType,
  FORMATS,
  URL_STATES,
  type UrlState,
} from "../ground/lib/vocabulary.ts";
import { MAX_URL_LENGTH, parseTarget } from "../ground/net/policy.ts";
import { mailIsOff } from "../mail/queue.ts";
import type { Deps } from "../work/deps.ts";
import { isUpgradeUnderWay } from "../work/nodes.ts";
import { type Filter, FilterBody, FilterRecord } from "./filter.ts";
import { ScheduleBody, ScheduleRecord, toScheduleRecord } from "./summary-schedule.ts";

const MOST_EVENTS = 10;
const LONGEST_NAME = 100;
const USUAL_GRACE_S = 86_400;

/** A webhook with its event types in the given order. `url` is as much of the URL as the caller may see. */
export type WebhookRecord = WebhookRow & {
  urlState: UrlState;
  events: EventType[];
  filter: Filter | null;
};

/** A webhook with its signing secret in plain text, which only this reply contains. */
export type CreatedWebhook = { id: string; webhook: WebhookRecord; signingSecret: string };

/** The same with when the old secrets that still sign expire. */
export type RotatedWebhook = CreatedWebhook & { oldSecretsExpireAt: number[] };

export const Webhook = z
  .object({
    id: z.uuid(),
    url: z.string().meta({ example: "https://ops.example.com/hooks/links" }),
    url_state: z.enum(URL_STATES),
    events: z.array(z.enum(EVENT_TYPES)).meta({ example: ["link.dead", "link.alive"] }),
    first_verdicts: z.boolean().meta({ example: true }),
    format: z.enum(FORMATS),
    name: z.string().nullable().meta({ example: "Docs" }),
    time_zone: z.string().nullable().meta({ example: null }),
    filter: FilterRecord.nullable().meta({ example: null }),
    summary: ScheduleRecord.nullable().meta({ example: null }),
    is_active: z.boolean(),
    disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({ example: null }),
    disabled_at: z.string().nullable().meta({ example: null }),
    failing_since: z.string().nullable().meta({ example: null }),
    last_delivery_at: z.string().nullable(),
    last_status_code: z.int().nullable().meta({
      description:
        "Of the last response; of the mail server's last reply. While a recipient has not confirmed (`disabled_reason` is `unconfirmed`): the reply with which it did not accept the request to confirm, such as 550.",
      example: 200,
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Webhook" });

export const WebhookWithSecret = Webhook.extend({
  signing_secret: z
    .string()
    .meta({ example: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" }),
}).meta({ id: "WebhookWithSecret" });

export const WebhookWithNewSecret = WebhookWithSecret.extend({
  previous_secrets_expire_at: z.array(z.string().meta({ format: "date-time" })),
}).meta({ id: "WebhookWithNewSecret" });

const url = () =>
  text(MAX_URL_LENGTH).meta({ format: "uri", example: "https://ops.example.com/hooks/links" });

const events = () =>
  list(oneOf(EVENT_TYPES), MOST_EVENTS)
    .meta({ example: ["link.dead", "link.alive"] })
    .transform((types) => [...new Set(types)]);

const name = () => text(LONGEST_NAME).meta({ example: "Docs" });

export const NewWebhook = z.object(
  {
    url: url(),
    events: events(),
    first_verdicts: flag().optional(),
    format: oneOf(FORMATS).optional().default("standard"),
    name: name().nullable().optional(),
    time_zone: timeZone().nullable().optional(),
    filter: FilterBody.nullable().optional(),
    summary: ScheduleBody.nullable().optional(),
  },
  "must be a JSON object",
);
export type NewWebhook = z.output<typeof NewWebhook> & { first_verdicts: boolean };

export const WebhookChange = z.object(
  {
    url: url().optional(),
    events: events().optional(),
    first_verdicts: flag().optional(),
    is_active: flag().optional(),
    name: name().nullable().optional(),
    time_zone: timeZone().nullable().optional(),
    filter: FilterBody.nullable().optional(),
    summary: ScheduleBody.nullable().optional(),
  },
  "must be a JSON object",
);
export type WebhookChange = z.output<typeof WebhookChange>;

export const WebhookQuery = (perPage: number) =>
  z.object({ ...paging(perPage), format: oneOf(FORMATS).optional() });
export type WebhookQuery = z.output<ReturnType<typeof WebhookQuery>>;

export const NewWebhookBody = unread(NewWebhook);
export const WebhookChangeBody = unread(WebhookChange);

/** The old secret also signs for `graceSeconds`. */
export const Rotation = rotation(USUAL_GRACE_S);

/** `statusCode` is 0 if there was no response; `duration` is in milliseconds. */
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
  name: webhook.name,
  time_zone: webhook.timeZone,
  filter: webhook.filter,
  summary: toScheduleRecord(webhook.summary, webhook.summaryAt),
  is_active: webhook.isActive,
  disabled_reason: webhook.disabledReason,
  disabled_at: toIsoOrNull(webhook.disabledAt),
  failing_since: toIsoOrNull(webhook.failingSince),
  last_delivery_at: toIsoOrNull(webhook.lastDeliveryAt),
  last_status_code: webhook.lastStatusCode,
  created_at: toIso(webhook.createdAt),
  updated_at: toIso(webhook.updatedAt),
});

export const toWebhookWithSecret = ({
  webhook,
  signingSecret,
}: CreatedWebhook): z.infer<typeof WebhookWithSecret> => ({
  ...toWebhook(webhook),
  signing_secret: signingSecret,
});

export const toWebhookWithNewSecret = (
  rotated: RotatedWebhook,
): z.infer<typeof WebhookWithNewSecret> => ({
  ...toWebhookWithSecret(rotated),
  previous_secrets_expire_at: rotated.oldSecretsExpireAt.map(toIso),
});

/** A body that is not an object has none of these. */
const givenIn = (body: unknown) =>
  (body ?? {}) as Partial<
    Record<
      "id" | "url" | "format" | "signing_secret" | "first_verdicts" | "events" | "summary",
      unknown
    >
  >;

/**
 * Unless it says otherwise, a program gets first verdicts, and people do not: many links can be added at once.
 * @throws VALIDATION_ERROR with every problem at once; CONFLICT for e-mail while this server sends none
 */
export function readNewWebhook(deps: Deps, input: unknown): NewWebhook {
  const { format, events, summary } = givenIn(input);
  const webhook = read(deps, NewWebhook, input, format, {
    ...onlyForMachines(format, input),
    ...summaryProblems(events, summary),
  });
  if (format === "email" && !deps.mail) throw mailIsOff();
  if (format === "email" && isUpgradeUnderWay(deps)) throw upgradeUnderWay();
  const { first_verdicts = webhook.format === "standard" } = webhook;
  return { ...webhook, first_verdicts };
}

const upgradeUnderWay = () =>
  conflict(
    "The servers are being upgraded. Create it when all of them are, since older ones cannot send mail.",
    {
      reason: "upgrade_under_way",
    },
  );

/** A mail for each link that was added and is alive would be noise. */
const onlyForMachines = (format: unknown, input: unknown): FieldProblems =>
  format === "email" && givenIn(input).first_verdicts === true
    ? { first_verdicts: ["must be false for e-mail"] }
    : {};

/**
 * @param webhook null if it is unknown: then only what applies to every webhook is checked
 * @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed
 */
export const readChange = (
  deps: Deps,
  webhook: WebhookRecord | null,
  input: unknown,
): WebhookChange =>
  read(deps, WebhookChange, input, webhook?.format, {
    ...onlyForMachines(webhook?.format, input),
    ...(webhook && unchangeable(webhook, input)),
    ...(webhook && changedSummaryProblems(webhook, input)),
  });

/** A webhook has a schedule of summaries if it gets them, and only then. */
function summaryProblems(events: unknown, summary: unknown): FieldProblems {
  if (!Array.isArray(events)) return {};
  const isNamed = events.includes("summary.ready");
  if (isNamed && summary == null) return { summary: ["is required with summary.ready in events"] };
  return !isNamed && summary != null ? { summary: ["needs summary.ready in events"] } : {};
}

function changedSummaryProblems(webhook: WebhookRecord, input: unknown): FieldProblems {
  const { events = webhook.events, summary = webhook.summary } = givenIn(input);
  // Without the event, a schedule that is not mentioned goes with it.
  const isDropped = givenIn(input).summary === undefined && webhook.summary !== null;
  const isNamed = Array.isArray(events) && events.includes("summary.ready");
  return isDropped && !isNamed ? {} : summaryProblems(events, summary);
}

/** Returns the input with the URL in the form that `URL` gives it. */
function read<T extends { url?: string | undefined }>(
  deps: Deps,
  schema: z.ZodType<T>,
  input: unknown,
  format: unknown,
  problems: FieldProblems = {},
): T {
  const shape = schema.safeParse(input);
  if (!shape.success) Object.assign(problems, problemsOf(shape.error));
  const { url: given } = givenIn(input);
  const url =
    typeof given === "string" && !problems.url ? readUrl(deps, given.trim(), format) : null;
  if (url && "problem" in url) problems.url = [url.problem];
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return url && "href" in url ? { ...shape.data, url: url.href } : shape.data;
}

function readUrl(deps: Deps, raw: string, format: unknown): { href: string } | { problem: string } {
  if (format === "email") return readRecipient(deps, raw);
  const { webhookOutbound, config } = deps;
  const target = parseTarget(raw, webhookOutbound.policy);
  if (!target.ok) return target;
  if (config.webhookRequireHttps && target.url.protocol !== "https:") {
    return { problem: "must be an https URL; this server allows only https" };
  }
  if (target.url.pathname === SHORTENED) return { problem: "must be the whole URL, without …" };
  const problem = missingIn(target.url, format);
  return problem === null ? { href: target.url.href } : { problem };
}

function readRecipient({ mail }: Deps, raw: string): { href: string } | { problem: string } {
  const read = readMailto(raw);
  if (!read.ok) return read;
  if (mail && !mail.mayWriteTo(read.address)) {
    return { problem: `must be at one of: ${mail.domains.join(", ")}` };
  }
  return { href: mailtoUrl(read.address) };
}

/** The path of a shortened URL. */
const SHORTENED = encodeURI("/…");

/** The URLs of these services contain the receiver. */
function missingIn({ pathname, searchParams }: URL, format: unknown): string | null {
  if (format === "telegram") {
    const isWhole = pathname.endsWith("/sendMessage") && searchParams.get("chat_id")?.trim();
    return isWhole ? null : `must name the method and the chat, as in ${TELEGRAM_URL}`;
  }
  if (format === "apprise" && !/\/notify\/[\w-]{1,128}\/?$/.test(pathname)) {
    return "must name the key, as in https://apprise.example.com/notify/<key>";
  }
  if (format === "ntfy" && !TOPIC.test(pathname)) {
    return "must name the topic, as in https://ntfy.sh/<topic>";
  }
  return null;
}

const TELEGRAM_URL = "https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>";
/** Excludes the paths that ntfy itself has below a topic. */
const TOPIC = /\/(?!(?:json|sse|raw|ws|auth|publish|send|trigger)$)[\w-]{1,64}$/;

/** Refuses changes that would be lost silently. */
function unchangeable(webhook: WebhookRecord, input: unknown): FieldProblems {
  const { id, format, signing_secret: secret } = givenIn(input);
  return {
    ...(id !== undefined && id !== webhook.id && { id: ["cannot be changed"] }),
    ...(format !== undefined &&
      format !== webhook.format && { format: ["cannot be changed; delete it and create another"] }),
    ...(secret !== undefined && { signing_secret: ["cannot be changed"] }),
  };
}
