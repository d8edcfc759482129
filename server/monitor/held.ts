import type { Deps } from "../work/deps.ts";
import { LEASE_MS } from "../work/lease.ts";
import { type ClaimedLink, releaseLinks, renewLeases } from "./claim.ts";

/** The links that this process holds, until their results are written. */
type Held = {
  add(links: ClaimedLink[]): void;
  letGo(link: ClaimedLink): void;
  has(link: ClaimedLink): boolean;
  /** The buckets of all of them. */
  buckets(): Set<number>;
  /** Renews all leases when it is time, or when wall time did not go by as it should. Before every claim. */
  renew(): Promise<void>;
  /** Gives all of them back. */
  giveBack(): Promise<void>;
};

const RENEWED_EVERY_MS = LEASE_MS / 4;

export function createHeld(deps: Deps): Held {
  const { clock } = deps;
  const held = new Map<number, ClaimedLink>();
  let renewedAt = clock.now();

  // Claimed a second time meanwhile, since somebody asked for it, it is held by that check.
  const has = (link: ClaimedLink) => held.get(link.no) === link;

  return {
    add(links) {
      for (const link of links) held.set(link.no, link);
    },
    letGo(link) {
      if (has(link)) held.delete(link.no);
    },
    has,
    buckets: () => new Set([...held.values()].map(({ bucket }) => bucket)),
    async renew() {
      const sinceMs = clock.now() - renewedAt;
      if (sinceMs >= 0 && sinceMs < RENEWED_EVERY_MS) return;
      await renewLeases(deps, [...held.values()]);
      renewedAt = clock.now();
    },
    async giveBack() {
      const dueAt = clock.now();
      await releaseLinks(
        deps,
        [...held.values()].map((link) => ({ link, dueAt })),
      );
      held.clear();
    },
  };
}
