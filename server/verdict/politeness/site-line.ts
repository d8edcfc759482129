import type { Clock } from "../../lib/clock.ts";
import type { UnknownReason } from "../reasons/reasons.ts";
import { afterResponse, NO_LOAD, type Response, type SiteLoad } from "./site-load.ts";

/** How much any site is asked. */
export type SiteRules = {
  clock: Clock;
  /** Requests at once to one site. */
  hostConcurrency: number;
  /** Milliseconds between the starts of two requests to one site. */
  hostGapMs: number;
};

/** One site and who wants to ask it. Moments are on the clock's `elapsed()`. */
export type Site = {
  /** Its own gap, where that is longer than the usual one. */
  gapMs: number;
  load: SiteLoad;
  running: number;
  lastStartAt: number;
  queue: Waiter[];
  /** How long the site was held by holds that others have replaced. */
  heldMs: number;
  /** The last moment that was given to a link that does not wait in a long queue. */
  bookedUntil: number;
  /** Ends the sleep until the first in line may start. */
  timer: AbortController | null;
};

/** A request may be made. `waitedMs` was spent queueing; what was spent on holds is not in it. */
type Turn = { kind: "turn"; waitedMs: number };

/** A request is not made, since its site wants to be left alone for `forMs` more. */
export type Held = { kind: "held"; reason: UnknownReason; forMs: number; waitedMs: number };

/** How a request waits: `maxHoldMs` is for holds alone. Urgent ones go before all that are not. */
export type WaitOptions = {
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

/** Timers count in whole milliseconds, so a fraction is not worth a sleep. */
const SHORTEST_SLEEP_MS = 1;
/** A site that had trouble starts afresh when it was left alone for so long. */
export const TROUBLE_KEPT_MS = 15 * 60_000;

export const createSite = (gapMs = 0): Site => ({
  gapMs,
  load: NO_LOAD,
  running: 0,
  lastStartAt: Number.NEGATIVE_INFINITY,
  queue: [],
  heldMs: 0,
  bookedUntil: Number.NEGATIVE_INFINITY,
  timer: null,
});

/**
 * First come, first served, the urgent before the others. A signal that aborts cuts the wait short; the
 * request then ends on its own.
 */
export function takeTurn(rules: SiteRules, site: Site, wait: WaitOptions): Promise<Turn | Held> {
  const { maxHoldMs, signal, isUrgent = false } = wait;
  const arrivedAt = rules.clock.elapsed();
  return new Promise((resolve) => {
    const settle = (outcome: Turn | Held) => {
      signal?.removeEventListener("abort", hurry);
      resolve(outcome);
    };
    const heldAtArrival = heldSoFar(site, arrivedAt);
    const waiter = { arrivedAt, heldAtArrival, maxHoldMs, isUrgent, settle };
    const hurry = () => {
      site.queue = site.queue.filter((other) => other !== waiter);
      start(rules, site, waiter);
    };
    site.queue.splice(isUrgent ? countUrgent(site.queue) : site.queue.length, 0, waiter);
    signal?.addEventListener("abort", hurry);
    if (signal?.aborted) hurry();
    else advance(rules, site);
  });
}

/** How many at the front are urgent. */
const countUrgent = (line: Waiter[]) => line.filter(({ isUrgent }) => isUrgent).length;

/** Frees the slot for the next request, after the response showed how much load the site accepts. */
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

/** Applies what another process learned about the site, or this one before a restart, where that is stricter. */
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
  // When it was asked last is not known.
  if (known.penaltyMs > 0) site.lastStartAt = Math.max(site.lastStartAt, elapsed);
  advance(rules, site);
}

/** Milliseconds until the next request could start, were it not for those that are under way. */
export const startsIn = (rules: SiteRules, site: Site): number =>
  Math.max(heldFor(rules, site), site.lastStartAt + gapOf(rules, site) - rules.clock.elapsed());

/** Milliseconds until the site's hold is over; 0 when there is none. */
export const heldFor = ({ clock }: SiteRules, { load }: Site): number =>
  Math.max(0, (load.hold?.until ?? 0) - clock.elapsed());

/** Milliseconds between two starts at the site as it is now. */
export const gapOf = ({ hostGapMs }: SiteRules, { gapMs, load }: Site) =>
  Math.max(hostGapMs, gapMs) + load.penaltyMs;

/** Whether nothing would change if the site were met for the first time next. */
export function isForgettable(rules: SiteRules, site: Site): boolean {
  const { load, running, queue, lastStartAt, bookedUntil } = site;
  const hadTrouble = load.penaltyMs > 0 || load.refusals > 0;
  const keptMs = hadTrouble ? TROUBLE_KEPT_MS : 0;
  const isIdle = running === 0 && queue.length === 0 && startsIn(rules, site) <= 0;
  return isIdle && Math.max(lastStartAt + keptMs, bookedUntil) <= rules.clock.elapsed();
}

/** Starts every request that may start, and sleeps until the next one may. */
function advance(rules: SiteRules, site: Site): void {
  site.timer?.abort();
  site.timer = null;
  rejectHeldWaiters(rules, site);
  while (site.running < rules.hostConcurrency) {
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

/** Rejects waiting requests whose limit is shorter than the site's hold. */
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

/** How long the site has been held in all, up to `now`. */
function heldSoFar({ load: { hold }, heldMs }: Site, now: number): number {
  return heldMs + (hold ? Math.min(now, hold.until) - hold.since : 0);
}
