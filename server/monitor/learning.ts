import { and, eq, lte, sql } from "drizzle-orm";
import { rowsOf, type Store } from "../ground/db/store.ts";
import { canaries } from "../ground/db/tables.ts";
import { createLoader } from "../ground/lib/concurrency.ts";
import { describeError, log, logTransitions } from "../ground/lib/log.ts";
import type { CanaryKey, CanaryState, CanaryStore } from "../judge/services/canaries.ts";
import type { ProfileEntry, ProfileStore } from "../judge/surroundings.ts";

/** What checks learn about hosts and services: read for many at once, and written with the next results. */
export type Learning = {
  profiles: ProfileStore;
  canaries: CanaryStore;
  /** Removes and returns what is to be written. */
  take(): Learned;
  /** Returns it after a failed transaction, unless something newer was learned meanwhile. */
  putBack(learned: Learned): void;
};

export type Learned = {
  profiles: ReadonlyMap<string, ProfileEntry>;
  canaries: ReadonlyMap<string, Canary>;
};

type Canary = { service: string; kind: string; state: CanaryState };

/** A failing database changes no verdict: then nothing is known. */
export function createLearning(store: Store): Learning {
  let profiles = new Map<string, ProfileEntry>();
  let states = new Map<string, Canary>();
  const settle = createSettle();
  const loadProfile = createLoader((hosts: string[]) => readProfiles(store, hosts));

  return {
    profiles: {
      find: async (host) => profiles.get(host) ?? settle(loadProfile(host)),
      keep: (host, entry) => void profiles.set(host, entry),
    },
    canaries: {
      read: async (target) => states.get(keyOf(target))?.state ?? settle(readState(store, target)),
      write: (target, state) => void states.set(keyOf(target), canaryOf(states, target, state)),
    },
    take() {
      const learned = { profiles, canaries: states };
      profiles = new Map();
      states = new Map();
      return learned;
    },
    putBack(learned) {
      profiles = new Map([...learned.profiles, ...profiles]);
      states = new Map([...learned.canaries, ...states]);
    },
  };
}

const keyOf = ({ service, kind }: CanaryKey) => `${service.id} ${kind.kind}`;

/** Keeps when a link was last alive, which a newer state need not contain. */
function canaryOf(states: Map<string, Canary>, target: CanaryKey, state: CanaryState): Canary {
  const aliveAt = state.aliveAt ?? states.get(keyOf(target))?.state.aliveAt ?? null;
  return { service: target.service.id, kind: target.kind.kind, state: { ...state, aliveAt } };
}

function createSettle() {
  const note = logTransitions((error) =>
    log.warn("failed to read what is known of hosts and services", describeError(error)),
  );
  return async <T>(reading: Promise<T | null>): Promise<T | null> => {
    try {
      const found = await reading;
      note(null);
      return found;
    } catch (error) {
      note(error);
      return null;
    }
  };
}

const HOST = { name: "text" } as const;

async function readProfiles(store: Store, hosts: string[]): Promise<Map<string, ProfileEntry>> {
  const rows = await store.all<[string, string, string | null, number]>(sql`
    select host, kind, fingerprint, learned_at from host_profiles
    where host in (select name from ${rowsOf(
      store,
      HOST,
      hosts.map((host) => [host]),
    )} as wanted)
  `);
  return new Map(
    rows.map(([host, kind, fingerprint, at]) => [host, toEntry(kind, fingerprint, at)]),
  );
}

function toEntry(kind: string, fingerprint: string | null, at: number): ProfileEntry {
  const learned =
    kind === "page"
      ? ({ kind, fingerprint: fingerprint ?? "" } as const)
      : { kind: kind as "honest" | "closed" };
  return { learned, at: Number(at) };
}

async function readState(store: Store, target: CanaryKey): Promise<CanaryState | null> {
  const [row] = await store
    .select()
    .from(canaries)
    .where(isOf(target.service.id, target.kind.kind));
  return row ?? null;
}

const isOf = (service: string, kind: string) =>
  and(eq(canaries.service, service), eq(canaries.kind, kind));

/** Writes what was learned, in the transaction of results. */
export async function writeLearned(tx: Store, { profiles, canaries: states }: Learned) {
  await writeProfiles(tx, profiles);
  for (const canary of bySortedKey(states)) await writeState(tx, canary);
}

/** Sorted, so that two processes do not wait for each other. */
const bySortedKey = <T>(all: ReadonlyMap<string, T>): T[] =>
  [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

const PROFILE = { host: "text", kind: "text", fingerprint: "text", learned_at: "bigint" } as const;

async function writeProfiles(tx: Store, profiles: Learned["profiles"]): Promise<void> {
  if (profiles.size === 0) return;
  const rows = [...profiles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([host, { learned, at }]) => [
      host,
      learned.kind,
      learned.kind === "page" ? learned.fingerprint : null,
      at,
    ]);
  await tx.run(sql`
    insert into host_profiles (host, kind, fingerprint, learned_at)
    select host, kind, fingerprint, learned_at from ${rowsOf(tx, PROFILE, rows)} as learned where true
    on conflict (host) do update set kind = excluded.kind, fingerprint = excluded.fingerprint,
      learned_at = excluded.learned_at
    where excluded.learned_at >= host_profiles.learned_at
  `);
}

async function writeState(tx: Store, { service, kind, state }: Canary): Promise<void> {
  const { isGood, askedAt, aliveAt } = state;
  await tx
    .update(canaries)
    .set({ isGood, askedAt, ...(aliveAt !== null && { aliveAt }) })
    .where(and(isOf(service, kind), lte(canaries.askedAt, askedAt)));
  await tx
    .insert(canaries)
    .values({ service, kind, ...state })
    .onConflictDoNothing();
}
