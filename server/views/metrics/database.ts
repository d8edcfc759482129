import { count, eq, sql } from "drizzle-orm";
import {
  accounts,
  DISABLED_REASONS,
  linkCounts,
  upkeep,
  users,
  VERDICTS,
  type Verdict,
  webhooks,
} from "../../db/tables.ts";
import { nextBackupAt } from "../../ops/backups/upkeep.ts";
import type { Deps } from "../../work/deps.ts";
import { countDueLinks, earliestDue } from "../../work/due.ts";
import type { Reading, Readings } from "./readings.ts";

/** Deliveries that are counted one by one: more would take longer than a reading may. */
const COUNTED = 20_000;

/**
 * What the database holds, told without a look at each link: by indexes and by counts that are kept. All of
 * it is read beside the event loop.
 */
export async function readDatabase(deps: Deps): Promise<Readings> {
  const [links, due, lag, people, deliveries, hooks, jobs, bytes] = await Promise.all([
    linksByStatus(deps),
    countDueLinks(deps),
    lateness(deps),
    countPeople(deps),
    readDeliveries(deps),
    webhooksByState(deps),
    readUpkeep(deps),
    deps.store.engine.size(),
  ]);
  return {
    database_up: 1,
    links,
    links_due: due,
    links_due_lag_seconds: lag,
    ...people,
    ...deliveries,
    webhooks: hooks,
    ...jobs,
    database_bytes: bytes,
  };
}

async function linksByStatus({ store }: Deps): Promise<Reading> {
  const sum = (column: (typeof linkCounts)[Verdict]) =>
    sql`coalesce(sum(${column}), 0)`.mapWith(Number);
  const { active, dead, unknown } = linkCounts;
  // The table also has counts of groups.
  const [counts] = await store.readPool
    .select({ active: sum(active), dead: sum(dead), unknown: sum(unknown) })
    .from(linkCounts)
    .innerJoin(accounts, eq(accounts.no, linkCounts.subject));
  return VERDICTS.map((status) => [{ status }, counts![status]]);
}

/** Links under way are due at the end of their lease only. */
async function lateness(deps: Deps): Promise<number> {
  return secondsSince(deps.clock.now(), await earliestDue(deps));
}

async function countPeople({ store }: Deps): Promise<Readings> {
  const [[allAccounts], [allUsers]] = await Promise.all([
    store.readPool.select({ count: count() }).from(accounts),
    store.readPool.select({ count: count() }).from(users),
  ]);
  return { accounts: allAccounts!.count, users: allUsers!.count };
}

/**
 * Down an index for each webhook; ids of events begin with their moment. The least id is looked for alone, or
 * SQLite would walk past all deliveries that were made before.
 */
async function readDeliveries({ store, clock }: Deps): Promise<Readings> {
  const [row] = await store.engine.runInReadPool({ sql: DELIVERIES, params: [COUNTED] });
  const [waiting, dueAt, createdAt] = row as [number, number | null, number | null];
  return {
    deliveries_waiting: waiting,
    deliveries_overdue_seconds: secondsSince(clock.now(), dueAt),
    deliveries_oldest_age_seconds: secondsSince(clock.now(), createdAt),
  };
}

const oldest = (status: string) => `
  select (select d.created_at from deliveries d where d.webhook_id = w.id and d.event_id = (
    select min(f.event_id) from deliveries f where f.webhook_id = w.id and f.status = '${status}')) as at
  from webhooks w where w.is_active = 1`;

const DELIVERIES = `
  select
    (select count(*) from (select 1 as one from deliveries where due_at is not null limit ?) as counted),
    (select min(due) from (
      select (select min(d.due_at) from deliveries d where d.webhook_id = w.id and d.due_at > 0) as due
      from webhooks w where w.is_active = 1) as next),
    (select min(at) from (${["pending", "failed"].map(oldest).join(" union all ")}) as oldest)`;

async function webhooksByState({ store }: Deps): Promise<Reading> {
  const state = sql<string>`case when is_active = 0 then 'off_' || coalesce(disabled_reason, 'user')
    when failing_since is null then 'well' else 'failing' end`;
  const rows = await store.readPool.select({ state, count: count() }).from(webhooks).groupBy(state);
  const counts = new Map(rows.map((row) => [row.state, row.count]));
  return WEBHOOK_STATES.map((name) => [{ state: name }, counts.get(name) ?? 0]);
}

const WEBHOOK_STATES = ["well", "failing", ...DISABLED_REASONS.map((reason) => `off_${reason}`)];

async function readUpkeep(deps: Deps): Promise<Readings> {
  const jobs = await deps.store.readPool.select().from(upkeep);
  const backup = jobs.find(({ job }) => job === "backup") ?? null;
  const nextBackup = await nextBackupAt(deps, backup);
  const succeeded = jobs.flatMap(({ job, succeededAt: at }) => (at === null ? [] : [{ job, at }]));
  return {
    upkeep_last_success_timestamp_seconds: succeeded.map(({ job, at }) => [
      { task: job },
      at / 1000,
    ]),
    upkeep_failing: jobs.map(({ job, failedAt, succeededAt }) => [
      { task: job },
      (failedAt ?? 0) > (succeededAt ?? 0) ? 1 : 0,
    ]),
    backup_expected_timestamp_seconds: nextBackup === null ? null : nextBackup / 1000,
  };
}

const secondsSince = (now: number, at: number | null) =>
  at === null ? 0 : Math.max(0, now - at) / 1000;
