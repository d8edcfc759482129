import type { Clock } from "../lib/clock.ts";
import type { ClaimedDelivery, DueWebhook } from "./claim.ts";
import { AT_ONCE, AT_ONCE_PER_WEBHOOK, shareBeside } from "./places.ts";

/** So much work is claimed ahead as a receiver is likely to take in this time, … */
const AHEAD_MS = 1000;
/** … but not more than this, … */
const MOST_HELD = 128;
/** … nor than this for all receivers together, as far as each has its places filled, … */
const MOST_IN_ALL = 2000;
/** … and what has waited so long nevertheless is given back, well before its lease ends. */
const STALE_MS = 10_000;
/** A receiver that takes longer is slow. */
const SLOW_MS = 2000;
/**
 * Those that are not known to be quick have half of the places for themselves. Beyond that one of which nothing
 * is known gets one place, so that it can show what it is, but the last places are for the quick.
 */
const MOST_DOUBTFUL = AT_ONCE / 2;
const MOST_UNKNOWN = AT_ONCE - 8;

/** What this process holds for one webhook. */
type Lane = {
  queue: ClaimedDelivery[];
  underWay: number;
  /** When the queue was last added to, by the monotonic clock. */
  claimedAt: number;
  /** In whose turn one of the queue was begun last. */
  turn: number;
  /** How long the latest attempt took, or is likely to take. */
  paceMs: number;
  /** It has ended one meanwhile. */
  isKnown: boolean;
  /** Whether something is due beside what is held, how many of it are asked for, and whether as many came. */
  isDue: boolean;
  asked: number;
  mayHaveMore: boolean;
};

type Lanes = {
  /** How many there are of each webhook. */
  held(): Map<string, number>;
  /** How many more to claim for each webhook. */
  wanted(due: DueWebhook[]): Map<string, number>;
  /** Takes what was claimed as it was wanted. */
  take(claimed: ClaimedDelivery[]): void;
  /** Begins the next delivery, if one may be begun now. */
  begin(): ClaimedDelivery | null;
  /** Ends one that was begun, after so long. */
  end(delivery: ClaimedDelivery, durationMs: number): void;
  /** Whether it is time to claim more for the webhook. */
  isLow(webhookId: string): boolean;
  /** Whether webhooks were passed over when more was wanted last, as there were so many. */
  isMore(): boolean;
  /** Lets go of what waits: of one webhook, of all, or of those whose receivers are slower than it seemed. */
  letGo(which: { of: string } | "all" | "stale"): ClaimedDelivery[];
};

/** The deliveries that a process holds: what is sent next, and how much is claimed ahead for whom. */
export function createLanes({ elapsed }: Clock): Lanes {
  const lanes = new Map<string, Lane>();
  let turn = 0;
  let isMore = false;

  /** One that is failing counts as slow until it has shown otherwise. */
  function laneOf({ id, isFailing }: DueWebhook): Lane {
    const known = lanes.get(id);
    if (known) return known;
    const begun = { underWay: 0, claimedAt: elapsed(), turn: 0 };
    const lane = {
      queue: [],
      ...begun,
      paceMs: isFailing ? SLOW_MS + 1 : AHEAD_MS,
      isKnown: isFailing,
      isDue: false,
      asked: 0,
      mayHaveMore: false,
    };
    lanes.set(id, lane);
    return lane;
  }

  function wanted(due: DueWebhook[]) {
    let room = MOST_IN_ALL - [...lanes.values()].reduce((sum, lane) => sum + heldIn(lane), 0);
    const asked = new Map<string, number>();
    isMore = false;
    for (const webhook of due.toSorted(longestWaitFirst)) {
      isMore = asked.size === AT_ONCE;
      if (isMore) break;
      const { id, heldElsewhere } = webhook;
      const lane = laneOf(webhook);
      lane.isDue = true;
      const most = Math.min(mostOf(lane, heldElsewhere), Math.max(AT_ONCE_PER_WEBHOOK, room));
      lane.asked = Math.max(0, most - heldIn(lane));
      room -= lane.asked;
      if (lane.asked > 0) asked.set(id, lane.asked);
    }
    return asked;
  }

  function take(claimed: ClaimedDelivery[]) {
    const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
    for (const [id, lane] of lanes) {
      const added = byWebhook.get(id) ?? [];
      lane.mayHaveMore = lane.isDue && added.length === lane.asked;
      lane.isDue = false;
      lane.asked = 0;
      if (added.length > 0) lane.claimedAt = elapsed();
      lane.queue.push(...added);
      if (isIdle(lane)) lanes.delete(id);
    }
  }

  function begin() {
    const all = [...lanes.values()];
    const underWay = (some: Lane[]) => some.reduce((sum, lane) => sum + lane.underWay, 0);
    const [inAll, doubtful] = [underWay(all), underWay(all.filter((lane) => !isQuick(lane)))];
    const hasPlace = (lane: Lane) => {
      if (isQuick(lane) || doubtful < MOST_DOUBTFUL) return inAll < AT_ONCE;
      return !lane.isKnown && lane.underWay === 0 && inAll < MOST_UNKNOWN;
    };
    const ready = all.filter(
      (lane) => lane.queue.length > 0 && lane.underWay < AT_ONCE_PER_WEBHOOK && hasPlace(lane),
    );
    if (ready.length === 0) return null;
    const lane = ready.reduce((best, each) => (comesBefore(each, best) ? each : best));
    lane.underWay++;
    lane.turn = ++turn;
    return lane.queue.shift()!;
  }

  function end({ webhookId }: ClaimedDelivery, durationMs: number) {
    const lane = lanes.get(webhookId)!;
    lane.underWay--;
    lane.paceMs = durationMs;
    lane.isKnown = true;
    if (isIdle(lane)) lanes.delete(webhookId);
  }

  function letGo(which: Parameters<Lanes["letGo"]>[0]) {
    const chosen = [...lanes].filter(([id, { claimedAt }]) => {
      if (which === "all") return true;
      return which === "stale" ? claimedAt <= elapsed() - STALE_MS : id === which.of;
    });
    return chosen.flatMap(([, lane]) => lane.queue.splice(0));
  }

  return {
    held: () => new Map([...lanes].map(([id, lane]) => [id, heldIn(lane)])),
    wanted,
    take,
    begin,
    end,
    isLow: (id) => {
      const lane = lanes.get(id);
      return lane ? lane.mayHaveMore && heldIn(lane) < lowOf(lane) : false;
    },
    isMore: () => isMore,
    letGo,
  };
}

/** With less than this it is time to claim more. */
const lowOf = (lane: Lane) => Math.max(AT_ONCE_PER_WEBHOOK, mostOf(lane, 0) / 2);

const heldIn = ({ queue, underWay }: Lane) => queue.length + underWay;

const isIdle = (lane: Lane) => heldIn(lane) === 0 && !lane.mayHaveMore && !lane.isDue;

const isQuick = ({ isKnown, paceMs }: Lane) => isKnown && paceMs <= SLOW_MS;

/** Whoever has least under way comes first, and of those whoever waited longest. */
const comesBefore = (a: Lane, b: Lane) =>
  a.underWay < b.underWay || (a.underWay === b.underWay && a.turn < b.turn);

const longestWaitFirst = (a: DueWebhook, b: DueWebhook) =>
  (a.lastDeliveryAt ?? 0) - (b.lastDeliveryAt ?? 0);

/** How many deliveries may be held for a receiver. */
function mostOf({ paceMs }: Lane, heldElsewhere: number): number {
  if (heldElsewhere > 0) return shareBeside(heldElsewhere);
  const likely = Math.floor((AT_ONCE_PER_WEBHOOK * AHEAD_MS) / Math.max(paceMs, 1));
  return Math.min(MOST_HELD, Math.max(AT_ONCE_PER_WEBHOOK, likely));
}
