import type { TargetProblem } from "./address.ts";
import type { DnsReason } from "./resolve.ts";

/** Why no usable answer came back. `aborted` means that the caller gave up. */
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
  | "tls_handshake_reset";

/** What can go wrong after good headers. The status still stands then. */
export type BodyProblem = "body_incomplete" | "body_undecodable" | "read_timeout";

/** Names that Bun 1.4.5 gives to what went wrong with a request to a literal address. */
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
  ERR_PROXY_TUNNEL: "monitor_proxy_error",
};

/** This machine ran out of something, which says nothing about the other side. */
const EXHAUSTED = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL"]);

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

/** Whether a request failed for want of descriptors, memory or ports. */
export const isExhausted = (error: unknown) => EXHAUSTED.has(codeOf(error));

/** The reason behind an error thrown by `fetch`. An error without a known name is our own fault. */
export function reasonOfError(error: unknown): TransportReason {
  const code = codeOf(error);
  if (UNTRUSTED.has(code)) return "tls_untrusted";
  return REASON_BY_CODE[code] ?? "internal_error";
}

/** A short name of the error for evidence, without addresses or text from outside. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown";
