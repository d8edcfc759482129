import type { KnownLink } from "./confirm.ts";
import {
  type Cooldown,
  cooldownOf,
  type Politeness,
  slotAfterQueue,
} from "./politeness/politeness.ts";
import { type Conclusion, sawNothing } from "./probe/conclusion.ts";
import { isMonitorFault, type UnknownReason } from "./reasons/reasons.ts";

type Deferring = {
  politeness: Politeness;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
};

const LONGEST_SPREAD_MS = 10 * 60_000;

/**
 * Checks a link unless its site wants to be left alone, or has enough links in line: then it is deferred,
 * which is no failure and counts for nothing. A link whose own check was refused did ask, and is left
 * alone for as long as its site.
 */
export async function unlessCoolingDown(
  { politeness, random }: Deferring,
  link: KnownLink,
  check: () => Promise<Conclusion>,
): Promise<Conclusion> {
  const host = URL.parse(link.url)?.host;
  if (host === undefined) return check();
  const rest = cooldownOf(politeness, host) ?? restFromCrowd(politeness, host, link);
  if (rest) return deferred(host, rest, random);
  const conclusion = await check();
  const unasked = unaskedRest(conclusion);
  if (unasked) return deferred(host, cooldownOf(politeness, host) ?? unasked, random);
  return rested(conclusion, cooldownOf(politeness, hostOf(conclusion) ?? host));
}

/** A busy site is not in trouble, so manual and one-time checks wait in its queue. */
function restFromCrowd(
  politeness: Politeness,
  host: string,
  { id, isAsked }: KnownLink,
): Cooldown | null {
  const forMs = isAsked || id === null ? null : slotAfterQueue(politeness, host);
  return forMs === null ? null : { reason: "http_429", forMs, lengthMs: 0 };
}

/** The rest that began while the first request of a check stood in line, so that nothing was asked at all. */
function unaskedRest({ reason, redirectCount, restMs, evidence }: Conclusion): Cooldown | null {
  const [first, second] = evidence.attempts;
  const isUnasked = redirectCount === 0 && first?.outcome === "failed" && !second;
  if (!isUnasked || restMs === null || isMonitorFault(reason)) return null;
  return { reason: reason as UnknownReason, forMs: restMs, lengthMs: restMs };
}

function rested(conclusion: Conclusion, rest: Cooldown | null): Conclusion {
  if (rest?.reason !== conclusion.reason) return conclusion;
  return { ...conclusion, restMs: Math.max(conclusion.restMs ?? 0, rest.forMs) };
}

const hostOf = ({ finalUrl }: Conclusion) => URL.parse(finalUrl ?? "")?.host;

/** The links of a site come back one after another, not all in the second in which it may be asked again. */
function deferred(host: string, rest: Cooldown, random: () => number): Conclusion {
  const spreadMs = random() * Math.min(LONGEST_SPREAD_MS, rest.lengthMs);
  const notes = [`${host} is left alone for a while, so it was not asked.`];
  return { ...sawNothing(rest.reason, { notes }), deferMs: Math.ceil(rest.forMs + spreadMs) };
}
