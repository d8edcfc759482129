import type { Role } from "../config/settings.ts";
import type { Work } from "../db/tables.ts";
import { BUCKETS } from "./buckets.ts";
import { NO_SHARE, type NodeInfo, type Share, shareOf } from "./nodes.ts";

/** Role that does the work. */
export const ROLE_OF: Record<Work, Role> = { checks: "checker", deliveries: "delivery" };

/** Returns the nodes that share the work: those that are online, or all when none is. */
export function sharersOf(work: Work, nodes: readonly NodeInfo[]): string[] {
  const able = nodes.filter(
    ({ isLive, roles, state }) => isLive && state.takesPart && roles.includes(ROLE_OF[work]),
  );
  const online = able.filter(({ state }) => state.online !== "offline");
  return (online.length > 0 ? online : able).map(({ id }) => id);
}

/**
 * Returns the owner of each bucket by rendezvous hashing: the node with the highest score. A node that starts takes
 * only its own buckets, and one that stops moves no other node's, without any agreement.
 */
export function ownersAmong(ids: readonly string[]): (string | null)[] {
  const owners = new Array<string | null>(BUCKETS).fill(null);
  const highest = new Array<number>(BUCKETS).fill(-1);
  // Sorted, so that all nodes agree where two scores are equal.
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

/** Computes the share of a node, and keeps it as long as the same nodes share the work. */
export function createShare(self: string) {
  let sharers = "";
  let share = NO_SHARE;
  return (ids: readonly string[]): Share => {
    const name = ids.toSorted().join();
    if (name === sharers) return share;
    sharers = name;
    share = shareOf(ownersAmong(ids).flatMap((owner, bucket) => (owner === self ? [bucket] : [])));
    return share;
  };
}
