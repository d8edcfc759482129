import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeps } from "../../server/app/build.ts";
import { type Env, readConfig } from "../../server/ground/config/config.ts";
import { openEngine } from "../../server/ground/db/open.ts";
import { createStore } from "../../server/ground/db/store.ts";
import type { Clock } from "../../server/ground/lib/clock.ts";
import type { Work } from "../../server/ground/lib/vocabulary.ts";
import type { KnownState } from "../../server/judge/online/online.ts";
import type { Deps } from "../../server/work/deps.ts";
import { createMembership, type Membership } from "../../server/work/membership.ts";
import { BUCKETS } from "../../server/work/nodes.ts";

/** A node that sends a heartbeat when a test says so. */
export type PlayedNode = Membership & {
  id: string;
  deps: Deps;
  /** From now on this is what it knows of its connection; null is what it finds out. */
  setOnline(state: KnownState | null): void;
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
  const opened = createDeps(config, store, clock);
  let online: KnownState | null = null;
  const known = () => online ?? opened.online.known();
  const alone = { ...opened, online: { ...opened.online, known } };
  const membership = createMembership(alone);
  const deps = { ...alone, nodes: membership.nodes };
  return {
    ...membership,
    id: deps.nodes.id,
    deps,
    setOnline(state) {
      online = state;
    },
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
