import type { Store } from "../db/store.ts";
import { WORKS, type Work } from "../db/tables.ts";
import { describeError, log } from "../lib/log.ts";
import type { HoldingsOf } from "./holdings.ts";
import { LEASE_MS } from "./lease.ts";
import type { NodeInfo } from "./nodes.ts";
import { type OpenBucket, type ownersAmong, type Plan, planFor, sharersOf } from "./rendezvous.ts";
import { release, take } from "./rows.ts";

type Situation = {
  store: Store;
  self: string;
  holdings: HoldingsOf;
  ownersOf: typeof ownersAmong;
  /** All nodes, this one among them. */
  known: readonly NodeInfo[];
  open: readonly OpenBucket[];
  now: number;
  /** Whoever was seen after that is live. */
  liveSince: number;
  /** Whether those that are not live are dead. */
  mayJudge: boolean;
};

/** What became of it. */
export type Arranged = {
  /** Whether there is work that this node had not before, once that has been prepared: no sign of life waits for it. */
  gaining: Promise<boolean>;
  /** There is work for others to take. */
  hasReleased: boolean;
};

/** What a node held that was silent for so long is due again by itself, also if clocks were not quite right. */
const HELD_MS = LEASE_MS + 60_000;

/** Puts right whose the work is. First of all nothing is begun any more in what is to be another's. */
export async function arrange(situation: Situation): Promise<Arranged> {
  const { holdings } = situation;
  const plans = WORKS.map((work) => ({ work, plan: planOf(work, situation) }));
  for (const { work, plan } of plans) holdings[work].follow(plan);
  const hasReleased = await giveUp(situation);
  const taken = await takeOver(situation, plans);
  const gaining = plans.map(({ work, plan }) =>
    prepare(situation, work, [...plan.keep, ...bucketsOf(work, taken)]),
  );
  return { gaining: Promise.all(gaining).then((gained) => gained.includes(true)), hasReleased };
}

function planOf(work: Work, { self, ownersOf, known, open, mayJudge }: Situation): Plan {
  const isKnown = (owner: string) => known.some(({ id }) => id === owner);
  return planFor({
    self,
    owners: ownersOf(sharersOf(work, known)),
    open: open.filter((bucket) => bucket.work === work),
    isDead: (owner) => mayJudge || !isKnown(owner),
  });
}

async function giveUp({ store, self, holdings }: Situation): Promise<boolean> {
  const free = WORKS.map((work) => ({ work, buckets: holdings[work].releasable() })).filter(
    ({ buckets }) => buckets.length > 0,
  );
  await store.write(free.map((part) => release(store, self, part)));
  for (const { work, buckets } of free) holdings[work].released(buckets);
  return free.length > 0;
}

type Planned = { work: Work; plan: Plan };

function takeOver({ store, self, liveSince }: Situation, plans: Planned[]): Promise<OpenBucket[]> {
  const taking = plans
    .map(({ work, plan }) => ({ work, buckets: plan.take }))
    .filter(({ buckets }) => buckets.length > 0);
  return taking.length === 0 ? Promise.resolve([]) : take(store, { self, liveSince, taking });
}

const bucketsOf = (work: Work, open: OpenBucket[]) =>
  open.filter((each) => each.work === work).map(({ bucket }) => bucket);

/** What cannot be prepared now is so with the next sign of life, and nothing of it is begun before. */
function prepare({ holdings, known, now }: Situation, work: Work, own: number[]) {
  const isHolding = (node: NodeInfo) => !node.isLive && node.seenAt > now - HELD_MS;
  const dead = known.filter(isHolding).map(({ id }) => id);
  return holdings[work].prepare(own, dead).catch((error) => {
    log.error("work of another node was not taken over", { work, ...describeError(error) });
    return false;
  });
}
