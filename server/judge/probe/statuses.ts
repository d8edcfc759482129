import { readRetryAfter } from "../politeness/site-load.ts";
import { isTrustProblem, type ServerErrorReason } from "../reasons/reasons.ts";
import {
  alive,
  dead,
  type Finding,
  once,
  type Retry,
  type Seen,
  type Signal,
  TWICE,
  unclear,
} from "./finding.ts";
import type { Answer, Failure } from "./probe.ts";
import { AS_BROWSER } from "./style.ts";

/** The longest wait that fits into a check. */
const LONGEST_WAIT_MS = 30_000;

/** What servers say to a client without a certificate, such as nginx with its status 496. */
const WANTS_CERTIFICATE = /no required ssl certificate was sent|client certificate (is )?required/i;

const FINDINGS: Record<number, Finding> = {
  204: alive("ok_empty"),
  205: alive("ok_empty"),
  304: alive("ok_not_modified", once({ headers: { "Cache-Control": "no-cache" } })),
  400: unclear("http_400", once({ ...AS_BROWSER, keepsCookies: false })),
  401: unclear("http_401"),
  402: unclear("paywall"),
  403: unclear("http_403", once(AS_BROWSER)),
  404: dead("http_404", "C2"),
  405: unclear("http_405"),
  406: unclear("http_406", once({ headers: { Accept: "*/*" } })),
  407: unclear("http_4xx"),
  408: unclear("http_408", TWICE),
  409: unclear("http_409"),
  410: dead("http_410", "C1"),
  421: unclear("http_421", once()),
  423: unclear("http_423", once()),
  425: unclear("http_425", once()),
  431: unclear("http_4xx", once({ keepsCookies: false })),
  451: unclear("http_451"),
  500: unclear("http_500", TWICE),
  502: unclear("http_502", TWICE),
  504: unclear("http_504", TWICE),
  // RFC 6585 §6: the monitor's own network requires a sign-in.
  511: unclear("captive_portal"),
};

/** Errors of the request, which another request may avoid. */
const WORTH_ANOTHER = new Set([411, 412, 413, 414, 415, 416, 417, 418, 422, 424, 426, 428]);

/** Judges by the status of the last response; null if the page must decide. */
export function readStatus({ answer, now }: Seen): Finding | null {
  const { status } = answer;
  if (wantsCertificate(answer)) return unclear("client_certificate");
  // RFC 9110 §15.5.8: what a client's proxy returns. From a server, it asks for something that nothing can give.
  if (status === 407 && answer.isProxied) return unclear("monitor_proxy_error");
  if (status === 429) return judgeRateLimit(answer, now);
  if (status === 503) return judgeUnavailable(answer, now);
  const listed = FINDINGS[status];
  if (listed) return listed;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return judgeRedirection(answer);
  if (status >= 400 && status < 500) {
    return unclear("http_4xx", WORTH_ANOTHER.has(status) ? once() : []);
  }
  if (status >= 500 && status < 600) return judgeServerError(answer);
  return unclear("http_unexpected", once());
}

const wantsCertificate = ({ status, page }: Answer) =>
  status === 496 ||
  ((status === 400 || status === 403) &&
    WANTS_CERTIFICATE.test(`${page?.title} ${page?.heading} ${page?.text.slice(0, 1000)}`));

type InTrouble = Pick<Answer, "status" | "headers" | "page">;

/** The retries for a 5xx; none for any other status. `now` is wall time in milliseconds. */
export function retriesAfter(answer: InTrouble, now: number): Retry[] {
  const { status } = answer;
  if (status < 500 || status > 599) return [];
  if (status === 503) return judgeUnavailable(answer, now).retries;
  return (FINDINGS[status] ?? judgeServerError(answer)).retries;
}

/** Adds the retries of the status to a finding of a service's own error page, also to one that has to last. */
export const retriedAfter = (finding: Finding, answer: InTrouble, now: number): Finding =>
  finding.reason === "service_unavailable" || finding.confirm === "C4"
    ? { ...finding, retries: retriesAfter(answer, now) }
    : finding;

function judgeRateLimit({ headers }: Answer, now: number): Finding {
  const waitMs = readRetryAfter(headers.get("retry-after"), now);
  return unclear("http_429", waitMs === null ? once(AS_BROWSER) : afterWait(waitMs), waitMs);
}

function judgeUnavailable({ headers, page }: InTrouble, now: number): Finding {
  const waitMs = readRetryAfter(headers.get("retry-after"), now);
  if (waitMs === null) return unclear("http_503");
  const reason = BACKEND_FAILED.test(page?.text ?? "") ? "http_503" : "maintenance";
  return unclear(reason, afterWait(waitMs), waitMs);
}

/** Varnish names a time with each failure of the server behind it. */
const BACKEND_FAILED = /\bbackend fetch failed\b|\bguru meditation\b/i;

const afterWait = (delayMs: number) => (delayMs <= LONGEST_WAIT_MS ? [{ delayMs, style: {} }] : []);

/** Judges a 3xx that was not followed. */
function judgeRedirection({ status, headers, page, bodyBytes }: Answer): Finding | null {
  const hasBody = bodyBytes > 0;
  // RFC 9110 §15.4.1: a choice for the visitor, whether or not the server prefers one.
  if (status === 300) return hasBody ? null : unclear("redirect_no_location", once());
  if (status > 303 && status !== 307 && status !== 308) return unclear("http_unexpected");
  if (page && hasBody) return null;
  // A target that was not followed opens an app.
  if (headers.has("location")) return unclear("redirect_unsupported_scheme");
  return unclear("redirect_no_location", once());
}

const ORIGIN_DNS_MISSING = {
  rule: "origin_dns_missing",
  text: "Cloudflare says that the site's own server has no address (error 1016).",
};

function judgeServerError({ status, page }: InTrouble): Finding {
  const finding = unclear(serverError(status), status >= 520 ? once() : []);
  const isOriginMissing = status === 530 && /\b1016\b/.test(page?.text ?? "");
  return isOriginMissing ? { ...finding, signals: [ORIGIN_DNS_MISSING] } : finding;
}

/** The caller passes a status from 500 to 599. */
const serverError = (status: number) => `http_${status}` as ServerErrorReason;

/** Without a valid certificate a link may be dead, but never active. */
const UNVERIFIED: Retry[] = [{ delayMs: 0, style: { trust: "any", keepsCookies: false } }];

const RETRIES: Partial<Record<Failure["reason"], Retry[]>> = {
  dns_nodata: once(),
  dns_servfail: once(),
  dns_refused: once(),
  dns_timeout: once(),
  dns_malformed: once(),
  conn_refused: TWICE,
  conn_unreachable: once(),
  conn_timeout: once({ connectMs: 20_000 }),
  read_timeout: once(),
  // Some firewalls reset connections of unknown clients.
  conn_reset: [
    { delayMs: 2000, style: AS_BROWSER },
    { delayMs: 8000, style: {} },
  ],
  http_malformed: once(),
  http_unexpected: once(),
  header_overflow: once(),
  tls_protocol: once(),
  tls_handshake_reset: once(),
  redirect_loop: once(AS_BROWSER),
  redirect_too_many: once({ maxHops: 20 }),
  redirect_bad_location: once(),
};

/** Does not count as a lasting failure, because browsers may follow the redirect. */
const UNSAFE_LOCATION: Signal = {
  rule: "unsafe_location",
  text: "The redirect leads to an address that this monitor refuses to follow.",
};

/** Does not count as a lasting failure either, since browsers may show the page. */
const ANSWERED_MALFORMED: Signal = {
  rule: "answered_malformed",
  text: "The server answered with a success or a redirect, but not in valid HTTP.",
};

/** Judges an attempt without a usable answer. Only a missing name is evidence against the link. */
export function judgeFailure({ reason, heldMs, isUnsafe, isAnswered }: Failure): Finding {
  if (isAnswered)
    return {
      ...unclear(reason as "http_malformed", RETRIES[reason]),
      signals: [ANSWERED_MALFORMED],
    };
  if (isUnsafe && reason !== "dns_nxdomain") {
    return { ...unclear(reason, RETRIES[reason]), signals: [UNSAFE_LOCATION] };
  }
  if (heldMs !== undefined && reason !== "dns_nxdomain") return unclear(reason, [], heldMs);
  if (reason === "dns_nxdomain") return dead(reason, "C3");
  return unclear(reason, isTrustProblem(reason) ? UNVERIFIED : RETRIES[reason]);
}
