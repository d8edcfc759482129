import { and, eq, sql } from "drizzle-orm";
import type { Clock } from "../lib/clock.ts";
import type { Statement, Store } from "../store/store.ts";
import { apiKeys, usageDays } from "../store/tables.ts";

const MINUTE = 60_000;

/** Counts requests in memory, so that a read costs no write; a crash loses what was not flushed yet. */
export type Meter = {
  countRequest(accountId: string, keyId: string): void;
  /** Writes what was counted since the last time, in one batch. */
  flush(): Promise<void>;
};

/** Requests of an account on the UTC day on which they were made, whenever that is written. */
type Counted = { accountId: string; day: string; count: number };

export function createMeter(store: Store, clock: Clock): Meter {
  let requests = new Map<string, Counted>();
  const keysUsed = new Map<string, { at: number; writtenAt: number }>();
  return {
    countRequest(accountId, keyId) {
      const day = dayOf(clock.now());
      const counted = requests.get(`${day} ${accountId}`) ?? { accountId, day, count: 0 };
      requests.set(`${day} ${accountId}`, { ...counted, count: counted.count + 1 });
      keysUsed.set(keyId, { at: clock.now(), writtenAt: keysUsed.get(keyId)?.writtenAt ?? 0 });
    },
    async flush() {
      const counted = [...requests.values()];
      requests = new Map();
      const counts = counted.flatMap(({ accountId, day, count }) =>
        addUsage(store, accountId, day, { requests: count }),
      );
      await store.write([...counts, ...lastUses(store, keysUsed)]);
    },
  };
}

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

type Usage = { requests?: number; checks?: number; lastCheckAt?: number };

/** Statements that add to an account's counts of one UTC day. */
export function addUsage(store: Store, accountId: string, day: string, usage: Usage): Statement[] {
  const { requests = 0, checks = 0, lastCheckAt = null } = usage;
  return [
    store
      .insert(usageDays)
      .values({ accountId, day, requests: 0, checks: 0, lastCheckAt: null })
      .onConflictDoNothing(),
    store
      .update(usageDays)
      .set({
        requests: sql`${usageDays.requests} + ${requests}`,
        checks: sql`${usageDays.checks} + ${checks}`,
        ...(lastCheckAt !== null && { lastCheckAt }),
      })
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
