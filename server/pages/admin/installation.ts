import { count, eq, isNotNull, sql } from "drizzle-orm";
import * as z from "zod";
import { dayOf } from "../../accounts/usage.ts";
import { sumOf } from "../../ground/db/queries.ts";
import { deliveries, ofWorks, usageDays } from "../../ground/db/tables.ts";
import { toIso } from "../../ground/lib/moments.ts";
import { VERSION } from "../../ground/lib/runtime.ts";
import { TROUBLE_NAMES } from "../../ground/lib/troubles.ts";
import { TIERS } from "../../ground/lib/vocabulary.ts";
import { MONITOR_STATES } from "../../judge/online/online.ts";
import { firstDueDomain } from "../../monitor/domains/loop.ts";
import type { Deps } from "../../work/deps.ts";
import { areLinksChecked, BUCKETS, type NodeInfo } from "../../work/nodes.ts";
import type { CheckerProcess } from "../../work/processes/pool.ts";
import { countAllLinks, countPeople } from "../metrics/database.ts";

export const State = z.object({
  version: z.string(),
  started_at: z.string(),
  /** Current problems of the installation as a whole, and what to do about them. */
  troubles: z.array(
    z.object({ name: z.enum(TROUBLE_NAMES), message: z.string(), since: z.string() }),
  ),
  database: z.object({
    engine: z.enum(["sqlite", "postgres"]),
    bytes: z.int(),
    migration: z.string(),
    accounts: z.int(),
    users: z.int(),
    links: z.int(),
    deliveries_waiting: z.int(),
  }),
  checker: z.object({
    is_running: z.boolean(),
    at_once: z.int(),
    checks_today: z.int(),
    history_days: z.int(),
    /** How late the most overdue domain is whose registry is to be asked; null if registries are not asked. */
    registries_late_ms: z.int().nullable(),
    /**
     * The processes in which this server checks links, with counts since it started. Empty if it checks them itself;
     * null if it checks none.
     */
    processes: z
      .array(
        z.object({
          /** 0 while it does not run. */
          memory_bytes: z.int(),
          checks: z.int(),
          /** How often it ended and was replaced. */
          restarts: z.int(),
          /** An idle one has no check: it starts with the next. Checks wait for one that starts, as after a crash. */
          state: z.enum(["running", "starting", "idle"]),
        }),
      )
      .nullable(),
  }),
  tiers: z.array(
    z.object({
      tier: z.enum(TIERS),
      links: z.int(),
      api_keys: z.int(),
      webhooks: z.int(),
      api: z.boolean(),
    }),
  ),
});
type State = z.infer<typeof State>;

const Node = z.object({
  id: z.string(),
  name: z.string(),
  /** A later version may have others. */
  roles: z.array(z.string()),
  version: z.string(),
  started_at: z.string(),
  seen_at: z.string(),
  is_live: z.boolean(),
  /** Whether it is the one that answers. */
  is_this: z.boolean(),
  online: z.enum(MONITOR_STATES),
  /** How far its clock is ahead of the database's. */
  clock_off_ms: z.int(),
  /** How late its most overdue work is; null if it does none. */
  lag_ms: ofWorks(z.int().nullable()),
  /** Its share of the work, between 0 and 1. */
  share: ofWorks(z.number()),
});

export const Nodes = z.object({
  /** Whether other processes may serve the same database. */
  is_shared: z.boolean(),
  items: z.array(Node),
});

/** Describes the installation for administrators, without data of accounts and without secrets. */
export async function readState(deps: Deps): Promise<State> {
  return {
    version: VERSION,
    started_at: toIso(deps.clock.now() - deps.clock.elapsed()),
    troubles: deps.troubles.all().map((trouble) => ({ ...trouble, since: toIso(trouble.since) })),
    database: await readDatabase(deps),
    checker: await readChecker(deps),
    tiers: TIERS.map((tier) => {
      const { links, apiKeys, webhooks, api } = deps.config.tierLimits[tier];
      return { tier, links, api_keys: apiKeys, webhooks, api };
    }),
  };
}

async function readDatabase(deps: Deps): Promise<State["database"]> {
  const { store } = deps;
  const [people, links, [waiting], migrations] = await Promise.all([
    countPeople(deps),
    countAllLinks(deps),
    store.readPool.select({ count: count() }).from(deliveries).where(isNotNull(deliveries.dueAt)),
    store.all(sql`select name from migrations order by name desc limit 1`) as Promise<string[][]>,
  ]);
  return {
    engine: store.engine.name,
    bytes: await store.engine.size(),
    migration: String(Object.values(migrations[0] ?? {})[0] ?? ""),
    ...people,
    links: links.active + links.dead + links.unknown,
    deliveries_waiting: waiting!.count,
  };
}

async function readChecker(deps: Deps): Promise<State["checker"]> {
  const { store, clock, config } = deps;
  const [today] = await store
    .select({ checks: sumOf(usageDays.checks) })
    .from(usageDays)
    .where(eq(usageDays.day, dayOf(clock.now())));
  const dueAt = await firstDueDomain(deps);
  return {
    is_running: areLinksChecked(deps),
    at_once: config.checkConcurrency,
    checks_today: today!.checks,
    history_days: config.historyDays,
    registries_late_ms:
      config.rdap === "off" ? null : Math.max(0, clock.now() - (dueAt ?? clock.now())),
    processes: config.role.includes("checker")
      ? deps.metrics.processes().filter(isShown).map(toProcess)
      : null,
  };
}

/** The one that reads sources is not among those that are configured, and is shown only while it runs. */
const isShown = ({ name, pid }: CheckerProcess) => name !== "reader" || pid !== null;

const toProcess = (process: CheckerProcess) => ({
  memory_bytes: process.memoryBytes,
  checks: process.checks,
  restarts: process.restarts,
  state: stateOf(process),
});

function stateOf({ pid, isStarting }: CheckerProcess) {
  if (pid !== null) return "running" as const;
  return isStarting ? ("starting" as const) : ("idle" as const);
}

/** Lists the processes that serve the database, this one first. */
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
