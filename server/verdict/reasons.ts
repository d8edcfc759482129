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

/** The certificate cannot be trusted, but a server answers. */
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

const MESSAGES: Record<Exclude<Reason, ServerErrorReason>, string> = {
  ok: "The page is there.",
  ok_redirected: "The link redirects to a page that is there.",
  ok_empty: "The server answered with success and an empty page.",
  ok_not_modified: "The server answered that the page has not changed.",
  ok_partial: "The server answered with a part of the content.",
  ok_service: "The service says that it exists.",
  ok_service_protected:
    "The service says that it exists behind a password, an age check or a payment.",
  ok_unverified_app: "The page is an application that shows the same shell for every address.",
  ok_truncated: "The page is there; only its beginning was read.",
  http_404: "The server answered 404: there is no such page.",
  http_410: "The server answered 410: the page is gone for good.",
  dns_nxdomain: "The name does not exist (NXDOMAIN).",
  soft404_redirect_home: "The link only leads to the home page, as every missing page there does.",
  soft404_redirect_error: "The link redirects to an error page.",
  soft404_body: "The page says that the content does not exist.",
  soft404_probe: "The page is the one that the server shows for any missing address.",
  domain_parked: "The domain is parked or for sale.",
  hosting_suspended: "The site's hosting is suspended.",
  service_not_found: "The service does not know it.",
  service_deleted: "The service says that it was deleted.",
  service_expired: "The service says that it has expired.",
  service_takedown: "The service says that it was taken down.",
  service_account_gone: "The service says that the account is gone.",
  service_shutdown: "The service has shut down.",
  persistent_failure: "The link has failed the same way for days.",
  monitor_offline: "This monitor was offline.",
  monitor_degraded: "This monitor's own connection was unreliable.",
  monitor_proxy_error: "This monitor's proxy did not pass the request on.",
  captive_portal: "This monitor's network asks for a sign-in first.",
  check_aborted: "The check was stopped before it ended.",
  internal_error: "This monitor had a problem of its own.",
  url_invalid: "The URL cannot be requested.",
  scheme_unsupported: "Only http and https links can be checked.",
  target_forbidden:
    "This monitor is not allowed to reach that address (see STILLUP_CHECK_ALLOWED_HOSTS).",
  dns_servfail: "The name servers failed to answer for the name (SERVFAIL).",
  dns_refused: "The name server refused to answer.",
  dns_timeout: "The name server did not answer in time.",
  dns_nodata: "The name exists but has no address.",
  dns_malformed: "The name server's answer made no sense.",
  conn_refused: "The server refused the connection.",
  conn_unreachable: "There is no route to the server.",
  conn_reset: "The server closed the connection without an answer.",
  conn_timeout: "The server could not be connected to in time.",
  read_timeout: "The server did not answer in time.",
  http_malformed: "The server's answer is not HTTP.",
  header_overflow: "The server's headers are too large.",
  body_incomplete: "The server broke off before the page was there.",
  body_undecodable: "The page's compression cannot be undone.",
  tls_expired: "The server's certificate has expired.",
  tls_not_yet_valid: "The server's certificate is not valid yet.",
  tls_self_signed: "The server's certificate is self-signed.",
  tls_untrusted: "The server's certificate comes from an authority that is not trusted.",
  tls_name_mismatch: "The server's certificate is for another name.",
  tls_protocol: "No encrypted connection could be agreed on.",
  tls_handshake_reset: "The server broke off while the encrypted connection was set up.",
  http_400: "The server answered 400: it did not accept the request.",
  http_401: "The server answered 401: it asks for a login.",
  http_402: "The server answered 402: it asks for payment.",
  http_403: "The server answered 403: it does not let this monitor in.",
  http_405: "The server answered 405: it does not accept this kind of request.",
  http_406: "The server answered 406: it has no version this monitor accepts.",
  http_408: "The server answered 408: it waited too long for the request.",
  http_409: "The server answered 409: a conflict.",
  http_421: "The server answered 421: it does not answer for this name.",
  http_423: "The server answered 423: the content is locked.",
  http_425: "The server answered 425: too early.",
  http_429: "The server answered 429: too many requests.",
  http_451: "The server answered 451: unavailable for legal reasons.",
  http_4xx: "The server refused the request.",
  http_999: "The server answered 999: it does not let this monitor in.",
  http_unexpected: "The server answered with a status that makes no sense here.",
  bot_challenge: "The server wants proof that a person is asking.",
  login_required: "The link leads to a login.",
  paywall: "The server asks for payment.",
  consent_wall: "The link leads to a page that asks for consent or for one's age first.",
  geo_blocked: "The content is not available in this monitor's country.",
  ip_blocked: "The server blocks this monitor's address.",
  legal_blocked: "The content is blocked for legal reasons.",
  network_filter: "A filter in this monitor's network blocks the site.",
  redirect_loop: "The redirects lead in a circle.",
  redirect_too_many: "There are too many redirects.",
  redirect_no_location: "The server redirects without saying where to.",
  redirect_bad_location: "The server redirects to an address that cannot be read.",
  redirect_unsupported_scheme: "The link redirects to something that is not a web page.",
  redirect_forbidden_target:
    "The link redirects to an address this monitor is not allowed to reach (see STILLUP_CHECK_ALLOWED_HOSTS).",
  soft404_suspected: "The page looks like an error page, but that is not certain.",
  parked_suspected: "The domain looks parked, but that is not certain.",
  placeholder_page: "The server shows its default page.",
  site_error: "The page shows an error of the site.",
  maintenance: "The site is under maintenance.",
  service_rate_limited: "The service answers this monitor no more for now.",
  service_unavailable: "The service is not available.",
  service_probe_failed: "The service could not be asked.",
  service_private: "The service says that it is private.",
  service_processing: "The service is still processing it.",
  service_unrecognised: "The service's page could not be understood.",
  unconfirmed: "The link seemed dead, but looking again did not confirm it.",
};

/**
 * One plain sentence for people. The status is told where the reason alone does not name it, and so is
 * the cause: what was seen behind `unconfirmed` and `persistent_failure`.
 */
export function messageOf(
  reason: Reason,
  statusCode: number | null,
  cause: Reason | null = null,
): string {
  const message = sentenceFor(reason, statusCode);
  return cause ? `${message.slice(0, -1)}: ${sentenceFor(cause, statusCode)}` : message;
}

function sentenceFor(reason: Reason, statusCode: number | null): string {
  if (isServerError(reason)) return `The server answered ${reason.slice(5)}: it has a problem.`;
  const tellsStatus = reason === "ok" || reason === "http_4xx" || reason === "http_unexpected";
  return tellsStatus && statusCode !== null
    ? `The server answered ${statusCode}.`
    : MESSAGES[reason];
}

const isServerError = (reason: Reason): reason is ServerErrorReason => /^http_5\d\d$/.test(reason);
