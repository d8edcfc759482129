import type * as z from "zod";
import { toIso } from "../../lib/moments.ts";
import { BUCKETS } from "../../work/buckets.ts";
import type { Deps } from "../../work/deps.ts";
import type { NodeInfo } from "../../work/nodes.ts";
import type { Node, Nodes } from "./model.ts";

/** The processes that serve the database, this one first. */
export const readNodes = ({ store, nodes }: Deps): z.infer<typeof Nodes> => ({
  is_shared: store.engine.isShared,
  items: nodes.all().map((node) => toNode(node, node.id === nodes.id)),
});

function toNode(node: NodeInfo, isThis: boolean): z.infer<typeof Node> {
  const { online, clockOffMs, lagMs, buckets } = node.state;
  return {
    id: node.id,
    name: node.name,
    roles: node.roles,
    version: node.version,
    started_at: toIso(node.startedAt),
    seen_at: toIso(node.seenAt),
    is_live: node.isLive,
    is_this: isThis,
    online,
    clock_off_ms: Math.round(clockOffMs),
    lag_ms: { checks: rounded(lagMs.checks), deliveries: rounded(lagMs.deliveries) },
    share: { checks: buckets.checks / BUCKETS, deliveries: buckets.deliveries / BUCKETS },
  };
}

const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms));
