import type { Role } from "../config/config.ts";
import type { Work } from "../db/tables.ts";
import { BUCKETS } from "./buckets.ts";
import type { NodeInfo } from "./nodes.ts";

/** Each work may have others that share it, and these may be gone for a moment. */
const REMEMBERED = 4;

/** Who does which work. */
export const ROLE_OF: Record<Work, Role> = { checks: "checker", deliveries: "delivery" };

/** Those that are to share the work. One that is offline reaches nobody, unless all are. */
export function sharersOf(work: Work, nodes: readonly NodeInfo[]): string[] {
  const able = nodes.filter(
    ({ isLive, roles, state }) => isLive && state.takesPart && roles.includes(ROLE_OF[work]),
  );
  const online = able.filter(({ state }) => state.online !== "offline");
  return (online.length > 0 ? online : able).map(({ id }) => id);
}

/**
 * Whose each bucket is to be, by its number: that of the node which scores highest for it. So one that comes
 * takes only what is to be its own, and one that goes leaves all else where it is, without any agreement.
 */
export function ownersAmong(ids: readonly string[]): (string | null)[] {
  const owners = new Array<string | null>(BUCKETS).fill(null);
  const highest = new Array<number>(BUCKETS).fill(-1);
  // In one order, so that all agree where two score alike.
  for (const id of ids.toSorted()) {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const score = Bun.hash.xxHash32(`${id}/${bucket}`);
      if (score <= highest[bucket]!) continue;
      highest[bucket] = score;
      owners[bucket] = id;
    }
  }
  return owners;
}

/** The same, told from memory while the nodes are the same: it is asked for with every sign of life. */
export function rememberedOwners(): typeof ownersAmong {
  const known = new Map<string, (string | null)[]>();
  return (ids) => {
    const name = ids.toSorted().join();
    const owners = known.get(name) ?? ownersAmong(ids);
    // In the end, so that the first is the one that was asked for longest ago.
    known.delete(name);
    known.set(name, owners);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED) known.delete(oldest!);
    return owners;
  };
}

/** A bucket that may be had: nobody's, this node's own, or that of one that is not heard of. */
export type OpenBucket = { work: Work; bucket: number; owner: string | null };

type Situation = {
  self: string;
  /** Whose each bucket is to be. */
  owners: readonly (string | null)[];
  open: readonly OpenBucket[];
  /** Whether a node that is not heard of is dead for all we know. */
  isDead(owner: string): boolean;
};

/** What there is to do about the buckets of one work. */
export type Plan = {
  /** This node's own, as they are to be. */
  keep: number[];
  /** This node's own, which are to be another's. */
  drop: number[];
  /** To be this node's own, and free. */
  take: number[];
};

export function planFor({ self, owners, open, isDead }: Situation): Plan {
  const plan: Plan = { keep: [], drop: [], take: [] };
  for (const { bucket, owner } of open) {
    const isWanted = owners[bucket] === self;
    if (owner === self) plan[isWanted ? "keep" : "drop"].push(bucket);
    else if (isWanted && (owner === null || isDead(owner))) plan.take.push(bucket);
  }
  return plan;
}
