import { lineOf, type OwnSites, ownRate, siteOf } from "../../ground/lib/site.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import {
  createSite,
  endTurn,
  gapOf,
  type Held,
  heldFor,
  isForgettable,
  mergeLoad,
  type Site,
  type SiteRules,
  startsIn,
  type Turn,
  takeTurn,
  type WaitOptions,
} from "./site-line.ts";
import type { Response, SiteLoad } from "./site-load.ts";

/** The queues and loads of all sites. */
export type Politeness = SiteRules & {
  ownSites: OwnSites;
  /** Gaps in milliseconds of sites that require longer ones than usual, by site. */
  gaps: ReadonlyMap<string, number>;
  sites: Map<string, Site>;
  /** Number of sites at which idle ones are removed. */
  sweepAt: number;
  /** Returns the line of a site that another process keeps; null for all other sites. */
  elsewhere: (site: string) => Line | null;
} & SiteLoads;

/** How loads become known to other processes, and theirs to this one. */
export type SiteLoads = {
  /** Called after each response with the load of its site. */
  onLoad: (site: string, load: SiteLoad) => void;
  /** Applies what another process learned about a site. */
  remember: (site: string, load: SiteLoad) => void;
};

/** The line of a request at its site. */
export type Line = {
  take(wait: WaitOptions): Promise<Turn | Held>;
  /** Ends the turn. @param response null if there was none */
  end(response: Response | null): void | Promise<void>;
};

type Ended = ({ kind: "response" } & Response) | { kind: "failed" };

/** Why no requests are sent to a site, for `forMs` more of `lengthMs`. */
export type Cooldown = { reason: UnknownReason; forMs: number; lengthMs: number };

/** Longest time for which a request waits for a cooldown to end. */
export const LONGEST_HOLD_WAIT_MS = 30_000;

/** Links that would wait longer are deferred, since each occupies a slot. */
const LONGEST_QUEUE_MS = 2000;
const MOST_IN_QUEUE = 20;
/** So many may always queue, since requests to a site are sent one after another. */
const LEAST_IN_QUEUE = 2;
/** Assumed for sites without a gap. */
const SHORTEST_PACE_MS = 50;

const SITES_KEPT = 1000;

export function createPoliteness(
  rules: SiteRules,
  gaps: ReadonlyMap<string, number> = new Map(),
): Politeness {
  const politeness: Politeness = {
    ...rules,
    ownSites: rules.ownSites ?? {},
    gaps: new Map([...gaps].map(([host, gapMs]) => [siteOf(host), gapMs])),
    sites: new Map(),
    sweepAt: SITES_KEPT,
    elsewhere: () => null,
    onLoad: () => {},
    remember: (site, load) => mergeLoad(politeness, findOrCreateSite(politeness, site), load),
  };
  return politeness;
}

/**
 * Makes a request when it is its turn at the site of `host`, or returns `Held` if the site's cooldown is longer than the
 * request can wait. `waitedMs` is the time spent in the queue.
 */
export async function withPoliteness<T extends Ended>(
  politeness: Politeness,
  host: string,
  request: (waitedMs: number) => Promise<T>,
  wait: Partial<WaitOptions> = {},
): Promise<T | Held> {
  const site = lineOf(host, politeness.ownSites);
  const line = politeness.elsewhere(site) ?? lineAt(politeness, site);
  const turn = await line.take({ maxHoldMs: LONGEST_HOLD_WAIT_MS, ...wait });
  if (turn.kind === "held") return turn;
  let response: Response | null = null;
  try {
    const ended = await request(turn.waitedMs);
    if (ended.kind === "response") response = ended;
    return ended;
  } finally {
    await line.end(response);
  }
}

/** Returns a line at a site of this process. */
export function lineAt(politeness: Politeness, key: string): Line {
  const site = findOrCreateSite(politeness, key);
  return {
    take: (wait) => takeTurn(politeness, site, wait),
    end(response) {
      endTurn(politeness, site, response);
      if (response) politeness.onLoad(key, site.load);
    },
  };
}

/** Returns the cooldown of a site that accepts no request within half a minute, due to a hold or its queue; else null. */
export function cooldownOf(politeness: Politeness, host: string): Cooldown | null {
  const site = politeness.sites.get(lineOf(host, politeness.ownSites));
  if (!site) return null;
  const { hold, penaltyMs, trouble } = site.load;
  const forMs = heldFor(politeness, site);
  if (hold && forMs > LONGEST_HOLD_WAIT_MS) {
    return { reason: hold.reason, forMs, lengthMs: hold.until - hold.since };
  }
  const waitMs = startsIn(politeness, site) + site.queue.length * gapOf(politeness, site);
  if (penaltyMs === 0 || waitMs <= LONGEST_HOLD_WAIT_MS) return null;
  return { reason: trouble, forMs: waitMs, lengthMs: waitMs };
}

/**
 * Returns after how many milliseconds a link of a site with a long queue should be checked, a different time for each
 * link; null if the queue is short. So the many links of one site leave room for others.
 */
export function slotAfterQueue(politeness: Politeness, host: string): number | null {
  const site = politeness.sites.get(lineOf(host, politeness.ownSites));
  if (!site) return null;
  const gapMs = gapOf(politeness, site);
  const { length } = site.queue;
  const queueMs = length * gapMs;
  const isShort = length < LEAST_IN_QUEUE || queueMs < LONGEST_QUEUE_MS;
  if (isShort && length < MOST_IN_QUEUE) return null;
  const now = politeness.clock.elapsed();
  site.bookedUntil = Math.max(site.bookedUntil, now + queueMs) + Math.max(gapMs, SHORTEST_PACE_MS);
  return site.bookedUntil - now;
}

function findOrCreateSite(politeness: Politeness, key: string): Site {
  const { sites } = politeness;
  const known = sites.get(key);
  if (known) return known;
  if (sites.size >= politeness.sweepAt) sweep(politeness);
  const site = createSite(politeness.gaps.get(key), ownRate(key, politeness.ownSites));
  sites.set(key, site);
  return site;
}

/** Removes idle sites. The next sweep is due at twice the remaining number. */
function sweep(politeness: Politeness): void {
  const { sites } = politeness;
  for (const [key, site] of sites) {
    if (isForgettable(politeness, site)) sites.delete(key);
  }
  politeness.sweepAt = Math.max(SITES_KEPT, sites.size * 2);
}
