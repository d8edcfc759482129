import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { backupFolder, type Config, sqlitePath } from "../../ground/config/config.ts";
import { newestReadable } from "../../ground/db/backup-files.ts";
import { damaged, ownMigrationNames } from "../../ground/db/open.ts";
import { isDamage } from "../../ground/db/sqlite-file.ts";
import { upkeep } from "../../ground/db/tables.ts";
import { checkInThread } from "../../ground/db/threads.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import type { Troubles } from "../../ground/lib/troubles.ts";
import type { Deps } from "../../work/deps.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const JOB = "integrity";

/** Checks the whole SQLite database once a week, in a thread, and records the result. */
export async function checkIntegrityWhenDue(deps: Deps, signal?: AbortSignal): Promise<void> {
  const path = sqlitePath(deps.config);
  const startedAt = deps.clock.now();
  if (path === null || !(await isDue(deps, startedAt))) return;
  try {
    await checkInThread(path, "full", signal);
    await record(deps, { startedAt, succeededAt: deps.clock.now(), problem: null });
  } catch (error) {
    if (signal?.aborted) return;
    const problem = describeError(error).error;
    log.error("weekly integrity check failed", { problem });
    if (isDamage(error)) reportDamage(deps.config, deps.troubles);
    await record(deps, { startedAt, failedAt: deps.clock.now(), problem });
  }
}

/** Checks the SQLite database in a thread as a start does, and reports damage. */
export async function checkWhileServing(deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await checkInThread(sqlitePath(deps.config)!, "quick", signal);
  } catch (error) {
    if (signal.aborted) return;
    log.error("the integrity check after the start failed", describeError(error));
    if (isDamage(error)) reportDamage(deps.config, deps.troubles);
  }
}

async function isDue({ store }: Deps, now: number): Promise<boolean> {
  const [last] = await store.select().from(upkeep).where(eq(upkeep.job, JOB));
  // A time in the future was written while the clock was wrong.
  return !last || now - last.startedAt >= WEEK_MS || last.startedAt > now;
}

type Outcome = Omit<Partial<typeof upkeep.$inferInsert>, "job"> & { startedAt: number };

async function record({ store }: Deps, outcome: Outcome): Promise<void> {
  await store
    .insert(upkeep)
    .values({ job: JOB, ...outcome })
    .onConflictDoUpdate({ target: upkeep.job, set: outcome });
}

/** Reports damage to the operator. The report stays until a restart. */
export function reportDamage(config: Config, troubles: Troubles): void {
  const path = sqlitePath(config);
  if (path === null || troubles.all().some(({ name }) => name === "database_damaged")) return;
  // Without verifying the backup: that would hold up every request.
  const newest = newestReadable(backupFolder(config), ownMigrationNames());
  const message = damaged(path, newest);
  log.error(message);
  troubles.set("database_damaged", message);
}

/**
 * Notes that the database was closed in order. The note has the file's size and time, so that it does not count for
 * another file that replaces it.
 */
export function noteCleanStop(config: Config, path: string): void {
  writeFileSync(cleanStopNote(config), stateOf(path));
}

/** Whether the database is as it was closed in order. Deletes the note: the next stop writes another. */
export function takeCleanStop(config: Config, path: string): boolean {
  try {
    return readFileSync(cleanStopNote(config), "utf8") === stateOf(path);
  } catch {
    return false;
  } finally {
    rmSync(cleanStopNote(config), { force: true });
  }
}

const cleanStopNote = ({ dataDir }: Config) => join(dataDir, "stopped-in-order");

function stateOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}\n`;
}
