import { and, eq, sql } from "drizzle-orm";
import type { Clock } from "../lib/clock.ts";
import type { Statement, Store } from "../store/store.ts";
import { apiKeys, usageDays } from "../store/tables.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Counts requests in memory, so that a read costs no write; a crash loses what was not flushed yet. */
export type Meter = {
  countRequest(accountId: string, keyId: string): void;
  /** Writes what was counted since the last time, in one batch. */
  flush(): Promise<void>;
};

/** Requests of an account on the UTC day on which they were made, whenever that is written. */
type Counted = { accountId: string; madeAt: number; count: number };

export function createMeter(store: Store, clock: Clock): Meter {
  let requests = new Map<string, Counted>();
  const keysUsed = new Map<string, { at: number; writtenAt: number }>();
  return {
    countRequest(accountId, keyId) {
      const now = clock.now();
      const id = `${Math.floor(now / DAY)} ${accountId}`;
      const counted = requests.get(id);
      if (counted) counted.count++;
      else requests.set(id, { accountId, madeAt: now, count: 1 });
      const used = keysUsed.get(keyId);
      if (used) used.at = now;
      else keysUsed.set(keyId, { at: now, writtenAt: 0 });
    },
    async flush() {
      const counted = [...requests.values()];
      requests = new Map();
      const counts = counted.flatMap((each) => addRequests(store, each));
      await store.write([...counts, ...lastUses(store, keysUsed)]);
    },
  };
}

/** The UTC day of a moment, as 2026-01-31. */
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Statements that add to an account's requests of one UTC day. */
function addRequests(store: Store, { accountId, madeAt, count }: Counted): Statement[] {
  const day = dayOf(madeAt);
  return [
    store
      .insert(usageDays)
      .values({ accountId, day, requests: 0, checks: 0, lastCheckAt: null })
      .onConflictDoNothing(),
    store
      .update(usageDays)
      .set({ requests: sql`${usageDays.requests} + ${count}` })
      .where(and(eq(usageDays.accountId, accountId), eq(usageDays.day, day))),
  ];
}

/** At most one write a minute for each key. */
function lastUses(store: Store, used: Map<string, { at: number; writtenAt: number }>): Statement[] {
  const due = [...used].filter(([, { at, writtenAt }]) => at - writtenAt >= MINUTE);
  return due.map(([id, { at }]) => {
    used.set(id, { at, writtenAt: at });
    return store.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, id));
  });
}
