import { BUCKETS, type Nodes, shareOf } from "../../server/work/nodes.ts";

export const ALL_BUCKETS = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

/** A node whose share of the work is what a test says. */
export type FixedNode = Nodes & {
  /** From now on its share of all work is those buckets. */
  gets(buckets: readonly number[]): void;
  /** From now on it knows that this node is dead. */
  losesNode(id: string): void;
};

export function fixedNode(id: string, buckets: readonly number[] = []): FixedNode {
  let share = shareOf(buckets);
  const dead: string[] = [];
  return {
    id,
    all: () => [],
    dead: () => dead,
    share: () => share,
    mailShare: () => share,
    gets(next) {
      share = shareOf(next);
    },
    losesNode: (lost) => void dead.push(lost),
  };
}
