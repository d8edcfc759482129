import { LIVE_MS, type Store } from "../db/store.ts";
import { WORKS, type Work } from "../db/tables.ts";
import { type Arranged, arrange } from "./arrange.ts";
import type { Deps } from "./deps.ts";
import { createHoldings, type HoldingsOf, NOTHING } from "./holdings.ts";
import { createLagWatch } from "./lag.ts";
import { createLife, type Life } from "./life.ts";
import type { NodeInfo, Nodes } from "./nodes.ts";
import { rememberedOwners } from "./rendezvous.ts";
import { exchange, farewell, forgetNodes, type Seen } from "./rows.ts";
import { describeSelf } from "./self.ts";

/** For so long a node that is gone is shown. */
const SHOWN_MS = 3_600_000;

/** This process as one of those that serve the database. */
export type Membership = {
  nodes: Nodes;
  /** Gives a sign of life and puts right whose the work is. @throws when the database cannot be had */
  beat(): Promise<Arranged>;
  /** Whether something is to be given to others as soon as nothing of it is under way. */
  isToRelease(): boolean;
  /** Begins nothing more; the next signs of life give to others what nothing is under way of. */
  retire(): void;
  /** Gives up everything, and is gone. */
  leave(): Promise<void>;
};

export function createMembership(deps: Deps): Membership {
  const { clock, store } = deps;
  const { id } = deps.nodes;
  const life = createLife(clock);
  const holdings: HoldingsOf = { checks: createHoldings(clock), deliveries: createHoldings(clock) };
  const ownersOf = rememberedOwners();
  const others = createOthers(store, id, life);
  let seenAt = clock.now();
  let takesPart = true;

  const share = (work: Work) => (takesPart && life.isSure() ? holdings[work].share() : NOTHING);
  const nodes: Nodes = {
    id,
    all: () => [self(), ...others.all()],
    share,
    keeps: (work, underWay) => holdings[work].keeps(underWay),
    onTaken: (work, take) => holdings[work].onTaken(take),
  };
  const lag = createLagWatch({ ...deps, nodes });

  function self(): NodeInfo {
    const known = describeSelf({ ...deps, nodes });
    const buckets = {
      checks: share("checks").buckets.length,
      deliveries: share("deliveries").buckets.length,
    };
    const state = { ...known.state, lagMs: lag.latest(), buckets, takesPart };
    return { ...known, seenAt, state };
  }

  async function beat() {
    const beganAt = life.begin();
    await clock.source?.look();
    const now = clock.now();
    const times = { liveSince: now - LIVE_MS, shownSince: now - SHOWN_MS };
    const seen = await exchange(store, { ...self(), seenAt: now }, times.liveSince);
    life.beaten(beganAt);
    seenAt = now;
    others.see(seen.nodes, times.liveSince);
    const arranged = await arrange({
      ...{ store, self: id, holdings, ownersOf, known: nodes.all(), open: seen.open },
      ...{ now, liveSince: times.liveSince, mayJudge: life.mayJudge() },
    });
    await others.forget(times.shownSince);
    await lag.look();
    return arranged;
  }

  return {
    nodes,
    beat,
    isToRelease: () => WORKS.some((work) => holdings[work].isToRelease()),
    retire: () => {
      takesPart = false;
    },
    leave: () => store.write(farewell(store, id)),
  };
}

type Others = {
  /** As the last sign of life found them. */
  all(): NodeInfo[];
  see(nodes: Seen["nodes"], liveSince: number): void;
  /** Forgets those that were last seen before then. */
  forget(shownSince: number): Promise<void>;
};

function createOthers(store: Store, self: string, life: Life): Others {
  let all: NodeInfo[] = [];
  return {
    all: () => all,
    /** Those that were live go on to be so while it cannot be told. */
    see(nodes, liveSince) {
      const mayJudge = life.mayJudge();
      const live = new Set(all.filter(({ isLive }) => isLive).map((node) => node.id));
      all = nodes
        .filter((node) => node.id !== self)
        .map((node) => ({
          ...node,
          isLive: node.seenAt > liveSince || (!mayJudge && live.has(node.id)),
        }));
    },
    async forget(shownSince) {
      const old = all.filter((node) => node.seenAt <= shownSince).map((node) => node.id);
      if (old.length > 0 && life.mayJudge()) await forgetNodes(store, old, shownSince);
    },
  };
}
