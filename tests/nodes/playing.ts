import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeps } from "../../server/app/build.ts";
import { type Env, readConfig } from "../../server/config/config.ts";
import { openEngine } from "../../server/db/open.ts";
import { createStore } from "../../server/db/store.ts";
import { buckets, type Work } from "../../server/db/tables.ts";
import type { Clock } from "../../server/lib/clock.ts";
import { BUCKETS } from "../../server/work/buckets.ts";
import type { Deps } from "../../server/work/deps.ts";
import { createMembership, type Membership } from "../../server/work/membership.ts";

/** A node that gives a sign of life when a test says so. */
export type PlayedNode = Omit<Membership, "beat"> & {
  id: string;
  deps: Deps;
  /** Gives one, and has prepared what it got by that. */
  beat(): Promise<{ hasGained: boolean; hasReleased: boolean }>;
  /** Gives one, and does not wait for more. */
  beatOnly: Membership["beat"];
  close(): Promise<void>;
};

/** @param settings without their prefix */
export function playNode(databaseUrl: string, clock: Clock, settings: Env = {}): PlayedNode {
  const folder = mkdtempSync(join(tmpdir(), "stillup-nodes-"));
  const named = Object.entries(settings).map(([name, value]) => [`STILLUP_${name}`, value]);
  const config = readConfig({
    STILLUP_DATABASE_URL: databaseUrl,
    STILLUP_DATA_DIR: folder,
    STILLUP_SENTINELS: "",
    ...Object.fromEntries(named),
  });
  const store = createStore(openEngine(databaseUrl));
  const deps = createDeps(config, store, clock);
  const membership = createMembership(deps);
  deps.nodes = membership.nodes;
  return {
    ...membership,
    id: deps.nodes.id,
    deps,
    async beat() {
      const { gaining, hasReleased } = await membership.beat();
      return { hasGained: await gaining, hasReleased };
    },
    beatOnly: membership.beat,
    async close() {
      await store.engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** How many buckets a node may begin something in. */
export const shareOf = ({ nodes }: PlayedNode, work: Work = "checks") =>
  nodes.share(work).buckets.length;

/** Whether each bucket is one node's, and no two nodes may begin something in the same. */
export function isSplit(nodes: PlayedNode[], work: Work = "checks"): boolean {
  const all = nodes.flatMap((node) => node.nodes.share(work).buckets);
  return all.length === BUCKETS && new Set(all).size === BUCKETS;
}

/** Who the database says has how many. */
export async function ownersIn({ deps: { store } }: PlayedNode, work: Work = "checks") {
  const rows = await store.select().from(buckets);
  const owners = rows.filter((row) => row.work === work).map(({ owner }) => owner);
  return Object.fromEntries(
    [...Map.groupBy(owners, (owner) => owner ?? "nobody")].map(([owner, all]) => [
      owner,
      all.length,
    ]),
  );
}
