import type { Deps } from "../deps.ts";
import { VERSION } from "../lib/version.ts";
import type { FailureReason } from "../outbound/failures.ts";
import { signedHeaders } from "./sign.ts";

/** Why a receiver gave no answer. Nothing finer, so that it tells nothing about a network inside. */
type NoAnswer = "dns" | "connect" | "tls" | "timeout" | "blocked";

/** What one attempt came to. `aborted` means that we gave up ourselves. */
export type Outcome =
  | { kind: "answered"; statusCode: number; retryAfter: string | null; durationMs: number }
  | { kind: "failed"; error: NoAnswer | "internal"; durationMs: number }
  | { kind: "aborted" };

export type Message = { id: string; body: string };

const CONNECT_MS = 5000;
const RESPONSE_BYTES = 16 * 1024;

/**
 * Posts a signed message once. `secret` is the signing secret in clear. Redirects are not followed:
 * a receiver that moved is to be told to us.
 */
export async function sendMessage(
  { webhookOutbound, clock, config }: Deps,
  { url, secret }: { url: string; secret: string },
  message: Message,
  signal?: AbortSignal,
): Promise<Outcome> {
  const exchange = await webhookOutbound.request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": `Stillup-Webhooks/${VERSION}`,
      ...signedHeaders(secret, message, clock.now()),
    },
    body: message.body,
    timeoutMs: config.webhookTimeoutMs,
    headersMs: config.webhookTimeoutMs,
    connectMs: CONNECT_MS,
    bodyCap: RESPONSE_BYTES,
    signal,
  });
  const durationMs = Math.round(exchange.elapsedMs);
  if (exchange.kind === "failed") return failed(exchange.reason, durationMs);
  const { status: statusCode, headers } = exchange;
  return { kind: "answered", statusCode, retryAfter: headers.get("retry-after"), durationMs };
}

/** RFC 9110 §15.3: only the 2xx class says that the message was taken. */
export const isSuccess = (outcome: Outcome) =>
  outcome.kind === "answered" && outcome.statusCode >= 200 && outcome.statusCode <= 299;

/** 0 when no answer came. */
export const statusCodeOf = (outcome: Outcome) =>
  outcome.kind === "answered" ? outcome.statusCode : 0;

function failed(reason: FailureReason, durationMs: number): Outcome {
  if (reason === "aborted") return { kind: "aborted" };
  return { kind: "failed", error: toNoAnswer(reason), durationMs };
}

function toNoAnswer(reason: FailureReason): NoAnswer {
  if (reason.startsWith("dns_") || reason === "network_filter") return "dns";
  if (reason.startsWith("tls_")) return "tls";
  if (reason === "conn_timeout" || reason === "read_timeout") return "timeout";
  return BLOCKED.has(reason) ? "blocked" : "connect";
}

const BLOCKED = new Set<FailureReason>(["target_forbidden", "url_invalid", "scheme_unsupported"]);
