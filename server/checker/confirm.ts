import {
  type AttemptRecord,
  type Conclusion,
  conclude,
  type Observation,
  recordOf,
} from "./conclusion.ts";
import { type Prober, probe } from "./probe.ts";
import { type Style, USUAL_STYLE } from "./profiles.ts";
import { isMonitorFault, isTrustProblem } from "./reasons.ts";
import { judge } from "./verdict.ts";

/** What checking takes, and how patient it is. */
export type Checker = Prober & {
  /** One attempt, in milliseconds. */
  checkTimeoutMs: number;
  /** Waits in milliseconds before the first, second, … of the attempts that must agree. */
  confirmDelaysMs: number[];
  /** Ends the check early, as when the program stops. */
  signal?: AbortSignal | undefined;
};

/** What is known of the link from before. Moments are milliseconds since 1970. */
export type KnownLink = {
  url: string;
  lastDecided: "active" | "dead" | null;
  lastActiveAt: number | null;
  /** When a check first ended unconfirmed because the name was missing, if the last one did. */
  unconfirmedSince: number | null;
};

type Check = {
  checker: Checker;
  link: KnownLink;
  attempts: AttemptRecord[];
  /** On the clock's `elapsed()`; moved on by whatever was spent waiting for a turn. */
  endsAt: number;
};

/** An observation and how it was made. */
type Sighting = Observation & { style: Style };

/** For one check with all its attempts and waits; queueing for a busy site comes on top. */
const BUDGET_MS = 60_000;
const WEEK_MS = 7 * 24 * 3_600_000;
const SECOND_LOOK_MS = 3_600_000;
const C1_GAP_MS = 2000;
const C3_GAP_MS = 5000;

/** One whole check: looks, looks again where that may help, and calls a link dead only when all agrees. */
export async function checkUrl(checker: Checker, link: KnownLink): Promise<Conclusion> {
  const check: Check = { checker, link, attempts: [], endsAt: checker.clock.elapsed() + BUDGET_MS };
  const seen = await retried(check, await look(check, USUAL_STYLE));
  if (seen.finding.verdict !== "dead") return ended(check, seen);
  switch (seen.finding.confirm) {
    case "C1":
      return confirmDefinite(check, seen);
    case "C2":
      return confirmFirm(check, seen);
    case "C3":
      return confirmMissingName(check, seen);
  }
}

/** One attempt, judged and noted. */
async function look(check: Check, style: Style): Promise<Sighting> {
  const { checker, link, attempts } = check;
  const at = checker.clock.now();
  const timeoutMs = Math.min(checker.checkTimeoutMs, leftOf(check));
  const result = await probe(checker, { url: link.url, style, timeoutMs, signal: checker.signal });
  check.endsAt += result.waitedMs;
  const sighting = { probe: result, finding: judge(result, checker.clock.now()), style };
  attempts.push(recordOf(sighting, style.profile, at));
  return sighting;
}

const leftOf = ({ checker, endsAt }: Check) => endsAt - checker.clock.elapsed();

const isAborted = ({ checker }: Check) => checker.signal?.aborted === true;

/** Waits if the time allows. False when there would be none left for another look. */
async function pause(check: Check, ms: number): Promise<boolean> {
  if (leftOf(check) <= ms) return false;
  if (ms > 0) await check.checker.clock.sleep(ms, check.checker.signal);
  return !isAborted(check);
}

/** Looks again as the first finding asks, until something clear is seen. */
async function retried(check: Check, first: Sighting): Promise<Sighting> {
  let telling = first;
  for (const { delayMs, style } of first.finding.retries) {
    if (!(await pause(check, delayMs))) break;
    const next = await look(check, { ...first.style, ...style });
    telling = moreTelling(telling, next);
    if (telling === next && next.finding.verdict !== "unknown") break;
  }
  return telling;
}

/**
 * A failed rescue takes nothing away: what the first look showed stands, unless the next one shows more.
 * Behind a bad certificate only death counts.
 */
function moreTelling(before: Sighting, next: Sighting): Sighting {
  if (isTrustProblem(before.finding.reason)) return next.finding.verdict === "dead" ? next : before;
  if (before.finding.verdict === "active") return next.finding.verdict === "active" ? next : before;
  if (next.finding.verdict !== "unknown") return next;
  const cameThrough = before.probe.kind === "failed" && next.probe.kind === "answered";
  return cameThrough ? next : before;
}

/** Class C1, the server says so in as many words: twice, on fresh connections. */
function confirmDefinite(check: Check, seen: Sighting): Promise<Conclusion> {
  return confirmByLooking(check, seen, [{ delayMs: gapOf(check, C1_GAP_MS), style: seen.style }]);
}

/** Class C2: three times when the link was alive before, else twice, the last time as a browser. */
function confirmFirm(check: Check, seen: Sighting): Promise<Conclusion> {
  const last = { ...seen.style, profile: "B", keepsCookies: false } as const;
  const styles = check.link.lastDecided === "active" ? [seen.style, last] : [last];
  const looks = styles.map((style, index) => ({ delayMs: delayBefore(check, index + 1), style }));
  return confirmByLooking(check, seen, looks);
}

const delayBefore = ({ checker }: Check, index: number) =>
  checker.confirmDelaysMs[index] ?? checker.confirmDelaysMs.at(-1) ?? 0;

/** The rule's own gap, or less where the operator asked for shorter waits. */
const gapOf = (check: Check, ms: number) =>
  Math.min(ms, Math.max(0, ...check.checker.confirmDelaysMs));

type Look = { delayMs: number; style: Style };

/** Every look must agree with the first. Alive wins at once; anything else leaves it open. */
async function confirmByLooking(check: Check, seen: Sighting, looks: Look[]): Promise<Conclusion> {
  let latest = seen;
  for (const { delayMs, style } of looks) {
    if (!(await pause(check, delayMs))) return unconfirmed(check, latest, seen);
    latest = await look(check, style);
    if (latest.finding.verdict === "active" && style.trust === "verified") {
      return ended(check, latest);
    }
    if (isMonitorFault(latest.finding.reason)) return ended(check, latest);
    if (latest.finding.reason !== seen.finding.reason) return unconfirmed(check, latest, seen);
  }
  return ended(check, latest);
}

/** Class C3: every name server, both families, twice; and an hour later again if it was alive this week. */
async function confirmMissingName(check: Check, seen: Sighting): Promise<Conclusion> {
  for (const delayMs of [0, gapOf(check, C3_GAP_MS)]) {
    if (!(await pause(check, delayMs)) || !(await isMissing(check, seen))) {
      return unconfirmed(check, seen, seen);
    }
  }
  const followUpMs = secondLookIn(check);
  return followUpMs > 0 ? unconfirmed(check, seen, seen, followUpMs) : ended(check, seen);
}

async function isMissing({ checker }: Check, { probe: { finalUrl } }: Sighting): Promise<boolean> {
  const answers = await checker.outbound.resolver.askEach(new URL(finalUrl).hostname);
  return (
    answers.length > 0 && answers.every((answer) => !answer.ok && answer.reason === "dns_nxdomain")
  );
}

/** Milliseconds until a name that was alive this week may be called missing; 0 when it may now. */
function secondLookIn({ checker, link }: Check): number {
  const now = checker.clock.now();
  if (link.lastActiveAt === null || now - link.lastActiveAt > WEEK_MS) return 0;
  const firstSeenAt = link.unconfirmedSince ?? now;
  return Math.max(0, firstSeenAt + SECOND_LOOK_MS - now);
}

function unconfirmed(
  check: Check,
  latest: Sighting,
  seen: Sighting,
  followUpMs?: number,
): Conclusion {
  if (isAborted(check)) return ended(check, latest);
  return conclude(check.attempts, latest, {
    reason: "unconfirmed",
    cause: seen.finding.reason,
    ...(followUpMs !== undefined && { followUpMs }),
  });
}

function ended(check: Check, seen: Sighting): Conclusion {
  return conclude(check.attempts, seen, {
    reason: isAborted(check) ? "check_aborted" : seen.finding.reason,
  });
}
