import type { Config } from "../ground/config/config.ts";
import { oidcOf } from "../ground/config/oidc.ts";
import type { Role } from "../ground/config/settings.ts";
import { smtpOf } from "../ground/config/smtp.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { hashToken } from "../ground/lib/ids.ts";
import { VERSION } from "../ground/lib/runtime.ts";
import { siteOf } from "../ground/lib/site.ts";
import type { Work } from "../ground/lib/vocabulary.ts";
import type { Online, OnlineState } from "../judge/online/online.ts";
import type { Loops } from "./loops.ts";

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
  /** Hashes of settings that must be the same on all nodes, without secrets; null where there are none. */
  settings: Record<Shared, string | null>;
};

/** Settings that must be the same on all nodes: the mail server, and the OpenID provider. */
export const SHARED = ["mail", "oidc"] as const;
export type Shared = (typeof SHARED)[number];

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
  /** The same for deliveries by e-mail, which nodes without a mail server cannot make. */
  mailShare(): Share;
};

/** Number of parts that the work is divided into, however many nodes share it. */
export const BUCKETS = 1024;

export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, n) => n);

export const bucketOf = (name: string): number => Bun.hash.crc32(name) % BUCKETS;

/** All links of a site are in one bucket, so that one node checks them. */
export const bucketOfUrl = (url: string | URL): number => bucketOf(siteOf(new URL(url).host));

/** A table of buckets with a column `given`, made of one parameter (`givenBuckets`). PostgreSQL only. */
export const BUCKETS_GIVEN = "unnest(cast(cast(? as text) as bigint[])) as mine (given)";

export const givenBuckets = (buckets: readonly number[]): string => `{${buckets.join(",")}}`;

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
  mailShare: () => ALL,
});

/** Short, since it is part of every lease. */
export const newNodeId = () => crypto.randomUUID().slice(0, 8);

const STARTED_AT = Date.now();

type Self = { config: Config; clock: Clock; online: Online; nodes: Nodes };

/** Describes this process, as if it had all of the work. */
export const describeSelf = ({ config, clock, online, nodes }: Self): NodeInfo => ({
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
    settings: sharedSettings(config),
  },
});

function sharedSettings(config: Config): NodeState["settings"] {
  const smtp = smtpOf(config);
  const oidc = oidcOf(config);
  const hashOf = (values: unknown[]) => hashToken(JSON.stringify(values)).slice(0, 16);
  return {
    mail: smtp && hashOf([smtp.host, smtp.port, smtp.user?.name, smtp.from]),
    oidc: oidc && hashOf([oidc.issuer, oidc.clientId, oidc.redirectUri, oidc.roles, oidc.only]),
  };
}

const onlineState = (known: ReturnType<Online["known"]>) => ({
  online: known.state,
  onlineSince: known.state === "unknown" ? null : known.since,
});

/** Whether a live node has an earlier version, which does not know what is new in this one. */
export const isUpgradeUnderWay = ({ nodes }: { nodes: Nodes }): boolean =>
  nodes.all().some(({ isLive, version }) => isLive && Bun.semver.order(version, VERSION) < 0);

/** Whether any live node checks links. */
export const areLinksChecked = ({ loops, nodes }: { loops: Loops; nodes: Nodes }): boolean =>
  loops.isChecking() || nodes.all().some((node) => node.id !== nodes.id && isChecker(node));

const isChecker = ({ isLive, roles }: NodeInfo) => isLive && roles.includes("checker");

/** Best first. */
const RANKS: (OnlineState | "unknown")[] = ["online", "degraded", "unknown", "offline"];

/** The state of the checker with the best connection: offline nodes leave their work to it. */
export function onlineOfAll({ nodes }: { nodes: Nodes }): {
  state: OnlineState | "unknown";
  since: number | null;
} {
  const all = nodes.all();
  const checkers = all.filter(isChecker);
  const states = (checkers.length > 0 ? checkers : all.slice(0, 1)).map(({ state }) => state);
  const [best] = states.toSorted((a, b) => RANKS.indexOf(a.online) - RANKS.indexOf(b.online));
  return { state: best!.online, since: best!.onlineSince };
}

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

/** How long a claimed link stays locked: after that it is due again, and not shown as checking. */
export const LEASE_MS = 120_000;

/** How long a claimed delivery stays locked: after that its attempt counts as interrupted. */
export const DELIVERY_LEASE_MS = 60_000;

/** Pattern of all leases of a node, for `like`. */
export const leasesOf = (id: string): string => `${id}.%`;
