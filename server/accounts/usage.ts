import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { totalLinks } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { accounts, apiKeys, sources, usageDays } from "../ground/db/tables.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { notFound } from "../ground/lib/errors.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { TIERS } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { ARCHIVE_USES, lookupsIn, savesIn } from "./archive.ts";

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
      const inOrder = [...counted].sort(byName);
      const uses = dueUses(keysUsed);
      if (inOrder.length === 0 && uses.length === 0) return;
      const writing = store.transaction(async (tx) => {
        for (const [, each] of inOrder) await addRequests(tx, each);
        for (const [id, at] of uses) {
          await tx.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, id));
        }
      });
      await writing.catch((error) => {
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

/** Adds to an account's requests of one UTC day, unless the account was deleted meanwhile. */
async function addRequests(tx: Store, { accountId, madeAt, count }: Counted): Promise<void> {
  const day = dayOf(madeAt);
  await tx.run(sql`
    insert into ${usageDays} (account_id, day, requests, checks)
    select id, ${day}, 0, 0 from accounts where id = ${accountId} on conflict do nothing
  `);
  await tx
    .update(usageDays)
    .set({ requests: sql`${usageDays.requests} + ${count}` })
    .where(and(eq(usageDays.accountId, accountId), eq(usageDays.day, day)));
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
function dueUses(used: KeysUsed): [keyId: string, at: number][] {
  const due = [...used].filter(([, { at, writtenAt }]) => at - writtenAt >= MINUTE).sort(byName);
  return due.map(([id, { at }]) => {
    used.set(id, { at, writtenAt: at });
    return [id, at];
  });
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

export const Account = z
  .object({
    id: z.uuid(),
    email: z.string().meta({ example: "owner@example.com" }),
    tier: z.enum(TIERS).meta({ example: "business" }),
    limits: z
      .object({
        links: z.int(),
        linksUsed: z.int(),
        apiKeys: z.int(),
        webhooks: z.int(),
        sources: z.int(),
        sourcesUsed: z.int(),
      })
      .meta({
        example: {
          links: 50000,
          linksUsed: 57,
          apiKeys: 25,
          webhooks: 25,
          sources: 100,
          sourcesUsed: 3,
        },
      }),
    archive_lookup: z.enum(ARCHIVE_USES).meta({
      description:
        "Whether archives are asked for copies of dead links. `forbidden`: this server does not use archives. An owner turns it on in the dashboard.",
      example: "off",
    }),
    archive_save: z.enum(ARCHIVE_USES).meta({
      description: "Whether new links are saved in an archive once they are found alive.",
      example: "forbidden",
    }),
    createdAt: z.string(),
  })
  .meta({ id: "Account" });
type Account = z.infer<typeof Account>;

export const Usage = z
  .object({
    requests: z
      .object({ total: z.int(), thisMonth: z.int(), today: z.int() })
      .meta({ example: { total: 48210, thisMonth: 3120, today: 412 } }),
    links: z
      .object({ total: z.int(), active: z.int(), dead: z.int() })
      .meta({ example: { total: 57, active: 49, dead: 5 } }),
    checks: z.object({
      thisMonth: z.int().meta({ example: 1764 }),
      lastCheck: z.string().nullable(),
    }),
  })
  .meta({ id: "Usage" });
type Usage = z.infer<typeof Usage>;

export async function findAccount(deps: Deps, caller: Caller): Promise<Account> {
  const { accountId, accountNo } = caller;
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound("account");
  const { total: linksUsed } = await totalLinks(deps, accountNo);
  const { id, email, tier, createdAt } = account;
  const ofAccount = and(eq(sources.accountId, accountId), isNull(sources.deletedAt));
  const sourcesUsed = await deps.store.$count(sources, ofAccount);
  const { links, apiKeys, webhooks, sources: most } = deps.config.tierLimits[tier];
  const limits = { links, linksUsed, apiKeys, webhooks, sources: most, sourcesUsed };
  return {
    id,
    email,
    tier,
    limits,
    archive_lookup: lookupsIn(deps.config, account),
    archive_save: savesIn(deps.config, account),
    createdAt: toIso(createdAt),
  };
}

/** Days and months are UTC's. Requests of the last seconds may not be written yet. */
export async function readUsage(deps: Deps, caller: Caller): Promise<Usage> {
  const { accountId, accountNo } = caller;
  const today = dayOf(deps.clock.now());
  const month = `${today.slice(0, 7)}-01`;
  const { requests, checks, lastCheckAt } = usageDays;
  const [counted] = await deps.store
    .select({
      total: totalOf(sql`${requests}`),
      thisMonth: totalOf(since(month, requests)),
      today: totalOf(since(today, requests)),
      checksThisMonth: totalOf(since(month, checks)),
      lastCheckAt: sql<number | null>`max(${lastCheckAt})`,
    })
    .from(usageDays)
    .where(eq(usageDays.accountId, accountId));
  const { checksThisMonth, lastCheckAt: lastAt, ...requestCounts } = counted!;
  const { total, active, dead } = await totalLinks(deps, accountNo);
  return {
    requests: requestCounts,
    links: { total, active, dead },
    checks: { thisMonth: checksThisMonth, lastCheck: toIsoOrNull(lastAt) },
  };
}

const totalOf = (value: SQL) => sql`coalesce(sum(${value}), 0)`.mapWith(Number);

const since = (day: string, column: AnySQLiteColumn) =>
  sql`case when ${usageDays.day} >= ${day} then ${column} else 0 end`;
