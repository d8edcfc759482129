import { ulid } from "ulid";
import type { EventRow, WebhookRow } from "../db/tables.ts";
import { VERSION } from "../lib/runtime.ts";
import type { FailureReason } from "../net/failures.ts";
import type { Deps } from "../work/deps.ts";
import { payloadFor } from "./formats.ts";
import { secretsAt, signedHeaders, withoutUrl } from "./secrets.ts";

/** Why a receiver gave no answer. Nothing finer, so that it tells nothing about a network inside. */
type NoAnswer = "dns" | "connect" | "tls" | "timeout" | "blocked";

/** What one attempt came to, begun at `startedAt` by wall time. `aborted` means that we gave up ourselves. */
export type Outcome =
  | (Answer & { kind: "answered"; startedAt: number; durationMs: number })
  | {
      kind: "failed";
      error: NoAnswer | "internal" | "secret_key";
      startedAt: number;
      durationMs: number;
    }
  | { kind: "aborted" };

type Answer = {
  statusCode: number;
  retryAfter: string | null;
  contentType: string | null;
  /** Its beginning, as text. */
  body: string;
  /** More of it was there, or should have been. */
  truncated: boolean;
};

/** What is posted. `headers` say what the body is. */
export type Message = { id: string; body: string; headers: Record<string, string> };

/** `secrets` in clear, the current one first: each signs. */
export type Receiver = { url: string; secrets: string[] };

const CONNECT_MS = 5000;
const RESPONSE_BYTES = 16 * 1024;
/** Longer than any that says anything. */
const CONTENT_TYPE_LENGTH = 255;

/** Posts a signed message once. Redirects are not followed: a moved receiver needs a new URL. */
export async function sendMessage(
  { webhookOutbound, clock, config }: Deps,
  { url, secrets }: Receiver,
  { id, body, headers }: Message,
  signal?: AbortSignal,
): Promise<Outcome> {
  const startedAt = clock.now();
  const exchange = await webhookOutbound.request(url, {
    method: "POST",
    headers: {
      ...headers,
      "user-agent": `Stillup-Webhooks/${VERSION}`,
      ...signedHeaders(secrets, { id, body }, startedAt),
    },
    body,
    timeoutMs: config.webhookTimeoutMs,
    headersMs: config.webhookTimeoutMs,
    connectMs: CONNECT_MS,
    bodyCap: RESPONSE_BYTES,
    signal,
  });
  const durationMs = Math.round(exchange.elapsedMs);
  if (exchange.kind === "response") {
    const answer = answerOf(exchange);
    const shown = { ...answer, body: withoutUrl(answer.body, url) };
    return { kind: "answered", ...shown, startedAt, durationMs };
  }
  if (exchange.reason === "aborted") return { kind: "aborted" };
  return { kind: "failed", error: toNoAnswer(exchange.reason), startedAt, durationMs };
}

/** RFC 9110 §15.3: only the 2xx class says that the message was taken. */
export const isSuccess = (outcome: Outcome) =>
  outcome.kind === "answered" && outcome.statusCode >= 200 && outcome.statusCode <= 299;

/** What metrics count an attempt as: `2xx` and the other classes of status codes, or why no answer came. */
export const resultOf = (outcome: Exclude<Outcome, { kind: "aborted" }>) =>
  outcome.kind === "failed" ? outcome.error : `${Math.floor(outcome.statusCode / 100)}xx`;

/** 0 when no answer came. */
export const statusCodeOf = (outcome: Outcome) =>
  outcome.kind === "answered" ? outcome.statusCode : 0;

function answerOf(exchange: {
  status: number;
  headers: Headers;
  body: Uint8Array;
  truncated: boolean;
}): Answer {
  const { status: statusCode, headers, body, truncated } = exchange;
  return {
    statusCode,
    retryAfter: headers.get("retry-after"),
    contentType: headers.get("content-type")?.slice(0, CONTENT_TYPE_LENGTH) ?? null,
    body: toText(body),
    truncated,
  };
}

/** PostgreSQL keeps no NUL in a text. */
const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD");

function toNoAnswer(reason: FailureReason): NoAnswer {
  if (reason.startsWith("dns_") || reason === "network_filter") return "dns";
  if (reason.startsWith("tls_")) return "tls";
  if (reason === "conn_timeout" || reason === "read_timeout") return "timeout";
  return BLOCKED.has(reason) ? "blocked" : "connect";
}

const BLOCKED = new Set<FailureReason>(["target_forbidden", "url_invalid", "scheme_unsupported"]);

type Recipient = Pick<WebhookRow, "id" | "sealedUrl" | "format" | "secret" | "oldSecrets">;

/**
 * Returns the message about an event and its receiver, with the secrets that sign now.
 * @throws SealedUnderOtherKey when the secret key is not the one that sealed the URL or the signing secret
 */
export function messageFor(
  { secrets, clock, config: { publicUrl } }: Deps,
  webhook: Recipient,
  event: EventRow,
): { receiver: Receiver; message: Message } {
  const { id: webhookId, format } = webhook;
  const whole = secrets.open(webhook.sealedUrl);
  const payload = payloadFor(format, event, { url: whole, webhookId, publicUrl });
  const { body, headers, url = whole } = payload;
  return {
    receiver: { url, secrets: secretsAt(webhook, secrets, clock.now()) },
    message: { id: messageIdOf(event, webhookId), body, headers },
  };
}

/**
 * Returns `msg_` and a ULID made from the event and the webhook: every attempt has the same id, so that a receiver can
 * recognize a repeated message. It has no dot, as the Standard Webhooks specification requires.
 */
export function messageIdOf(event: { id: string; createdAt: number }, webhookId: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(`${event.id} ${webhookId}`).digest();
  let next = 0;
  return `msg_${ulid(event.createdAt, () => bytes[next++]! / 256)}`;
}
