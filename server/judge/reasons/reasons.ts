import { MESSAGES } from "./messages.ts";

/** The reasons of each verdict. The lists are closed: clients rely on them. */
const ACTIVE = [
  "ok",
  "ok_redirected",
  "ok_empty",
  "ok_not_modified",
  "ok_partial",
  "ok_service",
  "ok_service_protected",
  "ok_unverified_app",
  "ok_truncated",
  "ok_overridden",
] as const;

const DEAD = [
  "http_404",
  "http_410",
  "dns_nxdomain",
  "soft404_redirect_home",
  "soft404_redirect_error",
  "soft404_body",
  "soft404_probe",
  "domain_parked",
  "domain_changed_hands",
  "hosting_suspended",
  "service_not_found",
  "service_deleted",
  "service_expired",
  "service_takedown",
  "service_account_gone",
  "service_shutdown",
  "text_missing",
  "text_forbidden",
  "final_url_unexpected",
  "status_unexpected",
  "persistent_failure",
] as const;

/** Faults of the monitor itself, which say nothing about the link. */
const MONITOR = [
  "monitor_offline",
  "monitor_degraded",
  "monitor_proxy_error",
  "captive_portal",
  "check_aborted",
  "internal_error",
] as const;

/** The certificate cannot be trusted, but a server responds. */
const TRUST = [
  "tls_expired",
  "tls_not_yet_valid",
  "tls_self_signed",
  "tls_untrusted",
  "tls_name_mismatch",
] as const;

const UNKNOWN = [
  ...MONITOR,
  ...TRUST,
  "url_invalid",
  "scheme_unsupported",
  "target_forbidden",
  "dns_servfail",
  "dns_refused",
  "dns_timeout",
  "dns_nodata",
  "dns_malformed",
  "conn_refused",
  "conn_unreachable",
  "conn_reset",
  "conn_timeout",
  "read_timeout",
  "http_malformed",
  "header_overflow",
  "body_incomplete",
  "body_undecodable",
  "tls_protocol",
  "tls_handshake_reset",
  "client_certificate",
  "https_only",
  "http_400",
  "http_401",
  "http_402",
  "http_403",
  "http_405",
  "http_406",
  "http_408",
  "http_409",
  "http_421",
  "http_423",
  "http_425",
  "http_429",
  "http_451",
  "http_4xx",
  "http_999",
  "http_unexpected",
  "bot_challenge",
  "login_required",
  "paywall",
  "consent_wall",
  "geo_blocked",
  "ip_blocked",
  "legal_blocked",
  "network_filter",
  "redirect_loop",
  "redirect_too_many",
  "redirect_no_location",
  "redirect_bad_location",
  "redirect_unsupported_scheme",
  "redirect_forbidden_target",
  "soft404_suspected",
  "text_unread",
  "credentials_refused",
  "credentials_unproven",
  "credentials_unreadable",
  "parked_suspected",
  "placeholder_page",
  "site_error",
  "maintenance",
  "service_rate_limited",
  "service_unavailable",
  "service_probe_failed",
  "service_private",
  "service_processing",
  "service_unrecognised",
  "unconfirmed",
] as const;

export type ActiveReason = (typeof ACTIVE)[number];
export type DeadReason = (typeof DEAD)[number];
export type UnknownReason = (typeof UNKNOWN)[number] | ServerErrorReason;
export type Reason = ActiveReason | DeadReason | UnknownReason;

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
/** `http_500` to `http_599`. */
export type ServerErrorReason = `http_5${Digit}${Digit}`;

/** The codes of all reasons. */
export const REASONS = [...ACTIVE, ...DEAD, ...UNKNOWN] as const;
export const DEAD_REASONS = DEAD;
export const UNKNOWN_REASONS = UNKNOWN;

const isAmong = (reasons: readonly string[], reason: string) => reasons.includes(reason);

export type Verdict = "active" | "dead" | "unknown";

/** Each reason belongs to one verdict only. */
export function verdictOf(reason: Reason): Verdict {
  if (isAmong(ACTIVE, reason)) return "active";
  return isAmong(DEAD, reason) ? "dead" : "unknown";
}

/** Whether the monitor itself is at fault, so that the check does not count. */
export const isMonitorFault = (reason: string) => isAmong(MONITOR, reason);

export const isTrustProblem = (reason: string) => isAmong(TRUST, reason);

/** The stages of a check, in order. */
export const STAGES = ["dns", "connection", "tls", "response", "content"] as const;
export type Stage = (typeof STAGES)[number];

const RESPONSE =
  /^(http_|header_|redirect_|read_timeout|body_|status_|credentials_|service_(rate_limited|unavailable|probe_failed))/;
const NO_STAGE = /^(ok|url_|scheme_|target_|credentials_unreadable)/;

/** Returns at which stage a check fails for the reason; null if it does not, or was not made. */
export function stageOf(reason: Reason, cause: Reason | null = null): Stage | null {
  if (NO_STAGE.test(reason)) return null;
  if (cause) return stageOf(cause);
  if (isMonitorFault(reason)) return null;
  if (reason.startsWith("dns_")) return "dns";
  if (/^(conn_|https_only)/.test(reason)) return "connection";
  if (/^(tls_|client_certificate)/.test(reason)) return "tls";
  return RESPONSE.test(reason) || reason === "persistent_failure" ? "response" : "content";
}

/** A reason without its sentence, or a sentence without its reason, is an error here. */
const SENTENCES: Record<Exclude<Reason, ServerErrorReason>, string> = MESSAGES;

/** One sentence for people, with the status and the cause where the reason does not name them. */
export function messageOf(
  reason: Reason,
  statusCode: number | null,
  cause: Reason | null = null,
): string {
  const message = sentenceFor(reason, statusCode);
  return cause
    ? `${message.replace(/(?: this)?\.$/, "")}: ${sentenceFor(cause, statusCode)}`
    : message;
}

function sentenceFor(reason: Reason, statusCode: number | null): string {
  if (isServerError(reason)) return `The server returned ${reason.slice(5)}: it has a problem.`;
  const namesStatus = reason === "ok" || reason === "http_4xx" || reason === "http_unexpected";
  return namesStatus && statusCode !== null
    ? `The server returned ${statusCode}.`
    : SENTENCES[reason];
}

const isServerError = (reason: Reason): reason is ServerErrorReason => /^http_5\d\d$/.test(reason);
