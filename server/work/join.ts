import { createStore } from "../db/store.ts";
import { createWakeSignal } from "../lib/clock.ts";
import { log, logFailure, logTransitions } from "../lib/log.ts";
import type { Deps } from "./deps.ts";
import { keepListening } from "./ears.ts";
import { createLagWatch, LAG_EVERY_MS } from "./lag.ts";
import { BEAT_MS } from "./life.ts";
import { createMembership, type Membership } from "./membership.ts";
import { onlyNode } from "./nodes.ts";
import { describeSelf } from "./self.ts";

/** Whoever has something to give up, or could not give a sign of life, tries again after so long. */
const SOON_MS = 1000;
/** However much is told at once, it is one reason to look. */
const GATHERED_MS = 500;
/** On it nodes tell each other that they came, gave something up, or went. */
const CHANNEL = "stillup_nodes";

export type Joined = {
  /** Gives signs of life from now on, and gets work: once the loops that do it have begun. */
  takePart(): void;
  /** Begins nothing more, gives others the work at once that is not under way, and the rest when that has ended. */
  leave(ended: Promise<unknown>): Promise<void>;
};

/** Makes this process one of those that serve the database; with SQLite it is alone. */
export const joinNodes = (deps: Deps): Joined =>
  deps.store.engine.isShared ? joinOthers(deps) : stayAlone(deps);

function joinOthers(deps: Deps): Joined {
  // However busy the other connections are.
  const store = createStore(deps.store.engine.apart());
  const membership = createMembership({ ...deps, store });
  deps.nodes = membership.nodes;
  const beating = createBeating(deps, membership);
  let beats = Promise.resolve();
  return {
    takePart: () => {
      beats = beating.run();
    },
    async leave(ended) {
      membership.retire();
      beating.hurry();
      await ended;
      beating.end();
      await beats;
      await membership.leave().catch(logFailure("this node did not take leave of the others"));
      await beating.tell();
    },
  };
}

/** Signs of life, one after another, sooner than usual when there is a reason. */
function createBeating(deps: Deps, membership: Membership) {
  const { clock, store, nodes } = deps;
  const ending = new AbortController();
  const bell = createWakeSignal(clock);
  const note = noteSilence();

  /** Whether others hear of it now or see it with their next sign of life makes no difference but to time. */
  const tell = () => store.engine.notify(CHANNEL, nodes.id).catch(() => {});

  const ears = createEars(store.engine, (id) => {
    if (id !== nodes.id) bell.ring();
  });

  async function beat() {
    ears.beat();
    try {
      const { gaining, hasReleased } = await membership.beat();
      note(null);
      void gaining.then(noteGain);
      if (hasReleased) await tell();
      return membership.isToRelease() ? SOON_MS : BEAT_MS;
    } catch (error) {
      note(error);
      return SOON_MS;
    }
  }

  /** With the next sign of life others hear what this node has now. */
  function noteGain(hasGained: boolean) {
    if (!hasGained) return;
    deps.loops.wakeHere();
    bell.ring();
  }

  async function run() {
    let waitMs = await beat();
    await tell();
    while (!ending.signal.aborted) {
      await bell.wait(waitMs - GATHERED_MS);
      await clock.sleep(GATHERED_MS, ending.signal);
      if (!ending.signal.aborted) waitMs = await beat();
    }
    await ears.stop();
  }

  return {
    run,
    tell,
    hurry: bell.ring,
    end() {
      ending.abort();
      bell.ring();
    },
  };
}

/** Listens to the others, and anew from time to time where that is refused. */
function createEars(engine: Deps["store"]["engine"], hear: (id: string | null) => void) {
  let isRefused = true;
  const ears = keepListening(async () => {
    const end = await engine.listen(CHANNEL, hear, () => hear(null));
    isRefused = end === null;
    return end;
  });
  return { beat: () => ears.beat(isRefused), stop: ears.stop };
}

/** Gives what is to hear how each sign of life went. */
const noteSilence = () =>
  logTransitions(logFailure("this node gives no sign of life and begins nothing more"), () =>
    log.info("this node gives signs of life again"),
  );

/** Nobody else does anything; only how late the work is has to be looked at now and then. */
function stayAlone(deps: Deps): Joined {
  const ending = new AbortController();
  const lag = createLagWatch(deps);
  const self = () => {
    const known = describeSelf(deps);
    return { ...known, state: { ...known.state, lagMs: lag.latest() } };
  };
  deps.nodes = onlyNode(deps.nodes.id, self);
  async function look() {
    while (!ending.signal.aborted) {
      await lag.look();
      await deps.clock.sleep(LAG_EVERY_MS, ending.signal);
    }
  }
  let looks = Promise.resolve();
  return {
    takePart: () => {
      looks = look();
    },
    async leave(ended) {
      ending.abort();
      await Promise.all([ended, looks]);
    },
  };
}
