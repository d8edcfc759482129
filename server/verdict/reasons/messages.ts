import type { Reason, ServerErrorReason } from "./reasons.ts";

type NamedReason = Exclude<Reason, ServerErrorReason>;

/** One sentence for people. Apart from the reasons, since the dashboard gets its sentences from the API. */
const MESSAGES: Record<NamedReason, string> = {
  ok: "The page is there.",
  ok_redirected: "The link redirects to a page that is there.",
  ok_empty: "The server returned an empty page.",
  ok_not_modified: "The server reported that the page has not changed.",
  ok_partial: "The server returned a part of the content.",
  ok_service: "The service says that it exists.",
  ok_service_protected:
    "The service says that it exists behind a password, an age check or a payment.",
  ok_unverified_app: "The page is an application that shows the same shell for every address.",
  ok_truncated: "The page is there; only its beginning was read.",
  ok_overridden: "Someone looked and said that it works; the check saw this.",
  http_404: "The server returned 404: there is no such page.",
  http_410: "The server returned 410: the page is gone for good.",
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
  text_missing: "The page does not contain a text that it must contain.",
  text_forbidden: "The page contains a text that it must not contain.",
  final_url_unexpected: "The link leads to another address than expected.",
  status_unexpected: "The server returned a status that this link does not accept.",
  persistent_failure: "The link has been failing the same way for days.",
  monitor_offline: "This monitor was offline.",
  monitor_degraded: "This monitor's own connection was unreliable.",
  monitor_proxy_error: "This monitor's proxy did not forward the request.",
  captive_portal: "This monitor's network requires a sign-in first.",
  check_aborted: "The check was stopped before it finished.",
  internal_error: "This monitor had an internal error.",
  tls_expired: "The server's certificate has expired.",
  tls_not_yet_valid: "The server's certificate is not valid yet.",
  tls_self_signed: "The server's certificate is self-signed.",
  tls_untrusted: "The server's certificate comes from an authority that is not trusted.",
  tls_name_mismatch: "The server's certificate is for another name.",
  url_invalid: "The URL cannot be requested.",
  scheme_unsupported: "Only http and https links can be checked.",
  target_forbidden:
    "This monitor is not allowed to reach that address (see STILLUP_CHECK_ALLOWED_HOSTS).",
  dns_servfail: "The name servers failed to resolve the name (SERVFAIL).",
  dns_refused: "The name server refused the query.",
  dns_timeout: "The name server did not respond in time.",
  dns_nodata: "The name exists but has no address.",
  dns_malformed: "The name server's response was malformed.",
  conn_refused: "The server refused the connection.",
  conn_unreachable: "There is no route to the server.",
  conn_reset: "The server closed the connection without a response.",
  conn_timeout: "The connection to the server timed out.",
  read_timeout: "The server did not respond in time.",
  http_malformed: "The server's response is not valid HTTP.",
  header_overflow: "The server's headers are too large.",
  body_incomplete: "The server closed the connection before the end of the page.",
  body_undecodable: "The page could not be decompressed.",
  tls_protocol: "No encrypted connection could be negotiated.",
  tls_handshake_reset: "The server closed the connection during the TLS handshake.",
  client_certificate: "The server requires a client certificate.",
  https_only: "The server does not answer over http, but the same address works over https.",
  http_400: "The server returned 400: it did not accept the request.",
  http_401: "The server returned 401: it requires a login.",
  http_402: "The server returned 402: it requires payment.",
  http_403: "The server returned 403 (forbidden).",
  http_405: "The server returned 405: it does not allow this kind of request.",
  http_406: "The server returned 406: it has no version that this monitor accepts.",
  http_408: "The server returned 408: it waited too long for the request.",
  http_409: "The server returned 409: a conflict.",
  http_421: "The server returned 421: it does not serve this name.",
  http_423: "The server returned 423: the content is locked.",
  http_425: "The server returned 425: too early.",
  http_429: "The server returned 429: too many requests.",
  http_451: "The server returned 451: unavailable for legal reasons.",
  http_4xx: "The server refused the request.",
  http_999: "The server returned 999: it blocks automated requests.",
  http_unexpected: "The server returned an unexpected status.",
  bot_challenge: "The server asks for proof that the visitor is human.",
  login_required: "The link leads to a login.",
  paywall: "The server requires payment.",
  consent_wall: "The link leads to a page that asks for consent or for an age verification first.",
  geo_blocked: "The content is not available in this monitor's country.",
  ip_blocked: "The server blocks this monitor's address.",
  legal_blocked: "The content is blocked for legal reasons.",
  network_filter: "A filter in this monitor's network blocks the site.",
  redirect_loop: "The redirects form a loop.",
  redirect_too_many: "There are too many redirects.",
  redirect_no_location: "The server redirects without a target.",
  redirect_bad_location: "The server redirects to an invalid address.",
  redirect_unsupported_scheme: "The link redirects to something that is not a web page.",
  redirect_forbidden_target:
    "The link redirects to an address this monitor is not allowed to reach (see STILLUP_CHECK_ALLOWED_HOSTS).",
  soft404_suspected: "The page looks like an error page, but that is not certain.",
  text_unread: "A text that the page must contain was not found in the part that could be read.",
  credentials_refused: "The server did not accept the credentials that are set for it.",
  credentials_unproven:
    "The server says that there is no such page, but the credentials set for it may no longer work.",
  credentials_unreadable:
    "The credentials set for the server cannot be decrypted, so nothing was requested.",
  parked_suspected: "The domain looks parked, but that is not certain.",
  placeholder_page: "The server shows its default page.",
  site_error: "The page shows an error of the site.",
  maintenance: "The site is under maintenance.",
  service_rate_limited: "The service is rate-limiting this monitor.",
  service_unavailable: "The service is not available.",
  service_probe_failed: "The service could not be reached.",
  service_private: "The service says that it is private.",
  service_processing: "The service is still processing it.",
  service_unrecognised: "The service's page could not be understood.",
  unconfirmed: "The link seemed dead, but further attempts did not confirm it.",
};

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
    : MESSAGES[reason];
}

const isServerError = (reason: Reason): reason is ServerErrorReason => /^http_5\d\d$/.test(reason);
