import {
  type Reason,
  type ServerErrorReason,
  type Stage,
  stageOf as stageOfReason,
} from "../../../server/judge/reasons/reasons.ts";

export const STATUS_WORDS = {
  active: "Alive",
  dead: "Dead",
  unknown: "Unknown",
  checking: "Checking",
  waiting: "Waiting",
  acknowledged: "Acknowledged",
  muted: "Muted",
  overridden: "Overridden",
  moved: "Moved",
} as const;
export type Shape = keyof typeof STATUS_WORDS;

/** The word inside a sentence. */
export const statusText = (status: Shape) => STATUS_WORDS[status].toLowerCase();

export const DELIVERY_WORDS = {
  pending: "Waiting",
  delivering: "Sending",
  succeeded: "Delivered",
  failed: "Will retry",
  exhausted: "Failed",
  cancelled: "Cancelled",
  expired: "Expired",
  paused: "On hold",
  digested: "Sent in a digest",
} as const;

export const FREQUENCY_WORDS = {
  hourly: "Hourly",
  daily: "Daily",
  weekly: "Weekly",
  monthly: "Monthly",
} as const;

export const STAGE_WORDS: Record<Stage, string> = {
  dns: "DNS",
  connection: "Connection",
  tls: "TLS",
  response: "Response",
  content: "Content",
};

/** At which stage a check fails for the reason; null if it does not fail, or nothing was requested. */
export const stageOf = (reason: string, cause: string | null = null): Stage | null =>
  stageOfReason(reason as Reason, cause as Reason | null);

type NamedReason = Exclude<Reason, ServerErrorReason | `http_${number}`>;

const REASON_WORDS: Record<NamedReason, string> = {
  ok: "Page found",
  ok_redirected: "Redirects",
  ok_empty: "Empty page",
  ok_overridden: "Overridden",
  ok_not_modified: "Not modified",
  ok_partial: "Partial content",
  ok_service: "Exists",
  ok_service_protected: "Exists, protected",
  ok_unverified_app: "Application shell",
  ok_truncated: "Long page",
  dns_nxdomain: "Host not found",
  soft404_redirect_home: "Redirects home",
  soft404_redirect_error: "Redirects to error",
  soft404_body: "Says “not found”",
  soft404_probe: "Missing-page template",
  domain_parked: "Domain for sale",
  hosting_suspended: "Hosting suspended",
  service_not_found: "Not found there",
  service_deleted: "Deleted there",
  service_expired: "Expired there",
  service_takedown: "Taken down",
  service_account_gone: "Account gone",
  service_shutdown: "Service shut down",
  text_missing: "Required text missing",
  text_forbidden: "Forbidden text found",
  final_url_unexpected: "Unexpected final URL",
  status_unexpected: "Status not accepted",
  persistent_failure: "Failing for days",
  monitor_offline: "Monitor offline",
  monitor_degraded: "Monitor's connection poor",
  monitor_proxy_error: "Monitor's proxy failed",
  captive_portal: "Monitor's network sign-in",
  check_aborted: "Check stopped",
  internal_error: "Internal error",
  tls_expired: "Certificate expired",
  tls_not_yet_valid: "Certificate not valid",
  tls_self_signed: "Certificate self-signed",
  tls_untrusted: "Certificate not trusted",
  tls_name_mismatch: "Certificate name differs",
  url_invalid: "Invalid URL",
  scheme_unsupported: "Not http(s)",
  target_forbidden: "Address not allowed",
  dns_servfail: "Name servers failed",
  dns_refused: "Name server refused",
  dns_timeout: "Name server timeout",
  dns_nodata: "Host without address",
  dns_malformed: "Name server malformed",
  conn_refused: "Connection refused",
  conn_unreachable: "Server unreachable",
  conn_reset: "Connection closed",
  conn_timeout: "Connection timed out",
  read_timeout: "Response timed out",
  http_malformed: "Invalid HTTP",
  header_overflow: "Headers too large",
  body_incomplete: "Page cut off",
  body_undecodable: "Page not decodable",
  tls_protocol: "No common encryption",
  tls_handshake_reset: "TLS handshake closed",
  client_certificate: "Client certificate",
  https_only: "Only over https",
  http_4xx: "Request refused",
  http_unexpected: "Unexpected status",
  bot_challenge: "Bot protection",
  login_required: "Asks to sign in",
  paywall: "Asks for payment",
  consent_wall: "Asks for consent",
  geo_blocked: "Blocked by country",
  ip_blocked: "Blocks this monitor",
  legal_blocked: "Blocked legally",
  network_filter: "Blocked by network",
  redirect_loop: "Redirect loop",
  redirect_too_many: "Too many redirects",
  redirect_no_location: "Redirect without target",
  redirect_bad_location: "Redirect target invalid",
  redirect_unsupported_scheme: "Redirects outside web",
  redirect_forbidden_target: "Redirect not allowed",
  soft404_suspected: "Maybe “not found”",
  text_unread: "Required text not read",
  credentials_refused: "Credentials refused",
  credentials_unproven: "Credentials unproven",
  credentials_unreadable: "Credentials unreadable",
  parked_suspected: "Maybe for sale",
  placeholder_page: "Default page",
  site_error: "Site error",
  maintenance: "Under maintenance",
  service_rate_limited: "Rate limited",
  service_unavailable: "Service unavailable",
  service_probe_failed: "Service not reached",
  service_private: "Private",
  service_processing: "Still processing",
  service_unrecognised: "Page not understood",
  unconfirmed: "Not confirmed",
};

/** Reasons that are not just a status code. */
export const NAMED_REASONS = Object.keys(REASON_WORDS);

/** Three words for a reason code: "404", "Host not found", "503 for days". */
export function reasonWords(
  reason: string,
  statusCode: number | null = null,
  cause: string | null = null,
): string {
  const code = /^http_(\d{3})$/.exec(reason)?.[1];
  if (code) return code;
  if (reason === "persistent_failure") return persistentWords(statusCode, cause);
  if (statusCode !== null && /^(ok|http_4xx|http_unexpected)$/.test(reason)) {
    return String(statusCode);
  }
  return REASON_WORDS[reason as NamedReason] ?? reason;
}

function persistentWords(statusCode: number | null, cause: string | null): string {
  if (cause) return `${reasonWords(cause, statusCode)} for days`;
  const isError = statusCode !== null && statusCode >= 400;
  return isError ? `${statusCode} for days` : REASON_WORDS.persistent_failure;
}

/** What a changed field is called, where its name of the API says it badly. */
const CHANGED_FIELDS: Record<string, string> = {
  group_id: "group",
  assignee_id: "assignee",
  external_id: "external ID",
  is_active: "on or off",
  is_admin: "administrator",
  expires_at: "expiry",
  url: "URL",
  oidc: "by single sign-on",
  auth: "credentials",
  allow_http: "sending over http",
};

/** "group, check frequency" */
export const fieldWords = (fields: string[]) =>
  fields.map((name) => CHANGED_FIELDS[name] ?? name.replaceAll("_", " ")).join(", ");

/** When the old value of what is rotated expires, in seconds from now. */
export const gracesOf = (what: "secret" | "value") => [
  { value: 0, label: `Now: the ${what} has leaked` },
  { value: 3_600, label: "In 1 hour" },
  { value: 86_400, label: "In 24 hours" },
  { value: 604_800, label: "In 7 days" },
];
export const USUAL_GRACE = 86_400;
