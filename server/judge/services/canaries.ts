import type { Clock } from "../../ground/lib/clock.ts";

/** A kind of links of a service. */
export type CanaryKey = { service: { id: string }; kind: { kind: string } };

/** Whether a service still distinguishes what exists from what is gone. */
export type Canaries = {
  /** Notes that a link of the service was alive, which proves as much as a request for a known-good link. */
  noteAlive(target: CanaryKey): void;
  /** Whether a link of the service was alive within a day. */
  wasAlive(target: CanaryKey): Promise<boolean>;
  /**
   * Whether a known-good link is still found, by a result of the last 15 minutes or a new request.
   * @param gone `isNews`: the link was not known to be dead; `ask` requests known-good links
   */
  isReliable(
    target: CanaryKey,
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
  isGood: false,
  at: -Infinity,
  aliveAt: -Infinity,
  asking: null,
  readAt: -Infinity,
  writtenAt: -Infinity,
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

  function reliabilityOf({ service, kind }: CanaryKey): Reliability {
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
  async function readStored(target: CanaryKey, reliability: Reliability) {
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
  function learn(target: CanaryKey, { isGood, isAlive }: { isGood: boolean; isAlive: boolean }) {
    const reliability = reliabilityOf(target);
    const at = clock.elapsed();
    const isNew = reliability.isGood !== isGood || !isAlive;
    Object.assign(reliability, { isGood, at, gone: [] });
    if (isAlive) reliability.aliveAt = at;
    if (!isNew && !isStale(reliability.writtenAt)) return;
    reliability.writtenAt = at;
    const askedAt = clock.now();
    store?.write(target, { isGood, askedAt, aliveAt: isAlive ? askedAt : null });
  }

  async function test(target: CanaryKey, reliability: Reliability, ask: () => Promise<boolean>) {
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
export type CanaryState = {
  isGood: boolean;
  askedAt: number;
  /** When a link of the service was last alive. */
  aliveAt: number | null;
};

export type CanaryStore = {
  /** Returns null where nothing is known, or the database is unavailable. */
  read(target: CanaryKey): Promise<CanaryState | null>;
  /** Stores a newer state, sooner or later. */
  write(target: CanaryKey, state: CanaryState): void;
};
