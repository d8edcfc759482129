import type { Clock } from "../../lib/clock.ts";
import type { BodyProblem, FailureReason } from "../../net/exchange.ts";
import { vetTarget } from "../../net/policy.ts";
import type { Exchange, Outbound } from "../../net/request.ts";
import {
  createPageReader,
  createTextKeeper,
  isPage,
  isText,
  type Page,
  type PageReader,
  type TextKeeper,
} from "../page/page.ts";
import { LONGEST_HOLD_WAIT_MS, type Politeness, withPoliteness } from "../politeness/politeness.ts";
import type { Held } from "../politeness/site-line.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import { headersOf, type Style } from "./finding.ts";
import {
  asRedirect,
  type Hop,
  type Jar,
  keepCookies,
  locationOf,
  nextHop,
  refreshOf,
  stateOf,
  withCookies,
  withoutFragment,
} from "./hops.ts";

export type Prober = {
  clock: Clock;
  outbound: Outbound;
  politeness: Politeness;
  userAgent: string;
  /** A user waits for the answer, so its requests go first. */
  isUrgent?: boolean;
};

export type ProbeInput = {
  url: string;
  style: Style;
  /** For all hops together, in milliseconds; waiting for the site's turn does not count. */
  timeoutMs: number;
  /**
   * What is left of the whole check, in milliseconds: bounds the wait for a site that wants to be left
   * alone for a moment. `timeoutMs` by default.
   */
  leftMs?: number;
  signal?: AbortSignal | undefined;
  /** Sent instead of the profile's own, to the server that is asked and to no other. */
  headers?: Record<string, string> | undefined;
  /** Sent by POST, also where redirects of that server ask for it again (RFC 9110 §15.4). */
  body?: string | undefined;
  /** The text of the answer is wanted as it was sent, besides what a page is read for. */
  keepsText?: boolean;
};

/** The way that an attempt took. `elapsedMs` is spent on requests, `waitedMs` on politeness. */
type Journey = {
  hops: Hop[];
  finalUrl: string;
  /** Of the last redirect, from `#` on: never sent, but read by apps of scripts. */
  fragment: string;
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
  /** What was read of an HTML page; null for anything else. */
  page: Page | null;
  /** As it was sent, decoded: at most a MiB of it. Only where it was asked for, and of what is text. */
  text: string | null;
  /** Decompressed bytes that were read: at most a MiB, and one of what is no text. */
  bodyBytes: number;
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
  /** Nothing was asked at the last step, since its site wants to be left alone for so much longer. */
  heldMs?: number;
  /** The redirect's target is one that this monitor refuses although a browser may follow it. */
  isUnsafe?: true;
};

/** What one attempt came back with. */
export type Probe = Answer | Failure;

const PAGE_BYTES = 1024 * 1024;
const MOST_REFRESHES = 3;
/** A wait that leaves less than that for the answer is not worth it. */
const SHORTEST_REQUEST_MS = 5000;

type Attempt = {
  prober: Prober;
  input: ProbeInput;
  jar: Jar;
  seen: Set<string>;
  journey: Journey;
  /** Spent waiting for sites that wanted to be left alone: neither request nor queue. */
  heldMs: number;
  /** Still to be sent. */
  body: string | undefined;
};
type Outcome = Probe | { kind: "redirected"; url: URL };

/** Asks for a URL once and follows its redirects. Whatever the network does comes back as a value. */
export async function probe(prober: Prober, input: ProbeInput): Promise<Probe> {
  const journey = {
    hops: [],
    finalUrl: input.url,
    fragment: "",
    address: null,
    tlsExpiresAt: null,
    elapsedMs: 0,
    waitedMs: 0,
  };
  const { body } = input;
  const attempt = {
    prober,
    input,
    jar: new Map(),
    seen: new Set<string>(),
    journey,
    heldMs: 0,
    body,
  };
  const target = vetTarget(input.url, prober.outbound.policy);
  if (!target.ok) return fail(attempt, target.reason, target.problem);
  let url = withoutFragment(target.url);
  for (;;) {
    const outcome = await visit(attempt, url);
    if (outcome.kind !== "redirected") return outcome;
    url = outcome.url;
  }
}

async function visit(attempt: Attempt, url: URL): Promise<Outcome> {
  const { journey, jar, seen, input } = attempt;
  journey.finalUrl = url.href;
  seen.add(stepOf(attempt, url));
  if (journey.elapsedMs >= input.timeoutMs) return fail(attempt, "read_timeout", "Time ran out.");
  const { exchange, ...content } = await ask(attempt, url);
  if (exchange.kind === "held") return failHeld(attempt, url, exchange);
  const spentMs = journey.elapsedMs;
  journey.elapsedMs += exchange.elapsedMs;
  journey.address = exchange.address;
  journey.tlsExpiresAt = exchange.tlsExpiresAt;
  if (exchange.kind === "failed") {
    return fail(attempt, nameFailure(attempt, exchange.reason), exchange.detail);
  }
  if (input.style.keepsCookies) keepCookies(jar, url, exchange.headers);
  const location = locationOf(exchange.status, exchange.headers);
  if (location !== null) return follow(attempt, { from: url, status: exchange.status, location });
  return followRefresh(attempt, url, answered(attempt, exchange, spentMs, content));
}

/** A loop is the same request in the same state of the cookies. */
const stepOf = ({ jar, body }: Attempt, url: URL) =>
  `${body === undefined ? "GET" : "POST"} ${url.href} ${stateOf(jar)}`;

/** What was read from a body. */
type Content = Pick<Answer, "page" | "text">;
type Asked = { exchange: Exchange | Held } & Content;

async function ask(attempt: Attempt, url: URL): Promise<Asked> {
  const { prober, input, jar, journey } = attempt;
  const { clock, politeness, outbound, isUrgent } = prober;
  const arrivedAt = clock.elapsed();
  let reading: PageReader | null = null;
  let keeping: TextKeeper | null = null;
  const bodyCap = (status: number, headers: Headers) => {
    if (locationOf(status, headers) !== null) return 0;
    const contentType = headers.get("content-type");
    if (isPage(contentType)) reading = createPageReader(contentType);
    if (input.keepsText && isText(contentType)) keeping = createTextKeeper(contentType);
    return isText(contentType) ? PAGE_BYTES : 1;
  };
  const send = (waitedMs: number) => {
    journey.waitedMs += waitedMs;
    attempt.heldMs += clock.elapsed() - arrivedAt - waitedMs;
    return outbound.request(url, {
      ...(attempt.body !== undefined && { method: "POST", body: attempt.body }),
      headers: withCookies(headersFor(attempt, url), jar, url),
      timeoutMs: Math.min(input.timeoutMs - journey.elapsedMs, leftOf(attempt)),
      connectMs: input.style.connectMs,
      trust: input.style.trust,
      bodyCap,
      onBody: (chunk) => {
        reading?.take(chunk);
        keeping?.take(chunk);
      },
      signal: input.signal,
    });
  };
  const maxHoldMs = Math.min(LONGEST_HOLD_WAIT_MS, leftOf(attempt) - SHORTEST_REQUEST_MS);
  const wait = { maxHoldMs, signal: input.signal, isUrgent };
  const exchange = await withPoliteness(politeness, url.host, send, wait);
  // Also when the request failed on the way, since a reader that is left open is never freed.
  return { exchange, page: (await endOf(reading)) ?? null, text: endOf(keeping) ?? null };
}

/** What is meant for one server is no other's business, nor for anyone who listens. */
function isMeant({ input }: Attempt, { host, protocol }: URL): boolean {
  const asked = new URL(input.url);
  return host === asked.host && (protocol === asked.protocol || protocol === "https:");
}

function headersFor(attempt: Attempt, url: URL): Record<string, string> {
  const { prober, input } = attempt;
  const usual = headersOf(input.style, prober.userAgent);
  if (!input.headers || !isMeant(attempt, url)) return usual;
  const own = new Map(Object.entries(input.headers).map(([name, value]) => [nameOf(name), value]));
  const kept = Object.entries(usual).filter(([name]) => !own.has(nameOf(name)));
  return Object.fromEntries([...kept, ...own]);
}

/** The same however it is written: `User-Agent`. */
const nameOf = (field: string) =>
  field.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

/** Of a reader that came to be while the request was made. */
const endOf = <T>(reading: { end(): T } | null) => reading?.end();

const leftOf = ({ input, journey, heldMs }: Attempt) =>
  (input.leftMs ?? input.timeoutMs) - journey.elapsedMs - heldMs;

function failHeld(attempt: Attempt, { host }: URL, { reason, forMs, waitedMs }: Held): Failure {
  const { journey } = attempt;
  journey.waitedMs += waitedMs;
  journey.address = null;
  journey.tlsExpiresAt = null;
  const detail = `${host} wants to be left alone for ${Math.ceil(forMs / 1000)} seconds more.`;
  return { ...fail(attempt, reason, detail), heldMs: forMs };
}

/** A page that sends its reader on is a hop too, unless it leads back or to nothing that can be asked. */
function followRefresh(attempt: Attempt, from: URL, found: Answer): Outcome {
  const { journey } = attempt;
  const refresh = refreshOf(found);
  const earlier = journey.hops.filter(({ via }) => via === "refresh").length;
  if (!refresh || earlier >= MOST_REFRESHES) return found;
  const next = nextHop(refresh.url, from, attempt.prober.outbound.policy);
  if (!next.ok && next.reason !== "redirect_forbidden_target") return found;
  if (next.ok && attempt.seen.has(stepOf(attempt, next.url))) return found;
  const { status } = found;
  return follow(attempt, { from, status, location: refresh.url, via: "refresh" });
}

type Pointing = { from: URL; status: number; location: string; via?: Hop["via"] };

function follow(attempt: Attempt, { from, status, location, via = "location" }: Pointing): Outcome {
  const { journey, input, seen, prober } = attempt;
  journey.hops.push({ url: from.href, status, via });
  const next = nextHop(location, from, prober.outbound.policy);
  if (!next.ok) {
    const { reason, detail, isUnsafe } = next;
    return { ...fail(attempt, reason, detail), ...(isUnsafe && { isUnsafe }) };
  }
  if (journey.hops.length > input.style.maxHops) {
    const detail = `There were more than ${input.style.maxHops} redirects.`;
    return fail(attempt, "redirect_too_many", detail);
  }
  if ((status !== 307 && status !== 308) || !isMeant(attempt, next.url)) attempt.body = undefined;
  if (seen.has(stepOf(attempt, next.url))) {
    return fail(attempt, "redirect_loop", "The redirects lead back to where they were.");
  }
  journey.fragment = next.fragment;
  return { kind: "redirected", url: next.url };
}

/** After a redirect, a target that is refused is the redirect's fault. */
function nameFailure({ journey }: Attempt, reason: FailureReason): Failure["reason"] {
  if (reason === "aborted") return "check_aborted";
  return journey.hops.length === 0 ? reason : asRedirect(reason);
}

function answered(
  { journey }: Attempt,
  exchange: Exchange & { kind: "response" },
  spentMs: number,
  content: Content,
): Answer {
  const { status, headers, bodyBytes, truncated, bodyProblem, headersMs } = exchange;
  const responseTimeMs = Math.round(spentMs + headersMs);
  // A copy, since the journey may go on.
  const way = { ...journey, hops: [...journey.hops] };
  return {
    ...way,
    kind: "answered",
    status,
    headers,
    ...content,
    bodyBytes,
    truncated,
    bodyProblem,
    responseTimeMs,
  };
}

const fail = ({ journey }: Attempt, reason: Failure["reason"], detail: string): Failure => ({
  ...journey,
  kind: "failed",
  reason,
  detail,
});
