import { unlessAborted } from "../ground/lib/concurrency.ts";
import { beginCheck, type Check, makeAttempt, NEVER_CHECKED, remainingMs } from "./attempt.ts";
import { type Ending, probeRecord } from "./probe/conclusion.ts";
import { USUAL_STYLE } from "./probe/style.ts";
import { type Reason, verdictOf } from "./reasons/reasons.ts";
import { type Target, targetOf } from "./services/catalogue.ts";

const DAY_MS = 24 * 3_600_000;
/** For all known-good links together, if the check itself has no time left. */
const MIN_BUDGET_MS = 10_000;
/** Evidence that does not depend on the service. */
const PROVEN_REASONS = /^(dns_nxdomain|domain_parked|hosting_suspended|service_shutdown)$/;

/** Requests known-good links of the service before its word that a link is dead counts. */
export async function verifyWithCanaries(check: Check, ending: Ending): Promise<Ending> {
  const { serving } = check;
  if (!serving?.target) return ending;
  const { target } = serving;
  const { canaries } = check.checker.services;
  if (verdictOf(ending.reason) === "active") canaries.noteAlive(target);
  const reason = seenReason(ending);
  if (reason === "service_probe_failed") return noteServiceState(check, target, ending);
  if (verdictOf(reason) !== "dead" || PROVEN_REASONS.test(reason)) return ending;
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) {
    return (await isTrusted(check, target, reason)) ? ending : withPatience(ending);
  }
  const isNews = check.link.lastDecided !== "dead";
  return (await isAnyCanaryAlive(check, { target, addresses, isNews }))
    ? ending
    : serviceInDoubt(target, reason);
}

type CanaryQuestion = { target: Target; addresses: string[]; isNews: boolean };

function isAnyCanaryAlive(
  check: Check,
  { target, addresses, isNews }: CanaryQuestion,
): Promise<boolean> {
  const { checker } = check;
  const ask = () => isAnyAlive(check, addresses);
  const work = () => checker.services.canaries.isReliable(target, { isNews, ask });
  return inTime(check, unlessAborted(checker.signal, { work, fallback: false }));
}

/** Adds to the evidence whether the service itself is failing. The verdict stays. */
async function noteServiceState(check: Check, target: Target, ending: Ending): Promise<Ending> {
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) return ending;
  const isGood = await isAnyCanaryAlive(check, { target, addresses, isNews: false });
  return isGood ? ending : { ...ending, evidence: { ...ending.evidence, ...doubtNote(target) } };
}

/** The reason itself, or the one that must be seen for longer. */
const seenReason = ({ reason, cause, patienceMs }: Ending): Reason =>
  patienceMs === undefined ? reason : (cause ?? reason);

/** Those of the same kind if there are any. */
function canariesOf({ checker }: Check, { service, kind }: Target): string[] {
  const all = service.canary ?? [];
  const same = all.filter(
    (url) => targetOf(checker.services.catalogue, new URL(url))?.kind === kind,
  );
  return same.length > 0 ? same : all;
}

/** Rules that may be out of date count at once only while they also find links alive. */
const isTrusted = async ({ checker }: Check, target: Target, reason: Reason) =>
  target.service.confidence !== "L" ||
  !reason.startsWith("service_") ||
  checker.services.canaries.wasAlive(target);

/** Without known-good links, the failure must last for a day. */
const withPatience = (ending: Ending): Ending => ({
  ...ending,
  reason: "unconfirmed",
  cause: seenReason(ending),
  patienceMs: Math.max(DAY_MS, ending.patienceMs ?? 0),
});

/** Limits the wait of a requested check, since the request may be another check's. */
async function inTime({ checker, link }: Check, answer: Promise<boolean>): Promise<boolean> {
  if (!link.isRequested) return answer;
  const answered = new AbortController();
  const late = checker.clock.sleep(MIN_BUDGET_MS, answered.signal).then(() => false);
  return Promise.race([answer, late]).finally(() => answered.abort());
}

/** Goes on when this check is aborted, since other checks share the answer. */
async function isAnyAlive(check: Check, addresses: string[]): Promise<boolean> {
  const endsAt = check.checker.clock.elapsed() + Math.max(MIN_BUDGET_MS, remainingMs(check));
  for (const url of addresses) {
    if (await isAlive(check, url, endsAt)) return true;
  }
  return false;
}

async function isAlive(check: Check, url: string, endsAt: number): Promise<boolean> {
  const { checker } = check;
  const leftMs = endsAt - checker.clock.elapsed();
  if (leftMs <= 0) return false;
  const link = { ...NEVER_CHECKED, url, isRequested: check.link.isRequested };
  const own = beginCheck({ ...checker, signal: undefined }, link, leftMs);
  const { probe, finding } = await makeAttempt(own, USUAL_STYLE);
  check.probes.push(probeRecord("canary", url, probe, finding.reason));
  return finding.verdict === "active";
}

const serviceInDoubt = (target: Target, cause: Reason): Ending => ({
  reason: "service_unavailable",
  cause,
  evidence: doubtNote(target),
});

const doubtNote = ({ service }: Target) => ({
  notes: [`${service.name} also reports known-good links as missing right now.`],
});
