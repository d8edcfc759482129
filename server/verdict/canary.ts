import { unlessAborted } from "../lib/concurrency.ts";
import { beginCheck, type Check, leftOf, look, NEVER_CHECKED } from "./look.ts";
import { type Ending, probeRecord } from "./probe/conclusion.ts";
import { USUAL_STYLE } from "./probe/finding.ts";
import { type Reason, verdictOf } from "./reasons/reasons.ts";
import { type Target, targetOf } from "./services/catalogue.ts";

const DAY_MS = 24 * 3_600_000;
/** For all known-good links together, where the check itself has no time left. */
const LEAST_MS = 10_000;
/** Proof of death whatever the service says. */
const PROVEN = /^(dns_nxdomain|domain_parked|hosting_suspended|service_shutdown)$/;

/**
 * Nothing is called gone by a service that also calls gone what has been there for years: its known-good
 * links are asked for first. An ending that is not about death, or is proven anyhow, stays as it is.
 */
export async function vouched(check: Check, ending: Ending): Promise<Ending> {
  const { serving } = check;
  if (!serving?.target) return ending;
  const { target } = serving;
  const { canaries } = check.checker.services;
  if (verdictOf(ending.reason) === "active") canaries.noteAlive(target);
  const told = toldBy(ending);
  if (told === "service_probe_failed") return asking(check, target, ending);
  if (verdictOf(told) !== "dead" || PROVEN.test(told)) return ending;
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) {
    return (await isTrusted(check, target, told)) ? ending : patient(ending);
  }
  const isNews = check.link.lastDecided !== "dead";
  return (await isSinging(check, { target, addresses, isNews })) ? ending : doubted(target, told);
}

type Song = { target: Target; addresses: string[]; isNews: boolean };

function isSinging(check: Check, { target, addresses, isNews }: Song): Promise<boolean> {
  const { checker } = check;
  const ask = () => isAnyGood(check, addresses);
  const work = () => checker.services.canaries.isSinging(target, { isNews, ask });
  return inTime(check, unlessAborted(checker.signal, { work, fallback: false }));
}

/**
 * Asks for a known-good link after the service could not be asked, so that the evidence shows whether it is
 * the service's trouble. The verdict stays.
 */
async function asking(check: Check, target: Target, ending: Ending): Promise<Ending> {
  const addresses = canariesOf(check, target);
  if (addresses.length === 0) return ending;
  const isGood = await isSinging(check, { target, addresses, isNews: false });
  return isGood ? ending : { ...ending, evidence: { ...ending.evidence, ...inDoubt(target) } };
}

/** What is said for good, or would count towards it. */
const toldBy = ({ reason, cause, patienceMs }: Ending): Reason =>
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
const patient = (ending: Ending): Ending => ({
  ...ending,
  reason: "unconfirmed",
  cause: toldBy(ending),
  patienceMs: Math.max(DAY_MS, ending.patienceMs ?? 0),
});

/** Another check's request may take longer than the user of this one waits. */
async function inTime({ checker, link }: Check, singing: Promise<boolean>): Promise<boolean> {
  if (!link.isAsked) return singing;
  const answered = new AbortController();
  const late = checker.clock.sleep(LEAST_MS, answered.signal).then(() => false);
  return Promise.race([singing, late]).finally(() => answered.abort());
}

/** Asked for all who wait for it, so that it goes on when this check is cut short. */
async function isAnyGood(check: Check, addresses: string[]): Promise<boolean> {
  const endsAt = check.checker.clock.elapsed() + Math.max(LEAST_MS, leftOf(check));
  for (const url of addresses) {
    if (await isGood(check, url, endsAt)) return true;
  }
  return false;
}

async function isGood(check: Check, url: string, endsAt: number): Promise<boolean> {
  const { checker } = check;
  const leftMs = endsAt - checker.clock.elapsed();
  if (leftMs <= 0) return false;
  const link = { ...NEVER_CHECKED, url, isAsked: check.link.isAsked };
  const own = beginCheck({ ...checker, signal: undefined }, link, leftMs);
  const { probe, finding } = await look(own, USUAL_STYLE);
  check.probes.push(probeRecord("canary", url, probe, finding.reason));
  return finding.verdict === "active";
}

const doubted = (target: Target, cause: Reason): Ending => ({
  reason: "service_unavailable",
  cause,
  evidence: inDoubt(target),
});

const inDoubt = ({ service }: Target) => ({
  notes: [`${service.name} does not tell what is there from what is gone just now.`],
});
