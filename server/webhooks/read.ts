import type * as z from "zod";
import type { Deps } from "../deps.ts";
import { type FieldProblems, invalid } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { parseTarget } from "../outbound/address.ts";
import { NewWebhook, WebhookChange, type WebhookRecord } from "./model.ts";

/** @throws VALIDATION_ERROR with every problem at once */
export const readNewWebhook = (deps: Deps, input: unknown): NewWebhook =>
  read(deps, NewWebhook, input);

/** @throws VALIDATION_ERROR with every problem at once, also for fields that cannot be changed */
export const readChange = (deps: Deps, webhook: WebhookRecord, input: unknown): WebhookChange =>
  read(deps, WebhookChange, input, unchangeable(webhook, input));

/** The URL comes back the way `URL` writes it. */
function read<T extends { url?: string | undefined }>(
  deps: Deps,
  schema: z.ZodType<T>,
  input: unknown,
  problems: FieldProblems = {},
): T {
  const shape = schema.safeParse(input);
  if (!shape.success) Object.assign(problems, problemsOf(shape.error));
  const given = (input as { url?: unknown } | null)?.url;
  const url = typeof given === "string" && !problems.url ? readUrl(deps, given.trim()) : null;
  if (url && "problem" in url) problems.url = [url.problem];
  if (!shape.success || Object.keys(problems).length > 0) throw invalid(problems);
  return url && "href" in url ? { ...shape.data, url: url.href } : shape.data;
}

function readUrl(
  { webhookOutbound, config }: Deps,
  raw: string,
): { href: string } | { problem: string } {
  const target = parseTarget(raw, webhookOutbound.policy);
  if (!target.ok) return target;
  if (config.webhookRequireHttps && target.url.protocol !== "https:") {
    return { problem: "must be an https URL; this server sends to no other" };
  }
  return { href: target.url.href };
}

/** An intended change that would be lost without a word is refused. The secret is never told again. */
function unchangeable(webhook: WebhookRecord, input: unknown): FieldProblems {
  const { id, signing_secret: secret } = (input ?? {}) as {
    id?: unknown;
    signing_secret?: unknown;
  };
  return {
    ...(id !== undefined && id !== webhook.id && { id: ["cannot be changed"] }),
    ...(secret !== undefined && { signing_secret: ["cannot be changed"] }),
  };
}
