import type { Clock } from "../../lib/clock.ts";
import type { Target } from "./catalogue.ts";

/** Whether a service still tells what is there from what is gone. */
export type Canaries = {
  /** A link of the service was alive, which proves as much as asking for a known-good one. */
  noteAlive(target: Target): void;
  /** Whether that was so within a day. */
  wasAlive(target: Target): boolean;
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

type Song = {
  isGood: boolean;
  at: number;
  aliveAt: number;
  asking: Promise<boolean> | null;
  gone: number[];
};

const UNHEARD = { isGood: false, at: -Infinity, aliveAt: -Infinity, asking: null };

const DAY_MS = 24 * 3_600_000;
const FRESH_MS = 15 * 60_000;
/** So many "gone" in so long are more likely the service's trouble, so that it is asked anew. */
const SUSPICIOUS_GONE = 5;
const SUSPICIOUS_MS = 10 * 60_000;

export function createCanaries(clock: Clock): Canaries {
  const songs = new Map<string, Song>();

  function songOf({ service, kind }: Target): Song {
    const key = `${service.id} ${kind.kind}`;
    const song = songs.get(key) ?? { ...UNHEARD, gone: [] };
    songs.set(key, song);
    return song;
  }

  function heard(song: Song, isGood: boolean): boolean {
    Object.assign(song, { isGood, at: clock.elapsed(), asking: null, gone: [] });
    return isGood;
  }

  /** Something that was alive meanwhile knows better. */
  const heardSince = (song: Song, askedAt: number) => (isGood: boolean) =>
    heard(song, isGood || song.aliveAt >= askedAt);

  return {
    noteAlive(target) {
      const song = songOf(target);
      heard(song, true);
      song.aliveAt = clock.elapsed();
    },
    wasAlive: (target) => clock.elapsed() - songOf(target).aliveAt < DAY_MS,
    isSinging(target, { isNews, ask }) {
      const song = songOf(target);
      const now = clock.elapsed();
      if (song.asking) return song.asking;
      song.gone = song.gone.filter((at) => now - at < SUSPICIOUS_MS);
      if (isNews) song.gone.push(now);
      const isForced = song.isGood && song.gone.length >= SUSPICIOUS_GONE;
      if (now - song.at < FRESH_MS && !isForced) return Promise.resolve(song.isGood);
      song.asking = ask()
        .catch(() => false)
        .then(heardSince(song, now));
      return song.asking;
    },
  };
}
