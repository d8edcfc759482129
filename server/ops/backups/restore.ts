import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { constants, copyFile } from "node:fs/promises";
import { dirname } from "node:path";
import { recordChange } from "../../accounts/audit.ts";
import { stampOf, verifyInThread } from "../../ground/db/backup-files.ts";
import {
  asideName,
  finishPlacing,
  placing,
  readyName,
  refuseWithoutRoom,
  syncToDisk,
} from "../../ground/db/folder.ts";
import { openEngine, ownMigrationNames } from "../../ground/db/open.ts";
import { appliedTo, reading } from "../../ground/db/sqlite-file.ts";
import { createStore } from "../../ground/db/store.ts";
import type { Copied } from "../../ground/db/threads.ts";
import type { Clock } from "../../ground/lib/clock.ts";
import { OPERATOR } from "../../http/caller.ts";

const HEADER = "SQLite format 3\0";

/** A verified copy next to the database, ready to replace it. */
export type Staged = Copied & { path: string };

/** Where the previous database is kept; null if there was none. */
type Restored = { keptAs: string | null };

/**
 * Copies the backup and its journal next to the database and verifies the copy. An earlier restore that was killed is
 * finished or removed first.
 * @param leaveFree bytes that must stay free on the disk
 * @throws a sentence when the backup is not a Stillup database, newer than this program, or damaged
 */
export async function stage(database: string, backup: string, leaveFree = 0): Promise<Staged> {
  finishPlacing(database);
  clearStages(database);
  refuseOther(backup);
  const staged = stageName(database);
  refuseWithoutRoom(dirname(database), statSync(backup).size + leaveFree);
  try {
    await copyFile(backup, staged, constants.COPYFILE_FICLONE);
    chmodSync(staged, 0o600);
    // The last changes of a database that was copied as files.
    if (existsSync(`${backup}-wal`)) await copyFile(`${backup}-wal`, `${staged}-wal`);
    const copied = await verifyInThread(staged, backup);
    refuseStrange(staged, backup);
    return { ...copied, path: staged };
  } catch (error) {
    clearStages(database);
    throw error;
  }
}

/**
 * Replaces the database with the staged one, step by step. If it is killed before "ready" the old database stays;
 * after that the next start or restore continues.
 */
export async function* replacing(
  database: string,
  { path: staged }: Pick<Staged, "path">,
  clock: Clock,
): AsyncGenerator<string, Restored> {
  const stamp = stampOf(clock.now());
  await recordRestore(staged, clock);
  yield "recorded";
  syncToDisk(staged);
  yield "synced";
  const hadOne = existsSync(database);
  renameSync(staged, readyName(database, stamp));
  yield "ready";
  syncToDisk(dirname(database));
  yield* placing(database);
  return { keptAs: hadOne ? asideName(database, stamp) : null };
}

const stageName = (database: string) => `${database}.staged`;

/** Removes the copies of a restore that did not finish. */
export function clearStages(database: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"])
    rmSync(stageName(database) + end, { force: true });
}

function refuseOther(backup: string) {
  if (!existsSync(backup)) throw new Error(`There is no file ${backup}.`);
  const file = openSync(backup, "r");
  const start = Buffer.alloc(HEADER.length);
  readSync(file, start);
  closeSync(file);
  if (start.toString("latin1") !== HEADER) throw new Error(`${backup} is not an SQLite database.`);
}

/** @throws when the database belongs to another program, or to a newer version */
function refuseStrange(staged: string, backup: string) {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'links'";
  const { applied, hasLinks } = reading(staged, (database) => ({
    applied: appliedTo(database),
    hasLinks: database.query(sql).values().length > 0,
  }));
  if (applied.length === 0 || !hasLinks) {
    throw new Error(`${backup} is a database, but not a Stillup database.`);
  }
  const known = ownMigrationNames();
  const strange = applied.find((name) => !known.has(name));
  if (strange) {
    throw new Error(
      `${backup} was written by a newer version of Stillup (${strange}). Install that version, then restore.`,
    );
  }
}

/** Verifies the backup where it is. @throws as `stage` does */
export async function verifyBackup(backup: string): Promise<Copied> {
  refuseOther(backup);
  const verified = await verifyInThread(backup, backup);
  refuseStrange(backup, backup);
  return verified;
}

/** Reads only the schema, since an older database has other columns. */
async function recordRestore(staged: string, clock: Clock): Promise<void> {
  const engine = openEngine(`sqlite:${staged}`);
  try {
    const store = createStore(engine);
    const sql = "select name from sqlite_schema where name = 'audit'";
    const canTell = (await engine.run({ sql, params: [] })).length > 0;
    const change = { action: "backup.restored", by: OPERATOR, accountId: null } as const;
    if (canTell) await recordChange({ store, clock }, change);
  } finally {
    await engine.close();
  }
  refuseJournal(staged);
}

/** Makes sure that closing left no journal, or an empty one, so that the file has everything. */
function refuseJournal(staged: string) {
  const left = statSync(`${staged}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (left > 0) throw new Error(`${staged} could not be closed. Try again.`);
  for (const end of ["-wal", "-shm"]) rmSync(staged + end, { force: true });
}
