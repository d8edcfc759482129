import { and, eq, exists, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import { accounts, usageLevels, webhookEvents, webhooks } from "../ground/db/tables.ts";
import type { Tier } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import type { UsageLimit } from "./event-types.ts";
import { publishEvents } from "./events.ts";

/** In percent of a limit. */
const LEVELS = [80, 95, 100];
/** A level is left this far below it, so that an account at its edge is not reported every day. */
const MARGIN = 5;

/**
 * Sends `usage.threshold` for each limit that has passed a level since the last comparison, once on all nodes. Run every
 * ten minutes. A lower use, or a higher limit, lowers the level without an event.
 */
export async function compareUsage(deps: Deps): Promise<void> {
  const { store, clock, config, troubles, loops } = deps;
  if (troubles.stoppingWrites()) return;
  const known = await readLevels(store);
  for (const { no, id, tier, used } of await readUse(store)) {
    const limits = config.tierLimits[tier];
    const max = { links: limits.links, keys: limits.apiKeys, webhooks: limits.webhooks };
    for (const limit of Object.keys(max) as UsageLimit[]) {
      if (max[limit] === 0) continue;
      const percent = Math.floor((used[limit] / max[limit]) * 100);
      const before = known.get(`${no} ${limit}`) ?? 0;
      const level = levelOf(percent, before);
      if (level === before) continue;
      await store.transaction(async (tx) => {
        if (!(await setLevel(tx, { no, limit, before, level })) || level < before) return;
        const data = { limit, used: used[limit], max: max[limit], percent };
        const event = { type: "usage.threshold", data } as const;
        await publishEvents(tx, [{ ...event, accountId: id, at: clock.now() }]);
      });
      loops.wake();
    }
  }
}

function levelOf(percent: number, before: number): number {
  const reached = LEVELS.findLast((level) => percent >= level) ?? 0;
  return reached < before && percent >= before - MARGIN ? before : reached;
}

type Change = { no: number; limit: UsageLimit; before: number; level: number };

/** Returns whether the level was still the one before: another node may have changed it. */
async function setLevel(tx: Store, { no, limit, before, level }: Change): Promise<boolean> {
  const isIt = and(eq(usageLevels.accountNo, no), eq(usageLevels.what, limit));
  const row = { accountNo: no, what: limit, level };
  const changed =
    before === 0
      ? await tx.insert(usageLevels).values(row).onConflictDoNothing().returning()
      : level === 0
        ? await tx
            .delete(usageLevels)
            .where(and(isIt, eq(usageLevels.level, before)))
            .returning()
        : await tx
            .update(usageLevels)
            .set({ level })
            .where(and(isIt, eq(usageLevels.level, before)))
            .returning();
  return changed.length > 0;
}

async function readLevels(store: Store): Promise<Map<string, number>> {
  const rows = await store.select().from(usageLevels);
  return new Map(rows.map(({ accountNo, what, level }) => [`${accountNo} ${what}`, level]));
}

/** What the accounts use that have a webhook for the event. */
async function readUse(store: Store) {
  const subscriptions = store
    .select({ one: sql`1` })
    .from(webhooks)
    .innerJoin(webhookEvents, eq(webhookEvents.webhookId, webhooks.id))
    .where(
      and(
        eq(webhooks.accountId, accounts.id),
        eq(webhooks.isActive, true),
        eq(webhookEvents.type, "usage.threshold"),
      ),
    );
  const rows = await store.readPool.all<[number, string, Tier, number, number, number]>(sql`
    select no, id, tier,
      (select coalesce(sum(active + dead + unknown), 0) from link_counts where subject = accounts.no),
      (select count(*) from api_keys where account_id = accounts.id and revoked_at is null),
      (select count(*) from webhooks w where w.account_id = accounts.id and w.deleted_at is null)
    from accounts where ${exists(subscriptions)}`);
  return rows.map(([no, id, tier, linkCount, keys, hooks]) => ({
    no: Number(no),
    id,
    tier,
    used: { links: Number(linkCount), keys: Number(keys), webhooks: Number(hooks) },
  }));
}
