import type { BodyProblem } from "../../ground/net/exchange.ts";
import { type Matches, matchesTrace, type Trace } from "../../judge/identity/matches.ts";
import { type ContentReader, createContentReader } from "../../judge/page/content.ts";
import { isPage } from "../../judge/page/page.ts";
import type { Facts } from "../../judge/probe/finding.ts";
import { type Hop, refreshOf } from "../../judge/probe/hops.ts";
import type { Answer } from "../../judge/probe/probe.ts";
import { servingOf } from "../../judge/services/serving.ts";
import { fingerprintOf } from "../../judge/signals/same-page.ts";
import { judge } from "../../judge/verdict.ts";
import type { Deps } from "../../work/deps.ts";
import type { Capture } from "./cdx.ts";
import { type Answered, ask, redirectOf } from "./client.ts";
import type { Said } from "./pace.ts";

const MOST_REDIRECTS = 3;
const PAGE_BYTES = 1024 * 1024;
/** Of what is not a page. */
const START_BYTES = 1024;
const LEAST_BYTES = 100;
/** Pages with less text are empty, or are filled by scripts that a capture lacks. */
const LEAST_TEXT = 200;

/** What a capture must be to be offered. */
export type Wish = {
  /** Whose captures these are: the link's, or where it led to. */
  url: string;
  trace: Trace | null;
  /** When the link was already dead. */
  latestAt: number;
  signal?: AbortSignal | undefined;
};

/** Why captures are refused, other than by the reason of a verdict. */
export const OWN_REASONS = [
  /** The archive has no capture of a success. */
  "not_archived",
  /** The archive does not give captures of this address away. */
  "archive_refuses",
  /** There was no answer in time, or none that is complete. */
  "no_answer",
  /** What came is not a capture, but the archive's own page. */
  "not_a_capture",
  /** It leads out of the archive, or too often to other captures. */
  "leads_elsewhere",
  /** It is from a time when the link was dead, or from the future. */
  "too_late",
  /** It shows nearly nothing. */
  "little_text",
  /** Its content is not what the index says. */
  "wrong_type",
  /** It may be an error page or a wall, and nothing is remembered that it could be compared with. */
  "unconfirmed",
  /** It is about something else than what is remembered. */
  "other_page",
] as const;

/** A capture that may be offered, with what it is compared with. */
export type Good = {
  state: "good";
  /** For people. */
  url: string;
  capturedAt: number;
  matches: Matches;
  title: string;
  print: string | null;
};

export type Viewed =
  | Good
  | { state: "refused"; reason: string; capturedAt: number }
  | { state: "unavailable"; retryAt: number };

/** A capture as it came, with the redirects of its page on the way to it. */
type Received = {
  answer: Answered;
  url: URL;
  original: string;
  hops: Hop[];
  content: ReturnType<ContentReader["end"]>;
  start: Uint8Array;
  headers: Headers;
};

/** Requests a capture and judges it by the rules of checks. */
export async function viewCapture(deps: Deps, capture: Capture, wish: Wish): Promise<Viewed> {
  const received = await receive(deps, capture, wish);
  if ("state" in received) return received;
  const refuse = (reason: string): Viewed => ({
    state: "refused",
    reason,
    capturedAt: capture.capturedAt,
  });
  if ("reason" in received) return refuse(received.reason);
  const capturedAt = Date.parse(received.answer.headers.get("memento-datetime") ?? "");
  if (Number.isNaN(capturedAt)) return refuse("not_a_capture");
  if (capturedAt > Math.min(wish.latestAt, deps.clock.now())) return refuse("too_late");
  const answer = toAnswer(received, wish.url);
  const { page } = answer;
  const print = page ? fingerprintOf(answer) : null;
  const shown = { title: page?.title ?? "", text: page?.text ?? "", print };
  const matches = matchesTrace(wish.trace, shown);
  const verdict = (facts: Facts) =>
    verdictAgainst(deps, answer, { url: wish.url, now: capturedAt, facts });
  const reason =
    problemOf(received, capture) ??
    verdict(NO_FACTS) ??
    (matches === "yes" ? null : verdict(HONEST_SITE)) ??
    emptinessOf(received);
  if (reason) return { state: "refused", reason, capturedAt };
  if (matches === "no") return { state: "refused", reason: "other_page", capturedAt };
  const url = received.url.href.replace(/(\/\d{14})id_\//, "$1/");
  return { state: "good", url, capturedAt, matches, title: shown.title, print };
}

/** A redirect of the archive to another capture of the same address is none of the page. */
async function receive(
  deps: Deps,
  capture: Capture,
  { signal }: Wish,
): Promise<Received | { reason: string } | { state: "unavailable"; retryAt: number }> {
  let url = new URL(capture.rawUrl);
  let { original } = capture;
  const hops: Hop[] = [];
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const reading = createReading();
    const asked = await ask(deps, url, {
      kind: "other",
      counted: "capture",
      bodyCap: reading.begin,
      onBody: reading.take,
      saidBy: saidByCapture,
      saidBySilence: "missing",
      signal,
    });
    if (asked.state === "unavailable") return asked;
    const { value: got } = asked;
    if (got.state !== "answered") {
      return { reason: got.state === "none" ? "no_answer" : "leads_elsewhere" };
    }
    const { answer } = got;
    const next = redirectOf(answer, url);
    if (!next) return { answer, url, original, hops, ...reading.end() };
    const led = originalIn(next.href);
    if (led !== null && led !== original) {
      hops.push({ url: original, status: answer.status, via: "location" });
      original = led;
    }
    url = next;
  }
  return { reason: "leads_elsewhere" };
}

/** What a capture says is never about the archive, whatever its status. */
function saidByCapture(answer: Answered): Said["archive"] {
  if (answer.headers.has("memento-datetime")) return "works";
  if (answer.status === 429) return "refused";
  // It may lead to a capture.
  return answer.status >= 300 && answer.status < 400 ? "nothing" : "missing";
}

/** The address in that of a capture. */
const originalIn = (url: string) =>
  /\/\d{4,14}(?:[a-z]{2}_)?\/(https?:\/.*)$/.exec(url)?.[1] ?? null;

/** Reads a capture as what its page was, and keeps the start of it. */
function createReading() {
  let content: ContentReader | null = null;
  let headers = new Headers();
  let start = new Uint8Array();
  return {
    begin(status: number, received: Headers) {
      if (status >= 300 && status < 400) return 0;
      headers = capturedHeaders(received);
      content = createContentReader(headers, { isFine: true, keepsText: true });
      return content.readsOn ? PAGE_BYTES : START_BYTES;
    },
    take(chunk: Uint8Array) {
      if (start.length < START_BYTES)
        start = Buffer.concat([start, chunk.subarray(0, START_BYTES)]);
      const wish = content?.take(chunk);
      return wish === "enough" && start.length >= LEAST_BYTES ? wish : undefined;
    },
    end: () => ({ content: content?.end() ?? { page: null, text: null }, start, headers }),
  };
}

const PREFIX = "x-archive-orig-";

/** The headers that the page was sent with, as archives repeat them. */
function capturedHeaders(received: Headers): Headers {
  const headers = new Headers();
  for (const [name, value] of received) {
    if (name.startsWith(PREFIX)) headers.append(name.slice(PREFIX.length), value);
  }
  const type = received.get("content-type");
  if (!headers.has("content-type") && type !== null) headers.set("content-type", type);
  return headers;
}

function toAnswer({ answer, original, hops, content, headers }: Received, url: string): Answer {
  const { bodyBytes, truncated, bodyProblem } = answer;
  return {
    kind: "answered",
    status: 200,
    headers,
    ...content,
    hops,
    // Archives do not distinguish scheme and `www.`.
    finalUrl: hops.length === 0 ? url : original,
    fragment: "",
    address: null,
    tlsExpiresAt: null,
    dnsMs: null,
    elapsedMs: 0,
    waitedMs: 0,
    bodyBytes,
    truncated,
    bodyProblem,
    responseTimeMs: 0,
  };
}

const INCOMPLETE = new Set<BodyProblem | null>([
  "body_incomplete",
  "read_timeout",
  "body_undecodable",
]);

/** What is wrong with a capture before it is judged as a page. */
function problemOf({ answer, content, start, headers }: Received, capture: Capture): string | null {
  if (answer.status !== 200) return answer.status >= 500 ? "no_answer" : `http_${answer.status}`;
  if (INCOMPLETE.has(answer.bodyProblem)) return "no_answer";
  if (content.page) return capture.type === null || isPage(capture.type) ? null : "wrong_type";
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(/\s*;/);
  if (capture.type !== null && capture.type !== type) return "wrong_type";
  const isPdf = Buffer.from(start.subarray(0, 5)).toString("latin1") === "%PDF-";
  return type === "application/pdf" && !isPdf ? "wrong_type" : null;
}

/** A page is judged first, since what it says of itself is a better reason. */
function emptinessOf({ content, start }: Received): string | null {
  const isLittle = content.page
    ? content.page.text.length < LEAST_TEXT
    : start.length < LEAST_BYTES;
  return isLittle ? "little_text" : null;
}

/** Nothing around a capture can be asked any more. */
const NO_FACTS: Facts = {
  profile: null,
  sibling: null,
  root: null,
  home: null,
  subdomain: null,
  names: null,
  control: null,
};

/** What is found suspicious on a page needs facts then, and without them is not believed. */
const HONEST_SITE: Facts = { profile: { kind: "honest" } };

/** The reason of a verdict other than `active`; null if the rules of checks find the page alive. */
function verdictAgainst(
  { catalogue }: Deps,
  answer: Answer,
  { url, now, facts }: { url: string; now: number; facts: Facts },
): string | null {
  const refresh = refreshOf(answer);
  if (refresh && refresh.url !== "" && !isSelf(refresh.url, answer.finalUrl))
    return "leads_elsewhere";
  const finding = judge({
    answer,
    url: new URL(url),
    now,
    facts,
    serving: servingOf({ catalogue }, { url, lastDecided: "active" }),
    isReregistered: false,
  });
  if ("needs" in finding) return "unconfirmed";
  return finding.verdict === "active" ? null : finding.reason;
}

const isSelf = (target: string, of: string) => {
  const led = URL.parse(target, of)?.href;
  return led === undefined || (originalIn(led) ?? led) === new URL(of).href;
};
