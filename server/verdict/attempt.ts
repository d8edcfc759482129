import { isIPv6 } from "node:net";
import type { MonitorState } from "./own-fault.ts";
import {
  type AttemptRecord,
  attemptRecord,
  type Observation,
  type ProbeRecord,
} from "./probe/conclusion.ts";
import { type Facts, type Finding, type Style, suspected } from "./probe/finding.ts";
import { type Failure, type Probe, type ProbeInput, probe } from "./probe/probe.ts";
import { judgeFailure } from "./probe/statuses.ts";
import { askService, type ServiceAnswer } from "./services/ask.ts";
import { type Services, servingOf, targetOf } from "./services/catalogue.ts";
import { requestOf } from "./services/requests.ts";
import { asShutDown, atHelper, pageOf, type Serving, unproven } from "./services/serving.ts";
import { type CheckContext, learnFact } from "./surroundings.ts";
import { judge } from "./verdict.ts";

/** What checking takes, and how patient it is. */
export type Checker = CheckContext &
  MonitorState & {
    services: Services;
    /** One attempt, in milliseconds. */
    checkTimeoutMs: number;
    /** Waits in milliseconds before the first, second, … of the attempts that must agree. */
    confirmDelaysMs: number[];
    /** Checks that take ten minutes, of which there are only so many at a time. */
    longChecks: { count: number; most: number };
    /** Ends the check early, as when the program stops. */
    signal?: AbortSignal | undefined;
  };

/** What is known of the link from before. Moments are milliseconds since 1970. */
export type KnownLink = {
  /** Null for a URL that is not stored. */
  id: string | null;
  url: string;
  lastDecided: "active" | "dead" | null;
  /** Why it was decided so. */
  decidedReason: string | null;
  lastActiveAt: number | null;
  /** When a check first ended unconfirmed because the name was missing, if the last one did. */
  unconfirmedSince: number | null;
  /** Its status changes too often to be believed quickly. */
  isFlapping: boolean;
  /** A user waits for this check: it ends within a minute and uses no remembered result. */
  isRequested: boolean;
};

/** What is known of a URL that was never checked and that no user waits for. */
export const NEVER_CHECKED: Omit<KnownLink, "url"> = {
  id: null,
  lastDecided: null,
  decidedReason: null,
  lastActiveAt: null,
  unconfirmedSince: null,
  isFlapping: false,
  isRequested: false,
};

/** A check under way. Moments are on the clock's `elapsed()`. */
export type Check = {
  checker: Checker;
  link: KnownLink;
  attempts: AttemptRecord[];
  probes: ProbeRecord[];
  facts: Facts;
  /** What the link's service makes of its address; null for a link that none owns. */
  serving: Serving | null;
  startedAt: number;
  /** Extended by the time spent waiting for a turn, unless a user waits for the check. */
  endsAt: number;
  /** When the latest attempt ended. */
  lookedAt: number;
};

/** A check of a link that nothing was asked for yet. */
export function beginCheck(checker: Checker, link: KnownLink, budgetMs: number): Check {
  const startedAt = checker.clock.elapsed();
  return {
    checker: link.isRequested ? { ...checker, isUrgent: true } : checker,
    link,
    attempts: [],
    probes: [],
    facts: {},
    serving: servingOf(checker.services, link),
    startedAt,
    endsAt: startedAt + budgetMs,
    lookedAt: startedAt,
  };
}

/** An observation and how it was made. */
export type Attempt = Observation & { style: Style };

/** Another look, `delayMs` after the one before. */
export type NextAttempt = { delayMs: number; style: Style };

/** One attempt, judged and noted: the service is asked first, and the page where that tells nothing. */
export async function makeAttempt(check: Check, style: Style): Promise<Attempt> {
  const { checker, attempts } = check;
  const at = checker.clock.now();
  // Awaited only where there is something to ask, so that a page stands in its site's line at once.
  const told = canQueryService(check) ? await queryServiceFirst(check, style) : null;
  const sighting = told ?? (await probePage(check, style));
  attempts.push(attemptRecord(sighting, style.profile, at));
  return sighting;
}

/**
 * Whether the link's service takes a question. Where no use came of it once, the check goes without, unless
 * the trouble may have passed.
 */
function canQueryService({ serving }: Check): boolean {
  if (!serving?.target?.kind.ask) return false;
  const { why, retries = [] } = serving.undecided ?? {};
  return why !== "failed" || retries.length > 0 || !pageOf(serving.target);
}

/** What the link's service says when it is asked as its record tells; null when the page must decide. */
async function queryServiceFirst(check: Check, style: Style): Promise<Attempt | null> {
  const serving = check.serving!;
  const told = await queryService(check, serving, style);
  const finding = told?.finding ?? (pageOf(serving.target!) ? null : unproven(check.serving!));
  return told && finding && { probe: { ...told.probe, ...serving.way }, finding, style };
}

/** The page of the link, as its service reads it if there is one. */
async function probePage(check: Check, style: Style): Promise<Attempt> {
  const { checker, link, serving } = check;
  const page = serving?.target ? pageOf(serving.target) : null;
  const special: Partial<ProbeInput> = page ? requestOf(page, serving!.target!.values) : {};
  // Where a short address led, the service's own request is meant for that place.
  const { finalUrl: url = link.url, hops = [] } = serving?.way ?? {};
  const request = { url, style, keepsText: serving !== null, ...special, ...limitsOf(check) };
  const found = await probe(checker, request);
  const result = hops.length > 0 ? { ...found, hops: [...hops, ...found.hops] } : found;
  noteResult(check, result);
  const finding =
    (await findingAtTarget(check, result, style)) ?? (await judgeResult(check, result, style));
  if (special.url === undefined || isOwnHost(check, special.url)) {
    return { probe: result, finding, style };
  }
  return { probe: result, finding: atHelper(serving!, new URL(special.url), finding), style };
}

/** Whether an address is at the link's own host, or at the one that its redirects lead to. */
function isOwnHost({ link, serving }: Check, url: string): boolean {
  const own = [link.url, serving?.way?.finalUrl].map((address) => URL.parse(address ?? "")?.host);
  return own.includes(new URL(url).host);
}

/**
 * An address that its service has no word for, such as a short one, may lead to one that it has. One that
 * only leads elsewhere is whatever it leads to.
 */
async function findingAtTarget(check: Check, result: Probe, style: Style): Promise<Finding | null> {
  const { checker, serving } = check;
  if (!serving || isKnown(serving) || result.kind === "failed" || result.hops.length === 0) {
    return null;
  }
  const target = targetOf(checker.services.catalogue, new URL(result.finalUrl + result.fragment));
  if (!target || (target.service !== serving.service && !serving.service.shortens)) return null;
  const { hops, finalUrl } = result;
  const led = { ...serving, target, way: { hops, finalUrl } };
  check.serving = led;
  const told = await queryService(check, led, style);
  return told?.finding ?? (pageOf(target) ? null : unproven(check.serving!));
}

/** Whether what is asked about is found: what a short address is itself does not count. */
const isKnown = ({ target, way, service }: Serving) =>
  target !== null && (way !== null || !service.shortens);

/** Asks the service, and notes what came of it. Null where nothing special is to be asked. */
async function queryService(
  check: Check,
  serving: Serving,
  style: Style,
): Promise<ServiceAnswer | null> {
  const { checker, probes } = check;
  const { target } = serving;
  const told = target && (await askService({ prober: checker, target, style, ...limitsOf(check) }));
  if (!told) return null;
  noteResult(check, told.probe);
  probes.push(...told.records);
  check.serving = { ...serving, undecided: told.left };
  return told;
}

/** Waiting is not at the link's cost, and the sentinels must answer after whatever was seen last. */
function noteResult(check: Check, result: Probe): void {
  const { clock, online } = check.checker;
  extendDeadline(check, result.waitedMs);
  check.lookedAt = clock.elapsed();
  if (result.kind === "answered") online.noteAnswer(result);
}

function limitsOf(check: Check) {
  const { checkTimeoutMs, signal } = check.checker;
  const leftMs = remainingMs(check);
  return { timeoutMs: Math.min(checkTimeoutMs, leftMs), leftMs, signal };
}

/** Says nothing about the site, however long it goes on. */
const NO_IPV6_SIGNAL = {
  rule: "no_ipv6_here",
  text: "The site has an IPv6 address only, and this machine has no IPv6.",
};

type Unreachable = Failure & { reason: "conn_unreachable" };

const lacksIpv6 = ({ outbound }: Checker, result: Failure): result is Unreachable =>
  result.reason === "conn_unreachable" && isIPv6(result.address ?? "") && !outbound.hasIpv6();

/** Judges an attempt, and asks around for what the judgement needs. Facts serve the whole check. */
async function judgeResult(check: Check, result: Probe, style: Style): Promise<Finding> {
  const { checker, link } = check;
  if (result.kind === "failed") {
    if (lacksIpv6(checker, result)) return suspected(result.reason, [NO_IPV6_SIGNAL]);
    return asShutDown(check.serving, judgeFailure(result));
  }
  const url = new URL(link.url);
  for (;;) {
    const { facts } = check;
    const seen = {
      answer: result,
      url,
      now: checker.clock.now(),
      facts,
      serving: check.serving,
      isReregistered: isReregistered(check),
    };
    const finding = judge(seen);
    if (!("needs" in finding)) return finding;
    if (facts[finding.needs] !== undefined) throw new Error(`${finding.needs} is known already`);
    const timeoutMs = Math.min(checker.checkTimeoutMs, remainingMs(check));
    const question = { context: checker, ...seen, style, timeoutMs, signal: checker.signal };
    const learned = await learnFact(question, finding.needs);
    check.facts = { ...facts, ...learned.facts };
    check.probes.push(...learned.records);
    extendDeadline(check, learned.waitedMs);
  }
}

function extendDeadline(check: Check, waitedMs: number): void {
  if (!check.link.isRequested) check.endsAt += waitedMs;
}

/** A new owner of an abandoned name must show more than a page. */
const isReregistered = ({ link: { lastDecided, decidedReason } }: Check) =>
  lastDecided === "dead" &&
  /^(dns_nxdomain|domain_parked|service_shutdown)$/.test(decidedReason ?? "");

export const remainingMs = ({ checker, endsAt }: Check) => endsAt - checker.clock.elapsed();

export const isAborted = ({ checker }: Check) => checker.signal?.aborted === true;

/** Waits if the time allows. False when there would be none left for another look. */
export async function pause(check: Check, ms: number): Promise<boolean> {
  if (remainingMs(check) <= ms) return false;
  if (ms > 0) await check.checker.clock.sleep(ms, check.checker.signal);
  return !isAborted(check);
}
