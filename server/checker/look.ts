import { isIPv6 } from "node:net";
import { type AttemptRecord, type Observation, type ProbeRecord, recordOf } from "./conclusion.ts";
import { judgeFailure } from "./failures.ts";
import { type Facts, type Finding, suspected } from "./finding.ts";
import type { OwnState } from "./online/own-fault.ts";
import { type Failure, type Probe, probe } from "./probe.ts";
import type { Style } from "./profiles.ts";
import { learn, type Witness } from "./surroundings/witness.ts";
import { judge } from "./verdict.ts";

/** What checking takes, and how patient it is. */
export type Checker = Witness &
  OwnState & {
    /** One attempt, in milliseconds. */
    checkTimeoutMs: number;
    /** Waits in milliseconds before the first, second, … of the attempts that must agree. */
    confirmDelaysMs: number[];
    /** Checks that take ten minutes, of which there are only so many at a time. */
    patients: { count: number; most: number };
    /** Ends the check early, as when the program stops. */
    signal?: AbortSignal | undefined;
  };

/** What is known of the link from before. Moments are milliseconds since 1970. */
export type KnownLink = {
  /** Null for a URL that nobody keeps. */
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
  /** Somebody waits for this very check: it settles within a minute and looks for itself. */
  isAsked: boolean;
};

/** What is known of a URL that was never checked, and for whose check nobody waits alone. */
export const NEVER_CHECKED: Omit<KnownLink, "url"> = {
  id: null,
  lastDecided: null,
  decidedReason: null,
  lastActiveAt: null,
  unconfirmedSince: null,
  isFlapping: false,
  isAsked: false,
};

/** A check under way. Moments are on the clock's `elapsed()`. */
export type Check = {
  checker: Checker;
  link: KnownLink;
  attempts: AttemptRecord[];
  probes: ProbeRecord[];
  facts: Facts;
  startedAt: number;
  /** Moved on by whatever was spent waiting for a turn, unless somebody waits for the check. */
  endsAt: number;
  /** When the latest attempt ended. */
  lookedAt: number;
};

/** An observation and how it was made. */
export type Sighting = Observation & { style: Style };

/** Another look, `delayMs` after the one before. */
export type Look = { delayMs: number; style: Style };

/** One attempt, judged and noted. */
export async function look(check: Check, style: Style): Promise<Sighting> {
  const { checker, link, attempts } = check;
  const at = checker.clock.now();
  const leftMs = leftOf(check);
  const timeoutMs = Math.min(checker.checkTimeoutMs, leftMs);
  const { signal } = checker;
  const result = await probe(checker, { url: link.url, style, timeoutMs, leftMs, signal });
  excuse(check, result.waitedMs);
  check.lookedAt = checker.clock.elapsed();
  if (result.kind === "answered") checker.online.noteAnswer(result);
  const sighting = { probe: result, finding: await judged(check, result, style), style };
  attempts.push(recordOf(sighting, style.profile, at));
  return sighting;
}

/** Says nothing about the site, however long it goes on. */
const NO_IPV6 = {
  rule: "no_ipv6_here",
  text: "The site has an IPv6 address only, and this machine has no IPv6.",
};

type Unreachable = Failure & { reason: "conn_unreachable" };

const isBeyondUs = ({ outbound }: Checker, result: Failure): result is Unreachable =>
  result.reason === "conn_unreachable" && isIPv6(result.address ?? "") && !outbound.hasIpv6();

/** Judges an attempt, and asks around for what the judgement needs. Facts serve the whole check. */
async function judged(check: Check, result: Probe, style: Style): Promise<Finding> {
  const { checker, link } = check;
  if (result.kind === "failed") {
    return isBeyondUs(checker, result) ? suspected(result.reason, [NO_IPV6]) : judgeFailure(result);
  }
  const url = new URL(link.url);
  for (;;) {
    const { facts } = check;
    const seen = {
      answer: result,
      url,
      now: checker.clock.now(),
      facts,
      isReborn: isReborn(check),
    };
    const finding = judge(seen);
    if (!("wants" in finding)) return finding;
    if (facts[finding.wants] !== undefined) throw new Error(`${finding.wants} is known already`);
    const timeoutMs = Math.min(checker.checkTimeoutMs, leftOf(check));
    const question = { witness: checker, ...seen, style, timeoutMs, signal: checker.signal };
    const learned = await learn(question, finding.wants);
    check.facts = { ...facts, ...learned.facts };
    check.probes.push(...learned.records);
    excuse(check, learned.waitedMs);
  }
}

function excuse(check: Check, waitedMs: number): void {
  if (!check.link.isAsked) check.endsAt += waitedMs;
}

/** Whoever took over a missing or parked name must show more than a page. */
const isReborn = ({ link: { lastDecided, decidedReason } }: Check) =>
  lastDecided === "dead" && (decidedReason === "dns_nxdomain" || decidedReason === "domain_parked");

export const leftOf = ({ checker, endsAt }: Check) => endsAt - checker.clock.elapsed();

export const isAborted = ({ checker }: Check) => checker.signal?.aborted === true;

/** Waits if the time allows. False when there would be none left for another look. */
export async function pause(check: Check, ms: number): Promise<boolean> {
  if (leftOf(check) <= ms) return false;
  if (ms > 0) await check.checker.clock.sleep(ms, check.checker.signal);
  return !isAborted(check);
}
