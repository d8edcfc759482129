import { LRUCache } from "lru-cache";
import type { Store } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Outbound } from "../net/request.ts";
import { checkUrl, type KnownLink } from "./confirm.ts";
import type { MonitorState } from "./own-fault.ts";
import {
  type Cooldown,
  cooldownOf,
  createPoliteness,
  type Politeness,
  slotAfterQueue,
} from "./politeness/politeness.ts";
import { type Conclusion, sawNothing } from "./probe/conclusion.ts";
import { isMonitorFault, type UnknownReason } from "./reasons/reasons.ts";
import { createRobots } from "./robots.ts";
import { type Catalogue, createServices, gapsOf, urlKeyOf } from "./services/catalogue.ts";
import type { HostProfiles } from "./surroundings.ts";

type CheckOptions = MonitorState & {
  config: {
    checkConcurrency: number;
    hostConcurrency: number;
    hostGapMs: number;
    checkTimeoutMs: number;
    confirmDelaysMs: number[];
    checkUserAgent: string;
  };
  clock: Clock;
  outbound: Outbound;
  profiles: HostProfiles;
  catalogue: Catalogue;
  /** Keeps what is known of services; without one it lives as long as the program. */
  store?: Store;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  /** Such as others know as well; if not given, they are made. */
  politeness?: Politeness;
};

/** Of all the checks at once: the links of a large site may all change all the time. */
const LONG_CHECK_SHARE = 1 / 4;

/** How much sites are asked, as configured. */
export const createPolitenessFor = ({
  config: { hostConcurrency, hostGapMs },
  clock,
  catalogue,
}: Pick<CheckOptions, "config" | "clock" | "catalogue">): Politeness =>
  createPoliteness({ clock, hostConcurrency, hostGapMs }, gapsOf(catalogue));

/** What checks one link, as configured. Politeness hold across all the checks of one such function. */
export function createCheck(options: CheckOptions): CheckLink {
  const { config, clock, outbound, online, lag, profiles, catalogue, store, random } = options;
  const { checkTimeoutMs, confirmDelaysMs, checkUserAgent } = config;
  const { politeness = createPolitenessFor(options) } = options;
  const checker = {
    clock,
    outbound,
    politeness,
    userAgent: checkUserAgent,
    services: createServices(clock, catalogue, store),
    hostProfiles: profiles,
    robots: createRobots(),
    randomName: () => randomName(random),
    online,
    lag,
    checkTimeoutMs,
    confirmDelaysMs,
    longChecks: { count: 0, most: Math.ceil(config.checkConcurrency * LONG_CHECK_SHARE) },
  };
  const checkLink: CheckLink = (link, signal) =>
    deferDuringCooldown({ politeness, random }, link, () => checkUrl({ ...checker, signal }, link));
  return coalesce({ clock, catalogue, checkLink });
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 16;

/** Sixteen letters that name nothing anywhere. */
const randomName = (random: () => number) =>
  Array.from({ length: NAME_LENGTH }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join(
    "",
  );

type DeferOptions = {
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
async function deferDuringCooldown(
  { politeness, random }: DeferOptions,
  link: KnownLink,
  check: () => Promise<Conclusion>,
): Promise<Conclusion> {
  const host = URL.parse(link.url)?.host;
  if (host === undefined) return check();
  const rest = cooldownOf(politeness, host) ?? queueCooldown(politeness, host, link);
  if (rest) return deferred(host, rest, random);
  const conclusion = await check();
  const unasked = cooldownBeforeRequest(conclusion);
  if (unasked) return deferred(host, cooldownOf(politeness, host) ?? unasked, random);
  return withRest(conclusion, cooldownOf(politeness, hostOf(conclusion) ?? host));
}

/** A busy site is not in trouble, so manual and one-time checks wait in its queue. */
function queueCooldown(
  politeness: Politeness,
  host: string,
  { id, isRequested }: KnownLink,
): Cooldown | null {
  const forMs = isRequested || id === null ? null : slotAfterQueue(politeness, host);
  return forMs === null ? null : { reason: "http_429", forMs, lengthMs: 0 };
}

/** The rest that began while the first request of a check stood in line, so that nothing was asked at all. */
function cooldownBeforeRequest({
  reason,
  redirectCount,
  restMs,
  evidence,
}: Conclusion): Cooldown | null {
  const [first, second] = evidence.attempts;
  const isUnasked = redirectCount === 0 && first?.outcome === "failed" && !second;
  if (!isUnasked || restMs === null || isMonitorFault(reason)) return null;
  return { reason: reason as UnknownReason, forMs: restMs, lengthMs: restMs };
}

function withRest(conclusion: Conclusion, rest: Cooldown | null): Conclusion {
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

/** One whole check; ends early when the signal aborts. Never throws for network reasons. */
export type CheckLink = (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;

type CoalesceOptions = { clock: Clock; catalogue: Catalogue; checkLink: CheckLink };

/**
 * A conclusion that came to its end at `at`, on the clock's `elapsed()`, and the links that know of it. As
 * JSON, since so many medium-lived objects make work for the garbage collector.
 */
type Remembered = { json: string; at: number; links: Set<string> };

const SHARED_FOR_MS = 10 * 60_000;
const CONCLUSIONS_KEPT = 5000;
const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Asks the same question only once: links with the same URL, of whatever accounts, share the check that is
 * under way, and what a check of another link came to in the last ten minutes. No link is told the same
 * conclusion twice, since it would count as seen again. Who asks by hand gets nothing remembered.
 *
 * A check is cut short only by the signal of the link that it was begun for. It then ends as aborted for all
 * who share it, who need another one.
 */
export function coalesce({ clock, catalogue, checkLink }: CoalesceOptions): CheckLink {
  const running = new Map<string, { conclusion: Promise<Conclusion>; links: Set<string> }>();
  const told = new LRUCache<string, Remembered>({ max: CONCLUSIONS_KEPT });

  function remembered(key: string, { id, isRequested }: KnownLink): Remembered | null {
    const known = told.get(key);
    if (!known || isRequested || id === null || known.links.has(id)) return null;
    return clock.elapsed() - known.at <= SHARED_FOR_MS ? known : null;
  }

  async function run(key: string, link: KnownLink, links: Set<string>, signal: AbortSignal) {
    const conclusion = await checkLink(link, signal);
    if (isShareable(conclusion)) {
      told.set(key, { json: JSON.stringify(conclusion), at: clock.elapsed(), links });
    }
    return conclusion;
  }

  return (link, signal) => {
    const key = coalescingKey(catalogue, link, clock.now());
    const underWay = running.get(key);
    const known = underWay ? null : remembered(key, link);
    const links = (underWay ?? known)?.links ?? new Set();
    if (link.id !== null) links.add(link.id);
    if (underWay) return underWay.conclusion;
    if (known) return Promise.resolve(JSON.parse(known.json) as Conclusion);
    const conclusion = run(key, link, links, signal).finally(() => running.delete(key));
    running.set(key, { conclusion, links });
    return conclusion;
  };
}

/** What says nothing about the link is of no use to another. */
const isShareable = ({ reason, deferMs }: Conclusion) =>
  !isMonitorFault(reason) && deferMs === null;

/** The URL and everything else that a check depends on: the same question has the same answer. */
function coalescingKey(catalogue: Catalogue, link: KnownLink, now: number): string {
  const url = URL.parse(link.url);
  const { lastDecided, decidedReason, lastActiveAt, unconfirmedSince } = link;
  return JSON.stringify([
    url ? urlKeyOf(catalogue, url) : link.url,
    lastDecided === "active" ? lastDecided : decidedReason,
    lastActiveAt !== null && now - lastActiveAt <= WEEK_MS,
    unconfirmedSince !== null,
    link.isFlapping,
    link.isRequested,
  ]);
}
