import { LRUCache } from "lru-cache";
import type { Clock } from "../ground/lib/clock.ts";
import type { OwnSites } from "../ground/lib/site.ts";
import type { Outbound } from "../ground/net/request.ts";
import type { MonitorState } from "./attempt.ts";
import { checkUrl, type KnownLink } from "./confirm.ts";
import { createControls } from "./control.ts";
import { expectKey } from "./expectations.ts";
import { withoutSecrets } from "./mask.ts";
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
import { createServices } from "./services/ask.ts";
import type { Canaries } from "./services/canaries.ts";
import { type Catalogue, gapsOf, urlKeyOf } from "./services/catalogue.ts";
import type { HostProfiles } from "./surroundings.ts";
import { readingKey, rulesOf } from "./unchanged.ts";

type CheckOptions = MonitorState & {
  config: {
    checkConcurrency: number;
    hostConcurrency: number;
    hostGapMs: number;
    ownSites?: OwnSites;
    checkTimeoutMs: number;
    confirmDelaysMs: number[];
    checkUserAgent: string;
  };
  clock: Clock;
  outbound: Outbound;
  profiles: HostProfiles;
  catalogue: Catalogue;
  /** Created if not given: then what it learns is lost when the process stops. */
  canaries?: Canaries;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  /** Shared with other parts; created if not given. */
  politeness?: Politeness;
  /** Called before each step of a check that may take long without a pause, such as reading a page. */
  onStep?: (link: KnownLink) => void;
};

/** Of all concurrent checks (docs/verdicts.md, "Flapping"). */
const LONG_CHECK_SHARE = 1 / 4;

export const createPolitenessFor = ({
  config: { hostConcurrency, hostGapMs, ownSites },
  clock,
  catalogue,
}: Pick<CheckOptions, "config" | "clock" | "catalogue">): Politeness =>
  createPoliteness({ clock, hostConcurrency, hostGapMs, ownSites }, gapsOf(catalogue));

/** Returns the configured function that checks a link. Its checks share queues, cooldowns and results. */
export function createCheck(options: CheckOptions): CheckLink {
  const { config, clock, outbound, online, lag, profiles, catalogue, random } = options;
  const { checkTimeoutMs, confirmDelaysMs, checkUserAgent } = config;
  const { politeness = createPolitenessFor(options), onStep, canaries } = options;
  const checker = {
    clock,
    outbound,
    politeness,
    userAgent: checkUserAgent,
    services: createServices(clock, catalogue, canaries),
    hostProfiles: profiles,
    robots: createRobots(),
    controls: createControls(),
    rules: rulesOf(catalogue),
    randomName: () => randomName(random),
    online,
    lag,
    checkTimeoutMs,
    confirmDelaysMs,
    longChecks: { count: 0, most: Math.ceil(config.checkConcurrency * LONG_CHECK_SHARE) },
  };
  const checkLink: CheckLink = (link, signal, onWait) =>
    deferDuringCooldown({ politeness, random }, link, () =>
      withoutSecrets(link.host, () =>
        checkUrl(
          {
            ...checker,
            signal,
            ...(onStep && { onStep: () => onStep(link) }),
            ...(onWait && { onWait }),
          },
          link,
        ),
      ),
    );
  return coalesce({ clock, catalogue, checkLink });
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 16;

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

/** Defers the check, which does not count, if the site has a cooldown or a long queue (docs/verdicts.md). */
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

/** Requested and one-time checks wait in the queue of a busy site. */
function queueCooldown(
  politeness: Politeness,
  host: string,
  { id, isRequested }: KnownLink,
): Cooldown | null {
  const forMs = isRequested || id === null ? null : slotAfterQueue(politeness, host);
  return forMs === null ? null : { reason: "http_429", forMs, lengthMs: 0 };
}

/** A cooldown that began while the first request of the check was queued. */
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

/** Spreads the links of a site, which all become due at the end of its cooldown. */
function deferred(host: string, rest: Cooldown, random: () => number): Conclusion {
  const spreadMs = random() * Math.min(LONGEST_SPREAD_MS, rest.lengthMs);
  const notes = [`${host} has a cooldown, so it was not requested.`];
  return { ...sawNothing(rest.reason, { notes }), deferMs: Math.ceil(rest.forMs + spreadMs) };
}

/**
 * Runs one whole check; ends early if the signal aborts. Never throws for network reasons.
 * @param onWait called when a wait for the turn at a site begins, and when it ends
 */
export type CheckLink = (
  link: KnownLink,
  signal: AbortSignal,
  onWait?: (isWaiting: boolean) => void,
) => Promise<Conclusion>;

type CoalesceOptions = { clock: Clock; catalogue: Catalogue; checkLink: CheckLink };

/**
 * The links that got the conclusion, and when it was reached, on the clock's `elapsed()`. Stored as JSON,
 * because many medium-lived objects burden the garbage collector.
 */
type Recent = { json: string; at: number; links: Set<string> };

const SHARED_FOR_MS = 10 * 60_000;
const CONCLUSIONS_KEPT = 5000;
const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Shares checks between links with the same URL, of any account: one that is running, or the conclusion of
 * another link's check in the last ten minutes. No link gets the same conclusion twice, since it would count
 * as confirmed. A requested check uses no earlier conclusion, and a trial shares none.
 *
 * Only the signal of the link that started a check aborts it; it then ends as aborted for all links that share it.
 */
export function coalesce({ clock, catalogue, checkLink }: CoalesceOptions): CheckLink {
  const running = new Map<string, { conclusion: Promise<Conclusion>; links: Set<string> }>();
  const recent = new LRUCache<string, Recent>({ max: CONCLUSIONS_KEPT });

  function recentFor(key: string, { id, isRequested }: KnownLink): Recent | null {
    const known = recent.get(key);
    if (!known || isRequested || id === null || known.links.has(id)) return null;
    return clock.elapsed() - known.at <= SHARED_FOR_MS ? known : null;
  }

  async function run(
    key: string,
    links: Set<string>,
    ...[link, signal, onWait]: Parameters<CheckLink>
  ) {
    const conclusion = await checkLink(link, signal, onWait);
    if (isShareable(conclusion)) {
      // Responses would take more memory than all the rest.
      const json = JSON.stringify({ ...conclusion, response: undefined });
      recent.set(key, { json, at: clock.elapsed(), links });
    }
    return conclusion;
  }

  return (link, signal, onWait) => {
    if (link.isTrial) return checkLink(link, signal, onWait);
    const key = coalescingKey(catalogue, link, clock.now());
    const underWay = running.get(key);
    const known = underWay ? null : recentFor(key, link);
    const links = (underWay ?? known)?.links ?? new Set();
    if (link.id !== null) links.add(link.id);
    if (underWay) return underWay.conclusion;
    if (known) return Promise.resolve(JSON.parse(known.json) as Conclusion);
    const conclusion = run(key, links, link, signal, onWait).finally(() => running.delete(key));
    running.set(key, { conclusion, links });
    return conclusion;
  };
}

const isShareable = ({ reason, deferMs }: Conclusion) =>
  !isMonitorFault(reason) && deferMs === null;

/** The URL and everything else that a conclusion depends on. */
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
    link.mostBytes,
    expectKey(link.expect),
    link.fragments,
    link.host && [link.host.id, link.host.version, link.host.isProven],
    link.known && readingKey(link.known),
    link.remembered ?? link.remembered === null,
  ]);
}
