import { and, eq, lte } from "drizzle-orm";
import type { Store } from "../../db/store.ts";
import { canaries } from "../../db/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { describeError, log, logTransitions } from "../../lib/log.ts";
import type { Target } from "./catalogue.ts";

/** Whether a service still distinguishes what exists from what is gone. */
export type Canaries = {
  /** Notes that a link of the service was alive, which proves as much as a request for a known-good link. */
  noteAlive(target: Target): void;
  /** Whether a link of the service was alive within a day. */
  wasAlive(target: Target): Promise<boolean>;
  /**
   * Whether a known-good link is still found, by a result of the last 15 minutes or a new request.
   * @param gone `isNews`: the link was not known to be dead; `ask` requests known-good links
   */
  isReliable(
    target: Target,
    gone: { isNews: boolean; ask: () => Promise<boolean> },
  ): Promise<boolean>;
};

/** What this process knows of one kind of link. Times are those of `elapsed()`. */
type Reliability = {
  isGood: boolean;
  at: number;
  aliveAt: number;
  asking: Promise<boolean> | null;
  /** When links were reported gone that were not known to be dead. */
  gone: number[];
  readAt: number;
  writtenAt: number;
};

const UNKNOWN = {
  ...{ isGood: false, at: -Infinity, aliveAt: -Infinity },
  ...{ asking: null, readAt: -Infinity, writtenAt: -Infinity },
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FRESH_MS = 15 * MINUTE_MS;
/** So many links reported gone within this time are probably the service's fault, so known-good links are checked again. */
const SUSPICIOUS_GONE = 5;
const SUSPICIOUS_MS = 10 * MINUTE_MS;
/** Shortest time between two reads from the store, and between two writes of an unchanged result. */
const STORE_MS = MINUTE_MS;

/** @param store shares results with other processes and keeps them over restarts */
export function createCanaries(clock: Clock, store: CanaryStore | null): Canaries {
  const known = new Map<string, Reliability>();

  function reliabilityOf({ service, kind }: Target): Reliability {
    const key = `${service.id} ${kind.kind}`;
    const reliability = known.get(key) ?? { ...UNKNOWN, gone: [] };
    known.set(key, reliability);
    return reliability;
  }

  const isStale = (at: number) => clock.elapsed() - at >= STORE_MS;
  const wasLately = ({ aliveAt }: Reliability) => clock.elapsed() - aliveAt < DAY_MS;
  const isFresh = ({ at }: Reliability) => clock.elapsed() - at < FRESH_MS;
  const isSuspect = ({ isGood, gone }: Reliability) => isGood && gone.length >= SUSPICIOUS_GONE;

  /** Reads what is stored, as far as it is newer than what is known here. */
  async function readStored(target: Target, reliability: Reliability) {
    reliability.readAt = clock.elapsed();
    const found = await store?.read(target);
    if (!found) return;
    const wallAtZero = clock.now() - clock.elapsed();
    const elapsedAt = (at: number) => Math.min(clock.elapsed(), at - wallAtZero);
    const { isGood, askedAt, aliveAt } = found;
    if (aliveAt !== null) reliability.aliveAt = Math.max(reliability.aliveAt, elapsedAt(aliveAt));
    const at = elapsedAt(askedAt);
    if (at > reliability.at) Object.assign(reliability, { isGood, at });
  }

  /** @param result `isAlive`: an ordinary link was alive; otherwise known-good links were requested */
  function learn(target: Target, { isGood, isAlive }: { isGood: boolean; isAlive: boolean }) {
    const reliability = reliabilityOf(target);
    const at = clock.elapsed();
    const isNew = reliability.isGood !== isGood || !isAlive;
    Object.assign(reliability, { isGood, at, gone: [] });
    if (isAlive) reliability.aliveAt = at;
    if (!isNew && !isStale(reliability.writtenAt)) return;
    reliability.writtenAt = at;
    const askedAt = clock.now();
    void store?.write(target, { isGood, askedAt, aliveAt: isAlive ? askedAt : null });
  }

  async function test(target: Target, reliability: Reliability, ask: () => Promise<boolean>) {
    if (isStale(reliability.readAt)) await readStored(target, reliability);
    if (isFresh(reliability) && !isSuspect(reliability)) return reliability.isGood;
    const askedAt = clock.elapsed();
    const answer = await ask().catch(() => false);
    // A link that was alive meanwhile, in any process, is stronger evidence.
    if (!answer) await readStored(target, reliability);
    const isGood = answer || reliability.aliveAt >= askedAt;
    learn(target, { isGood, isAlive: false });
    return isGood;
  }

  return {
    noteAlive: (target) => learn(target, { isGood: true, isAlive: true }),
    async wasAlive(target) {
      const reliability = reliabilityOf(target);
      const isKnown = wasLately(reliability) || !isStale(reliability.readAt);
      if (!isKnown) await readStored(target, reliability);
      return wasLately(reliability);
    },
    isReliable(target, { isNews, ask }) {
      const reliability = reliabilityOf(target);
      const now = clock.elapsed();
      reliability.gone = reliability.gone.filter((at) => now - at < SUSPICIOUS_MS);
      if (isNews) reliability.gone.push(now);
      reliability.asking ??= test(target, reliability, ask).finally(() => {
        reliability.asking = null;
      });
      return reliability.asking;
    },
  };
}

/** The last result of a service's known-good links. Times are milliseconds since 1970. */
type CanaryState = {
  isGood: boolean;
  askedAt: number;
  /** When a link of the service was last alive. */
  aliveAt: number | null;
};

type CanaryStore = {
  /** Returns null where nothing is known, or the database is unavailable. */
  read(target: Target): Promise<CanaryState | null>;
  /** Stores a newer state. Never throws, so callers need not await it. */
  write(target: Target, state: CanaryState): Promise<void>;
};

/** A failing database must not change verdicts. */
export function createCanaryStore(store: Store): CanaryStore {
  const note = logTransitions((error) =>
    log.warn("failed to store the reliability of services", describeError(error)),
  );
  const settle = <T>(work: Promise<T>): Promise<T | null> =>
    work.then(
      (result) => {
        note(null);
        return result;
      },
      (error) => {
        note(error);
        return null;
      },
    );
  return {
    read: (target) => settle(readState(store, target)),
    write: async (target, state) => void (await settle(writeState(store, target, state))),
  };
}

async function readState(store: Store, target: Target): Promise<CanaryState | null> {
  const [row] = await store.select().from(canaries).where(isOf(target));
  return row ?? null;
}

async function writeState(store: Store, target: Target, state: CanaryState): Promise<void> {
  const { isGood, askedAt, aliveAt } = state;
  const { service, kind } = target;
  await store.write([
    store
      .update(canaries)
      .set({ isGood, askedAt, ...(aliveAt !== null && { aliveAt }) })
      .where(and(isOf(target), lte(canaries.askedAt, askedAt))),
    store
      .insert(canaries)
      .values({ service: service.id, kind: kind.kind, ...state })
      .onConflictDoNothing(),
  ]);
}

const isOf = ({ service, kind }: Target) =>
  and(eq(canaries.service, service.id), eq(canaries.kind, kind.kind));
