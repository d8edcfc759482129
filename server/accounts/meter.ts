import { and, eq, sql } from "drizzle-orm";
import type { Statement, Store } from "../db/store.ts";
import { apiKeys, usageDays } from "../db/tables.ts";
import type { Clock } from "../lib/clock.ts";

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
  const keysUsed: KeysUsed = new Map();
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
      forgetIdle(keysUsed, clock.now());
      const counted = requests;
      requests = new Map();
      // In one order everywhere, so that two processes never wait for each other.
      const inOrder = [...counted].sort(byName).map(([, each]) => each);
      const counts = inOrder.flatMap((each) => addRequests(store, each));
      await store.write([...counts, ...lastUses(store, keysUsed)]).catch((error) => {
        requests = together(counted, requests);
        throw error;
      });
    },
  };
}

/** What could not be written, with what came in meanwhile. */
function together(unwritten: Map<string, Counted>, since: Map<string, Counted>) {
  const sum = new Map(unwritten);
  for (const [id, each] of since) {
    sum.set(id, { ...each, count: each.count + (sum.get(id)?.count ?? 0) });
  }
  return sum;
}

/** The UTC day of a moment, as 2026-01-31. */
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Statements that add to an account's requests of one UTC day, unless the account is gone meanwhile. */
function addRequests(store: Store, { accountId, madeAt, count }: Counted): Statement[] {
  const day = dayOf(madeAt);
  return [
    store.run(sql`
      insert into ${usageDays} (account_id, day, requests, checks)
      select id, ${day}, 0, 0 from accounts where id = ${accountId} on conflict do nothing
    `),
    store
      .update(usageDays)
      .set({ requests: sql`${usageDays.requests} + ${count}` })
      .where(and(eq(usageDays.accountId, accountId), eq(usageDays.day, day))),
  ];
}

/** When each key was used last, and which of its uses was written last. */
type KeysUsed = Map<string, { at: number; writtenAt: number }>;

/** So that only keys of the last minute are in memory, of however many that come and go. */
function forgetIdle(used: KeysUsed, now: number) {
  for (const [id, { at, writtenAt }] of used) {
    if (at === writtenAt && Math.abs(now - at) >= MINUTE) used.delete(id);
  }
}

/** At most one write a minute for each key. */
function lastUses(store: Store, used: KeysUsed): Statement[] {
  const due = [...used].filter(([, { at, writtenAt }]) => at - writtenAt >= MINUTE).sort(byName);
  return due.map(([id, { at }]) => {
    used.set(id, { at, writtenAt: at });
    return store.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, id));
  });
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);
