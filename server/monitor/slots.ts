import type { Clock } from "../lib/clock.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import type { ClaimedLink } from "./claim.ts";
import { createSlowness, SLOW_AFTER_MS } from "./slowness.ts";

type Options = {
  clock: Clock;
  /** Checks under way at most. */
  size: number;
  /** Begins a check before it returns, so that the checks of one site stand in line in their order. */
  check: (link: ClaimedLink, signal: AbortSignal) => Promise<Conclusion>;
  /** A check came to its end. */
  ended: (link: ClaimedLink, conclusion: Conclusion) => void;
  /** There is no place for a slow link before so many milliseconds have gone by. */
  putOff: (link: ClaimedLink, forMs: number) => void;
  /** Whether checks may be begun now. */
  isOpen: () => boolean;
  /** Whether the link is still ours to check. */
  isHeld: (link: ClaimedLink) => boolean;
};

/**
 * The places in which checks are under way. Slow checks hold at most half of them, so that links whose
 * sites answer are on time, however many others do not.
 */
type Slots = {
  /** Takes on claimed links: begins their checks, or keeps them until there is a place. */
  take(links: ClaimedLink[]): void;
  /** How many links may be taken on. */
  room(): number;
  /** How many that somebody asked for, who does not wait for those that are ready. */
  roomForAsked(): number;
  /** Whether links are needed before the next look, so that no place stays empty. */
  isLow(): boolean;
  /** Finds the checks that have become slow, and begins what may be begun. Once a second. */
  turn(): void;
  /** Takes back what has not begun, of links that are not to be checked here any more. */
  takeBack(isOurs: (link: ClaimedLink) => boolean): ClaimedLink[];
  /** Ends all that is under way. */
  giveUp(): void;
  /** Begins nothing more and ends all that is under way; resolves when it has ended. */
  stop(): Promise<void>;
};

type Place = {
  link: ClaimedLink;
  startedAt: number;
  isSlow: boolean;
  isCut: boolean;
  /** Not to be begun anew. */
  isGivenUp: boolean;
  ending: AbortController;
};

/** What a slow check takes, more or less: the pace at which links are put off. */
const SLOW_TAKES_MS = 30_000;
/** Whoever is put off comes back within so long, as slow sites may be quick again. */
const LONGEST_PUT_OFF_MS = 600_000;

export function createSlots(options: Options): Slots {
  const { clock, size, check, ended, putOff, isOpen, isHeld } = options;
  const half = Math.max(1, Math.floor(size / 2));
  const slowness = createSlowness();
  /** In the order in which they began. */
  const places = new Set<Place>();
  let slow = 0;
  let ready: ClaimedLink[] = [];
  let waiting: ClaimedLink[] = [];
  let bookedUntil = 0;
  let isStopping = false;
  const emptied = Promise.withResolvers<void>();

  function take(links: ClaimedLink[]) {
    for (const link of links) {
      if (slowness.isExpectedOf(link)) keepWaiting(link);
      else ready = inLine(ready, link);
    }
    fill();
  }

  function keepWaiting(link: ClaimedLink) {
    if (waiting.length < (isAsked(link) ? size : half)) waiting = inLine(waiting, link);
    else putOff(link, book());
  }

  /** One after another at the pace at which places become free, and from the front again after a while. */
  function book(): number {
    const paceMs = SLOW_TAKES_MS / half;
    const now = clock.elapsed();
    const isFar = bookedUntil - now > LONGEST_PUT_OFF_MS;
    bookedUntil = Math.max(isFar ? 0 : bookedUntil, now + SLOW_TAKES_MS) + paceMs;
    return Math.ceil(bookedUntil - now);
  }

  function fill() {
    while (places.size < size && !isStopping && isOpen()) {
      const isSlow = slow < half && waiting.length > 0;
      const link = (isSlow ? waiting : ready).shift();
      if (!link) return;
      if (isHeld(link)) begin(link, isSlow);
    }
  }

  function begin(link: ClaimedLink, isSlow: boolean) {
    const ending = new AbortController();
    const place = {
      link,
      startedAt: clock.elapsed(),
      isSlow,
      isCut: false,
      isGivenUp: false,
      ending,
    };
    places.add(place);
    if (isSlow) slow += 1;
    void check(link, ending.signal).then((conclusion) => end(place, conclusion));
  }

  function end(place: Place, conclusion: Conclusion) {
    const { link, isSlow, isCut, isGivenUp, startedAt } = place;
    places.delete(place);
    if (isSlow) slow -= 1;
    // Cut short, or sharing a check that was.
    const isUnfinished = conclusion.reason === "check_aborted" && !isStopping && !isGivenUp;
    slowness.learn(link, isCut || isUnfinished || clock.elapsed() - startedAt >= SLOW_AFTER_MS);
    if (isUnfinished) keepWaiting(link);
    else ended(link, conclusion);
    fill();
    if (isStopping && places.size === 0) emptied.resolve();
  }

  /** A slow check for which there is no place begins anew when there is one. */
  function noteSlow() {
    const since = clock.elapsed() - SLOW_AFTER_MS;
    for (const place of places) {
      if (place.startedAt > since) return;
      if (place.isSlow || place.isCut) continue;
      place.isSlow = slow < half;
      place.isCut = !place.isSlow;
      if (place.isSlow) slow += 1;
      else place.ending.abort();
    }
  }

  function takeBack(isOurs: (link: ClaimedLink) => boolean) {
    const back = [...ready, ...waiting].filter((link) => !isOurs(link));
    ready = ready.filter(isOurs);
    waiting = waiting.filter(isOurs);
    return back;
  }

  return {
    take,
    takeBack,
    giveUp() {
      for (const place of places) {
        place.isGivenUp = true;
        place.ending.abort();
      }
    },
    room: () => Math.max(0, size - places.size + half - ready.length),
    roomForAsked: () => Math.max(0, size - ready.length),
    isLow: () => ready.length <= half / 2,
    turn() {
      noteSlow();
      fill();
    },
    async stop() {
      isStopping = true;
      for (const { ending } of places) ending.abort();
      if (places.size > 0) await emptied.promise;
    },
  };
}

const isAsked = ({ nextTrigger }: ClaimedLink) => nextTrigger === "manual";

/** Who asked by hand goes before all who did not. */
function inLine(line: ClaimedLink[], link: ClaimedLink): ClaimedLink[] {
  const at = isAsked(link) ? line.findLastIndex(isAsked) + 1 : line.length;
  line.splice(at, 0, link);
  return line;
}
