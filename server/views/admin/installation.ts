import { count, eq, isNotNull, sql } from "drizzle-orm";
import type * as z from "zod";
import { dayOf } from "../../accounts/usage.ts";
import { accounts, deliveries, linkCounts, TIERS, usageDays, users } from "../../db/tables.ts";
import { toIso } from "../../lib/moments.ts";
import { VERSION } from "../../lib/runtime.ts";
import { BUCKETS } from "../../work/buckets.ts";
import type { Deps } from "../../work/deps.ts";
import { areLinksChecked, type NodeInfo } from "../../work/nodes.ts";
import type { Node, Nodes, State } from "./model.ts";

/** How the installation is, for those who run it. Nothing of what accounts hold, and no secret. */
export async function readState(deps: Deps): Promise<z.infer<typeof State>> {
  return {
    version: VERSION,
    started_at: toIso(deps.clock.now() - deps.clock.elapsed()),
    troubles: deps.troubles.all().map(({ since, ...told }) => ({ ...told, since: toIso(since) })),
    database: await stateOfDatabase(deps),
    checker: await stateOfChecker(deps),
    tiers: TIERS.map((tier) => {
      const { links, apiKeys, webhooks, api } = deps.config.tierLimits[tier];
      return { tier, links, api_keys: apiKeys, webhooks, api };
    }),
  };
}

async function stateOfDatabase({ store }: Deps) {
  const { active, dead, unknown } = linkCounts;
  const [[accountsNow], [usersNow], [linksNow], [waiting], migrations] = await Promise.all([
    store.select({ count: count() }).from(accounts),
    store.select({ count: count() }).from(users),
    // The table also has counts of groups.
    store.readPool
      .select({ count: sql`coalesce(sum(${active} + ${dead} + ${unknown}), 0)`.mapWith(Number) })
      .from(linkCounts)
      .innerJoin(accounts, eq(accounts.no, linkCounts.subject)),
    store.readPool.select({ count: count() }).from(deliveries).where(isNotNull(deliveries.dueAt)),
    store.all(sql`select name from migrations order by name desc limit 1`) as Promise<string[][]>,
  ]);
  return {
    engine: store.engine.name,
    bytes: await store.engine.size(),
    migration: String(Object.values(migrations[0] ?? {})[0] ?? ""),
    accounts: accountsNow!.count,
    users: usersNow!.count,
    links: linksNow!.count,
    deliveries_waiting: waiting!.count,
  };
}

async function stateOfChecker(deps: Deps) {
  const { store, clock, config } = deps;
  const [today] = await store
    .select({ checks: sql`coalesce(sum(${usageDays.checks}), 0)`.mapWith(Number) })
    .from(usageDays)
    .where(eq(usageDays.day, dayOf(clock.now())));
  return {
    is_running: areLinksChecked(deps),
    at_once: config.checkConcurrency,
    checks_today: today?.checks ?? 0,
    history_days: config.historyDays,
  };
}

/** The processes that serve the database, this one first. */
export const readNodes = ({ store, nodes }: Deps): z.infer<typeof Nodes> => ({
  is_shared: store.engine.isShared,
  items: nodes.all().map((node) => toNode(node, node.id === nodes.id)),
});

function toNode(node: NodeInfo, isThis: boolean): z.infer<typeof Node> {
  const { online, clockOffMs, lagMs, buckets } = node.state;
  return {
    id: node.id,
    name: node.name,
    roles: node.roles,
    version: node.version,
    started_at: toIso(node.startedAt),
    seen_at: toIso(node.seenAt),
    is_live: node.isLive,
    is_this: isThis,
    online,
    clock_off_ms: Math.round(clockOffMs),
    lag_ms: { checks: rounded(lagMs.checks), deliveries: rounded(lagMs.deliveries) },
    share: { checks: buckets.checks / BUCKETS, deliveries: buckets.deliveries / BUCKETS },
  };
}

const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms));
