import type { Clock } from "../lib/clock.ts";
import { vetTarget } from "../outbound/address.ts";
import type { BodyProblem, FailureReason } from "../outbound/failures.ts";
import type { Exchange, Outbound } from "../outbound/request.ts";
import { cookieHeader, type Jar, keepCookies, stateOf } from "./cookies.ts";
import { type Manners, withManners } from "./manners.ts";
import { headersOf, type Style } from "./profiles.ts";
import type { UnknownReason } from "./reasons.ts";

export type Prober = { clock: Clock; outbound: Outbound; manners: Manners; userAgent: string };

export type ProbeInput = {
  url: string;
  style: Style;
  /** For all hops together, in milliseconds; waiting for the site's turn does not count. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** A response that pointed elsewhere. */
type Hop = { url: string; status: number };

/** The way that an attempt took. `elapsedMs` is spent on requests, `waitedMs` on manners. */
type Journey = {
  hops: Hop[];
  finalUrl: string;
  address: string | null;
  /** End of the last server's certificate, in milliseconds since 1970. */
  tlsExpiresAt: number | null;
  elapsedMs: number;
  waitedMs: number;
};

/** A page or a status came back, whatever it says. */
export type Answer = Journey & {
  kind: "answered";
  status: number;
  headers: Headers;
  /** The first MiB, decompressed; of what is no text only the first bytes. */
  body: Uint8Array;
  truncated: boolean;
  bodyProblem: BodyProblem | null;
  /** Until the last response's headers. */
  responseTimeMs: number;
};

/** No answer came. `detail` is for people, in the words of whatever failed. */
export type Failure = Journey & {
  kind: "failed";
  reason: UnknownReason | "dns_nxdomain";
  detail: string;
};

/** What one attempt came back with. */
export type Probe = Answer | Failure;

const PAGE_BYTES = 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type Attempt = { prober: Prober; input: ProbeInput; jar: Jar; seen: Set<string>; journey: Journey };
type Outcome = Probe | { kind: "redirected"; url: URL };

/** Asks for a URL once and follows its redirects. Whatever the network does comes back as a value. */
export async function probe(prober: Prober, input: ProbeInput): Promise<Probe> {
  const journey = {
    hops: [],
    finalUrl: input.url,
    address: null,
    tlsExpiresAt: null,
    elapsedMs: 0,
    waitedMs: 0,
  };
  const attempt: Attempt = { prober, input, jar: new Map(), seen: new Set(), journey };
  const target = vetTarget(input.url, prober.outbound.policy);
  if (!target.ok) return fail(attempt, target.reason, target.problem);
  let url = withoutFragment(target.url);
  for (;;) {
    const outcome = await visit(attempt, url);
    if (outcome.kind !== "redirected") return outcome;
    url = outcome.url;
  }
}

/** A fragment is never sent, so it makes no difference between two requests. */
function withoutFragment(url: URL): URL {
  const bare = new URL(url);
  bare.hash = "";
  return bare;
}

async function visit(attempt: Attempt, url: URL): Promise<Outcome> {
  const { journey, jar, seen, input } = attempt;
  journey.finalUrl = url.href;
  seen.add(`${url.href} ${stateOf(jar)}`);
  if (journey.elapsedMs >= input.timeoutMs) return fail(attempt, "read_timeout", "Time ran out.");
  const exchange = await ask(attempt, url);
  const spentMs = journey.elapsedMs;
  journey.elapsedMs += exchange.elapsedMs;
  journey.address = exchange.address;
  journey.tlsExpiresAt = exchange.tlsExpiresAt;
  if (exchange.kind === "failed") {
    return fail(attempt, nameFailure(attempt, exchange.reason), exchange.detail);
  }
  if (input.style.keepsCookies) keepCookies(jar, url, exchange.headers);
  const location = locationOf(exchange.status, exchange.headers);
  return location === null
    ? answer(attempt, exchange, spentMs)
    : follow(attempt, url, exchange.status, location);
}

function ask({ prober, input, jar, journey }: Attempt, url: URL): Promise<Exchange> {
  const { clock, manners, outbound, userAgent } = prober;
  const arrivedAt = clock.elapsed();
  const send = () => {
    journey.waitedMs += clock.elapsed() - arrivedAt;
    return outbound.request(url, {
      headers: { ...headersOf(input.style, userAgent), ...cookieHeader(jar, url) },
      timeoutMs: input.timeoutMs - journey.elapsedMs,
      connectMs: input.style.connectMs,
      trust: input.style.trust,
      bodyCap: bodyCapOf,
      signal: input.signal,
    });
  };
  return withManners(manners, url.hostname, send, input.signal);
}

/** A redirect's own page is not read, and of files only enough to see that they are not empty. */
function bodyCapOf(status: number, headers: Headers): number {
  if (locationOf(status, headers) !== null) return 0;
  return isText(headers.get("content-type")) ? PAGE_BYTES : 1;
}

/** Whether a type is worth reading. Without a type it may be a page. */
export const isText = (contentType: string | null) =>
  contentType === null || /^\s*$|text\/|\b(xml|json|xhtml|javascript)\b/i.test(contentType);

/** Where a redirect points, or null when the response is to be judged itself. */
function locationOf(status: number, headers: Headers): string | null {
  const location = headers.get("location")?.trim();
  return REDIRECTS.has(status) && location ? fromWire(location) : null;
}

/** Header bytes arrive as Latin-1, but servers put UTF-8 into `Location`. */
function fromWire(text: string): string {
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? text : decoded;
}

function follow(attempt: Attempt, from: URL, status: number, location: string): Outcome {
  const { journey, input, jar, seen, prober } = attempt;
  journey.hops.push({ url: from.href, status });
  const resolved = URL.parse(location, from);
  if (!resolved) {
    return fail(attempt, "redirect_bad_location", "The redirect's target cannot be read.");
  }
  const target = vetTarget(resolved.href, prober.outbound.policy);
  if (!target.ok) {
    return fail(
      attempt,
      REDIRECT_REASON[target.reason],
      "The redirect's target cannot be followed.",
    );
  }
  const next = withoutFragment(target.url);
  if (journey.hops.length > input.style.maxHops) {
    return fail(
      attempt,
      "redirect_too_many",
      `There were more than ${input.style.maxHops} redirects.`,
    );
  }
  if (seen.has(`${next.href} ${stateOf(jar)}`)) {
    return fail(attempt, "redirect_loop", "The redirects lead back to where they were.");
  }
  return { kind: "redirected", url: next };
}

const REDIRECT_REASON = {
  url_invalid: "redirect_bad_location",
  scheme_unsupported: "redirect_unsupported_scheme",
  target_forbidden: "redirect_forbidden_target",
} as const;

/** After a redirect, a target that is refused is the redirect's fault. */
function nameFailure({ journey }: Attempt, reason: FailureReason): Failure["reason"] {
  if (reason === "aborted") return "check_aborted";
  if (journey.hops.length === 0) return reason;
  return reason in REDIRECT_REASON
    ? REDIRECT_REASON[reason as keyof typeof REDIRECT_REASON]
    : reason;
}

function answer(
  { journey }: Attempt,
  exchange: Exchange & { kind: "response" },
  spentMs: number,
): Answer {
  const { status, headers, body, truncated, bodyProblem, headersMs } = exchange;
  const responseTimeMs = Math.round(spentMs + headersMs);
  const shown = { status, headers, body, truncated, bodyProblem, responseTimeMs };
  return { ...journey, kind: "answered", ...shown };
}

const fail = ({ journey }: Attempt, reason: Failure["reason"], detail: string): Failure => ({
  ...journey,
  kind: "failed",
  reason,
  detail,
});
