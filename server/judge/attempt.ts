import { isIPv6 } from "node:net";
import { type Controls, learnControl } from "./control.ts";
import { asAdmitted, type LinkHost } from "./credentials.ts";
import { asExpected, type Expect } from "./expectations.ts";
import type { Remembered } from "./identity/facts.ts";
import type { Trace } from "./identity/matches.ts";
import type { Online } from "./online/online.ts";
import { anchorsWantedBy } from "./page/fragments.ts";
import {
  type AttemptRecord,
  attemptRecord,
  type Conclusion,
  type ProbeRecord,
  statusIn,
  type Unchanged,
} from "./probe/conclusion.ts";
import { alive, type Facts, type Finding, suspected } from "./probe/finding.ts";
import {
  type Comparison,
  type Failure,
  type Probe,
  type ProbeInput,
  probe,
} from "./probe/probe.ts";
import { judgeFailure } from "./probe/statuses.ts";
import type { Style } from "./probe/style.ts";
import { askService, type ServiceAnswer, type Services } from "./services/ask.ts";
import { targetOf } from "./services/catalogue.ts";
import { requestOf } from "./services/requests.ts";
import {
  asShutDown,
  atHelper,
  pageOf,
  type Serving,
  servingOf,
  unproven,
} from "./services/serving.ts";
import { type CheckContext, learnFact } from "./surroundings.ts";
import { comparisonWith, type KnownReading, rulesFor, unchangedSince } from "./unchanged.ts";
import { judge } from "./verdict.ts";

/** What distinguishes faults of the monitor from those of a site. */
export type MonitorState = {
  online: Online;
  /** The worst delay of the event loop since a moment on the clock's `elapsed()`, in milliseconds. */
  lag: { worstSince(since: number): number };
};

/** What a check uses, and its limits. */
export type Checker = CheckContext &
  MonitorState & {
    services: Services;
    controls: Controls;
    /** Identifies the rules by which responses are judged. */
    rules: string;
    /** For one attempt. */
    checkTimeoutMs: number;
    /** Delays before the second, third, … of the attempts that must agree. */
    confirmDelaysMs: number[];
    /** Checks of flapping links take ten minutes, so their number is limited. */
    longChecks: { count: number; most: number };
    /** Ends the check early, such as when the process stops. */
    signal?: AbortSignal | undefined;
  };

/** What earlier checks found. Times are in milliseconds since 1970. */
export type KnownLink = {
  /** Null for a URL that is not stored. */
  id: string | null;
  url: string;
  lastDecided: "active" | "dead" | null;
  decidedReason: string | null;
  lastActiveAt: number | null;
  /** When the first of the latest checks ended unconfirmed because the name was missing. */
  unconfirmedSince: number | null;
  /** See docs/verdicts.md, "Flapping". */
  isFlapping: boolean;
  /** A user waits for this check: it ends within a minute and uses no earlier result. */
  isRequested: boolean;
  /** Nothing is kept of the check, and it shares no result with others. */
  isTrial?: boolean;
  /** The fingerprints of the stored responses; missing if responses are not stored. */
  responses?: { alive: number | null; dead: number | null };
  /** Most bytes of its page to read, if its page has ended the process that read it. */
  mostBytes?: number;
  /** What the page must show. Missing: nothing in particular. */
  expect?: Expect;
  /** What its page should have, as written without `#`. Missing: nothing. */
  fragments?: string[];
  /** What is sent to its host. */
  host?: LinkHost | null;
  /** The last full reading, if this check may rely on it; missing if none is kept. */
  known?: KnownReading | null;
  /** The page that is remembered, null for none yet; missing if it is not to be compared. */
  remembered?: Remembered | null;
  /** The page that this one is to be, null where nothing is remembered of it; missing for any page. */
  trace?: Trace | null;
  /** Only a page that is there matters: a failure is not confirmed. */
  isGlance?: boolean;
};

export const NEVER_CHECKED: Omit<KnownLink, "url"> = {
  id: null,
  lastDecided: null,
  decidedReason: null,
  lastActiveAt: null,
  unconfirmedSince: null,
  isFlapping: false,
  isRequested: false,
};

/** The state of a check. Times are on the clock's `elapsed()`. */
export type Check = {
  checker: Checker;
  link: KnownLink;
  attempts: AttemptRecord[];
  probes: ProbeRecord[];
  facts: Facts;
  /** Null if no known service owns the link, or its page must decide. */
  serving: Serving | null;
  startedAt: number;
  /** Extended by the time spent in queues, unless a user waits for the check. */
  endsAt: number;
  /** When the latest attempt ended. */
  attemptedAt: number;
  /** What the server made of a validator that was made up. */
  validators?: Conclusion["validators"];
};

export function beginCheck(checker: Checker, link: KnownLink, budgetMs: number): Check {
  const startedAt = checker.clock.elapsed();
  const { isRequested, mostBytes } = link;
  return {
    checker: {
      ...checker,
      ...(isRequested && { isUrgent: true }),
      ...(mostBytes !== undefined && { mostBytes }),
    },
    link,
    attempts: [],
    probes: [],
    facts: {},
    // A service says nothing about what a link expects, nor what its host shows to someone with credentials.
    serving: link.expect || link.host ? null : servingOf(checker.services, link),
    startedAt,
    endsAt: startedAt + budgetMs,
    attemptedAt: startedAt,
  };
}

/** One attempt and its finding. */
export type Attempt = {
  probe: Probe;
  finding: Finding;
  style: Style;
  /** Set if it shows what the last full reading did, which then holds. */
  unchanged?: Unchanged;
};

/** `delayMs` counts from the end of the attempt before. */
export type NextAttempt = { delayMs: number; style: Style };

/** Makes one attempt: queries the link's service first, and requests the page if that decides nothing. */
export async function makeAttempt(check: Check, style: Style): Promise<Attempt> {
  const { checker, attempts } = check;
  const at = checker.clock.now();
  // Awaited only if there is a query, so that a page joins the queue of its site at once.
  const answer = canQueryService(check) ? await queryServiceFirst(check, style) : null;
  const attempt = answer ?? (await probePage(check, style));
  attempts.push(attemptRecord(attempt, style.profile, at));
  return attempt;
}

/** A query that was of no use once in a check is only repeated if the cause may have passed. */
function canQueryService({ serving }: Check): boolean {
  if (!serving?.target?.kind.ask) return false;
  const { why, retries = [] } = serving.undecided ?? {};
  return why !== "failed" || retries.length > 0 || !pageOf(serving.target);
}

/** Null if the page must decide. */
async function queryServiceFirst(check: Check, style: Style): Promise<Attempt | null> {
  const serving = check.serving!;
  const answer = await queryService(check, serving, style);
  const finding = answer?.finding ?? (pageOf(serving.target!) ? null : unproven(check.serving!));
  return answer && finding && { probe: { ...answer.probe, ...serving.way }, finding, style };
}

/** Requests the link's page, in the way that its service needs. */
async function probePage(check: Check, style: Style): Promise<Attempt> {
  const { checker, link, serving } = check;
  const page = serving?.target ? pageOf(serving.target) : null;
  const special: Partial<ProbeInput> = page ? requestOf(page, serving!.target!.values) : {};
  // For a short URL, the service's request is for the place that it leads to.
  const { finalUrl: url = link.url } = serving?.way ?? {};
  const keepsText = serving !== null || link.expect !== undefined;
  const { host } = link;
  // The page of another address says nothing of the link's anchors.
  const anchors = special.url === undefined ? anchorsWantedBy(link.fragments ?? []) : null;
  const known = knownOf(check);
  const comparison = isCompared(check) ? comparisonWith(known, checker.randomName()) : undefined;
  const ask = async (comparison: Comparison | undefined): Promise<Attempt> => {
    const own = { url, style, host, keepsText, anchors, comparison };
    const request = { ...own, ...special, ...limitsOf(check) };
    const found = await probe(checker, request);
    const unchanged = known && found.kind === "answered" ? unchangedSince(known, found) : null;
    if (!unchanged) return judgePage(check, found, style, special.url);
    noteResult(check, found);
    return { probe: found, finding: alive("ok"), style, unchanged };
  };
  const attempt = await ask(comparison);
  if (!known || !comparison || Object.keys(comparison.condition).length === 0) return attempt;
  if (known.asks === "proves") check.validators = proofIn(attempt);
  const isDoubtful = attempt.unchanged === undefined && mayBeOfCondition(attempt);
  return isDoubtful ? ask({ ...comparison, condition: {} }) : attempt;
}

/** Only of the first attempt: retries and confirmations read in full. */
const isCompared = ({ link, attempts, serving }: Check) =>
  link.known !== undefined && !link.host && attempts.length === 0 && !serving;

/** Null if the page must be judged. */
function knownOf(check: Check): KnownReading | null {
  const { checker, link } = check;
  const known = isCompared(check) ? link.known! : null;
  return known?.reading.rules === rulesFor(checker.rules, link) ? known : null;
}

/** Statuses of servers that do not understand the condition, or that have another version than they say. */
const OF_CONDITION = [304, 400, 412, 500, 501];

const mayBeOfCondition = ({ probe: seen }: Attempt) => OF_CONDITION.includes(statusIn(seen) ?? 0);

/** What an answer to a validator that was made up says of the server. */
function proofIn({ probe: seen, finding }: Attempt): Check["validators"] {
  if (statusIn(seen) === 304) return "barred";
  return finding.verdict === "active" ? "proven" : undefined;
}

/** @param askedUrl the address that the link's service wants to be requested, if it is another one */
async function judgePage(
  check: Check,
  found: Probe,
  style: Style,
  askedUrl: string | undefined,
): Promise<Attempt> {
  const { serving } = check;
  const hops = serving?.way?.hops ?? [];
  const result = hops.length > 0 ? { ...found, hops: [...hops, ...found.hops] } : found;
  noteResult(check, result);
  const finding =
    (await findingAtTarget(check, result, style)) ?? (await judgeResult(check, result, style));
  if (askedUrl === undefined || isOwnHost(check, askedUrl)) {
    return { probe: result, finding, style };
  }
  return { probe: result, finding: atHelper(serving!, new URL(askedUrl), finding), style };
}

/** Includes the host that the link's redirects lead to. */
function isOwnHost({ link, serving }: Check, url: string): boolean {
  const own = [link.url, serving?.way?.finalUrl].map((address) => URL.parse(address ?? "")?.host);
  return own.includes(new URL(url).host);
}

/** A URL that its service cannot judge, such as a short one, may redirect to one that it can. */
async function findingAtTarget(check: Check, result: Probe, style: Style): Promise<Finding | null> {
  const { checker, serving } = check;
  if (!serving || isKnown(serving) || result.kind === "failed" || result.hops.length === 0) {
    return null;
  }
  const target = targetOf(checker.services.catalogue, new URL(result.finalUrl + result.fragment));
  if (!target || (target.service !== serving.service && !serving.service.shortens)) return null;
  const { hops, finalUrl } = result;
  const redirected = { ...serving, target, way: { hops, finalUrl } };
  check.serving = redirected;
  const answer = await queryService(check, redirected, style);
  return answer?.finding ?? (pageOf(target) ? null : unproven(check.serving!));
}

/** Whether the thing that the link is about is known: a short URL is not the thing. */
const isKnown = ({ target, way, service }: Serving) =>
  target !== null && (way !== null || !service.shortens);

/** Null if there is nothing to query. */
async function queryService(
  check: Check,
  serving: Serving,
  style: Style,
): Promise<ServiceAnswer | null> {
  const { checker, probes } = check;
  const { target } = serving;
  const answer =
    target && (await askService({ prober: checker, target, style, ...limitsOf(check) }));
  if (!answer) return null;
  noteResult(check, answer.probe);
  probes.push(...answer.records);
  check.serving = { ...serving, undecided: answer.left };
  return answer;
}

/** Waiting does not count against the link, and the sentinels must answer after the latest attempt. */
function noteResult(check: Check, result: Probe): void {
  const { clock, online } = check.checker;
  extendDeadline(check, result.waitedMs);
  check.attemptedAt = clock.elapsed();
  if (result.kind === "answered") online.noteAnswer(result);
}

function limitsOf(check: Check) {
  const { checkTimeoutMs, signal } = check.checker;
  const leftMs = remainingMs(check);
  return { timeoutMs: Math.min(checkTimeoutMs, leftMs), leftMs, signal };
}

const NO_IPV6_SIGNAL = {
  rule: "no_ipv6_here",
  text: "The site has an IPv6 address only, and this machine has no IPv6.",
};

type Unreachable = Failure & { reason: "conn_unreachable" };

const lacksIpv6 = ({ outbound }: Checker, result: Failure): result is Unreachable =>
  result.reason === "conn_unreachable" && isIPv6(result.address ?? "") && !outbound.hasIpv6();

/** Judges an attempt, and learns the facts that the judgement needs. Facts are valid for the whole check. */
async function judgeResult(check: Check, result: Probe, style: Style): Promise<Finding> {
  const { checker, link } = check;
  if (result.kind === "failed") {
    if (lacksIpv6(checker, result)) return suspected(result.reason, [NO_IPV6_SIGNAL]);
    return asShutDown(check.serving, judgeFailure(result));
  }
  const url = new URL(link.url);
  const progress = { reader: 0 };
  for (;;) {
    const { facts } = check;
    const seen = {
      answer: result,
      url,
      now: checker.clock.now(),
      facts,
      serving: check.serving,
      isReregistered: isReregistered(check),
      expect: link.expect,
    };
    checker.onStep?.();
    const finding = judge(seen, progress);
    if (!("needs" in finding)) {
      // Behind a bad certificate anyone may have written the page.
      const expected = style.trust === "verified" ? asExpected(finding, result, link) : finding;
      return asAdmitted(expected, result, link.host);
    }
    if (facts[finding.needs] !== undefined) throw new Error(`${finding.needs} is known already`);
    const timeoutMs = Math.min(checker.checkTimeoutMs, remainingMs(check));
    const limits = { timeoutMs, signal: checker.signal };
    const question = { context: checker, ...seen, style, host: link.host, ...limits };
    const learned = await (finding.needs === "control"
      ? learnControl(checker.controls, question)
      : learnFact(question, finding.needs));
    check.facts = { ...facts, ...learned.facts };
    check.probes.push(...learned.records);
    extendDeadline(check, learned.waitedMs);
  }
}

function extendDeadline(check: Check, waitedMs: number): void {
  if (!check.link.isRequested) check.endsAt += waitedMs;
}

const isReregistered = ({ link: { lastDecided, decidedReason } }: Check) =>
  lastDecided === "dead" &&
  /^(dns_nxdomain|domain_parked|service_shutdown)$/.test(decidedReason ?? "");

export const remainingMs = ({ checker, endsAt }: Check) => endsAt - checker.clock.elapsed();

export const isAborted = ({ checker }: Check) => checker.signal?.aborted === true;

/** Returns false if no time would be left for another attempt. */
export async function pause(check: Check, ms: number): Promise<boolean> {
  if (remainingMs(check) <= ms) return false;
  if (ms > 0) await check.checker.clock.sleep(ms, check.checker.signal);
  return !isAborted(check);
}
