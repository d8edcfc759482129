import { lockLinks } from "../db/queries.ts";
import { sawNothing } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { LEASE_MS } from "../work/lease.ts";
import { accountIdsOf } from "../work/topics.ts";
import { type ClaimedLink, releaseLinks, releaseLinksOf, renewLeases } from "./claim.ts";
import type { Recorder } from "./record.ts";
import type { Slots } from "./slots.ts";

const RENEW_EVERY_MS = LEASE_MS / 4;

/** The links that this process holds, until their results are written. */
export type HeldLinks = ReturnType<typeof createHeldLinks>;

export function createHeldLinks(deps: Pick<Deps, "store" | "clock" | "nodes">) {
  const { clock, store, nodes } = deps;
  const held = new Map<number, ClaimedLink>();
  const released = new Set<string>();
  let renewedAt = clock.now();

  // A link that was requested meanwhile is claimed a second time, and held by that claim.
  const has = (link: ClaimedLink) => held.get(link.no) === link;

  return {
    has,
    add(links: ClaimedLink[]) {
      for (const link of links) held.set(link.no, link);
    },
    remove(link: ClaimedLink) {
      if (has(link)) held.delete(link.no);
    },
    /** Renews all leases when it is time, or when the clock was set. Call it before every claim. */
    async renew() {
      const sinceMs = clock.now() - renewedAt;
      if (sinceMs >= 0 && sinceMs < RENEW_EVERY_MS) return;
      await renewLeases(deps, [...held.values()]);
      renewedAt = clock.now();
    },
    /** Makes the links of nodes that have died due, once for each death. */
    async releaseDead() {
      const dead = nodes.dead();
      for (const id of released) if (!dead.includes(id)) released.delete(id);
      for (const id of dead.filter((each) => !released.has(each))) {
        await releaseLinksOf(deps, id);
        released.add(id);
      }
    },
    async releaseAll() {
      const dueAt = clock.now();
      const all = [...held.values()].map((link) => ({ link, dueAt }));
      await store.transaction(async (tx) => {
        await lockLinks(tx, held.keys());
        await releaseLinks(tx, all);
      });
      held.clear();
    },
  };
}

/** Most links claimed at once: more would delay requests. */
const CLAIMED_AT_ONCE = 250;

type Claim = (most: number) => Promise<ClaimedLink[]>;

/**
 * Claims links for the slots.
 * @param ending after it nothing more begins
 */
export function createIntake(
  { clock, nodes, topics }: Pick<Deps, "clock" | "nodes" | "topics">,
  { held, slots, recorder }: { held: HeldLinks; slots: Slots; recorder: Recorder },
  ending: AbortSignal,
) {
  const share = () => nodes.share("checks");
  const isOurs = ({ bucket }: ClaimedLink) => share().has(bucket);

  function putBack(links: ClaimedLink[]) {
    const conclusion = { ...sawNothing("check_aborted"), deferMs: 0 };
    for (const link of links) recorder.add({ link, conclusion, at: clock.now() });
  }

  return {
    /** Claims as many links as there is room for. Returns whether there were as many, so that there may be more. */
    async take(room: number, claim: Claim): Promise<boolean> {
      if (room === 0 || !recorder.hasRoom()) return false;
      const most = Math.min(room, CLAIMED_AT_ONCE);
      const claimed = await claim(most);
      held.add(claimed);
      topics.counted(accountIdsOf(claimed));
      // A loop that stops meanwhile releases all that it holds.
      if (!ending.aborted) slots.take(claimed.filter(isOurs));
      putBack(claimed.filter((link) => !isOurs(link)));
      return claimed.length === most;
    },
    /**
     * Releases queued links that are another node's by now. Without any share other nodes may already have taken the
     * work, or this one is offline: then it sends no more requests.
     */
    async handOver() {
      putBack(slots.takeBack(isOurs));
      if (share().buckets.length === 0) slots.abortAll();
    },
  };
}
