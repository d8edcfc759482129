import { createStore } from "../db/store.ts";
import { createWakeSignal } from "../lib/clock.ts";
import { log, logFailure, logTransitions } from "../lib/log.ts";
import type { Deps } from "./deps.ts";
import { createLagWatch, LAG_EVERY_MS } from "./due.ts";
import { keepListening } from "./listener.ts";
import { createMembership, HEARTBEAT_MS, type Membership } from "./membership.ts";
import { describeSelf, type Nodes, onlyNode } from "./nodes.ts";

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
      const { hasGained, isNews } = await membership.beat();
      note(null);
      if (isNews) await notify();
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
