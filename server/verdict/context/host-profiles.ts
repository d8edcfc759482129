import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Store } from "../../db/store.ts";
import { hostProfiles } from "../../db/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { createOnceAtATime } from "../politeness/politeness.ts";
import type { HostProfile } from "../probe/finding.ts";

/** What a host was learned to do; `closed` hosts let nothing be learned about them. */
export type Learned = HostProfile | { kind: "closed" };

/** Remembers for a week how hosts answer to addresses that do not exist. */
export type HostProfiles = {
  find(host: string): Promise<Learned | null>;
  /** Keeps what `ask` learns, if anything. Who comes meanwhile gets the same, and does not ask. */
  learn(wanted: {
    host: string;
    isUrgent?: boolean | undefined;
    ask: () => Promise<Learned | null>;
  }): Promise<Learned | null>;
};

export const PROFILE_LIFE_MS = 7 * 24 * 3_600_000;
const HOSTS_IN_MEMORY = 50_000;

type Entry = { learned: Learned; at: number };

/** @param store keeps them over a restart; without one they live as long as the program */
export function createHostProfiles({
  clock,
  store,
}: {
  clock: Clock;
  store?: Store;
}): HostProfiles {
  const memory = new LRUCache<string, Entry>({ max: HOSTS_IN_MEMORY });
  const once = createOnceAtATime<Learned | null>();
  const isFresh = ({ at }: Entry) => clock.now() - at < PROFILE_LIFE_MS;

  async function find(host: string): Promise<Learned | null> {
    const entry = memory.get(host) ?? (store && (await readEntry(store, host)));
    if (!entry || !isFresh(entry)) return null;
    memory.set(host, entry);
    return entry.learned;
  }

  async function keep(host: string, learned: Learned | null): Promise<Learned | null> {
    if (!learned) return null;
    const entry = { learned, at: clock.now() };
    memory.set(host, entry);
    if (store) await writeEntry(store, host, entry);
    return learned;
  }

  const learn: HostProfiles["learn"] = ({ host, isUrgent, ask }) =>
    once({ key: host, isUrgent, work: async () => keep(host, await ask()) });

  return { find, learn };
}

async function readEntry(store: Store, host: string): Promise<Entry | null> {
  const [row] = await store.select().from(hostProfiles).where(eq(hostProfiles.host, host));
  if (!row) return null;
  const { kind, fingerprint, learnedAt: at } = row;
  return { learned: kind === "page" ? { kind, fingerprint: fingerprint ?? "" } : { kind }, at };
}

async function writeEntry(store: Store, host: string, { learned, at }: Entry): Promise<void> {
  const fingerprint = learned.kind === "page" ? learned.fingerprint : null;
  const row = { kind: learned.kind, fingerprint, learnedAt: at };
  await store.write([
    store.delete(hostProfiles).where(eq(hostProfiles.host, host)),
    store
      .insert(hostProfiles)
      .values({ host, ...row })
      .onConflictDoNothing(),
  ]);
}
