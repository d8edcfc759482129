import { unlessAborted } from "../lib/concurrency.ts";
import { beginCheck, type Check, makeAttempt, NEVER_CHECKED, remainingMs } from "./attempt.ts";
import { type Ending, probeRecord } from "./probe/conclusion.ts";
import { USUAL_STYLE } from "./probe/finding.ts";
import { type Reason, verdictOf } from "./reasons/reasons.ts";
import { type Target, targetOf } from "./services/catalogue.ts";

const DAY_MS = 24 * 3_600_000;
/** For all known-good links together, where the check itself has no time left. */
const MIN_BUDGET_MS = 10_000;
/** Proof of death whatever the service says. */
const PROVEN_REASONS = /^(dns_nxdomain|domain_parked|hosting_suspended|service_shutdown)$/;

/**
 * Nothing is called gone by a service that also calls gone what has been there for years: its known-good
 * links are asked for first. An ending that is not about death, or is proven anyhow, stays as it is.
 */
export async function verifyWithCanaries(check: Check, ending: Ending): Promise<Ending> {
  const { serving } = check;
  if (!serving?.target) return ending;
  const { target } = serving;
  const { canaries } = check.checker.services;
  if (verdictOf(ending.reason) === "active") canaries.noteAlive(target);
  const told = seenReason(ending);
  if (told === "service_probe_failed") return noteServiceState(check, target, ending);
  if (verdictOf(told) !== "dead" || PROVEN_REASONS.test(told)) return ending;
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) {
    return (await isTrusted(check, target, told)) ? ending : withPatience(ending);
  }
  const isNews = check.link.lastDecided !== "dead";
  return (await isAnyCanaryAlive(check, { target, addresses, isNews }))
    ? ending
    : serviceInDoubt(target, told);
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

/**
 * Asks for a known-good link after the service could not be asked, so that the evidence shows whether it is
 * the service's trouble. The verdict stays.
 */
async function noteServiceState(check: Check, target: Target, ending: Ending): Promise<Ending> {
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) return ending;
  const isGood = await isAnyCanaryAlive(check, { target, addresses, isNews: false });
  return isGood ? ending : { ...ending, evidence: { ...ending.evidence, ...doubtNote(target) } };
}

/** What is said for good, or would count towards it. */
const seenReason = ({ reason, cause, patienceMs }: Ending): Reason =>
  patienceMs === undefined ? reason : (cause ?? reason);

/** Those of the same kind tell most. */
function canariesOf({ checker }: Check, { service, kind }: Target): string[] {
  const all = service.canary ?? [];
  const same = all.filter(
    (url) => targetOf(checker.services.catalogue, new URL(url))?.kind === kind,
  );
  return same.length > 0 ? same : all;
}

/** Rules that may be out of date count at once only while they also find something alive. */
const isTrusted = async ({ checker }: Check, target: Target, told: Reason) =>
  target.service.confidence !== "L" ||
  !told.startsWith("service_") ||
  checker.services.canaries.wasAlive(target);

/** What nothing vouches for must be seen for a day. */
const withPatience = (ending: Ending): Ending => ({
  ...ending,
  reason: "unconfirmed",
  cause: seenReason(ending),
  patienceMs: Math.max(DAY_MS, ending.patienceMs ?? 0),
});

/** Another check's request may take longer than the user of this one waits. */
async function inTime({ checker, link }: Check, singing: Promise<boolean>): Promise<boolean> {
  if (!link.isRequested) return singing;
  const answered = new AbortController();
  const late = checker.clock.sleep(MIN_BUDGET_MS, answered.signal).then(() => false);
  return Promise.race([singing, late]).finally(() => answered.abort());
}

/** Asked for all who wait for it, so that it goes on when this check is cut short. */
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
  notes: [`${service.name} does not tell what is there from what is gone just now.`],
});
