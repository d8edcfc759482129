import type { Role } from "../config/config.ts";
import type { Work } from "../db/tables.ts";
import type { OnlineState } from "../verdict/online/online.ts";
import { ALL_BUCKETS } from "./buckets.ts";

/** What a node says of itself with every sign of life. */
export type NodeState = {
  online: OnlineState | "unknown";
  /** Null while it is unknown. */
  onlineSince: number | null;
  /** So many milliseconds the node's own clock is ahead of the database's. */
  clockOffMs: number;
  /** For how long the work that is due longest has been due, in milliseconds; null where it does none of it. */
  lagMs: Record<Work, number | null>;
  /** How many buckets it has. */
  buckets: Record<Work, number>;
  /** Not while it ends: others take over what it has. */
  takesPart: boolean;
};

/** A process that serves the database. Moments are milliseconds since 1970. */
export type NodeInfo = {
  id: string;
  /** What its machine is called. */
  name: string;
  roles: Role[];
  version: string;
  startedAt: number;
  seenAt: number;
  isLive: boolean;
  state: NodeState;
};

/** The part of the work that is this node's. */
export type Share = {
  /** Nobody else does any of it, so that there is no need to look for whose it is. */
  isAll: boolean;
  /** In no order. */
  buckets: readonly number[];
  has(bucket: number): boolean;
};

/** The processes that serve the database, as this one knows them. */
export type Nodes = {
  /** This process. Begins the leases that it takes, so that others know whose they are. */
  id: string;
  /** All that were seen within the last hour, this one first. */
  all(): NodeInfo[];
  /** What this node may begin now: nothing while it does not know whether it is still its own. */
  share(work: Work): Share;
  /**
   * Of which buckets something is under way, so that they are not given to others.
   * Told once by each loop, before it begins.
   */
  keeps(work: Work, underWay: () => ReadonlySet<number>): void;
  /**
   * Has `take` called with buckets before they are this node's own. `from` has the nodes that died and may have
   * had them, whose leases are to be broken; it is empty where all is in order. Told once, like `keeps`.
   */
  onTaken(work: Work, take: (buckets: number[], from: string[]) => Promise<void>): void;
};

const ALL: Share = { isAll: true, buckets: ALL_BUCKETS, has: () => true };

/** A process that has the database for itself. */
export const onlyNode = (id: string, self: () => NodeInfo): Nodes => ({
  id,
  all: () => [self()],
  share: () => ALL,
  keeps: () => {},
  onTaken: () => {},
});
