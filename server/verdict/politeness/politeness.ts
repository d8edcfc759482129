import { siteOf } from "../../lib/site.ts";
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
  takeTurn,
  type WaitOptions,
} from "./site-line.ts";
import type { Response, SiteLoad } from "./site-load.ts";

export type { Held } from "./site-line.ts";

/** What is under way per site, and how much each site can take. */
export type Politeness = SiteRules & {
  /** Gaps in milliseconds of sites that want longer ones than the usual, by any host of theirs. */
  gaps: ReadonlyMap<string, number>;
  sites: Map<string, Site>;
  /** So many sites are looked through for those that can be forgotten. */
  sweepAt: number;
  /** Called after each response with the load that its site accepts. */
  onLoad: (site: string, load: SiteLoad) => void;
};

/** How a request ended, as far as politeness care. */
type Ended = ({ kind: "response" } & Response) | { kind: "failed" };

/** Why a site is left alone: for `forMs` more, out of `lengthMs`. */
export type Cooldown = { reason: UnknownReason; forMs: number; lengthMs: number };

/** A request waits so long at most for a site that wants to be left alone. */
export const LONGEST_HOLD_WAIT_MS = 30_000;

/** Links that would wait longer come back later, since each holds a slot that others need. */
const LONGEST_LINE_MS = 2000;
const MOST_IN_LINE = 20;
/** So many may always stand in line, since a site is asked one request after another. */
const LEAST_IN_LINE = 2;
/** The pace of a site without a gap is unknown. */
const SHORTEST_PACE_MS = 50;

const SITES_KEPT = 1000;

export const createPoliteness = (
  rules: SiteRules,
  gaps: ReadonlyMap<string, number> = new Map(),
): Politeness => ({
  ...rules,
  gaps: new Map([...gaps].map(([host, gapMs]) => [siteOf(host), gapMs])),
  sites: new Map(),
  sweepAt: SITES_KEPT,
  onLoad: () => {},
});

/** Has what was learned of a site elsewhere count here too, by the name that `siteOf` gives. */
export const rememberLoad = (politeness: Politeness, site: string, load: SiteLoad): void =>
  mergeLoad(politeness, findOrCreateSite(politeness, site), load);

/**
 * Makes a request when the site of `host` is not too busy: in the order of `takeTurn`. Not at all when the
 * site wants to be left alone for longer than the request can wait. `waitedMs` is what queueing took.
 */
export async function withPoliteness<T extends Ended>(
  politeness: Politeness,
  host: string,
  request: (waitedMs: number) => Promise<T>,
  wait: Partial<WaitOptions> = {},
): Promise<T | Held> {
  const key = siteOf(host);
  const site = findOrCreateSite(politeness, key);
  const turn = await takeTurn(politeness, site, { maxHoldMs: LONGEST_HOLD_WAIT_MS, ...wait });
  if (turn.kind === "held") return turn;
  let response: Response | null = null;
  try {
    const ended = await request(turn.waitedMs);
    if (ended.kind === "response") response = ended;
    return ended;
  } finally {
    endTurn(politeness, site, response);
    if (response) politeness.onLoad(key, site.load);
  }
}

/**
 * Why the site of `host` is better not asked now: it wants to be left alone, or takes requests so slowly
 * that those already waiting keep it busy. Null when a request could be made within half a minute.
 */
export function cooldownOf(politeness: Politeness, host: string): Cooldown | null {
  const site = politeness.sites.get(siteOf(host));
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
 * Milliseconds after which to come back to the site of `host`, at a moment of one's own, when its line is
 * long; null when it is not. So the many links of one site leave room for those of others.
 */
export function slotAfterQueue(politeness: Politeness, host: string): number | null {
  const site = politeness.sites.get(siteOf(host));
  if (!site) return null;
  const gapMs = gapOf(politeness, site);
  const { length } = site.queue;
  const lineMs = length * gapMs;
  const isShort = length < LEAST_IN_LINE || lineMs < LONGEST_LINE_MS;
  if (isShort && length < MOST_IN_LINE) return null;
  const now = politeness.clock.elapsed();
  site.bookedUntil = Math.max(site.bookedUntil, now + lineMs) + Math.max(gapMs, SHORTEST_PACE_MS);
  return site.bookedUntil - now;
}

function findOrCreateSite(politeness: Politeness, key: string): Site {
  const { sites } = politeness;
  const known = sites.get(key);
  if (known) return known;
  if (sites.size >= politeness.sweepAt) sweep(politeness);
  const site = createSite(politeness.gaps.get(key));
  sites.set(key, site);
  return site;
}

/** Sites that are busy, held or in trouble stay. The next look is due when there are twice as many. */
function sweep(politeness: Politeness): void {
  const { sites } = politeness;
  for (const [key, site] of sites) {
    if (isForgettable(politeness, site)) sites.delete(key);
  }
  politeness.sweepAt = Math.max(SITES_KEPT, sites.size * 2);
}

/** Work that several callers may want under one key. Urgent work never waits for other work. */
type Work<T> = { key: string; isUrgent?: boolean | undefined; work: () => Promise<T> };

/** Does the work of a key once for all who want it at the same time: no signal of one of them may end it. */
type OnceAtATime<T> = (wanted: Work<T>) => Promise<T>;

export function createOnceAtATime<T>(): OnceAtATime<T> {
  const running = new Map<string, Promise<T>>();
  return ({ key, isUrgent = false, work }) => {
    const name = `${isUrgent} ${key}`;
    const underWay = running.get(name);
    if (underWay) return underWay;
    const begun = work().finally(() => running.delete(name));
    running.set(name, begun);
    return begun;
  };
}
