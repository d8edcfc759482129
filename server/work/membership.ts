import { and, eq, inArray, lte } from "drizzle-orm";
import * as z from "zod";
import { ROLES } from "../ground/config/settings.ts";
import { createStore, type Engine, LIVE_MS, type Store } from "../ground/db/store.ts";
import { nodes as nodeRows, ofWorks } from "../ground/db/tables.ts";
import { type Clock, createWakeSignal } from "../ground/lib/clock.ts";
import { log, logFailure, logTransitions } from "../ground/lib/log.ts";
import type { TroubleName, Troubles } from "../ground/lib/troubles.ts";
import { WORKS, type Work } from "../ground/lib/vocabulary.ts";
import { ONLINE_STATES } from "../judge/online/online.ts";
import type { Deps } from "./deps.ts";
import { createLagWatch, LAG_EVERY_MS } from "./due.ts";
import {
  createShare,
  describeSelf,
  NO_SHARE,
  type NodeInfo,
  type NodeState,
  type Nodes,
  onlyNode,
  SHARED,
  type Shared,
  sharersOf,
} from "./nodes.ts";
import { keepListening } from "./topics.ts";

const HEARTBEAT_MS = 5000;
/** How long a dead node is shown. */
const SHOWN_MS = 3_600_000;
/** A node begins nothing more some time before others take it for dead, in case of slow clocks and networks. */
const SURE_MS = 15_000;
/** After a longer gap between heartbeats of this node, other nodes may have had one too. */
const GAP_MS = 2 * HEARTBEAT_MS;
/** When the database's clock is set by more, earlier heartbeats say nothing. */
const STEP_MS = 5000;

/** What a heartbeat has changed. */
type Beat = {
  /** This node has work that it did not have before. */
  hasGained: boolean;
  /** Other nodes share the work differently because of this node. */
  affectsOthers: boolean;
};

/** This process as one of those that serve the database. */
export type Membership = {
  nodes: Nodes;
  /** Writes a heartbeat and reads those of all nodes. @throws when the database is unavailable */
  beat(): Promise<Beat>;
  /** Begins nothing more; with the next heartbeat other nodes take the work. */
  retire(): void;
  /** Removes this node. */
  leave(): Promise<void>;
};

/** Every node computes its own share from the nodes that are live. None of them asks another for it. */
export function createMembership(deps: Deps): Membership {
  const { clock, store } = deps;
  const { id } = deps.nodes;
  const heartbeats = watchOwnHeartbeats(clock);
  const shareAmong = {
    checks: createShare(id),
    deliveries: createShare(id),
    mail: createShare(id),
  };
  let others: NodeInfo[] = [];
  let shares = { checks: NO_SHARE, deliveries: NO_SHARE, mail: NO_SHARE };
  let seenAt = clock.now();
  let takesPart = true;
  let announced = "";

  const share = (work: Work | "mail") =>
    takesPart && heartbeats.isSure() ? shares[work] : NO_SHARE;
  const dead = () => others.filter(({ isLive }) => heartbeats.mayJudge() && !isLive);
  const nodes: Nodes = {
    id,
    all: () => [self(), ...others],
    dead: () => dead().map((node) => node.id),
    share,
    mailShare: () => share("mail"),
  };
  const lag = createLagWatch({ ...deps, nodes });

  function self(): NodeInfo {
    const known = describeSelf({ ...deps, nodes });
    const buckets = {
      checks: share("checks").buckets.length,
      deliveries: share("deliveries").buckets.length,
    };
    return { ...known, seenAt, state: { ...known.state, lagMs: lag.latest(), buckets, takesPart } };
  }

  async function beat(): Promise<Beat> {
    const beganAt = heartbeats.begin();
    await clock.source?.look();
    const now = clock.now();
    const rows = await exchange(store, { ...self(), seenAt: now });
    heartbeats.completed(beganAt);
    seenAt = now;
    others = withLiveness(
      rows.filter((node) => node.id !== id),
      now - LIVE_MS,
    );
    const hasGained = takeShares();
    reportDifferences(deps.troubles, nodes.all());
    await forgetOld(now - SHOWN_MS);
    await lag.look();
    return { hasGained, affectsOthers: noteAnnounced() };
  }

  /** Nodes that were live stay so while this node cannot judge. */
  function withLiveness(rows: StoredNode[], liveSince: number): NodeInfo[] {
    const live = new Set(others.filter(({ isLive }) => isLive).map((node) => node.id));
    const isLive = (node: StoredNode) =>
      node.seenAt > liveSince || (!heartbeats.mayJudge() && live.has(node.id));
    return rows.map((node) => ({ ...node, isLive: isLive(node) }));
  }

  function takeShares(): boolean {
    const before = shares;
    const known = nodes.all();
    const of = (work: Work) => shareAmong[work](sharersOf(work, known));
    const withMail = known.filter(({ state }) => state.settings.mail !== null);
    const mail = shareAmong.mail(sharersOf("deliveries", withMail));
    shares = { checks: of("checks"), deliveries: of("deliveries"), mail };
    return WORKS.some((work) => shares[work].buckets.some((bucket) => !before[work].has(bucket)));
  }

  function noteAnnounced(): boolean {
    const { state } = self();
    const before = announced;
    announced = `${state.takesPart} ${state.online === "offline"}`;
    return announced !== before;
  }

  async function forgetOld(shownSince: number) {
    const old = dead().filter((node) => node.seenAt <= shownSince);
    if (old.length === 0) return;
    const isOld = inArray(
      nodeRows.id,
      old.map((node) => node.id),
    );
    await store.delete(nodeRows).where(and(isOld, lte(nodeRows.seenAt, shownSince)));
  }

  return {
    nodes,
    beat,
    retire() {
      takesPart = false;
    },
    leave: async () => void (await store.delete(nodeRows).where(eq(nodeRows.id, id))),
  };
}

const ROLE_OF_SHARED = { mail: "delivery", oidc: "api" } as const;

const DIFFERENCES: Record<Shared, [trouble: TroubleName, sentence: string]> = {
  mail: [
    "mail_settings",
    "Give all nodes with the role delivery the same STILLUP_SMTP_… settings. Nodes without them send no e-mail.",
  ],
  oidc: [
    "oidc_settings",
    "Give all nodes with the role api the same STILLUP_OIDC_… settings. Otherwise signing in fails at some of them.",
  ],
};

/** Reports settings that live nodes should share and do not. A node that has just stopped says nothing. */
function reportDifferences(troubles: Troubles, all: NodeInfo[]): void {
  for (const each of SHARED) {
    const [trouble, sentence] = DIFFERENCES[each];
    const having = all.filter(
      ({ isLive, roles, state }) =>
        isLive && state.takesPart && roles.includes(ROLE_OF_SHARED[each]),
    );
    const values = new Set(having.map(({ state }) => state.settings[each]));
    const names = having.map(({ name }) => name).join(", ");
    troubles.set(trouble, values.size > 1 ? `The nodes ${names} differ. ${sentence}` : null);
  }
}

type Moment = { elapsed: number; ownAheadMs: number };

/** Watches this node's own heartbeats. */
function watchOwnHeartbeats(clock: Clock) {
  let last: Moment | null = null;
  let steadySince = 0;
  let lead = 0;

  const present = () => ({
    elapsed: clock.elapsed(),
    ownAheadMs: clock.source?.ownAheadMs() ?? 0,
  });

  /** A machine that was suspended may not have counted the time, but then its wall clock is ahead. */
  function since(moment: Moment): number {
    const { elapsed, ownAheadMs } = present();
    return elapsed - moment.elapsed + Math.max(0, ownAheadMs - moment.ownAheadMs);
  }

  return {
    begin: present,
    completed(moment: Moment) {
      const isGap = last === null || moment.elapsed - last.elapsed > GAP_MS;
      const newLead = clock.now() - clock.elapsed();
      if (isGap || Math.abs(newLead - lead) > STEP_MS) steadySince = moment.elapsed;
      lead = newLead;
      last = moment;
    },
    /** Whether other nodes still take this one for live. */
    isSure: () => last !== null && since(last) <= SURE_MS,
    /**
     * Whether silent nodes are dead. After a gap of our own the database may have been away, or another one with
     * another clock, and their heartbeats are still to come.
     */
    mayJudge: () => last !== null && last.elapsed - steadySince >= LIVE_MS,
  };
}

type StoredNode = Omit<NodeInfo, "isLive">;

async function exchange(store: Store, self: NodeInfo): Promise<StoredNode[]> {
  const { id, isLive: _, roles, state, ...rest } = self;
  const row = { ...rest, roles: roles.join(), state: JSON.stringify(state) };
  const [, , all] = await store.batch([
    store
      .insert(nodeRows)
      .values({ id, ...row })
      .onConflictDoNothing(),
    store.update(nodeRows).set(row).where(eq(nodeRows.id, id)),
    store.select().from(nodeRows),
  ]);
  return all.map(toNode);
}

function toNode({ roles, state, ...row }: typeof nodeRows.$inferSelect): StoredNode {
  const named = roles.split(",");
  return { ...row, roles: ROLES.filter((role) => named.includes(role)), state: readState(state) };
}

/** Another version may write more or less than this one. */
const State = z.object({
  online: z.enum([...ONLINE_STATES, "unknown"]).catch("unknown"),
  onlineSince: z.number().nullable().catch(null),
  clockOffMs: z.number().catch(0),
  lagMs: ofWorks(z.number().nullable().catch(null)).catch({ checks: null, deliveries: null }),
  buckets: ofWorks(z.number().catch(0)).catch({ checks: 0, deliveries: 0 }),
  takesPart: z.boolean().catch(true),
  settings: z
    .object({ mail: z.string().nullable().catch(null), oidc: z.string().nullable().catch(null) })
    .catch({ mail: null, oidc: null }),
});

const readState = (text: string): NodeState => State.parse(JSON.parse(text));

/** Pause after a heartbeat that failed. */
const RETRY_MS = 1000;
/** Several notifications within this time cause one heartbeat. */
const GATHER_MS = 500;
/** Nodes notify each other here when they start, stop, or lose their connection to the internet. */
const CHANNEL = "stillup_nodes";

export type Joined = {
  nodes: Nodes;
  /** Starts heartbeats, by which this node gets work; its loops must be running. */
  start(): void;
  /** Begins nothing more and leaves the work to other nodes; resolves after `ended`, when this node is removed. */
  leave(ended: Promise<unknown>): Promise<void>;
};

/** Makes this process one of those that serve the database. SQLite is served by one process. */
export const joinNodes = (deps: Deps): Joined =>
  deps.store.engine.isShared ? joinOthers(deps) : stayAlone(deps);

function joinOthers(deps: Deps): Joined {
  // A connection of its own, however busy the others are.
  const store = createStore(deps.store.engine.apart());
  const membership = createMembership({ ...deps, store });
  const heartbeat = createHeartbeat(deps, membership);
  let beats = Promise.resolve();
  return {
    nodes: membership.nodes,
    start: () => {
      beats = heartbeat.run();
    },
    async leave(ended) {
      membership.retire();
      heartbeat.hurry();
      await ended;
      heartbeat.stop();
      await beats;
      await membership.leave().catch(logFailure("failed to deregister node"));
      await heartbeat.notify();
    },
  };
}

/** Sends heartbeats one after another, sooner when there is a reason. */
function createHeartbeat({ clock, store: { engine }, loops }: Deps, membership: Membership) {
  const { id } = membership.nodes;
  const ending = new AbortController();
  const signal = createWakeSignal(clock);
  const note = logTransitions(logFailure("heartbeat failed: this node begins nothing more"), () =>
    log.info("heartbeat resumed"),
  );

  /** Nodes that miss it find out with their next heartbeat. */
  const notify = () => engine.notify(CHANNEL, id).catch(() => {});

  const listener = createNodeListener(engine, (by) => {
    if (by !== id) signal.wake();
  });

  async function beat(): Promise<number> {
    listener.beat();
    try {
      const { hasGained, affectsOthers } = await membership.beat();
      note(null);
      if (affectsOthers) await notify();
      if (hasGained) loops.wakeHere();
      return HEARTBEAT_MS;
    } catch (error) {
      note(error);
      return RETRY_MS;
    }
  }

  async function run() {
    while (!ending.signal.aborted) {
      await signal.wait((await beat()) - GATHER_MS);
      await clock.sleep(GATHER_MS, ending.signal);
    }
    await listener.stop();
  }

  return {
    run,
    notify,
    hurry: signal.wake,
    stop() {
      ending.abort();
      signal.wake();
    },
  };
}

function createNodeListener(engine: Deps["store"]["engine"], receive: (id: string | null) => void) {
  let isRefused = true;
  const listener = keepListening(async () => {
    const end = await engine.listen(CHANNEL, receive, () => receive(null));
    isRefused = end === null;
    return end;
  });
  return { beat: () => listener.beat(isRefused), stop: listener.stop };
}

function stayAlone(deps: Deps): Joined {
  const ending = new AbortController();
  const lag = createLagWatch(deps);
  const self = () => {
    const known = describeSelf(deps);
    return { ...known, state: { ...known.state, lagMs: lag.latest() } };
  };
  async function watchLag() {
    while (!ending.signal.aborted) {
      await lag.look();
      await deps.clock.sleep(LAG_EVERY_MS, ending.signal);
    }
  }
  let watching = Promise.resolve();
  return {
    nodes: onlyNode(deps.nodes.id, self),
    start: () => {
      watching = watchLag();
    },
    async leave(ended) {
      ending.abort();
      await Promise.all([ended, watching]);
    },
  };
}

/** Smaller differences may be the network's, and are not corrected. */
const TOLERATED_MS = 100;

/**
 * A clock that shows the time of the database, which all nodes share however wrong their own clocks are. Between two
 * looks it runs by `elapsed()`, so setting the machine's own clock moves nothing.
 */
export async function followDatabase(engine: Pick<Engine, "now">, own: Clock): Promise<Clock> {
  /** The database's time when `elapsed()` was 0; null before the first look. */
  let zero: number | null = null;

  /** The answer was given at some time of the round trip: in the middle, plus or minus half of it. */
  async function look() {
    const askedAt = own.elapsed();
    const time = await engine.now();
    const halfTrip = (own.elapsed() - askedAt) / 2;
    const found = time - askedAt - halfTrip;
    if (zero === null || Math.abs(found - zero) > TOLERATED_MS + halfTrip) zero = found;
  }

  await look();
  const now = () => Math.floor(own.elapsed() + zero!);
  return {
    now,
    elapsed: own.elapsed,
    sleep: own.sleep,
    source: { look, ownAheadMs: () => own.now() - now() },
  };
}
