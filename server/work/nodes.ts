import type { Role } from "../config/settings.ts";
import type { Work } from "../db/tables.ts";
import { VERSION } from "../lib/runtime.ts";
import type { OnlineState } from "../verdict/online/online.ts";
import { ALL_BUCKETS, BUCKETS } from "./buckets.ts";
import type { Deps } from "./deps.ts";

/** What a node says about itself with every heartbeat. */
export type NodeState = {
  online: OnlineState | "unknown";
  /** Null while it is unknown. */
  onlineSince: number | null;
  /** How far the node's own clock is ahead of the database's, in milliseconds. */
  clockOffMs: number;
  /** Lateness of the oldest due work, in milliseconds; null where the node does none of it. */
  lagMs: Record<Work, number | null>;
  /** Number of buckets that it has. */
  buckets: Record<Work, number>;
  /** False while it stops: other nodes take its work. */
  takesPart: boolean;
};

/** A process that serves the database. Times are milliseconds since 1970. */
export type NodeInfo = {
  id: string;
  /** Host name, or the configured name. */
  name: string;
  roles: Role[];
  version: string;
  startedAt: number;
  seenAt: number;
  isLive: boolean;
  state: NodeState;
};

/** This node's share of the work. */
export type Share = {
  /** No other node has a share. */
  isAll: boolean;
  /** Unordered. The same array as long as the share is the same. */
  buckets: readonly number[];
  has(bucket: number): boolean;
};

/** The processes that serve the database, as this one knows them. */
export type Nodes = {
  /** This process. Every lease that it takes begins with its id. */
  id: string;
  /** All nodes of the last hour, this one first. */
  all(): NodeInfo[];
  /** The nodes among them that are known to be dead: their leases need not run out. */
  dead(): string[];
  /**
   * What this node may begin now; nothing while it does not know whether others take it for dead. Shares of two nodes
   * may overlap for seconds while nodes start and stop: the lease decides who gets a row.
   */
  share(work: Work): Share;
};

const ALL: Share = { isAll: true, buckets: ALL_BUCKETS, has: () => true };

export const NO_SHARE: Share = { isAll: false, buckets: [], has: () => false };

export function shareOf(buckets: readonly number[]): Share {
  const own = new Set(buckets);
  return { isAll: own.size === BUCKETS, buckets, has: (bucket) => own.has(bucket) };
}

/** A process that has the database to itself. */
export const onlyNode = (id: string, self: () => NodeInfo): Nodes => ({
  id,
  all: () => [self()],
  dead: () => [],
  share: () => ALL,
});

/** Short, since it is part of every lease. */
export const newNodeId = () => crypto.randomUUID().slice(0, 8);

const STARTED_AT = Date.now();

/** Describes this process, as if it had all of the work. */
export const describeSelf = ({ config, clock, online, nodes }: Deps): NodeInfo => ({
  id: nodes.id,
  name: config.nodeName,
  roles: [...config.role],
  version: VERSION,
  startedAt: STARTED_AT,
  seenAt: clock.now(),
  isLive: true,
  state: {
    ...onlineState(online.known()),
    clockOffMs: clock.source?.ownAheadMs() ?? 0,
    lagMs: { checks: null, deliveries: null },
    buckets: { checks: BUCKETS, deliveries: BUCKETS },
    takesPart: true,
  },
});

const onlineState = (known: ReturnType<Deps["online"]["known"]>) => ({
  online: known.state,
  onlineSince: known.state === "unknown" ? null : known.since,
});

/** Whether any live node checks links. */
export const areLinksChecked = ({ loops, nodes }: Pick<Deps, "loops" | "nodes">): boolean =>
  loops.isChecking() || nodes.all().some((node) => node.id !== nodes.id && isChecker(node));

const isChecker = ({ isLive, roles }: NodeInfo) => isLive && roles.includes("checker");

/** Best first. */
const RANKS: (OnlineState | "unknown")[] = ["online", "degraded", "unknown", "offline"];

/** The state of the checker with the best connection: offline nodes leave their work to it. */
export function onlineOfAll({ nodes }: Pick<Deps, "nodes">): {
  state: OnlineState | "unknown";
  since: number | null;
} {
  const all = nodes.all();
  const checkers = all.filter(isChecker);
  const states = (checkers.length > 0 ? checkers : all.slice(0, 1)).map(({ state }) => state);
  const [best] = states.toSorted((a, b) => RANKS.indexOf(a.online) - RANKS.indexOf(b.online));
  return { state: best!.online, since: best!.onlineSince };
}
