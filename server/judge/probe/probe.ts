import type { CookieJar } from "tough-cookie";
import type { Clock } from "../../ground/lib/clock.ts";
import type { BodyProblem, Exchange, FailureReason } from "../../ground/net/exchange.ts";
import { isOutside, vetTarget } from "../../ground/net/policy.ts";
import type { Outbound } from "../../ground/net/request.ts";
import { type ContentReader, createContentReader } from "../page/content.ts";
import type { Page } from "../page/page.ts";
import { LONGEST_HOLD_WAIT_MS, type Politeness, withPoliteness } from "../politeness/politeness.ts";
import type { Held } from "../politeness/site-line.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import {
  asRedirect,
  type Hop,
  keepCookies,
  locationOf,
  nextHop,
  refreshOf,
  stateOf,
  withCookies,
  withoutFragment,
} from "./hops.ts";
import { type HostSetting, headersFor as headersOfHost, mayCarry } from "./host-setting.ts";
import { headersOf, type Style } from "./style.ts";

export type Prober = {
  clock: Clock;
  outbound: Outbound;
  politeness: Politeness;
  userAgent: string;
  /** A user waits for the result, so its requests go first. */
  isUrgent?: boolean;
  /** Most bytes of a page to read; a MiB by default. */
  mostBytes?: number;
  /** Called before each step that may take long without a pause. */
  onStep?: () => void;
  /** Called when a wait for the turn at a site begins, and when it ends. */
  onWait?: (isWaiting: boolean) => void;
};

export type ProbeInput = {
  url: string;
  style: Style;
  /** For all hops together, without queues. */
  timeoutMs: number;
  /** What is left of the check, which limits the wait for a site's cooldown. `timeoutMs` by default. */
  leftMs?: number;
  signal?: AbortSignal | undefined;
  /** Override those of the profile, for the first server only. */
  headers?: Record<string, string> | undefined;
  /** Sent by POST, also after redirects that keep the method (RFC 9110 §15.4). */
  body?: string | undefined;
  /** Sent to the hosts that it names. */
  host?: HostSetting | null | undefined;
  /** Also keeps the text of the answer as sent. */
  keepsText?: boolean;
  /** What to look for in its page, as `createPageReader` takes it. */
  anchors?: readonly string[] | null;
  /** Compares the content of a success. */
  comparison?: Comparison | undefined;
};

export type Comparison = {
  /** What the request for `finalUrl` asks before it gets the content. */
  condition: Record<string, string>;
  finalUrl: string | null;
  keyOf(response: Received): number;
  /** The key of content that is known and need not be read again. */
  known: number | null;
};

/** A response by its way to it, and its body as received. */
export type Received = Pick<Journey, "hops" | "finalUrl" | "tlsExpiresAt"> & {
  status: number;
  headers: Headers;
  body: Uint8Array;
};

/** The redirects of an attempt. `elapsedMs` is spent on requests, `waitedMs` in queues. */
type Journey = {
  hops: Hop[];
  finalUrl: string;
  /** Of the last redirect, from `#` on: never sent, but client-side apps read it. */
  fragment: string;
  address: string | null;
  /** When the last server's certificate expires, in milliseconds since 1970. */
  tlsExpiresAt: number | null;
  /** A server on the way was not found on the internet: it has an internal address, or one that is not known. */
  isInside?: true;
  /** For how long the last server's certificate is valid in all, in milliseconds. */
  tlsLifetimeMs?: number | undefined;
  /** How long the name servers took to resolve the last server; null if none was asked. */
  dnsMs: number | null;
  elapsedMs: number;
  waitedMs: number;
  /** Whether requests carried what is set for the host: the last one, or any. Missing without such a setting. */
  carried?: { last: boolean; ever: boolean };
};

export type Answer = Journey & {
  kind: "answered";
  status: number;
  headers: Headers;
  /** Null if it is not an HTML page, whatever its type says. */
  page: Page | null;
  /** The whole of a short text that is not a page, such as XML or JSON. */
  shortText?: string;
  /** Identifies way, status, headers and body; missing if not compared, or if only its beginning was read. */
  contentKey?: number;
  /** At most a MiB, decoded; null unless requested (`keepsText`) and textual. */
  text: string | null;
  /** Decompressed bytes that were read: at most a MiB, or the first piece if it is not text. */
  bodyBytes: number;
  truncated: boolean;
  bodyProblem: BodyProblem | null;
  /** Until the headers of the last response. */
  responseTimeMs: number;
  /** The request went through this monitor's proxy, which may have answered itself. */
  isProxied?: true;
};

/** `detail` is for people. */
export type Failure = Journey & {
  kind: "failed";
  reason: UnknownReason | "dns_nxdomain";
  detail: string;
  /** How long the cooldown lasts that prevented the last request. */
  heldMs?: number;
  /** A browser may follow the redirect's target, but this monitor refuses to. */
  isUnsafe?: true;
  /** The server answered with a 2xx or 3xx, or may have done so, but not in valid HTTP. */
  isAnswered?: true;
};

export type Probe = Answer | Failure;

const PAGE_BYTES = 1024 * 1024;
const MOST_REFRESHES = 3;
/** A wait must leave at least this much for the answer. */
const SHORTEST_REQUEST_MS = 5000;

type Attempt = {
  prober: Prober;
  input: ProbeInput;
  /** The cookies that the attempt was given so far. */
  jar: CookieJar | null;
  seen: Set<string>;
  journey: Journey;
  /** Spent waiting for cooldowns: neither request nor queue. */
  heldMs: number;
  body: string | undefined;
};
type Outcome = Probe | { kind: "redirected"; url: URL };

/** Requests a URL once and follows its redirects. Never throws for network reasons. */
export async function probe(prober: Prober, input: ProbeInput): Promise<Probe> {
  const journey: Journey = {
    hops: [],
    finalUrl: input.url,
    fragment: "",
    address: null,
    tlsExpiresAt: null,
    dnsMs: null,
    elapsedMs: 0,
    waitedMs: 0,
  };
  const state = { jar: null, seen: new Set<string>(), journey, heldMs: 0 };
  const attempt = { prober, input, ...state, body: input.body };
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
  journey.tlsLifetimeMs = exchange.tlsLifetimeMs;
  if (exchange.address === null || !isOutside(exchange.address)) journey.isInside = true;
  journey.dnsMs = exchange.dnsMs;
  if (exchange.kind === "failed") {
    const failure = fail(attempt, nameFailure(attempt, exchange.reason), exchange.detail);
    return exchange.isAnswered ? { ...failure, isAnswered: true } : failure;
  }
  if (input.style.keepsCookies) attempt.jar = keepCookies(jar, url, exchange.headers);
  const location = locationOf(exchange.status, exchange.headers);
  const found = answered(attempt, exchange, spentMs, content);
  if (exchange.hasConflict && (location !== null || refreshOf(found))) {
    journey.hops.push({
      url: url.href,
      status: exchange.status,
      via: location === null ? "refresh" : "location",
    });
    return { ...fail(attempt, "redirect_bad_location", SEVERAL_TARGETS), isUnsafe: true };
  }
  if (location !== null) return follow(attempt, { from: url, status: exchange.status, location });
  return followRefresh(attempt, url, found);
}

const SEVERAL_TARGETS = "The server redirects to several addresses at once.";

/** A loop is the same request with the same cookies. */
const stepOf = ({ jar, body }: Attempt, url: URL) =>
  `${body === undefined ? "GET" : "POST"} ${url.href} ${stateOf(jar)}`;

type Content = Pick<Answer, "page" | "text" | "shortText" | "contentKey">;
type Asked = { exchange: Exchange | Held } & Content;

async function ask(attempt: Attempt, url: URL): Promise<Asked> {
  const { prober, input, jar, journey } = attempt;
  const { clock, politeness, outbound, isUrgent, onWait } = prober;
  const arrivedAt = clock.elapsed();
  let content: ContentReader | null = null;
  let contentKey: number | undefined;
  const { comparison } = input;
  const bodyCap = (status: number, headers: Headers, tlsExpiresAt: number | null) => {
    if (locationOf(status, headers) !== null) return 0;
    const isFine = status >= 200 && status < 300;
    const { keepsText = false, anchors } = input;
    content = createContentReader(headers, { isFine, keepsText, anchors });
    contentKey = undefined;
    if (!content.readsOn) return 1;
    const cap = prober.mostBytes ?? PAGE_BYTES;
    if (!comparison || !isFine) return cap;
    const way = { hops: journey.hops, finalUrl: url.href, tlsExpiresAt };
    const isKnown = (body: Uint8Array) => {
      contentKey = comparison.keyOf({ ...way, status, headers, body });
      return contentKey === comparison.known;
    };
    return { cap, isKnown };
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
        prober.onStep?.();
        return content?.take(chunk);
      },
      signal: input.signal,
    });
  };
  const maxHoldMs = Math.min(LONGEST_HOLD_WAIT_MS, leftOf(attempt) - SHORTEST_REQUEST_MS);
  const wait = { maxHoldMs, signal: input.signal, isUrgent, onWait };
  const exchange = await withPoliteness(politeness, url.host, send, wait);
  prober.onStep?.();
  // Also after a failed request, since a reader that stays open is never freed.
  const read: Content = endOf(content) ?? { page: null, text: null };
  return { exchange, ...read, ...(contentKey !== undefined && { contentKey }) };
}

/** Own headers and bodies must not reach other servers, nor travel unencrypted after https. */
function isForTarget({ input }: Attempt, { host, protocol }: URL): boolean {
  const asked = new URL(input.url);
  return host === asked.host && (protocol === asked.protocol || protocol === "https:");
}

function headersFor(attempt: Attempt, url: URL): Record<string, string> {
  const { prober, input } = attempt;
  const usual = headersOf(input.style, prober.userAgent);
  const given = [
    ...(isForTarget(attempt, url) ? Object.entries(input.headers ?? {}) : []),
    ...conditionFor(attempt, url),
    ...hostHeaders(attempt, url),
  ];
  if (given.length === 0) return usual;
  const own = new Map(given.map(([name, value]) => [nameOf(name), value]));
  const kept = Object.entries(usual).filter(([name]) => !own.has(nameOf(name)));
  return Object.fromEntries([...kept, ...own]);
}

/** Where cookies were set on the way, the answer may depend on them. */
const conditionFor = ({ input: { comparison }, jar }: Attempt, { href }: URL) =>
  comparison?.finalUrl === href && jar === null ? Object.entries(comparison.condition) : [];

/** Behind a bad certificate anyone may read what is sent. */
function hostHeaders({ input, journey }: Attempt, url: URL): [string, string][] {
  const { host, style } = input;
  if (!host) return [];
  const before = journey.hops.map((hop) => hop.url);
  const last = style.trust === "verified" && mayCarry(host, url, before);
  journey.carried = { last, ever: last || (journey.carried?.ever ?? false) };
  return last ? headersOfHost(host) : [];
}

/** Normalises case: `User-Agent`. */
const nameOf = (field: string) =>
  field.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

const endOf = <T>(reading: { end(): T } | null) => reading?.end();

const leftOf = ({ input, journey, heldMs }: Attempt) =>
  (input.leftMs ?? input.timeoutMs) - journey.elapsedMs - heldMs;

function failHeld(attempt: Attempt, { host }: URL, { reason, forMs, waitedMs }: Held): Failure {
  const { journey } = attempt;
  journey.waitedMs += waitedMs;
  journey.address = null;
  journey.tlsExpiresAt = null;
  journey.dnsMs = null;
  const detail = `${host} has a cooldown of ${Math.ceil(forMs / 1000)} seconds more.`;
  return { ...fail(attempt, reason, detail), heldMs: forMs };
}

/** A refresh is a hop too, unless it leads back or cannot be requested. */
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
    const detail = `More than ${input.style.maxHops} redirects.`;
    return fail(attempt, "redirect_too_many", detail);
  }
  if ((status !== 307 && status !== 308) || !isForTarget(attempt, next.url))
    attempt.body = undefined;
  if (seen.has(stepOf(attempt, next.url))) {
    return fail(attempt, "redirect_loop", "The redirects form a loop.");
  }
  journey.fragment = next.fragment;
  return { kind: "redirected", url: next.url };
}

/** After a redirect, a refused target is a fault of the redirect. */
function nameFailure({ journey }: Attempt, reason: FailureReason): Failure["reason"] {
  if (reason === "aborted") return "check_aborted";
  return journey.hops.length === 0 ? reason : asRedirect(reason);
}

function answered(
  { journey, prober }: Attempt,
  exchange: Exchange & { kind: "response" },
  spentMs: number,
  content: Content,
): Answer {
  const { status, headers, bodyBytes, truncated, bodyProblem, headersMs } = exchange;
  const responseTimeMs = Math.round(spentMs + headersMs);
  // A copy, since the journey may go on.
  const path = { ...journey, hops: [...journey.hops] };
  const response = { status, headers, ...content, bodyBytes, truncated, bodyProblem };
  const isProxied = prober.outbound.usesProxy ? { isProxied: true as const } : {};
  return { ...path, kind: "answered", ...response, responseTimeMs, ...isProxied };
}

const fail = ({ journey }: Attempt, reason: Failure["reason"], detail: string): Failure => ({
  ...journey,
  kind: "failed",
  reason,
  detail,
});
