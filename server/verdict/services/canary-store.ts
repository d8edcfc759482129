import { and, eq, lte } from "drizzle-orm";
import type { Store } from "../../db/store.ts";
import { canaries } from "../../db/tables.ts";
import { describeError, log, logTransitions } from "../../lib/log.ts";
import type { Target } from "./catalogue.ts";

/** What was heard last of the known-good links of a service. Moments are milliseconds since 1970. */
export type CanaryState = {
  isGood: boolean;
  askedAt: number;
  /** When a link of the service was alive last. */
  aliveAt: number | null;
};

/** What is heard by one process is known to all, and after another start. */
export type CanaryStore = {
  /** Null where nothing is known, also since the database does not tell. */
  read(target: Target): Promise<CanaryState | null>;
  /** Keeps what is newer. Callers need not await it. */
  write(target: Target, song: CanaryState): Promise<void>;
};

/** For a check of its own, without a database. */
export const noCanaryStore: CanaryStore = { read: async () => null, write: async () => {} };

/** Trouble with the database is no reason to say anything of a link. */
export function createCanaryStore(store: Store): CanaryStore {
  const note = logTransitions((error) =>
    log.warn("what services answer is not kept", describeError(error)),
  );
  const well = <T>(result: T): T => {
    note(null);
    return result;
  };
  const ill = (error: unknown): null => {
    note(error);
    return null;
  };

  return {
    read: (target) => readState(store, target).then(well, ill),
    write: async (target, song) => void (await writeState(store, target, song).then(well, ill)),
  };
}

async function readState(store: Store, target: Target): Promise<CanaryState | null> {
  const [row] = await store.select().from(canaries).where(isOf(target));
  return row ?? null;
}

async function writeState(store: Store, target: Target, song: CanaryState): Promise<void> {
  const { isGood, askedAt, aliveAt } = song;
  const { service, kind } = target;
  await store.write([
    store
      .update(canaries)
      .set({ isGood, askedAt, ...(aliveAt !== null && { aliveAt }) })
      .where(and(isOf(target), lte(canaries.askedAt, askedAt))),
    store
      .insert(canaries)
      .values({ service: service.id, kind: kind.kind, ...song })
      .onConflictDoNothing(),
  ]);
}

const isOf = ({ service, kind }: Target) =>
  and(eq(canaries.service, service.id), eq(canaries.kind, kind.kind));
