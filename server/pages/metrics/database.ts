import { count, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { sumOf } from "../../ground/db/queries.ts";
import {
  accounts,
  hostSettings,
  linkCounts,
  linkDetails,
  linkLookups,
  links,
  mails,
  sources,
  upkeep,
  users,
  webhooks,
} from "../../ground/db/tables.ts";
import { DISABLED_REASONS, LOOKUP_STATES, VERDICTS } from "../../ground/lib/vocabulary.ts";
import { firstDueDomain } from "../../monitor/domains/loop.ts";
import { nextBackupAt } from "../../ops/backups/backups.ts";
import { heldUntil } from "../../repair/archive/pace.ts";
import type { Deps } from "../../work/deps.ts";
import { countDueLinks, earliestDue } from "../../work/due.ts";
import type { Reading, Readings } from "./readings.ts";

/** Deliveries are counted up to this number: counting more would take too long. */
const COUNTED = 20_000;

/** Reads from indexes and maintained counts instead of every link, in the read pool. */
export async function readDatabase(deps: Deps): Promise<Readings> {
  const { store, clock } = deps;
  const [
    links,
    due,
    dueAt,
    people,
    deliveries,
    hooks,
    hosts,
    jobs,
    bytes,
    mailsWaiting,
    handled,
    read,
    domainDueAt,
    archivesHeldUntil,
    lookups,
  ] = await Promise.all([
    countAllLinks(deps),
    countDueLinks(deps),
    earliestDue(deps),
    countPeople(deps),
    readDeliveries(deps),
    webhooksByState(deps),
    hostSettingsByState(deps),
    readUpkeep(deps),
    store.engine.size(),
    countWaitingMails(deps),
    countHandled(deps),
    readSources(deps),
    firstDueDomain(deps),
    heldUntil(deps),
    countLookups(deps),
  ]);
  return {
    database_up: 1,
    links: VERDICTS.map((status) => [{ status }, links[status]]),
    ...handled,
    lookups,
    links_due: due,
    links_due_lag_seconds: secondsSince(clock.now(), dueAt),
    rdap_lag_seconds: secondsSince(clock.now(), domainDueAt),
    archive_hold_seconds: archivesHeldUntil === null ? 0 : (archivesHeldUntil - clock.now()) / 1000,
    ...people,
    ...deliveries,
    webhooks: hooks,
    host_settings: hosts,
    ...read,
    mails_waiting: mailsWaiting,
    ...jobs,
    database_bytes: bytes,
  };
}

async function countHandled({ store }: Deps): Promise<Readings> {
  const { handling } = links;
  const [rows, overrides, doubted, lacking] = await Promise.all([
    store.readPool
      .select({ handling, count: count() })
      .from(links)
      // A literal, which the condition of an index is.
      .where(sql`${handling} <> 'open'`)
      .groupBy(handling),
    store.readPool.$count(linkDetails, isNotNull(linkDetails.overrideUntil)),
    store.readPool.all<[number]>(sql`
      select count(*) from page_memories where state in ('doubted', 'changed', 'lost') and state = 'doubted'`),
    store.readPool.$count(linkDetails, sql`missing_fragments > 0`),
  ]);
  const of = (name: string) => rows.find((row) => row.handling === name)?.count ?? 0;
  return {
    links_handled: ["acknowledged", "muted"].map((name) => [{ handling: name }, of(name)]),
    overrides,
    pages_doubted: Number(doubted[0]![0]),
    links_missing_fragments: lacking,
  };
}

async function countLookups({ store }: Deps): Promise<Reading> {
  const { state } = linkLookups;
  const rows = await store.readPool
    .select({ state, count: count() })
    .from(linkLookups)
    .groupBy(state);
  const of = (name: string) => rows.find((row) => row.state === name)?.count ?? 0;
  return LOOKUP_STATES.map((name) => [{ state: name }, of(name)]);
}

/** Counts the mails to people that are not sent yet. */
export async function countWaitingMails({ store }: Deps): Promise<number> {
  const rows = await store.readPool
    .select({ count: count() })
    .from(mails)
    .where(isNotNull(mails.dueAt));
  return rows[0]!.count;
}

/** Counts the links of all accounts by status. */
export async function countAllLinks({ store }: Deps) {
  const { active, dead, unknown, subject } = linkCounts;
  const [counts] = await store.readPool
    .select({ active: sumOf(active), dead: sumOf(dead), unknown: sumOf(unknown) })
    .from(linkCounts)
    // The table also has the counts of groups.
    .innerJoin(accounts, eq(accounts.no, subject));
  return counts!;
}

export async function countPeople({ store }: Deps) {
  const [[allAccounts], [allUsers]] = await Promise.all([
    store.readPool.select({ count: count() }).from(accounts),
    store.readPool.select({ count: count() }).from(users),
  ]);
  return { accounts: allAccounts!.count, users: allUsers!.count };
}

/**
 * Uses an index for each webhook; ids of events begin with their time. The smallest id is found by a query of its own,
 * since otherwise SQLite would scan all earlier deliveries.
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
  const rows = await store.readPool
    .select({ state, count: count() })
    .from(webhooks)
    .where(isNull(webhooks.deletedAt))
    .groupBy(state);
  const counts = new Map(rows.map((row) => [row.state, row.count]));
  return WEBHOOK_STATES.map((name) => [{ state: name }, counts.get(name) ?? 0]);
}

const WEBHOOK_STATES = ["well", "failing", ...DISABLED_REASONS.map((reason) => `off_${reason}`)];

async function hostSettingsByState({ store }: Deps): Promise<Reading> {
  const state = sql<string>`case when failing_since is not null then 'failing'
    when last_success_at is null then 'untried' else 'well' end`;
  const rows = await store.readPool
    .select({ state, count: count() })
    .from(hostSettings)
    .groupBy(state);
  const counts = new Map(rows.map((row) => [row.state, row.count]));
  return ["well", "failing", "untried"].map((name) => [{ state: name }, counts.get(name) ?? 0]);
}

async function readSources({ store, clock }: Deps): Promise<Readings> {
  const { isPaused, failingSince, lease, dueAt, places, deletedAt } = sources;
  const state = sql<string>`case when lease is not null then 'reading' when is_paused = 1 then 'paused'
    when failing_since is not null then 'failing' else 'well' end`;
  const rows = await store.readPool
    .select({
      state,
      count: count(),
      places: sumOf(places),
      dueAt: sql<number | null>`min(case when ${lease} is null then ${dueAt} end)`,
      since: sql<number | null>`min(case when ${isPaused} = 0 then ${failingSince} end)`,
    })
    .from(sources)
    .where(isNull(deletedAt))
    .groupBy(state);
  const least = (moments: (number | null)[]) =>
    moments.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
  const counts = new Map(rows.map((row) => [row.state, row.count]));
  return {
    sources: ["well", "paused", "failing", "reading"].map((name) => [
      { state: name },
      counts.get(name) ?? 0,
    ]),
    source_lag_seconds: secondsSince(clock.now(), least(rows.map((row) => row.dueAt))),
    source_failing_seconds: secondsSince(clock.now(), least(rows.map((row) => row.since))),
    occurrences: rows.reduce((sum, row) => sum + row.places, 0),
  };
}

async function readUpkeep(deps: Deps): Promise<Readings> {
  const jobs = await deps.store.readPool.select().from(upkeep);
  const nextBackup = await nextBackupAt(deps, jobs.find(({ job }) => job === "backup") ?? null);
  return {
    upkeep_last_success_timestamp_seconds: jobs.flatMap(({ job: task, succeededAt: at }) =>
      at === null ? [] : [[{ task }, at / 1000]],
    ),
    upkeep_failing: jobs.map(({ job: task, failedAt, succeededAt }) => [
      { task },
      Number((failedAt ?? 0) > (succeededAt ?? 0)),
    ]),
    backup_expected_timestamp_seconds: nextBackup === null ? null : nextBackup / 1000,
  };
}

const secondsSince = (now: number, at: number | null) =>
  at === null ? 0 : Math.max(0, now - at) / 1000;
