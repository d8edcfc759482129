import { ulid } from "ulid";
import type { EventRow, WebhookRow } from "../ground/db/tables.ts";
import { addressIn } from "../ground/lib/mail-address.ts";
import { VERSION } from "../ground/lib/runtime.ts";
import type { FailureReason } from "../ground/net/exchange.ts";
import type { Mail } from "../ground/net/mail.ts";
import type { Deps } from "../work/deps.ts";
import { mailFor } from "./email.ts";
import { payloadFor } from "./formats.ts";
import { secretsAt, signedHeaders, withoutUrl } from "./secrets.ts";

/** Why there was no response. Nothing more specific, so that it reveals nothing about an internal network. */
type NoResponse = "dns" | "connect" | "tls" | "timeout" | "blocked";

/** The result of an attempt, which began at `startedAt` by the wall clock. */
export type Outcome = { startedAt: number; durationMs: number } & (
  | ({ kind: "answered" } & Answer)
  | { kind: "failed"; error: NoResponse | "internal" | "secret_key" | "server" }
);

type Answer = {
  statusCode: number;
  retryAfter: string | null;
  contentType: string | null;
  /** Its beginning, as text. */
  body: string;
  /** There was more of it, or should have been. */
  truncated: boolean;
  /** What is never tried again after it: this delivery, or any of this webhook. */
  ends: "delivery" | "webhook" | null;
};

/** RFC 9110 §15.5.11: the receiver is gone permanently. */
const GONE = 410;

/** `secrets` are in plain text, the current one first; each signs. `headers` describe the body. */
type Post = {
  url: string;
  secrets: string[];
  id: string;
  body: string;
  headers: Record<string, string>;
};

const CONNECT_MS = 5000;
const RESPONSE_BYTES = 16 * 1024;
/** Longer than any useful one. */
const CONTENT_TYPE_LENGTH = 255;

type Message = Post | Mail;

/**
 * Sends a message once.
 * @returns `aborted` only if the signal aborts it
 */
export const sendMessage = (
  deps: Deps,
  message: Message,
  signal?: AbortSignal,
): Promise<Outcome | "aborted"> =>
  "html" in message ? sendMail(deps, message, signal) : post(deps, message, signal);

async function sendMail({ mail: server, clock }: Deps, mail: Mail, signal?: AbortSignal) {
  const startedAt = clock.now();
  const sent = server
    ? await server.send(mail, signal)
    : ({ kind: "server", durationMs: 0, reply: "" } as const);
  if (sent.kind === "aborted") return "aborted";
  const times = { startedAt, durationMs: sent.durationMs };
  if (sent.kind !== "replied") return { ...times, kind: "failed", error: sent.kind } as const;
  const ends = ({ refused: "delivery", no_recipient: "webhook" } as const)[sent.what as "refused"];
  return {
    ...({ ...times, kind: "answered", statusCode: sent.code, body: sent.reply } as const),
    retryAfter: null,
    contentType: null,
    truncated: false,
    ends: ends ?? null,
  };
}

/** Posts a signed message. Redirects are not followed: a moved receiver needs a new URL. */
async function post(
  { webhookOutbound, clock, config }: Deps,
  { url, secrets, id, body, headers }: Post,
  signal?: AbortSignal,
): Promise<Outcome | "aborted"> {
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
    const { status: statusCode, headers, body, truncated } = exchange;
    return {
      kind: "answered",
      startedAt,
      durationMs,
      statusCode,
      truncated,
      retryAfter: headers.get("retry-after"),
      contentType: headers.get("content-type")?.slice(0, CONTENT_TYPE_LENGTH) ?? null,
      body: withoutUrl(toText(body), url),
      ends: statusCode === GONE ? "webhook" : null,
    };
  }
  if (exchange.reason === "aborted") return "aborted";
  return { kind: "failed", error: toNoResponse(exchange.reason), startedAt, durationMs };
}

/** RFC 9110 §15.3: only the 2xx class means that the message was accepted. */
export const isSuccess = (outcome: Outcome) =>
  outcome.kind === "answered" && outcome.statusCode >= 200 && outcome.statusCode <= 299;

/** Returns the label of an attempt in metrics: `2xx` and the other classes of status codes, or the error. */
export const resultOf = (outcome: Outcome) =>
  outcome.kind === "failed" ? outcome.error : `${Math.floor(outcome.statusCode / 100)}xx`;

/** What is never tried again. */
export const endsOf = (outcome: Outcome) => (outcome.kind === "answered" ? outcome.ends : null);

/** 0 if there was no response. */
export const statusCodeOf = (outcome: Outcome) =>
  outcome.kind === "answered" ? outcome.statusCode : 0;

/** PostgreSQL does not store NUL in a text. */
const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD");

function toNoResponse(reason: FailureReason): NoResponse {
  if (reason.startsWith("dns_") || reason === "network_filter") return "dns";
  if (reason.startsWith("tls_")) return "tls";
  if (reason === "conn_timeout" || reason === "read_timeout") return "timeout";
  return BLOCKED.has(reason) ? "blocked" : "connect";
}

const BLOCKED = new Set<FailureReason>(["target_forbidden", "url_invalid", "scheme_unsupported"]);

type Recipient = Pick<
  WebhookRow,
  "id" | "accountId" | "sealedUrl" | "format" | "secret" | "oldSecrets" | "name" | "timeZone"
>;

/**
 * Returns the message about an event to the webhook's current URL, with the secrets that sign now.
 * @throws SealedUnderOtherKey when the URL or the signing secret was sealed with another secret key
 */
export function messageFor(deps: Deps, webhook: Recipient, event: EventRow): Message {
  const { secrets, clock, config } = deps;
  const { id: webhookId, format, timeZone } = webhook;
  const url = secrets.open(webhook.sealedUrl);
  const id = messageIdOf(event, webhookId);
  if (format === "email") {
    return mailFor(deps, id, event, { ...webhook, webhookId, address: addressIn(url) });
  }
  const to = { url, webhookId, publicUrl: config.publicUrl, timeZone };
  return {
    id,
    url,
    secrets: secretsAt(webhook, secrets, clock.now()),
    ...payloadFor(format, event, to),
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
