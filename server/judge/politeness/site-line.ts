import type { Clock } from "../../ground/lib/clock.ts";
import type { OwnSites } from "../../ground/lib/site.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import { afterResponse, NO_LOAD, type Response, type SiteLoad } from "./site-load.ts";

/** Limits for every site. */
export type SiteRules = {
  clock: Clock;
  /** Requests at once to one site. */
  hostConcurrency: number;
  /** Milliseconds between the starts of two requests to one site. */
  hostGapMs: number;
  /** They have limits of their own. */
  ownSites?: OwnSites | undefined;
};

/** A site and its queue. Times are those of `elapsed()`. */
export type Site = {
  /** Its own gap, if longer than the usual one. */
  gapMs: number;
  /** Requests a second, if it belongs to the operator. */
  ownRate: number | null;
  load: SiteLoad;
  running: number;
  lastStartAt: number;
  queue: Waiter[];
  /** Total time of earlier holds. */
  heldMs: number;
  /** The last time assigned to a deferred link. */
  bookedUntil: number;
  /** Ends the sleep until the first request may start. */
  timer: AbortController | null;
};

/** A request may be made. `waitedMs` excludes the time of holds. */
export type Turn = { kind: "turn"; waitedMs: number };

/** A request is not made, since its site is held for `forMs` more. */
export type Held = { kind: "held"; reason: UnknownReason; forMs: number; waitedMs: number };

/** `maxHoldMs` limits the wait for holds only. Urgent requests precede others. */
export type WaitOptions = {
  /** Called when the wait begins and when it ends, unless the turn comes at once. */
  onWait?: ((isWaiting: boolean) => void) | undefined;
  maxHoldMs: number;
  signal?: AbortSignal | undefined;
  isUrgent?: boolean | undefined;
};

type Waiter = {
  arrivedAt: number;
  heldAtArrival: number;
  maxHoldMs: number;
  isUrgent: boolean;
  settle: (outcome: Turn | Held) => void;
};

/** Timers count in whole milliseconds. */
const SHORTEST_SLEEP_MS = 1;
/** How long a site's problems are remembered after its last request. */
export const TROUBLE_KEPT_MS = 15 * 60_000;

/** Requests at once to a host that belongs to the operator. */
export const OWN_CONCURRENCY = 20;

export const createSite = (gapMs = 0, ownRate: number | null = null): Site => ({
  gapMs,
  ownRate,
  load: NO_LOAD,
  running: 0,
  lastStartAt: Number.NEGATIVE_INFINITY,
  queue: [],
  heldMs: 0,
  bookedUntil: Number.NEGATIVE_INFINITY,
  timer: null,
});

/** Waits for a turn, first come, first served, urgent requests first. An aborted signal ends the wait at once. */
export function takeTurn(rules: SiteRules, site: Site, wait: WaitOptions): Promise<Turn | Held> {
  const { maxHoldMs, signal, isUrgent = false, onWait } = wait;
  const arrivedAt = rules.clock.elapsed();
  return new Promise((resolve) => {
    let isWaiting = false;
    const settle = (outcome: Turn | Held) => {
      signal?.removeEventListener("abort", hurry);
      if (isWaiting) onWait?.(false);
      resolve(outcome);
    };
    const heldAtArrival = heldSoFar(site, arrivedAt);
    const waiter = { arrivedAt, heldAtArrival, maxHoldMs, isUrgent, settle };
    const hurry = () => {
      site.queue = site.queue.filter((other) => other !== waiter);
      start(rules, site, waiter);
    };
    site.queue.splice(
      isUrgent ? site.queue.filter(({ isUrgent }) => isUrgent).length : site.queue.length,
      0,
      waiter,
    );
    signal?.addEventListener("abort", hurry);
    if (signal?.aborted) hurry();
    else advance(rules, site);
    isWaiting = site.queue.includes(waiter);
    if (isWaiting) onWait?.(true);
  });
}

/** Frees the slot for the next request, and learns from the response how much load the site accepts. */
export function endTurn(rules: SiteRules, site: Site, response: Response | null): void {
  const elapsed = rules.clock.elapsed();
  const heldMs = heldSoFar(site, elapsed);
  const { hold } = site.load;
  if (response) {
    site.load = afterResponse(site.load, response, { now: rules.clock.now(), elapsed });
  }
  if (site.load.hold !== hold) site.heldMs = heldMs;
  site.running -= 1;
  advance(rules, site);
}

/** Applies the load that another process, or this one before a restart, has learned, if it is stricter. */
export function mergeLoad(rules: SiteRules, site: Site, known: SiteLoad): void {
  const elapsed = rules.clock.elapsed();
  const { load } = site;
  const isHeldLonger = (known.hold?.until ?? 0) > Math.max(load.hold?.until ?? 0, elapsed);
  if (isHeldLonger) site.heldMs = heldSoFar(site, elapsed);
  const slower = known.penaltyMs > load.penaltyMs ? known : load;
  site.load = {
    penaltyMs: slower.penaltyMs,
    trouble: slower.trouble,
    refusals: Math.max(load.refusals, known.refusals),
    hold: isHeldLonger ? known.hold : load.hold,
  };
  // The time of its last request is unknown.
  if (known.penaltyMs > 0) site.lastStartAt = Math.max(site.lastStartAt, elapsed);
  advance(rules, site);
}

/** Returns the milliseconds until the next request may start, apart from those under way. */
export const startsIn = (rules: SiteRules, site: Site): number =>
  Math.max(heldFor(rules, site), site.lastStartAt + gapOf(rules, site) - rules.clock.elapsed());

/** Returns the milliseconds until the site's hold ends; 0 if there is none. */
export const heldFor = ({ clock }: SiteRules, { load }: Site): number =>
  Math.max(0, (load.hold?.until ?? 0) - clock.elapsed());

/** Returns the current milliseconds between the starts of two requests. */
export const gapOf = ({ hostGapMs }: SiteRules, { gapMs, ownRate, load }: Site) =>
  (ownRate === null ? Math.max(hostGapMs, gapMs) : SECOND_MS / ownRate) + load.penaltyMs;

const SECOND_MS = 1000;

/** Whether the site has no state that differs from a new one. */
export function isForgettable(rules: SiteRules, site: Site): boolean {
  const { load, running, queue, lastStartAt, bookedUntil } = site;
  const hadTrouble = load.penaltyMs > 0 || load.refusals > 0;
  const keptMs = hadTrouble ? TROUBLE_KEPT_MS : 0;
  const isIdle = running === 0 && queue.length === 0 && startsIn(rules, site) <= 0;
  return isIdle && Math.max(lastStartAt + keptMs, bookedUntil) <= rules.clock.elapsed();
}

/** Starts all requests that may start, and sleeps until the next one may. */
function advance(rules: SiteRules, site: Site): void {
  site.timer?.abort();
  site.timer = null;
  rejectHeldWaiters(rules, site);
  const most = site.ownRate === null ? rules.hostConcurrency : OWN_CONCURRENCY;
  while (site.running < most) {
    const first = site.queue[0];
    if (!first) return;
    const waitMs = startsIn(rules, site);
    if (waitMs >= SHORTEST_SLEEP_MS) {
      advanceIn(rules, site, waitMs);
      return;
    }
    site.queue.shift();
    start(rules, site, first);
  }
}

function advanceIn(rules: SiteRules, site: Site, ms: number): void {
  const alarm = new AbortController();
  site.timer = alarm;
  void rules.clock.sleep(ms, alarm.signal).then(() => {
    if (site.timer === alarm) advance(rules, site);
  });
}

function start(rules: SiteRules, site: Site, waiter: Waiter): void {
  const now = rules.clock.elapsed();
  site.running += 1;
  site.lastStartAt = now;
  waiter.settle({ kind: "turn", waitedMs: queuedMs(site, waiter, now) });
}

/** Rejects waiting requests whose limit is shorter than the hold. */
function rejectHeldWaiters(rules: SiteRules, site: Site): void {
  const forMs = heldFor(rules, site);
  const reason = site.load.hold?.reason;
  if (forMs === 0 || !reason) return;
  const now = rules.clock.elapsed();
  const isTooLong = (waiter: Waiter) => forMs > waiter.maxHoldMs - heldMsOf(site, waiter, now);
  const { away = [], staying = [] } = Object.groupBy(site.queue, (waiter) =>
    isTooLong(waiter) ? "away" : "staying",
  );
  site.queue = staying;
  for (const waiter of away) {
    waiter.settle({ kind: "held", reason, forMs, waitedMs: queuedMs(site, waiter, now) });
  }
}

const queuedMs = (site: Site, waiter: Waiter, now: number) =>
  now - waiter.arrivedAt - heldMsOf(site, waiter, now);

const heldMsOf = (site: Site, { heldAtArrival }: Waiter, now: number) =>
  heldSoFar(site, now) - heldAtArrival;

/** Returns the total time of holds until `now`. */
function heldSoFar({ load: { hold }, heldMs }: Site, now: number): number {
  return heldMs + (hold ? Math.min(now, hold.until) - hold.since : 0);
}
