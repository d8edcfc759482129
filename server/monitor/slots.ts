import type { Clock } from "../ground/lib/clock.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import type { Reason } from "../judge/reasons/reasons.ts";
import type { ClaimedLink } from "./claim.ts";

type Options = {
  clock: Clock;
  /** Most checks under way, apart from as many that wait for their turns at sites. */
  size: number;
  /** Begins a check before it returns, so that checks of one site wait in the order in which they began. */
  check: (
    link: ClaimedLink,
    signal: AbortSignal,
    onWait: (isWaiting: boolean) => void,
  ) => Promise<Conclusion>;
  ended: (link: ClaimedLink, conclusion: Conclusion) => void;
  /** Gets a slow link that has no slot within so many milliseconds. */
  defer: (link: ClaimedLink, forMs: number) => void;
  /** Whether checks may begin now. */
  isOpen: () => boolean;
  /** Whether this process still holds the link. */
  isHeld: (link: ClaimedLink) => boolean;
  /** Whether this machine makes checks take long: then only much longer ones are slow. */
  isLate: () => boolean;
};

/**
 * The slots in which checks run. Slow checks use at most half of them, so that links of quick sites are on time
 * however many others are slow.
 */
export type Slots = {
  /** Begins the checks of claimed links, or queues them until there is a slot. */
  take(links: ClaimedLink[]): void;
  /** Number of links that may be taken. */
  room(): number;
  /** Number of links whose check was requested that may be taken: they overtake the queue. */
  roomForRequested(): number;
  /** Whether more links are needed before the next poll to keep all slots filled. */
  isLow(): boolean;
  /** Finds checks that have become slow, and begins what may begin. Call it once a second. */
  tick(): void;
  /** Removes queued links that are no longer ours, and returns them. */
  takeBack(isOurs: (link: ClaimedLink) => boolean): ClaimedLink[];
  /** Aborts all checks under way. */
  abortAll(): void;
  /** Begins nothing more and aborts all checks; resolves when they have ended. */
  stop(): Promise<void>;
};

/** A check under way. */
type Slot = {
  link: ClaimedLink;
  /** Later by the time spent waiting for turns at sites. */
  startedAt: number;
  /** Since when it has been waiting for its turn at a site; null if it is not. */
  waitsSince: number | null;
  isSlow: boolean;
  /** Aborted to make room for quick checks; it begins again in a slow slot. */
  isCut: boolean;
  /** Aborted for good. */
  isAborted: boolean;
  ending: AbortController;
};

export function createSlots(options: Options): Slots {
  const { clock, size } = options;
  const half = Math.max(1, Math.floor(size / 2));
  const slowness = createSlowness();
  const queues = createQueues({ ...options, half }, slowness.isExpectedOf);
  const slots = new Set<Slot>();
  let [slowCount, waitingCount] = [0, 0];
  let isStopping = false;
  const emptied = Promise.withResolvers<void>();

  const slowAfterMs = () => (options.isLate() ? SLOW_WHEN_LATE_MS : SLOW_AFTER_MS);

  const free = () => size - slots.size + Math.min(waitingCount, size);

  function fill() {
    while (free() > 0 && !isStopping && options.isOpen()) {
      const next = queues.next(slowCount < half);
      if (!next) return;
      if (options.isHeld(next.link)) begin(next.link, next.isSlow);
    }
  }

  function begin(link: ClaimedLink, isSlow: boolean) {
    const ending = new AbortController();
    const state = { waitsSince: null, isSlow, isCut: false, isAborted: false };
    const slot: Slot = { link, startedAt: clock.elapsed(), ...state, ending };
    slots.add(slot);
    if (isSlow) slowCount++;
    const onWait = (isWaiting: boolean) => (isWaiting ? wait(slot) : goOn(slot));
    void options.check(link, ending.signal, onWait).then((conclusion) => end(slot, conclusion));
  }

  function wait(slot: Slot) {
    slot.waitsSince = clock.elapsed();
    waitingCount++;
    fill();
  }

  function goOn(slot: Slot) {
    if (slot.waitsSince === null) return;
    slot.startedAt += clock.elapsed() - slot.waitsSince;
    slot.waitsSince = null;
    waitingCount--;
  }

  function end(slot: Slot, conclusion: Conclusion) {
    goOn(slot);
    const { link, startedAt } = slot;
    slots.delete(slot);
    if (slot.isSlow) slowCount--;
    // Cut, or sharing the check of a link that was.
    const isUnfinished = conclusion.reason === "check_aborted" && !isStopping && !slot.isAborted;
    const isLong = clock.elapsed() - startedAt >= slowAfterMs();
    slowness.learn(link, slot.isCut || isUnfinished || isLong);
    if (isUnfinished) queues.addSlow(link);
    else options.ended(link, conclusion);
    fill();
    if (isStopping && slots.size === 0) emptied.resolve();
  }

  /** A slow check without a slow slot is cut, and begins again when there is one. */
  function findSlow() {
    const since = clock.elapsed() - slowAfterMs();
    for (const slot of slots) {
      const isQuick = slot.startedAt > since || slot.waitsSince !== null;
      if (isQuick || slot.isSlow || slot.isCut) continue;
      slot.isSlow = slowCount < half;
      slot.isCut = !slot.isSlow;
      if (slot.isSlow) slowCount++;
      else slot.ending.abort();
    }
  }

  return {
    take(links) {
      for (const link of links) queues.add(link);
      fill();
    },
    takeBack: queues.takeBack,
    abortAll() {
      for (const slot of slots) {
        slot.isAborted = true;
        slot.ending.abort();
      }
    },
    room: () => Math.max(0, free() + half - queues.quickLength()),
    roomForRequested: () => Math.max(0, size - queues.quickLength()),
    isLow: () => queues.quickLength() <= half / 2,
    tick() {
      findSlow();
      fill();
    },
    async stop() {
      isStopping = true;
      for (const { ending } of slots) ending.abort();
      if (slots.size > 0) await emptied.promise;
    },
  };
}

/** Links that wait for a slot. Those that are likely to be slow have a queue of their own. */
function createQueues(
  { clock, size, half, defer }: Pick<Options, "clock" | "size" | "defer"> & { half: number },
  isSlow: (link: ClaimedLink) => boolean,
) {
  let quick: ClaimedLink[] = [];
  let slow: ClaimedLink[] = [];
  const nextSlot = createBooking(clock, half);

  function addSlow(link: ClaimedLink) {
    if (slow.length < (isRequested(link) ? size : half)) enqueue(slow, link);
    else defer(link, nextSlot());
  }

  return {
    addSlow,
    add(link: ClaimedLink) {
      if (isSlow(link)) addSlow(link);
      else enqueue(quick, link);
    },
    /** @param hasSlowSlot whether a slow check may begin */
    next(hasSlowSlot: boolean): { link: ClaimedLink; isSlow: boolean } | null {
      const isSlow = hasSlowSlot && slow.length > 0;
      const link = (isSlow ? slow : quick).shift();
      return link ? { link, isSlow } : null;
    },
    quickLength: () => quick.length,
    takeBack(isOurs: (link: ClaimedLink) => boolean) {
      const back = [...quick, ...slow].filter((link) => !isOurs(link));
      quick = quick.filter(isOurs);
      slow = slow.filter(isOurs);
      return back;
    },
  };
}

const isRequested = ({ nextTrigger }: ClaimedLink) => nextTrigger === "manual";

/** Requested checks come before all others. */
function enqueue(queue: ClaimedLink[], link: ClaimedLink) {
  const at = isRequested(link) ? queue.findLastIndex(isRequested) + 1 : queue.length;
  queue.splice(at, 0, link);
}

/** What a slow check takes, approximately: slow links are deferred at this pace. */
const SLOW_TAKES_MS = 30_000;
/** Slow links come back within this time, since slow sites may be quick again. */
const LONGEST_DEFER_MS = 600_000;

/** Returns when a slow slot is likely to be free, in milliseconds from now: one link after another. */
function createBooking(clock: Clock, half: number) {
  let bookedUntil = 0;
  return () => {
    const now = clock.elapsed();
    const isFar = bookedUntil - now > LONGEST_DEFER_MS;
    bookedUntil = Math.max(isFar ? 0 : bookedUntil, now + SLOW_TAKES_MS) + SLOW_TAKES_MS / half;
    return Math.ceil(bookedUntil - now);
  };
}

/** A longer check is slow. A page that was gone before takes three seconds to confirm, and is not. */
const SLOW_AFTER_MS = 4000;
/** While this machine is late. Not without a limit, since slow sites could use all slots for as long as it is. */
const SLOW_WHEN_LATE_MS = 4 * SLOW_AFTER_MS;

/** Reasons that take until a timeout: the row shows the last one of a link. */
const TIMEOUTS = new Set<string>([
  "conn_timeout",
  "read_timeout",
  "dns_timeout",
] satisfies Reason[]);

/** Most links whose slowness is remembered. */
const REMEMBERED = 50_000;

/** Knows which links are likely to be slow: by what this process has seen, otherwise by the row. */
function createSlowness() {
  const known = new Map<number, boolean>();
  return {
    isExpectedOf: (link: ClaimedLink) => known.get(link.no) ?? isSlowByRow(link),
    learn(link: ClaimedLink, isSlow: boolean) {
      known.delete(link.no);
      if (isSlow === isSlowByRow(link)) return;
      if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
      known.set(link.no, isSlow);
    },
  };
}

const isSlowByRow = ({ lastReason, lastCause, lastResponseTimeMs, failingClass }: ClaimedLink) =>
  TIMEOUTS.has(lastReason ?? "") ||
  TIMEOUTS.has(lastCause ?? "") ||
  failingClass === "timeout" ||
  (lastResponseTimeMs ?? 0) >= SLOW_AFTER_MS;
