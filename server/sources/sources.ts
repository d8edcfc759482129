import { and, asc, count, desc, eq, isNull, sql } from "drizzle-orm";
import { auditChange, fieldsOf } from "../accounts/audit.ts";
import { sumOf, takeNumbers } from "../ground/db/queries.ts";
import { contains, type Store } from "../ground/db/store.ts";
import {
  linkCounts,
  type SourceRow,
  sourcePages,
  sourceRuns,
  sources,
} from "../ground/db/tables.ts";
import { conflict, foreign, invalid, limitReached, notFound } from "../ground/lib/errors.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import { newId, parseId } from "../ground/lib/ids.ts";
import { type Page, type PageQuery, windowOf } from "../ground/lib/paging.ts";
import { SealedUnderOtherKey } from "../ground/lib/secret-box.ts";
import type { SourceKind } from "../ground/lib/vocabulary.ts";
import { isExternalName, parseTarget } from "../ground/net/policy.ts";
import type { Caller } from "../http/caller.ts";
import { refuseUnknownGroup } from "../links/create.ts";
import type { Credential } from "../read/crawl/credentials.ts";
import { canRead } from "../read/crawl/read.ts";
import { SETTINGS_OF, type SettingsOf } from "../read/crawl/settings.ts";
import type { Deps } from "../work/deps.ts";
import { bucketOf, bucketOfUrl } from "../work/nodes.ts";
import type { Unit } from "../work/unit.ts";
import {
  type CredentialInput,
  type NewSource,
  type ShownSource,
  type SourceChange,
  type SourceQuery,
  statusOf,
} from "./model.ts";
import { endRun, isUnderWay, latestRun, nextRunAt, queueRun, type Run, toRun } from "./runs.ts";

/** @throws NOT_FOUND, or FORBIDDEN for a source of another account */
export async function findSource(
  { store }: Pick<Deps, "store">,
  caller: Caller,
  id: string,
): Promise<SourceRow> {
  const [source] = await store
    .select()
    .from(sources)
    .where(and(eq(sources.id, parseId(id) ?? ""), isNull(sources.deletedAt)));
  if (!source) throw notFound("source");
  if (source.accountId !== caller.accountId) throw foreign("source");
  return source;
}

/** Reads sources with their latest runs, as of one moment. */
const selectShown = (store: Store) =>
  store
    .select({ source: sources, run: sourceRuns })
    .from(sources)
    .leftJoin(
      sourceRuns,
      and(eq(sourceRuns.sourceNo, sources.no), eq(sourceRuns.runNo, sources.runNo)),
    );

type Shown = Awaited<ReturnType<typeof selectShown>>[number];

/** Adds how many links the sources have, and how many pages wait. */
function withCounts(store: Store, rows: Shown[]): Promise<ShownSource[]> {
  const { subject, active, dead, unknown } = linkCounts;
  return Promise.all(
    rows.map(async ({ source, run: row }) => {
      const run = row && toRun(row);
      const [counts] = await store
        .select({ all: sumOf(sql`${active} + ${dead} + ${unknown}`), dead: sumOf(dead) })
        .from(linkCounts)
        .where(eq(subject, source.no));
      const waiting = run && isUnderWay(run) ? await countWaiting(store, source) : 0;
      const { all: links, dead: deadLinks } = counts!;
      return { ...source, run: run && { ...run, waiting }, links, dead: deadLinks };
    }),
  );
}

const countWaiting = (store: Store, { no }: SourceRow): Promise<number> =>
  store.$count(
    sourcePages,
    and(eq(sourcePages.sourceNo, no), sql`${sourcePages.state} = 'waiting'`),
  );

export async function showSource(deps: Deps, caller: Caller, id: string): Promise<ShownSource> {
  const { no } = await findSource(deps, caller, id);
  const [source] = await withCounts(
    deps.store,
    await selectShown(deps.store).where(eq(sources.no, no)),
  );
  return source!;
}

/** Lists the account's sources by name, of which there are never many. */
export async function listSources(
  { store }: Deps,
  { accountId }: Caller,
  query: SourceQuery,
): Promise<Page<ShownSource>> {
  const { kind, status, search } = query;
  const rows = await selectShown(store)
    .where(
      and(
        eq(sources.accountId, accountId),
        isNull(sources.deletedAt),
        kind ? eq(sources.kind, kind) : undefined,
        search
          ? sql`(${contains(sources.name, search)} or ${contains(sources.url, search)})`
          : undefined,
      ),
    )
    .orderBy(asc(sources.name), asc(sources.no));
  const { limit, offset } = windowOf(query);
  if (!status) {
    return {
      items: await withCounts(store, rows.slice(offset, offset + limit)),
      total: rows.length,
    };
  }
  const fitting = (await withCounts(store, rows)).filter((source) => statusOf(source) === status);
  return { items: fitting.slice(offset, offset + limit), total: fitting.length };
}

/** @throws VALIDATION_ERROR; CONFLICT for a name that is taken, or at the limit */
export async function createSource(
  unit: Unit,
  caller: Caller,
  input: NewSource,
): Promise<ShownSource> {
  const { kind, credential, paused: isPaused } = input;
  const url = readUrl(unit, kind, input.url ?? null);
  const settings = readSettings(kind, input.settings);
  refuseManyPages(unit, caller, input.settings);
  refuseCredential(unit, kind, url, credential);
  await refuseUnknownGroup(unit, caller, input.group_id, "group_id");
  await refuseAtLimit(unit, caller);
  await refuseName(unit.store, caller, input.name);
  const now = unit.clock.now();
  const id = newId();
  const row: SourceRow = {
    no: await takeNumbers(unit.store, 1),
    id,
    accountId: caller.accountId,
    accountNo: caller.accountNo,
    name: input.name,
    kind,
    url: url?.href ?? null,
    settings: JSON.stringify(settings),
    credential: credential && unit.secrets.seal(JSON.stringify(credential)),
    groupId: input.group_id,
    checkFrequency: input.check_frequency,
    cron: input.schedule,
    timeZone: input.time_zone,
    isPaused,
    bucket: url ? bucketOfUrl(url) : bucketOf(id),
    dueAt: null,
    lease: null,
    runNo: 0,
    completeRun: 0,
    pages: 0,
    places: 0,
    failingSince: null,
    deletedAt: null,
    retires: false,
    createdAt: now,
    updatedAt: now,
  };
  await unit.store.insert(sources).values(row);
  if (!isPaused && kind !== "push") await startRun(unit, row, { trigger: "initial" });
  await auditChange(unit, caller, { action: "source.created", target: targetOf(row) });
  return showSource(unit, caller, id);
}

/** Queues a run that is due at once. */
async function startRun(
  deps: Deps,
  source: SourceRow,
  run: Parameters<typeof queueRun>[2],
): Promise<Run> {
  const queued = await queueRun(deps, source, run);
  await deps.store
    .update(sources)
    .set({ dueAt: deps.clock.now(), lease: null })
    .where(eq(sources.no, source.no));
  return queued;
}

const targetOf = ({ id, name }: Pick<SourceRow, "id" | "name">) => ({ id, name });

/** @throws VALIDATION_ERROR */
export function readUrl({ config }: Deps, kind: SourceKind, given: string | null): URL | null {
  if (kind === "push") {
    if (given === null) return null;
    throw invalid({ url: ["must be left out: others send to this source"] });
  }
  if (!canRead(kind)) throw invalid({ kind: ["cannot be read by this version"] });
  if (given === null) throw invalid({ url: ["is required"] });
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  const target = parseTarget(given, policy, "STILLUP_CHECK_ALLOWED_HOSTS");
  if (!target.ok) throw invalid({ url: [target.problem] });
  return target.url;
}

/** Returns all settings of a kind. A null stands for the usual value. @throws VALIDATION_ERROR */
export function readSettings<Kind extends SourceKind>(
  kind: Kind,
  given: Record<string, unknown>,
  before: Record<string, unknown> = {},
): SettingsOf<Kind> {
  const merged = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null);
  const read = SETTINGS_OF[kind].safeParse(Object.fromEntries(merged));
  if (read.success) return read.data as SettingsOf<Kind>;
  const fields = Object.entries(problemsOf(read.error)).map(([name, problems]) => [
    name === "body" ? "settings" : `settings.${name}`,
    problems,
  ]);
  throw invalid(Object.fromEntries(fields));
}

/** Otherwise a run would end at the limit of the account's tier, and not at the one that was asked for. */
function refuseManyPages(
  { config }: Deps,
  { tier }: Caller,
  { max_pages: wanted }: Record<string, unknown> = {},
): void {
  const { pages } = config.tierLimits[tier];
  if (typeof wanted === "number" && wanted > pages) {
    throw invalid({ "settings.max_pages": [`must be at most ${pages}, the limit of the account`] });
  }
}

const WITHOUT_CREDENTIAL: SourceKind[] = ["site", "push"];

/** Anyone between this server and a host of the internet could read what is sent there unencrypted. */
export function refuseCredential(
  { config }: Deps,
  kind: SourceKind,
  url: URL | null,
  credential: CredentialInput | null | undefined,
): void {
  if (!credential) return;
  if (WITHOUT_CREDENTIAL.includes(kind) || !url) {
    throw invalid({ credential: [`must be left out for the kind ${kind}`] });
  }
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  if (url.protocol === "http:" && isExternalName(policy, url.hostname)) {
    throw invalid({ credential: ["is sent over https only, except to private hosts"] });
  }
}

/** Returns what is sent with requests for a source; null for nothing, or if another key sealed it. */
export function openCredential({ secrets }: Deps, { credential }: SourceRow): Credential | null {
  if (credential === null) return null;
  try {
    return JSON.parse(secrets.open(credential)) as Credential;
  } catch (error) {
    if (error instanceof SealedUnderOtherKey) return null;
    throw error;
  }
}

async function refuseAtLimit({ store, config }: Deps, { accountId, tier }: Caller): Promise<void> {
  const limit = config.tierLimits[tier].sources;
  const [used] = await store
    .select({ n: count() })
    .from(sources)
    .where(and(eq(sources.accountId, accountId), isNull(sources.deletedAt)));
  if (used!.n >= limit) throw limitReached("sources", limit, used!.n);
}

async function refuseName(
  store: Store,
  { accountId }: Caller,
  name: string,
  own?: string,
): Promise<void> {
  const [same] = await store
    .select({ id: sources.id })
    .from(sources)
    .where(
      and(eq(sources.accountId, accountId), eq(sources.name, name), isNull(sources.deletedAt)),
    );
  if (!same || same.id === own) return;
  throw conflict("There is a source with this name already.", {
    reason: "duplicate_name",
    existingId: same.id,
  });
}

/** What is left out stays. @throws VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, CONFLICT */
export async function changeSource(
  unit: Unit,
  caller: Caller,
  id: string,
  change: SourceChange,
): Promise<ShownSource> {
  await refuseUnknownGroup(unit, caller, change.group_id, "group_id");
  const before = await findSource(unit, caller, id);
  refuseFixed(before, change);
  const url = before.url === null ? null : new URL(before.url);
  refuseCredential(unit, before.kind, url, change.credential);
  if (change.name) await refuseName(unit.store, caller, change.name, before.id);
  const known = JSON.parse(before.settings);
  const settings = change.settings ? readSettings(before.kind, change.settings, known) : known;
  refuseManyPages(unit, caller, change.settings);
  const after = {
    name: change.name ?? before.name,
    settings,
    group_id: change.group_id === undefined ? before.groupId : change.group_id,
    check_frequency: change.check_frequency ?? before.checkFrequency,
    schedule: change.schedule === undefined ? before.cron : change.schedule,
    time_zone: change.time_zone ?? before.timeZone,
    paused: change.paused ?? before.isPaused,
  };
  const fields = [
    ...fieldsOf(after, {
      name: before.name,
      settings: known,
      group_id: before.groupId,
      check_frequency: before.checkFrequency,
      schedule: before.cron,
      time_zone: before.timeZone,
      paused: before.isPaused,
    }),
    ...(change.credential === undefined ? [] : ["credential"]),
  ];
  if (fields.length === 0) return showSource(unit, caller, id);
  const columns = {
    name: after.name,
    settings: JSON.stringify(settings),
    groupId: after.group_id,
    checkFrequency: after.check_frequency,
    cron: after.schedule,
    timeZone: after.time_zone,
    isPaused: after.paused,
    updatedAt: unit.clock.now(),
    ...(change.credential !== undefined && {
      credential: change.credential && unit.secrets.seal(JSON.stringify(change.credential)),
    }),
  };
  const run = await latestRun(unit.store, before);
  const isIdle = !run || !isUnderWay(run);
  const next = nextRunAt({ ...before, ...columns }, unit.clock.now());
  await unit.store
    .update(sources)
    .set({ ...columns, ...(isIdle && { dueAt: next }) })
    .where(eq(sources.no, before.no));
  await auditChange(unit, caller, { action: "source.changed", target: targetOf(before), fields });
  return showSource(unit, caller, id);
}

function refuseFixed(source: SourceRow, change: SourceChange): void {
  for (const name of ["kind", "url"] as const) {
    if (change[name] !== undefined && change[name] !== source[name]) {
      throw invalid({ [name]: ["cannot be changed; delete the source and create another"] });
    }
  }
}

/** Deletes a source for everyone; what belongs to it goes step by step. */
export async function deleteSource(
  unit: Unit,
  caller: Caller,
  id: string,
  { retires }: { retires: boolean },
): Promise<void> {
  const source = await findSource(unit, caller, id);
  const now = unit.clock.now();
  await unit.store
    .update(sources)
    .set({ deletedAt: now, retires, lease: null, dueAt: now })
    .where(eq(sources.no, source.no));
  await auditChange(unit, caller, { action: "source.deleted", target: targetOf(source) });
}

/** `isNew` is false when a run was under way already. */
export type RunStart = { runId: string; status: Run["status"]; isNew: boolean };

/** Queues a run, unless one is under way. @throws CONFLICT for a source that others send to */
export async function requestRun(
  unit: Unit,
  caller: Caller,
  id: string,
  { acceptsShrink = false }: { acceptsShrink?: boolean } = {},
): Promise<RunStart> {
  const source = await findSource(unit, caller, id);
  if (source.kind === "push") {
    throw conflict("Others send to this source; it is not read.", { reason: "wrong_kind" });
  }
  const run = await latestRun(unit.store, source);
  if (run && isUnderWay(run)) return { runId: run.id, status: run.status, isNew: false };
  const next = await startRun(unit, source, { trigger: "manual", acceptsShrink });
  await auditChange(unit, caller, { action: "source.run_asked", target: targetOf(source) });
  return { runId: next.id, status: next.status, isNew: true };
}

/** Ends the run under way; nothing is removed. @throws CONFLICT without one */
export async function cancelRun(unit: Unit, caller: Caller, id: string): Promise<RunStart> {
  const source = await findSource(unit, caller, id);
  const run = await latestRun(unit.store, source);
  if (!run || !isUnderWay(run)) {
    throw conflict("No run is under way.", { reason: "not_running" });
  }
  const ended = await endRun(unit, source, run, { status: "cancelled" });
  await auditChange(unit, caller, { action: "source.cancelled", target: targetOf(source) });
  return { runId: run.id, status: ended.run.status, isNew: false };
}

/** Lists the runs of a source, newest first. */
export async function listRuns(
  deps: Deps,
  caller: Caller,
  id: string,
  query: PageQuery,
): Promise<Page<Run & { waiting: number }>> {
  const source = await findSource(deps, caller, id);
  const ofSource = eq(sourceRuns.sourceNo, source.no);
  const { limit, offset } = windowOf(query);
  const [rows, total, waiting] = await Promise.all([
    deps.store
      .select()
      .from(sourceRuns)
      .where(ofSource)
      .orderBy(desc(sourceRuns.runNo))
      .limit(limit)
      .offset(offset),
    deps.store.$count(sourceRuns, ofSource),
    countWaiting(deps.store, source),
  ]);
  const items = rows.map(toRun).map((run) => ({ ...run, waiting: isUnderWay(run) ? waiting : 0 }));
  return { items, total };
}

/** @throws NOT_FOUND, FORBIDDEN */
export async function findRun(
  deps: Deps,
  caller: Caller,
  id: string,
  runId: string,
): Promise<Run & { waiting: number }> {
  const source = await findSource(deps, caller, id);
  const [row] = await deps.store
    .select()
    .from(sourceRuns)
    .where(and(eq(sourceRuns.sourceNo, source.no), eq(sourceRuns.id, parseId(runId) ?? "")));
  if (!row) throw notFound("run");
  const run = toRun(row);
  return { ...run, waiting: isUnderWay(run) ? await countWaiting(deps.store, source) : 0 };
}
