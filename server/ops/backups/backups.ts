import { join } from "node:path";
import { Cron } from "croner";
import { and, eq, sql } from "drizzle-orm";
import { recordChange } from "../../accounts/audit.ts";
import { sqlitePath } from "../../ground/config/config.ts";
import { copyDatabase, dailyName } from "../../ground/db/backup-files.ts";
import { isDamage } from "../../ground/db/sqlite-file.ts";
import { upkeep } from "../../ground/db/tables.ts";
import { conflict } from "../../ground/lib/errors.ts";
import { describeError, log, logFailure } from "../../ground/lib/log.ts";
import { sizeText } from "../../ground/lib/text.ts";
import type { Actor } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { inUnit } from "../../work/unit.ts";
import { reportDamage } from "../start/integrity.ts";
import { makeBackupFolder, removeAll, removeUnfinished, requireBackup, rotate } from "./files.ts";

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
/** A backup that takes longer has been given up, or its process was killed. */
const LONGEST_MS = 6 * HOUR_MS;
const RETRY_MS = HOUR_MS;
/** A daily backup that is overdue this long means none for 48 hours. */
const OVERDUE_MS = 24 * HOUR_MS;

/** What to do on PostgreSQL, whose own programs make better copies. */
export const DUMP_HINT =
  'The database is PostgreSQL, which is copied with its own program: pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL".';
export const LOAD_HINT =
  'The database is PostgreSQL, which is restored with its own programs while Stillup is stopped: pg_restore --no-owner --file=stillup.sql stillup.dump && psql --quiet --single-transaction --set=ON_ERROR_STOP=1 --command="drop schema if exists public cascade; create schema public" --file=stillup.sql "$STILLUP_DATABASE_URL"';

/** How a backup ended. The log, the table `upkeep` and the troubles say why one failed. */
type Outcome = "made" | "failed";

/** The last backup, as the table `upkeep` has it. */
type LastBackup = typeof upkeep.$inferSelect;

/**
 * Makes backups on schedule while this process lives. Checking every minute whether one is due also covers a backup
 * that was missed while the machine was off, and one that failed.
 */
export function startBackups(deps: Deps): { stop(): void } {
  const options = { protect: true, catch: noteFailure };
  void recallLast(deps).catch(noteFailure);
  return new Cron("* * * * *", options, async () => {
    await backUpIfDue(deps);
  });
}

const noteFailure = logFailure("failed to start a backup");

/** Returns whether a backup was made. */
export async function backUpIfDue(deps: Deps): Promise<boolean> {
  if (!(await isDue(deps))) return false;
  const ended = await beginBackup(deps);
  return (await ended()) === "made";
}

/** At the start: a backup of the previous process has ended with it, and its failures must still be reported. */
export async function recallLast(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const last = await readLast(deps);
  if (last && isRunning(last, now)) {
    const problem = "Stillup was stopped during the backup. It retries within the hour.";
    await updateLast(deps, { failedAt: now, problem });
  }
  deps.troubles.set("backup_failed", await problemOf(deps, await readLast(deps)));
}

/**
 * Starts a backup unless one is running, here or in another process.
 * @returns a function that waits for its end
 * @throws CONFLICT when one is running, and on PostgreSQL
 */
export async function beginBackup(deps: Deps, by?: Actor): Promise<() => Promise<Outcome>> {
  const path = sqlitePath(deps.config);
  if (path === null) throw conflict(DUMP_HINT, { reason: "not_sqlite" });
  if (!(await claim(deps))) {
    throw conflict("A backup is already running.", { reason: "under_way" });
  }
  const outcome = make(deps, path, by).then(
    () => "made" as const,
    (error) => fail(deps, error),
  );
  return () => outcome;
}

/** Records who deletes the backup before it is deleted. @throws NOT_FOUND */
export async function deleteBackup(deps: Deps, by: Actor, name: string): Promise<void> {
  const { path } = requireBackup(deps.config, name);
  await recordChange(deps, changeOf("backup.deleted", by, name));
  await removeAll([path]);
}

/** Returns a backup to download, and records who downloads it. @throws NOT_FOUND */
export async function takeBackup(deps: Deps, by: Actor, name: string) {
  const backup = requireBackup(deps.config, name);
  await recordChange(deps, changeOf("backup.downloaded", by, name));
  return backup;
}

/** Returns null on PostgreSQL as well, where a move leaves the row of the SQLite database. */
export async function readLast({ store }: Deps): Promise<LastBackup | null> {
  if (store.engine.name !== "sqlite") return null;
  const [row] = await store.select().from(upkeep).where(eq(upkeep.job, "backup"));
  return row ?? null;
}

/** When the next backup is due, or was; null without a schedule. */
export async function nextBackupAt(deps: Deps, last: LastBackup | null): Promise<number | null> {
  const { backupCron } = deps.config;
  if (backupCron === "" || deps.store.engine.name !== "sqlite") return null;
  // A time in the future was written while the clock was wrong.
  const isPast = (at: number) => at <= deps.clock.now();
  const since = [last?.succeededAt ?? 0, await installedAt(deps)].find(
    (at) => at > 0 && isPast(at),
  );
  return new Cron(backupCron).nextRun(new Date(since ?? 0))?.getTime() ?? null;
}

export function isRunning({ startedAt, succeededAt, failedAt }: LastBackup, now: number): boolean {
  const endedAt = Math.max(succeededAt ?? 0, failedAt ?? 0);
  return startedAt > endedAt && isWithin(LONGEST_MS, startedAt, now);
}

/** What is wrong with the backups, in words for an administrator. */
export async function problemOf(deps: Deps, last: LastBackup | null): Promise<string | null> {
  const hasFailed = last?.failedAt && last.failedAt > (last.succeededAt ?? 0);
  if (hasFailed) return `The last backup failed. ${last.problem}`;
  if (last && isRunning(last, deps.clock.now())) return null;
  const nextAt = await nextBackupAt(deps, last);
  if (nextAt === null || nextAt + OVERDUE_MS > deps.clock.now()) return null;
  return last?.succeededAt
    ? "The backup that was due has not been made. The server's log says why."
    : "No backup has been made so far. The server's log says why.";
}

/** Whether a backup is due that is neither running nor has failed within the hour. */
async function isDue(deps: Deps): Promise<boolean> {
  const now = deps.clock.now();
  const last = await readLast(deps);
  const nextAt = await nextBackupAt(deps, last);
  if (nextAt === null || nextAt > now) return false;
  if (!last) return true;
  const hasJustFailed = last.failedAt !== null && isWithin(RETRY_MS, last.failedAt, now);
  return !isRunning(last, now) && !hasJustFailed;
}

const isWithin = (ms: number, at: number, now: number) => at <= now && now < at + ms;

/** When this database was created. */
async function installedAt({ store, clock }: Deps): Promise<number> {
  const rows = (await store.readPool.all(sql`select min(applied_at) from migrations`)) as unknown[];
  const [at] = Object.values(rows[0] ?? {});
  return typeof at === "number" ? at : clock.now();
}

/** The conditional update is the lock. */
async function claim(deps: Deps): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const last = await readLast(deps);
  if (last && isRunning(last, now)) return false;
  if (!last) {
    const row = { job: "backup", startedAt: now } as const;
    const made = await store.insert(upkeep).values(row).onConflictDoNothing().returning();
    return made.length > 0;
  }
  const isSame = and(eq(upkeep.job, "backup"), eq(upkeep.startedAt, last.startedAt));
  // A later success was written while the clock was wrong.
  const succeededAt = last.succeededAt && Math.min(last.succeededAt, now - 1);
  const begun = { startedAt: now, succeededAt, failedAt: null, problem: null };
  const taken = await store.update(upkeep).set(begun).where(isSame).returning();
  return taken.length > 0;
}

async function make(deps: Deps, path: string, by: Actor | undefined): Promise<void> {
  refuseDamaged(deps);
  const folder = makeBackupFolder(deps.config);
  await removeUnfinished(deps.config);
  const name = dailyName(deps.clock.now());
  const began = performance.now();
  const leaveFree = deps.config.diskFloorMb * MIB;
  const { bytes } = await copyDatabase(path, join(folder, name), { leaveFree });
  await rotate(deps.config, name);
  await inUnit(deps, async (unit) => {
    await updateLast(unit, { succeededAt: unit.clock.now(), problem: null });
    if (by) await recordChange(unit, changeOf("backup.made", by, name));
  });
  deps.troubles.set("backup_failed", null);
  const seconds = Math.round(performance.now() - began) / 1000;
  log.info("backup made", { name, size: sizeText(bytes), seconds });
}

/** Copies of a damaged database would replace the good ones. */
function refuseDamaged({ troubles }: Deps) {
  const damaged = troubles.all().find(({ name }) => name === "database_damaged");
  if (damaged) throw new Error(`No backup is made of a damaged database. ${damaged.message}`);
}

async function fail(deps: Deps, error: unknown): Promise<Outcome> {
  const problem = describeError(error).error;
  log.error("backup failed", { problem });
  deps.troubles.set("backup_failed", `The last backup failed. ${problem}`);
  if (isDamage(error)) reportDamage(deps.config, deps.troubles);
  // A full disk may have no room for this either.
  await updateLast(deps, { failedAt: deps.clock.now(), problem }).catch(
    logFailure("failed to record that a backup failed"),
  );
  return "failed";
}

async function updateLast({ store }: Pick<Deps, "store">, change: Partial<LastBackup>) {
  await store.update(upkeep).set(change).where(eq(upkeep.job, "backup"));
}

const changeOf = (
  action: "backup.made" | "backup.deleted" | "backup.downloaded",
  by: Actor,
  name: string,
) => ({ action, by, accountId: null, target: { id: name, name } }) as const;
