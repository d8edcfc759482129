import type { Clock } from "../ground/lib/clock.ts";
import type { DueWebhook } from "./claim.ts";
import type { ClaimedDelivery } from "./delivery-steps.ts";

/** Most attempts at once in one process, … */
export const AT_ONCE = 64;
/** … and for one webhook, so that a receiver that never answers delays only its own deliveries. */
export const AT_ONCE_PER_WEBHOOK = 4;

/** Deliveries for a receiver are claimed ahead for this time, … */
const AHEAD_MS = 1000;
/** … but at most this many, … */
const MOST_HELD = 128;
/** … and this many for all receivers together, beyond the slots of each; … */
const MOST_IN_ALL = 2000;
/** … and those that have waited this long are released, well before their leases end. */
const STALE_MS = 10_000;
/** Receivers that take longer are slow. */
const SLOW_MS = 2000;
/** Receivers that are slow or unknown use half of the slots. */
const MOST_DOUBTFUL = AT_ONCE / 2;
/** Beyond that, an unknown one gets one slot to measure its speed, but the last slots are for quick receivers. */
const MOST_UNKNOWN = AT_ONCE - 8;

/** The deliveries that this process holds for one webhook. */
type Queue = {
  isMail: boolean;
  waiting: ClaimedDelivery[];
  running: number;
  /** When deliveries were claimed last, by `elapsed()`. */
  claimedAt: number;
  /** Number of the turn in which the last one began. */
  turn: number;
  /** Duration of the latest attempt, or an estimate. */
  paceMs: number;
  /** An attempt has ended. */
  isKnown: boolean;
  /** Whether more is due than is held, how many were requested, and whether all of these were claimed. */
  isDue: boolean;
  requested: number;
  mayHaveMore: boolean;
};

/** Queues claimed deliveries by webhook: decides how many to claim, and which to send next. */
export function createPerWebhookQueues({ elapsed }: Pick<Clock, "elapsed">) {
  const queues = new Map<string, Queue>();
  let turn = 0;
  let isMore = false;

  function queueOf(webhook: DueWebhook): Queue {
    const known = queues.get(webhook.id);
    if (known) return known;
    const queue = newQueue(webhook, elapsed());
    queues.set(webhook.id, queue);
    return queue;
  }

  return {
    /** Number of deliveries held for each webhook. */
    held: () => new Map([...queues].map(([id, queue]) => [id, heldIn(queue)])),

    /** Returns how many more to claim for each webhook. */
    wanted(due: DueWebhook[]): Map<string, number> {
      let room = MOST_IN_ALL - [...queues.values()].reduce((sum, queue) => sum + heldIn(queue), 0);
      const requested = new Map<string, number>();
      isMore = false;
      for (const webhook of due.toSorted(longestWaitFirst)) {
        isMore = requested.size === AT_ONCE;
        if (isMore) break;
        const queue = queueOf(webhook);
        queue.isDue = true;
        const most = mostOf(queue, webhook.heldElsewhere);
        const limit = Math.min(most, Math.max(AT_ONCE_PER_WEBHOOK, room));
        queue.requested = Math.max(0, limit - heldIn(queue));
        room -= queue.requested;
        if (queue.requested > 0) requested.set(webhook.id, queue.requested);
      }
      return requested;
    },

    /** Adds deliveries that were claimed after `wanted`. */
    add(claimed: ClaimedDelivery[]) {
      const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId);
      for (const [id, queue] of queues) {
        const added = byWebhook.get(id) ?? [];
        queue.mayHaveMore = queue.isDue && added.length === queue.requested;
        queue.isDue = false;
        queue.requested = 0;
        if (added.length > 0) queue.claimedAt = elapsed();
        queue.waiting.push(...added);
        if (isIdle(queue)) queues.delete(id);
      }
    },

    /**
     * Begins the next delivery and returns it; null if none may begin now.
     * @param mailPlaces how many mails may be on their way at a time
     */
    begin(mailPlaces = 0): ClaimedDelivery | null {
      const queue = nextOf([...queues.values()], mailPlaces);
      if (!queue) return null;
      queue.running++;
      queue.turn = ++turn;
      return queue.waiting.shift()!;
    },

    end({ webhookId }: ClaimedDelivery, durationMs: number) {
      const queue = queues.get(webhookId)!;
      queue.running--;
      queue.paceMs = durationMs;
      queue.isKnown = true;
      if (isIdle(queue)) queues.delete(webhookId);
    },

    /** Whether it is time to claim more for the webhook. */
    isLow(id: string): boolean {
      const queue = queues.get(id);
      return queue ? queue.mayHaveMore && heldIn(queue) < lowOf(queue) : false;
    },

    /** Whether the last call of `wanted` left out webhooks because there were too many. */
    isMore: () => isMore,

    /** Removes waiting deliveries: of one webhook, all, or those whose receivers are slower than expected. */
    release(which: { of: string } | "all" | "stale"): ClaimedDelivery[] {
      const chosen = [...queues].filter(([id, { claimedAt }]) => {
        if (which === "all") return true;
        return which === "stale" ? claimedAt <= elapsed() - STALE_MS : id === which.of;
      });
      return chosen.flatMap(([, queue]) => queue.waiting.splice(0));
    },
  };
}

/** A failing receiver counts as slow until an attempt was quick. */
const newQueue = ({ isFailing, isMail }: DueWebhook, now: number): Queue => ({
  isMail,
  waiting: [],
  running: 0,
  claimedAt: now,
  turn: 0,
  paceMs: isFailing ? SLOW_MS + 1 : AHEAD_MS,
  isKnown: isFailing,
  isDue: false,
  requested: 0,
  mayHaveMore: false,
});

/** Returns the queue whose delivery is sent next, if there is a slot. */
function nextOf(all: Queue[], mailPlaces: number): Queue | null {
  const running = (some: Queue[]) => some.reduce((sum, queue) => sum + queue.running, 0);
  const [inAll, doubtful] = [running(all), running(all.filter((queue) => !isQuick(queue)))];
  const isMailFull = running(all.filter(({ isMail }) => isMail)) >= mailPlaces;
  const hasSlot = (queue: Queue) => {
    if (queue.isMail && isMailFull) return false;
    if (isQuick(queue) || doubtful < MOST_DOUBTFUL) return inAll < AT_ONCE;
    return !queue.isKnown && queue.running === 0 && inAll < MOST_UNKNOWN;
  };
  const ready = all.filter(
    (queue) => queue.waiting.length > 0 && queue.running < AT_ONCE_PER_WEBHOOK && hasSlot(queue),
  );
  if (ready.length === 0) return null;
  return ready.reduce((best, each) => (comesBefore(each, best) ? each : best));
}

/** Below this it is time to claim more. */
const lowOf = (queue: Queue) => Math.max(AT_ONCE_PER_WEBHOOK, mostOf(queue, 0) / 2);

const heldIn = ({ waiting, running }: Queue) => waiting.length + running;

const isIdle = (queue: Queue) => heldIn(queue) === 0 && !queue.mayHaveMore && !queue.isDue;

const isQuick = ({ isKnown, paceMs }: Queue) => isKnown && paceMs <= SLOW_MS;

/** Fewest running attempts first, then the longest wait. */
const comesBefore = (a: Queue, b: Queue) =>
  a.running < b.running || (a.running === b.running && a.turn < b.turn);

const longestWaitFirst = (a: DueWebhook, b: DueWebhook) =>
  (a.lastDeliveryAt ?? 0) - (b.lastDeliveryAt ?? 0);

/** Returns how many deliveries may be held for a receiver. */
function mostOf({ paceMs }: Queue, heldElsewhere: number): number {
  if (heldElsewhere > 0) return slotsLeft(heldElsewhere);
  const likely = Math.floor((AT_ONCE_PER_WEBHOOK * AHEAD_MS) / Math.max(paceMs, 1));
  return Math.min(MOST_HELD, Math.max(AT_ONCE_PER_WEBHOOK, likely));
}

/**
 * Returns the slots for a webhook while other processes hold deliveries of it. It has at least one, since those may be
 * left from a crash, and their leases take a minute to end.
 */
export const slotsLeft = (heldElsewhere: number): number =>
  Math.max(1, AT_ONCE_PER_WEBHOOK - heldElsewhere);
