import { VERSION } from "../lib/runtime.ts";
import type { KnownState } from "../verdict/online/online.ts";
import { BUCKETS } from "./buckets.ts";
import type { Deps } from "./deps.ts";
import type { NodeInfo } from "./nodes.ts";

/** Short, since it stands in every lease. */
export const newNodeId = () => crypto.randomUUID().slice(0, 8);

/** When this process began, in milliseconds since 1970. */
const STARTED_AT = Date.now();

/** This process, as it would be shown beside others. */
export const describeSelf = ({ config, clock, online, nodes }: Deps): NodeInfo => ({
  id: nodes.id,
  name: config.nodeName,
  roles: [...config.role],
  version: VERSION,
  startedAt: STARTED_AT,
  seenAt: clock.now(),
  isLive: true,
  state: {
    ...stateOf(online.known()),
    clockOffMs: clock.source?.ownAheadMs() ?? 0,
    lagMs: { checks: null, deliveries: null },
    buckets: { checks: BUCKETS, deliveries: BUCKETS },
    takesPart: true,
  },
});

const stateOf = (known: KnownState) => ({
  online: known.state,
  onlineSince: known.state === "unknown" ? null : known.since,
});
