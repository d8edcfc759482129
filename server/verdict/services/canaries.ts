import type { Clock } from "../../lib/clock.ts";
import { type CanaryStore, noCanaryStore } from "./canary-store.ts";
import type { Target } from "./catalogue.ts";

/** Whether a service still tells what is there from what is gone. */
export type Canaries = {
  /** A link of the service was alive, which proves as much as asking for a known-good one. */
  noteAlive(target: Target): void;
  /** Whether that was so within a day. */
  wasAlive(target: Target): Promise<boolean>;
  /**
   * Asks, unless the answer of the last quarter of an hour will do.
   * @param gone `isNews` when the link was not known to be dead; `ask` tells whether a known-good link
   *   still answers as good
   */
  isSinging(
    target: Target,
    gone: { isNews: boolean; ask: () => Promise<boolean> },
  ): Promise<boolean>;
};

/** Moments by `elapsed()`. */
type Song = {
  isGood: boolean;
  at: number;
  aliveAt: number;
  asking: Promise<boolean> | null;
  gone: number[];
  readAt: number;
  writtenAt: number;
};

const UNHEARD = {
  isGood: false,
  at: -Infinity,
  aliveAt: -Infinity,
  asking: null,
  readAt: -Infinity,
  writtenAt: -Infinity,
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FRESH_MS = 15 * MINUTE_MS;
/** So many "gone" in this time are more likely the service's trouble, so the canary is asked again. */
const SUSPICIOUS_GONE = 5;
const SUSPICIOUS_MS = 10 * MINUTE_MS;
/** What others may have heard is read as often at most, and what everybody goes on to hear is written as often. */
const KEEP_MS = MINUTE_MS;

/** @param kept what all processes have heard */
export function createCanaries(clock: Clock, kept: CanaryStore = noCanaryStore): Canaries {
  const songs = new Map<string, Song>();

  function songOf({ service, kind }: Target): Song {
    const key = `${service.id} ${kind.kind}`;
    const song = songs.get(key) ?? { ...UNHEARD, gone: [] };
    songs.set(key, song);
    return song;
  }

  const sinceLong = (at: number) => clock.elapsed() - at >= KEEP_MS;
  const wasLately = ({ aliveAt }: Song) => clock.elapsed() - aliveAt < DAY_MS;
  const isFresh = ({ at }: Song) => clock.elapsed() - at < FRESH_MS;
  const isSuspect = ({ isGood, gone }: Song) => isGood && gone.length >= SUSPICIOUS_GONE;

  /** What was kept a while ago, as far as it is later than what was heard here. */
  async function readKept(target: Target, song: Song) {
    song.readAt = clock.elapsed();
    const found = await kept.read(target);
    if (!found) return;
    const wallAtZero = clock.now() - clock.elapsed();
    const elapsedAt = (at: number) => Math.min(clock.elapsed(), at - wallAtZero);
    const { isGood, askedAt, aliveAt } = found;
    if (aliveAt !== null) song.aliveAt = Math.max(song.aliveAt, elapsedAt(aliveAt));
    const at = elapsedAt(askedAt);
    if (at > song.at) Object.assign(song, { isGood, at });
  }

  function heard(target: Target, song: Song, { isGood, isAlive }: Heard) {
    const at = clock.elapsed();
    const isNew = song.isGood !== isGood || !isAlive;
    Object.assign(song, { isGood, at, gone: [] });
    if (isAlive) song.aliveAt = at;
    if (!isNew && !sinceLong(song.writtenAt)) return;
    song.writtenAt = at;
    const askedAt = clock.now();
    void kept.write(target, { isGood, askedAt, aliveAt: isAlive ? askedAt : null });
  }

  async function listen(target: Target, song: Song, ask: () => Promise<boolean>): Promise<boolean> {
    if (sinceLong(song.readAt)) await readKept(target, song);
    if (isFresh(song) && !isSuspect(song)) return song.isGood;
    const askedAt = clock.elapsed();
    const answer = await ask().catch(() => false);
    // Something that was alive meanwhile, here or elsewhere, knows better.
    if (!answer) await readKept(target, song);
    const isGood = answer || song.aliveAt >= askedAt;
    heard(target, song, { isGood, isAlive: false });
    return isGood;
  }

  return {
    noteAlive: (target) => heard(target, songOf(target), { isGood: true, isAlive: true }),
    async wasAlive(target) {
      const song = songOf(target);
      if (!wasLately(song) && sinceLong(song.readAt)) await readKept(target, song);
      return wasLately(song);
    },
    isSinging(target, { isNews, ask }) {
      const song = songOf(target);
      const now = clock.elapsed();
      song.gone = song.gone.filter((at) => now - at < SUSPICIOUS_MS);
      if (isNews) song.gone.push(now);
      song.asking ??= listen(target, song, ask).finally(() => {
        song.asking = null;
      });
      return song.asking;
    },
  };
}

type Heard = {
  isGood: boolean;
  /** A link of the service was alive; else a known-good one was asked for. */
  isAlive: boolean;
};
