import { isReserved } from "../ground/net/resolve.ts";
import {
  type Attempt,
  beginCheck,
  type Check,
  type Checker,
  isAborted,
  type KnownLink,
  makeAttempt,
  type NextAttempt,
  pause,
  remainingMs,
} from "./attempt.ts";
import { verifyWithCanaries } from "./canary.ts";
import { useOf } from "./credentials.ts";
import { lookForFragments } from "./fragments.ts";
import { factsOf } from "./identity/facts.ts";
import { matchesTrace } from "./identity/matches.ts";
import { monitorFault } from "./own-fault.ts";
import { type Conclusion, conclude, type Ending, urlInBetween } from "./probe/conclusion.ts";
import { type Answer, type Probe, probe } from "./probe/probe.ts";
import { captureResponse } from "./probe/response.ts";
import { type Style, USUAL_STYLE } from "./probe/style.ts";
import { isMonitorFault, isTrustProblem, verdictOf } from "./reasons/reasons.ts";
import { fingerprintOf } from "./signals/same-page.ts";
import { readingOf, rulesFor, sameAs } from "./unchanged.ts";

export type { Checker, KnownLink } from "./attempt.ts";

/** For a check with all its attempts and delays, apart from queues. */
const BUDGET_MS = 60_000;
/** The rest of a user's minute is for slow name servers and for the sentinels. */
const ASKED_BUDGET_MS = 45_000;
const FLAPPING_BUDGET_MS = 12 * 60_000;
const FLAPPING_ATTEMPTS = 5;
/** Makes five attempts within ten minutes from the usual delays. */
const FLAPPING_DELAY_FACTOR = 12.5;
const LONGEST_FLAPPING_DELAY_MS = 150_000;
const WEEK_MS = 7 * 24 * 3_600_000;
const FOLLOW_UP_MS = 3_600_000;
const C1_GAP_MS = 2000;
const C3_GAP_MS = 5000;

/** If these are missing too, the name servers are at fault. */
const KNOWN_NAMES = ["one.one.one.one", "dns.google", "dns.quad9.net"];

/** Runs one whole check: the first attempt, its retries, and the attempts that must agree. */
export async function checkUrl(checker: Checker, link: KnownLink): Promise<Conclusion> {
  const check = beginCheck(checker, link, budgetOf(link));
  const first = await makeAttempt(check, USUAL_STYLE);
  if (first.unchanged && first.probe.kind === "answered") {
    const known = link.known!;
    return sameAs(known, {
      unchanged: first.unchanged,
      responseTimeMs: first.probe.responseTimeMs,
      validators: check.validators,
      newest: readingOf(first.probe, known.reading.rules),
    });
  }
  const seen = await retry(check, first);
  if (seen.finding.verdict !== "dead" || link.isGlance) return conclusive(check, seen);
  if (seen.finding.confirm === "C4") return persistent(check, seen);
  if (seen.finding.confirm === "C3") return confirmMissingName(check, seen);
  // Without a trusted certificate, an explicit statement counts no more than any other.
  const isDefinite = seen.finding.confirm === "C1" && seen.style.trust === "verified";
  return isDefinite ? confirmDefinite(check, seen) : confirmFirm(check, seen);
}

function budgetOf(link: KnownLink): number {
  if (link.isRequested) return ASKED_BUDGET_MS;
  return isLongCheck(link) ? FLAPPING_BUDGET_MS : BUDGET_MS;
}

const isLongCheck = ({ isFlapping, isRequested }: KnownLink) => isFlapping && !isRequested;

/** Retries as the first finding requests, until a verdict is clear. */
async function retry(check: Check, first: Attempt): Promise<Attempt> {
  let best = first;
  for (const { delayMs, style } of first.finding.retries) {
    if (!(await pause(check, delayMs))) break;
    const next = await makeAttempt(check, { ...first.style, ...style });
    best = preferred(best, next);
    if (best === next && next.finding.verdict !== "unknown") break;
  }
  return best;
}

/** The first attempt stands unless the next one shows more. Behind a bad certificate only `dead` counts. */
function preferred(before: Attempt, next: Attempt): Attempt {
  if (isTrustProblem(before.finding.reason)) return next.finding.verdict === "dead" ? next : before;
  if (before.finding.verdict === "active") return next.finding.verdict === "active" ? next : before;
  if (next.finding.verdict !== "unknown") return next;
  const cameThrough = before.probe.kind === "failed" && next.probe.kind === "answered";
  return cameThrough ? next : before;
}

/** Class C1. */
function confirmDefinite(check: Check, seen: Attempt): Promise<Conclusion> {
  return confirmByAttempts(check, seen, [{ delayMs: gapOf(check, C1_GAP_MS), style: seen.style }]);
}

/** Class C2. The last attempt is made as a browser. */
function confirmFirm(check: Check, seen: Attempt): Promise<Conclusion> {
  const { isFlapping, lastDecided } = check.link;
  const again = isFlapping ? FLAPPING_ATTEMPTS - 1 : lastDecided === "active" ? 2 : 1;
  const last: Style = { ...seen.style, profile: "B", keepsCookies: false };
  const looks = Array.from({ length: again }, (_, index) => ({
    delayMs: isFlapping ? flappingDelay(check) : delayBefore(check, index + 1),
    style: index === again - 1 ? last : seen.style,
  }));
  return isLongCheck(check.link)
    ? confirmInLongCheck(check, seen, looks)
    : confirmByAttempts(check, seen, looks);
}

async function confirmInLongCheck(
  check: Check,
  seen: Attempt,
  looks: NextAttempt[],
): Promise<Conclusion> {
  const { longChecks } = check.checker;
  if (longChecks.count >= longChecks.most) return unconfirmed(check, seen, seen);
  longChecks.count += 1;
  try {
    return await confirmByAttempts(check, seen, looks);
  } finally {
    longChecks.count -= 1;
  }
}

const delayBefore = ({ checker }: Check, index: number) =>
  checker.confirmDelaysMs[index] ?? checker.confirmDelaysMs.at(-1) ?? 0;

const flappingDelay = ({ checker }: Check) =>
  Math.min(
    (checker.confirmDelaysMs.at(-1) ?? 0) * FLAPPING_DELAY_FACTOR,
    LONGEST_FLAPPING_DELAY_MS,
  );

/** The gap of the class, or less if the configured delays are shorter. */
const gapOf = (check: Check, ms: number) =>
  Math.min(ms, Math.max(0, ...check.checker.confirmDelaysMs));

/** Dead only if every attempt agrees; one active attempt decides at once. */
async function confirmByAttempts(
  check: Check,
  seen: Attempt,
  looks: NextAttempt[],
): Promise<Conclusion> {
  let latest = seen;
  for (const { delayMs, style } of looks) {
    if (!(await pause(check, delayMs))) return outOfTime(check, latest, seen);
    latest = await makeAttempt(check, style);
    if (latest.finding.verdict === "active" && style.trust === "verified") {
      return conclusive(check, latest);
    }
    if (isMonitorFault(latest.finding.reason)) return conclusive(check, latest);
    if (!agrees(latest, seen)) return unconfirmed(check, latest, seen);
  }
  return conclusive(check, latest);
}

/** A 404 and a 410 agree; a missing name agrees with nothing else, and neither do lasting failures. */
const agrees = ({ finding }: Attempt, seen: Attempt) =>
  finding.verdict === "dead" &&
  finding.confirm !== "C4" &&
  (finding.confirm === "C3") === (seen.finding.confirm === "C3");

/** For a requested check of a flapping link, the next check takes the time that this one lacks. */
const outOfTime = (check: Check, latest: Attempt, seen: Attempt) =>
  unconfirmed(check, latest, seen, check.link.isFlapping && check.link.isRequested ? 0 : undefined);

/** Class C3. */
async function confirmMissingName(check: Check, seen: Attempt): Promise<Conclusion> {
  for (const delayMs of [0, gapOf(check, C3_GAP_MS)]) {
    if (!(await pause(check, delayMs)) || !(await isMissing(check, seen))) {
      return unconfirmed(check, seen, seen);
    }
  }
  if (!(await resolvesKnownNames(check, seen))) return finish(check, seen, NAME_SERVERS_LOST);
  const followUpMs = followUpDelay(check);
  return followUpMs > 0 ? unconfirmed(check, seen, seen, followUpMs) : conclusive(check, seen);
}

const NAME_SERVERS_LOST: Ending = {
  reason: "monitor_degraded",
  evidence: { notes: ["The name servers do not resolve well-known names."] },
};

async function isMissing({ checker }: Check, { probe: { finalUrl } }: Attempt): Promise<boolean> {
  const answers = await checker.outbound.resolver.askEach(new URL(finalUrl).hostname);
  return (
    answers.length > 0 && answers.every((answer) => !answer.ok && answer.reason === "dns_nxdomain")
  );
}

/** Not checked for chosen name servers, which may only serve other names, nor without sentinels. */
async function resolvesKnownNames(
  { checker: { online, outbound, clock } }: Check,
  { probe: { finalUrl } }: Attempt,
): Promise<boolean> {
  if (outbound.resolver.isChosen || isReserved(new URL(finalUrl).hostname)) return true;
  const report = await online.confirm(clock.elapsed());
  if (report?.state !== "online") return true;
  return outbound.resolver.answersFor(KNOWN_NAMES);
}

/** Milliseconds until a name that was active this week counts as missing; 0 if it does now. */
function followUpDelay({ checker, link }: Check): number {
  const now = checker.clock.now();
  if (link.lastActiveAt === null || now - link.lastActiveAt > WEEK_MS) return 0;
  const firstSeenAt = link.unconfirmedSince ?? now;
  return Math.max(0, firstSeenAt + FOLLOW_UP_MS - now);
}

const unconfirmed = (check: Check, latest: Attempt, seen: Attempt, followUpMs?: number) =>
  finish(check, latest, {
    reason: "unconfirmed",
    cause: seen.finding.reason,
    ...(followUpMs !== undefined && { followUpMs }),
  });

/** Class C4: several checks decide (persistence.ts). */
const persistent = (check: Check, seen: Attempt) =>
  finish(check, seen, {
    reason: "unconfirmed",
    cause: seen.finding.reason,
    patienceMs: seen.finding.patienceMs,
  });

const conclusive = (check: Check, seen: Attempt) =>
  finish(check, seen, { reason: seen.finding.reason });

/** Concludes the check, unless the monitor or the link's service is at fault. */
async function finish(check: Check, latest: Attempt, wanted: Ending): Promise<Conclusion> {
  const { attempts, probes, link } = check;
  if (isAborted(check)) return conclude(attempts, latest, { reason: "check_aborted" });
  const { fault, report } = await monitorFault(check, latest);
  const verified = fault ? wanted : await verifyWithCanaries(check, wanted);
  const ending = fault ? verified : await unlessSecure(check, latest, verified);
  if (isAborted(check)) return conclude(attempts, latest, { reason: "check_aborted" });
  const isOpen =
    !isMonitorFault(fault ?? ending.reason) &&
    verdictOf(ending.reason) === "unknown" &&
    // Then another address than the link's failed.
    ending.reason !== "service_probe_failed";
  const evidence = {
    probes,
    notes: [
      ...(ending.evidence?.notes ?? []),
      ...(isOpen ? await noteVariants(check, latest) : []),
    ],
    ...(report && { monitor: report }),
    ...(link.isFlapping && { flapping: true as const }),
  };
  const conclusion = withResponse(
    link,
    latest,
    conclude(attempts, latest, { ...(fault ? { reason: fault } : ending), evidence }),
  );
  return {
    ...conclusion,
    ...useOf(conclusion, latest.probe, link.host),
    ...(link.mostBytes !== undefined && { page: versionOf(latest.probe) }),
    ...readingIn(check, latest, conclusion),
    ...factsIn(check, latest, conclusion),
    ...matchesIn(check, latest, conclusion),
    ...fragmentsIn(link, latest, conclusion),
  };
}

/** What is compared with the remembered page, if the verdict is about what the page shows. */
function factsIn(
  { link: { remembered }, serving }: Check,
  { probe: seen }: Attempt,
  { status }: Conclusion,
): Pick<Conclusion, "facts"> {
  if (remembered === undefined || status !== "active") return {};
  const isShown = seen.kind === "answered" && !serving && isComplete(seen);
  return { facts: isShown ? factsOf(seen, remembered) : null };
}

/** Whether the page is the one that was to be found. A service answers for a page that it does not show. */
function matchesIn(
  { link: { trace }, serving }: Check,
  { probe: seen }: Attempt,
  { status }: Conclusion,
): Pick<Conclusion, "matches"> {
  if (trace === undefined || status !== "active") return {};
  if (serving || seen.kind === "failed") return { matches: "unknown" };
  const { page } = seen;
  const print = page ? fingerprintOf(seen) : null;
  const shown = { title: page?.title ?? "", text: page?.text ?? "", print };
  return { matches: matchesTrace(trace, shown) };
}

const isComplete = ({ status, bodyProblem }: Answer) => status === 200 && bodyProblem === null;

/** What was seen of the link's fragments, unless nothing can be said about its page. */
function fragmentsIn(
  { fragments = [] }: KnownLink,
  { probe }: Attempt,
  { status, reason }: Conclusion,
): Pick<Conclusion, "fragments"> {
  if (fragments.length === 0 || status !== "active") return {};
  return { fragments: lookForFragments(fragments, { probe, reason }) };
}

/** What is kept of a page that its first attempt showed alive. */
function readingIn(
  check: Check,
  { probe: seen }: Attempt,
  { status, evidence }: Conclusion,
): Pick<Conclusion, "reading" | "validators"> {
  const { checker, link, attempts, serving } = check;
  const isPlain = attempts.length === 1 && !serving && !link.host && !evidence.flapping;
  if (!isPlain || status !== "active" || seen.kind === "failed") return {};
  const reading = readingOf(seen, rulesFor(checker.rules, link));
  return reading ? { reading, validators: check.validators } : {};
}

/** Also for a failure that makes a link dead once it has lasted for long enough. */
function withResponse(
  { responses }: KnownLink,
  { probe: seen }: Attempt,
  conclusion: Conclusion,
): Conclusion {
  if (!responses || staysUnknown(conclusion)) return conclusion;
  const known = conclusion.status === "active" ? responses.alive : responses.dead;
  const response = captureResponse(seen, known);
  return response ? { ...conclusion, response } : conclusion;
}

/** Refusals such as 403 stay unknown for as long as they last, unless the service of the link says otherwise. */
const staysUnknown = ({ status, statusCode, patienceMs }: Conclusion) =>
  status === "unknown" &&
  patienceMs === null &&
  statusCode !== null &&
  statusCode < 500 &&
  statusCode >= 400;

/** What changes when the page does, as far as its server says so. */
function versionOf(probe: Probe): string {
  if (probe.kind === "failed") return probe.reason;
  const { headers, status } = probe;
  const named = ["etag", "last-modified", "content-length"].map((name) => headers.get(name));
  return `${status} ${named.find((value) => value !== null) ?? ""}`;
}

/** Failures of port 80 that port 443 may not have. */
const PLAIN_ONLY = /^conn_(refused|timeout)$/;
/** For the request over https, even if the check has less time left. */
const LEAST_SECURE_MS = 5000;

/** Many sites have closed port 80, so the same address is requested over https before such a failure counts. */
async function unlessSecure(
  check: Check,
  { probe: seen, style }: Attempt,
  ending: Ending,
): Promise<Ending> {
  const url = new URL(seen.finalUrl);
  const isPlain = url.protocol === "http:" && url.port === "";
  if (!isPlain || !PLAIN_ONLY.test(ending.reason) || seen.kind !== "failed") return ending;
  // Nothing was requested.
  if (seen.heldMs !== undefined) return ending;
  url.protocol = "https:";
  const { checkTimeoutMs, signal } = check.checker;
  const timeoutMs = Math.max(LEAST_SECURE_MS, Math.min(checkTimeoutMs, remainingMs(check)));
  const usual = { ...USUAL_STYLE, profile: style.profile };
  const found = await probe(check.checker, { url: url.href, style: usual, timeoutMs, signal });
  if (found.kind !== "answered" || !isThere(found.status)) return ending;
  const notes = [`${urlInBetween(url.href)} returns ${found.status}.`];
  return { ...ending, reason: "https_only", evidence: { notes } };
}

/** Whether a status shows a page, or a refusal by a server that may have one. */
const isThere = (status: number) => status < 500 && status !== 404 && status !== 410;

/** Failures of https that plain http may not have. */
const SECURE_ONLY = /^(conn_|read_timeout$|tls_protocol$|tls_handshake_reset$)/;

/** Notes whether the URL works over plain http, or with or without `www.`. Does not change the verdict. */
async function noteVariants(check: Check, { probe: seen, style }: Attempt): Promise<string[]> {
  if (seen.kind === "answered") return [];
  const variant = variantOf(new URL(seen.finalUrl), seen.reason);
  if (!variant) return [];
  const { checker } = check;
  const timeoutMs = Math.min(checker.checkTimeoutMs, remainingMs(check));
  if (timeoutMs <= 0) return [];
  const input = { url: variant.href, style, timeoutMs, signal: checker.signal };
  const found = await probe(checker, input);
  const isFine = found.kind === "answered" && found.status >= 200 && found.status < 300;
  return isFine ? [`${urlInBetween(variant.href)} returns ${found.status}.`] : [];
}

function variantOf(url: URL, reason: string): URL | null {
  if (url.protocol !== "https:") return null;
  const variant = new URL(url);
  if (SECURE_ONLY.test(reason)) {
    variant.protocol = "http:";
    return variant;
  }
  if (reason !== "tls_name_mismatch") return null;
  variant.hostname = url.hostname.replace(/^(www\.)?/, (www) => (www ? "" : "www."));
  return variant;
}
