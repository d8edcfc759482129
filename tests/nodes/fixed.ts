import type { Work } from "../../server/db/tables.ts";
import { BUCKETS } from "../../server/work/buckets.ts";
import type { Nodes, Share } from "../../server/work/nodes.ts";

export const ALL_BUCKETS = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

/** A node whose part of the work is what a test says. */
export type FixedNode = Nodes & {
  /** From now on its share of all work is those of these buckets. */
  gets(buckets: readonly number[]): void;
  /** Of which buckets something is under way. */
  underWay(work: Work): number[];
  /** Tells it that it has buckets from now on that came from nodes which died. */
  takes(work: Work, buckets: number[], from: string[]): Promise<void>;
};

export function fixedNode(id: string, buckets: readonly number[] = []): FixedNode {
  let share = shareOf(buckets);
  const keeping = new Map<Work, () => ReadonlySet<number>>();
  const taking = new Map<Work, (buckets: number[], from: string[]) => Promise<void>>();
  return {
    id,
    all: () => [],
    share: () => share,
    keeps: (work, underWay) => void keeping.set(work, underWay),
    onTaken: (work, take) => void taking.set(work, take),
    gets(next) {
      share = shareOf(next);
    },
    underWay: (work) => [...(keeping.get(work)?.() ?? [])],
    async takes(work, more, from) {
      await taking.get(work)?.(more, from);
      share = shareOf([...share.buckets, ...more]);
    },
  };
}

function shareOf(buckets: readonly number[]): Share {
  const own = new Set(buckets);
  return { isAll: own.size === BUCKETS, buckets: [...own], has: (bucket) => own.has(bucket) };
}
