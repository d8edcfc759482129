import type { Work } from "../db/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { BUCKETS } from "./buckets.ts";
import type { Nodes, Share } from "./nodes.ts";
import type { Plan } from "./rendezvous.ts";

/** Whatever was begun just before a bucket was dropped is known to be under way after so long. */
const SETTLES_MS = 1000;

export const NOTHING: Share = { isAll: false, buckets: [], has: () => false };

/** What this node has of one work, as far as it knows. */
export type Holdings = {
  keeps(underWay: Parameters<Nodes["keeps"]>[1]): void;
  onTaken(take: Parameters<Nodes["onTaken"]>[1]): void;
  /** What is its own, prepared, and to stay its own. */
  share(): Share;
  /** Begins nothing from now on but in what is to be kept. */
  follow(plan: Pick<Plan, "keep" | "drop">): void;
  /** Whether something is to be given to others. */
  isToRelease(): boolean;
  /** What may be given to others, since nothing of it is under way. */
  releasable(): number[];
  released(buckets: readonly number[]): void;
  /**
   * Has those of its buckets prepared that are not yet, unless others just are: they have their turn after these.
   * What is lost meanwhile does not become its own again by that.
   * @param own all that are its own and to be kept
   * @param from nodes that died and may have had them
   * @returns whether it may begin anything more than before
   */
  prepare(own: readonly number[], from: string[]): Promise<boolean>;
};

export type HoldingsOf = Record<Work, Holdings>;

export function createHoldings({ elapsed }: Pick<Clock, "elapsed">): Holdings {
  let underWay: Parameters<Holdings["keeps"]>[0] = () => new Set();
  let take: Parameters<Holdings["onTaken"]>[0] = async () => {};
  let prepared = new Set<number>();
  /** Of those that are being prepared, what has been its own all the while. */
  let preparing = new Set<number>();
  let isPreparing = false;
  /** Since when buckets are to be another's, by `elapsed()`. */
  let dropped = new Map<number, number>();
  let share = NOTHING;

  return {
    keeps: (tell) => {
      underWay = tell;
    },
    onTaken: (prepare) => {
      take = prepare;
    },
    share: () => share,
    follow({ keep, drop }) {
      prepared = prepared.intersection(new Set([...keep, ...drop]));
      preparing = preparing.intersection(new Set(keep));
      dropped = new Map(drop.map((bucket) => [bucket, dropped.get(bucket) ?? elapsed()]));
      share = shareOf(keep.filter((bucket) => prepared.has(bucket)));
    },
    isToRelease: () => dropped.size > 0,
    releasable() {
      const busy = underWay();
      const isFree = ([bucket, since]: [number, number]) =>
        elapsed() - since >= SETTLES_MS && !busy.has(bucket);
      return [...dropped].filter(isFree).map(([bucket]) => bucket);
    },
    released(buckets) {
      for (const bucket of buckets) {
        dropped.delete(bucket);
        prepared.delete(bucket);
      }
    },
    async prepare(own, from) {
      const unprepared = own.filter((bucket) => !prepared.has(bucket));
      if (isPreparing || unprepared.length === 0) return false;
      isPreparing = true;
      preparing = new Set(unprepared);
      try {
        await take(unprepared, from);
        prepared = prepared.union(preparing);
        share = shareOf([...share.buckets, ...preparing]);
        return preparing.size > 0;
      } finally {
        isPreparing = false;
      }
    },
  };
}

function shareOf(buckets: readonly number[]): Share {
  const own = new Set(buckets);
  return { isAll: own.size === BUCKETS, buckets: [...own], has: (bucket) => own.has(bucket) };
}
