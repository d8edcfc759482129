import type { Clock } from "../lib/clock.ts";
import { codeOf } from "../lib/errors.ts";
import type { TargetPolicy, TargetProblem } from "./policy.ts";
import type { DnsReason, Resolver } from "./resolve.ts";

export type OutboundOptions = {
  clock: Clock;
  resolver: Resolver;
  policy: TargetPolicy;
  /** The setting that a refusal names, such as STILLUP_CHECK_ALLOWED_HOSTS. */
  allowedHostsSetting: string;
  /** `http://[user:password@]host:port`. Targets are still resolved and validated here. */
  proxy?: string | undefined;
  /** The proxy resolves names, so addresses are not validated here. */
  proxyResolves?: boolean | undefined;
  /** PEM certificates trusted in addition to the usual ones. */
  extraCa?: string | undefined;
};

export type RequestInput = {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** Limit of the whole request. */
  timeoutMs: number;
  /** Until a connection is open, per address; 10 s by default. */
  connectMs?: number;
  /** Until the headers arrive, per address; 20 s by default. */
  headersMs?: number;
  /** Limit of the body, in decompressed bytes. The rest is not transferred. */
  bodyCap: number | ((status: number, headers: Headers, tlsExpiresAt: number | null) => BodyWish);
  /**
   * Gets the body, which is not retained then, in pieces of at most 16 KiB. Called after `bodyCap`. If it returns a
   * promise, the next piece waits for it; after `enough`, the rest is not transferred.
   */
  onBody?: ((chunk: Uint8Array) => void | "enough" | Promise<void>) | undefined;
  /** `any` accepts every certificate: never for requests with secrets. */
  trust?: "verified" | "any";
  signal?: AbortSignal | undefined;
};

/** How much of a body is read. */
export type BodyWish = number | { cap: number; isKnown: IsKnown };

/** Gets a body as received, before it is decompressed, unless it is long or incomplete. Returns whether to leave it. */
export type IsKnown = (received: Uint8Array) => boolean;

/** The result of one request. Times are milliseconds since its start. */
export type Exchange =
  | {
      kind: "response";
      status: number;
      headers: Headers;
      body: Uint8Array;
      /** Decompressed bytes that were read, retained or not. */
      bodyBytes: number;
      /** The body is longer, or should be. */
      truncated: boolean;
      bodyProblem: BodyProblem | null;
      /** Lines of `Location` or `Refresh` differ from each other, so the target is not known. */
      hasConflict: boolean;
      address: string | null;
      /** When the certificate expires, in milliseconds since 1970; null over plain http. */
      tlsExpiresAt: number | null;
      /** For how many milliseconds the certificate is valid in all. */
      tlsLifetimeMs?: number | undefined;
      /** How long the name servers took; null if none was asked. */
      dnsMs: number | null;
      headersMs: number;
      elapsedMs: number;
    }
  | {
      kind: "failed";
      reason: FailureReason;
      detail: string;
      /** The server answered with a 2xx or 3xx, or may have done so, but not in valid HTTP. */
      isAnswered?: true;
      address: string | null;
      tlsExpiresAt: number | null;
      tlsLifetimeMs?: undefined;
      dnsMs: number | null;
      elapsedMs: number;
    };

/** A request to a valid URL. `startedAt` is the clock's `elapsed()`. */
export type Plan = {
  url: URL;
  input: RequestInput;
  startedAt: number;
  options: OutboundOptions;
  /** PEM certificates that replace the usual ones. */
  ca: Buffer | null;
  /** How long the name servers took. */
  dnsMs?: number;
};

/** State of the TLS handshake. */
type Handshake = { isDone: boolean; expiresAt: number | null; lifetimeMs?: number };

/** Nothing was sent, so another address of the name may be tried. */
export const BEFORE_SENDING = new Set<FailureReason>([
  "conn_refused",
  "conn_unreachable",
  "conn_timeout",
]);

export type FailedExchange = Exchange & { kind: "failed" };

/** Returns the most significant failure of a name's addresses. "No route" is often only a missing IPv6. */
export const worstOf = (failures: FailedExchange[]): FailedExchange =>
  failures.reduce((worst, next) => (weightOf(next) > weightOf(worst) ? next : worst));

function weightOf({ reason }: FailedExchange): number {
  if (reason === "internal_error") return 0;
  if (reason === "conn_unreachable") return 1;
  return BEFORE_SENDING.has(reason) ? 2 : 3;
}

/** Milliseconds until the deadline of the whole request. */
export const leftOf = ({ input, startedAt, options }: Plan) =>
  input.timeoutMs - (options.clock.elapsed() - startedAt);

/** A request to one address; null: the proxy resolves the name. */
export type Trip = Plan & { address: string | null; handshake: Handshake };

export function failed(
  trip: Pick<Plan, "startedAt" | "options"> & Partial<Trip>,
  reason: FailureReason,
  detail: string,
): FailedExchange {
  return {
    kind: "failed",
    reason,
    detail,
    address: trip.address ?? null,
    tlsExpiresAt: trip.handshake?.expiresAt ?? null,
    dnsMs: trip.dnsMs ?? null,
    elapsedMs: trip.options.clock.elapsed() - trip.startedAt,
  };
}

/** Why there is no usable response. `aborted`: by the caller. */
export type FailureReason = TargetProblem | DnsReason | TransportReason;

type TransportReason =
  | "aborted"
  | "internal_error"
  | "monitor_proxy_error"
  | "network_filter"
  | "conn_refused"
  | "conn_unreachable"
  | "conn_reset"
  | "conn_timeout"
  | "read_timeout"
  | "http_malformed"
  | "http_unexpected"
  | "header_overflow"
  | "tls_expired"
  | "tls_not_yet_valid"
  | "tls_self_signed"
  | "tls_untrusted"
  | "tls_name_mismatch"
  | "tls_protocol"
  | "tls_handshake_reset"
  | "client_certificate";

/** Problems after valid headers. The status still counts. */
export type BodyProblem = "body_incomplete" | "body_undecodable" | "read_timeout";

/** Error codes of Bun 1.4.5 for a request to a literal address. */
const REASON_BY_CODE: Record<string, TransportReason> = {
  ECONNREFUSED: "conn_refused",
  EHOSTUNREACH: "conn_unreachable",
  ENETUNREACH: "conn_unreachable",
  ENETDOWN: "conn_unreachable",
  EACCES: "conn_unreachable",
  EPERM: "conn_unreachable",
  EINVAL: "conn_unreachable",
  ETIMEDOUT: "conn_timeout",
  ECONNRESET: "conn_reset",
  ECONNABORTED: "conn_reset",
  EPIPE: "conn_reset",
  Malformed_HTTP_Response: "http_malformed",
  InvalidHTTPResponse: "http_malformed",
  InvalidContentLength: "http_malformed",
  UnsupportedTransferEncoding: "http_malformed",
  UnexpectedData: "http_malformed",
  UnrequestedUpgrade: "http_unexpected",
  ResponseHeadersTooLarge: "header_overflow",
  CERT_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_not_yet_valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_self_signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_name_mismatch",
  EPROTO: "tls_protocol",
  CLIENT_CERTIFICATE: "client_certificate",
  ERR_PROXY_TUNNEL: "monitor_proxy_error",
};

/** OpenSSL's names for certificates whose issuer is not trusted (X509_V_ERR_…). */
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_CHAIN_TOO_LONG",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
  "INVALID_PURPOSE",
]);

/** Returns the reason of an error thrown by `fetch`; `internal_error` for unknown codes. */
export function reasonOfError(error: unknown): TransportReason {
  const code = codeOf(error);
  if (UNTRUSTED.has(code)) return "tls_untrusted";
  return REASON_BY_CODE[code] ?? "internal_error";
}
