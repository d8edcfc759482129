import type * as z from "zod";
import { type FieldProblems, invalid } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { parseTarget } from "../net/address.ts";
import type { Deps } from "../work/deps.ts";
import { NewWebhook, WebhookChange, type WebhookRecord } from "./model.ts";

/** @throws VALIDATION_ERROR with every problem at once */
export const readNewWebhook = (deps: Deps, input: unknown): NewWebhook =>
  read(deps, NewWebhook, input, (input as { format?: unknown } | null)?.format);

/**
 * @param webhook null where there is none: then only what holds for every webhook is checked
 * @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed
 */
export const readChange = (
  deps: Deps,
  webhook: WebhookRecord | null,
  input: unknown,
): WebhookChange =>
  read(deps, WebhookChange, input, webhook?.format, webhook ? unchangeable(webhook, input) : {});

/** The URL comes back the way `URL` writes it. What the `format` asks of it is told whatever else is wrong. */
function read<T extends { url?: string | undefined }>(
  deps: Deps,
  schema: z.ZodType<T>,
  input: unknown,
  format: unknown,
  problems: FieldProblems = {},
): T {
  const shape = schema.safeParse(input);
  if (!shape.success) Object.assign(problems, problemsOf(shape.error));
  const given = (input as { url?: unknown } | null)?.url;
  const url =
    typeof given === "string" && !problems.url ? readUrl(deps, given.trim(), format) : null;
  if (url && "problem" in url) problems.url = [url.problem];
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return url && "href" in url ? { ...shape.data, url: url.href } : shape.data;
}

function readUrl(
  { webhookOutbound, config }: Deps,
  raw: string,
  format: unknown,
): { href: string } | { problem: string } {
  const target = parseTarget(raw, webhookOutbound.policy);
  if (!target.ok) return target;
  if (config.webhookRequireHttps && target.url.protocol !== "https:") {
    return { problem: "must be an https URL; this server sends to no other" };
  }
  if (target.url.pathname === SHORTENED) return { problem: "must be the whole URL, without …" };
  const problem = missingIn(target.url, format);
  return problem === null ? { href: target.url.href } : { problem };
}

/** The path of what those see who may not see the URL. */
const SHORTENED = encodeURI("/…");

/** Services that post to a place which their URL names. */
function missingIn({ pathname, searchParams }: URL, format: unknown): string | null {
  if (format === "telegram") {
    const isWhole = pathname.endsWith("/sendMessage") && searchParams.get("chat_id")?.trim();
    return isWhole ? null : `must name the method and the chat, as in ${TELEGRAM_URL}`;
  }
  if (format === "ntfy" && !TOPIC.test(pathname)) {
    return "must name the topic, as in https://ntfy.sh/<topic>";
  }
  return null;
}

const TELEGRAM_URL = "https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>";
/** But not what ntfy itself has below a topic. */
const TOPIC = /\/(?!(?:json|sse|raw|ws|auth|publish|send|trigger)$)[\w-]{1,64}$/;

/** An intended change that would be lost without a word is refused. The secret is never told again. */
function unchangeable(webhook: WebhookRecord, input: unknown): FieldProblems {
  const {
    id,
    format,
    signing_secret: secret,
  } = (input ?? {}) as { id?: unknown; format?: unknown; signing_secret?: unknown };
  return {
    ...(id !== undefined && id !== webhook.id && { id: ["cannot be changed"] }),
    ...(format !== undefined &&
      format !== webhook.format && { format: ["cannot be changed; delete it and create another"] }),
    ...(secret !== undefined && { signing_secret: ["cannot be changed"] }),
  };
}
