/** Everything a check can end with, as stored and shown. The lists are closed: clients rely on them. */
const ACTIVE_REASONS = [
  "ok",
  "ok_redirected",
  "ok_empty",
  "ok_not_modified",
  "ok_partial",
  "ok_service",
  "ok_service_protected",
  "ok_unverified_app",
  "ok_truncated",
] as const;

export const DEAD_REASONS = [
  "http_404",
  "http_410",
  "dns_nxdomain",
  "soft404_redirect_home",
  "soft404_redirect_error",
  "soft404_body",
  "soft404_probe",
  "domain_parked",
  "hosting_suspended",
  "service_not_found",
  "service_deleted",
  "service_expired",
  "service_takedown",
  "service_account_gone",
  "service_shutdown",
  "persistent_failure",
] as const;

/** Our own trouble: says nothing about the link, so that nothing is counted against it. */
const MONITOR_REASONS = [
  "monitor_offline",
  "monitor_degraded",
  "monitor_proxy_error",
  "captive_portal",
  "check_aborted",
  "internal_error",
] as const;

/** The certificate is not to be trusted, but somebody answers. */
const TRUST_REASONS = [
  "tls_expired",
  "tls_not_yet_valid",
  "tls_self_signed",
  "tls_untrusted",
  "tls_name_mismatch",
] as const;

export const UNKNOWN_REASONS = [
  ...MONITOR_REASONS,
  ...TRUST_REASONS,
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

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
/** `http_500` to `http_599`. */
export type ServerErrorReason = `http_5${Digit}${Digit}`;

export type ActiveReason = (typeof ACTIVE_REASONS)[number];
export type DeadReason = (typeof DEAD_REASONS)[number];
export type UnknownReason = (typeof UNKNOWN_REASONS)[number] | ServerErrorReason;
export type Reason = ActiveReason | DeadReason | UnknownReason;

export type Verdict = "active" | "dead" | "unknown";

const within = (list: readonly string[]) => {
  const known = new Set(list);
  return (reason: string) => known.has(reason);
};

const isActive = within(ACTIVE_REASONS);
const isDead = within(DEAD_REASONS);

/** Each reason belongs to one verdict only. */
export function verdictOf(reason: Reason): Verdict {
  if (isActive(reason)) return "active";
  return isDead(reason) ? "dead" : "unknown";
}

/** Whether the monitor itself is to blame, so that the check counts for nothing. */
export const isMonitorFault = within(MONITOR_REASONS);

export const isTrustProblem = within(TRUST_REASONS);

export { messageOf } from "./messages.ts";
