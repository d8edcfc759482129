import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { newId } from "../lib/ids.ts";
import { refuseWithoutRoom } from "./folder.ts";
import { appliedTo, isDamage, reading } from "./sqlite-file.ts";
import { type Copied, runInThread } from "./threads.ts";

/**
 * A backup by its file name: `daily` ones are made on schedule or on request, `before_upgrade` ones before the
 * database is upgraded.
 */
export type BackupName = { name: string; kind: "daily" | "before_upgrade"; madeAt: number };

/** A backup in the folder. Files with any other name have no kind. */
export type BackupFile = {
  name: string;
  path: string;
  kind: BackupName["kind"] | null;
  madeAt: number;
  bytes: number;
};

/** Allows `-` and `:` between the numbers, for files that were named by hand. */
const TIME = "(\\d{4})-?(\\d\\d)-?(\\d\\d)T(\\d\\d)[-:]?(\\d\\d)[-:]?(\\d\\d)(?:[-.]?\\d{3})?Z";
const DAILY = new RegExp(`^stillup-${TIME}\\.db$`);
const BEFORE_UPGRADE = new RegExp(`^stillup-before-([\\w.]+)-${TIME}\\.db$`);

/** `stillup-20300101T030000Z.db` */
export const dailyName = (at: number) => `stillup-${stampOf(at)}.db`;

/**
 * `stillup-before-0011_audit-20300101T030000123Z.db`, with the first missing migration. To the millisecond, since
 * failing starts may follow each other quickly.
 */
export const beforeUpgradeName = (migration: string, at: number) =>
  `stillup-before-${migration.replace(/\.sql$/, "")}-${compact(at)}.db`;

/** Whether both copies were made before the same upgrade, which was started more than once. */
export const isSameUpgrade = (one: string, other: string): boolean => {
  const migration = BEFORE_UPGRADE.exec(one)?.[1];
  return migration !== undefined && migration === BEFORE_UPGRADE.exec(other)?.[1];
};

/** `20300101T030000Z`, which sorts by time and which every file system accepts. */
export const stampOf = (at: number) => compact(at).replace(/\d{3}Z$/, "Z");

/** Returns null for names of other files. */
function readName(name: string): BackupName | null {
  const daily = DAILY.exec(name);
  if (daily) return { kind: "daily", name, madeAt: timeOf(daily.slice(1)) };
  const before = BEFORE_UPGRADE.exec(name);
  return before && { kind: "before_upgrade", name, madeAt: timeOf(before.slice(2)) };
}

const compact = (at: number) => new Date(at).toISOString().replace(/[-:.]/g, "");

function timeOf([year = 0, month = 1, ...rest]: (string | number)[]): number {
  return Date.UTC(Number(year), Number(month) - 1, ...rest.map(Number));
}

/** Lists the backups in the folder, newest first. */
export const backupsIn = (folder: string): BackupFile[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(".db"))
    .flatMap((name) => fileOf(folder, name) ?? [])
    .sort((a, b) => b.madeAt - a.madeAt || (a.name < b.name ? 1 : -1));

/** Lists the files that interrupted copies of this kind left, which may also be those of a running copy. */
export const cutShortIn = (folder: string, kind: BackupName["kind"]): string[] =>
  namesIn(folder)
    .filter((name) => readName(targetOf(name) ?? "")?.kind === kind)
    .map((name) => join(folder, name));

/** Returns the newest intact backup that a program with these migrations can read. Reads whole files. */
export const newestGoodBackup = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ path }) => isReadable(path, known) && isIntact(path))?.path ?? null;

/** Returns the newest backup that a program with these migrations can read, without verifying it. */
export const newestReadable = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ path }) => isReadable(path, known))?.path ?? null;

/** The same, of the backups made before an upgrade. */
export const newestBeforeUpgrade = (folder: string, known: Set<string>): string | null =>
  backupsIn(folder).find(({ kind, path }) => kind === "before_upgrade" && isReadable(path, known))
    ?.path ?? null;

/** Returns the command that restores the backup. */
export const restoreCommand = (path: string) =>
  `stillup restore ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fileOf(folder: string, name: string): BackupFile | null {
  const path = join(folder, name);
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile()) return null;
  const { kind, madeAt } = readName(name) ?? { kind: null, madeAt: file.mtimeMs };
  return { name, path, kind, madeAt, bytes: file.size };
}

function isReadable(path: string, known: Set<string>): boolean {
  try {
    const applied = reading(path, appliedTo);
    return applied.length > 0 && applied.every((name) => known.has(name));
  } catch {
    return false;
  }
}

function isIntact(path: string): boolean {
  try {
    verifyDatabase(path, path);
    return true;
  } catch {
    return false;
  }
}

const PROGRESS_MS = 200;

type CopyOptions = {
  /** Bytes that must still be free on the disk after the copy. */
  leaveFree?: number;
  /** Receives the share that is written, from 0 to 1. The copy is verified after that. */
  onProgress?: (written: number) => void;
};

/**
 * Copies an SQLite database as it is at one moment, even while it is in use, in a thread of its own. The copy gets its
 * name only once it is complete, verified and on the disk.
 * @throws if `target` exists, the disk has no room, or the copy is inconsistent; Damaged if the database itself cannot
 * be read
 */
export async function copyDatabase(
  path: string,
  target: string,
  { leaveFree = 0, onProgress }: CopyOptions = {},
): Promise<Copied> {
  if (existsSync(target)) throw new Error(`The file ${target} already exists.`);
  const needed = sizeOf(path);
  refuseWithoutRoom(dirname(target), needed + leaveFree);
  const unfinished = `${target}.${newId()}.unfinished`;
  const timer =
    onProgress && setInterval(() => onProgress(written(unfinished, needed)), PROGRESS_MS);
  try {
    return await runInThread({ kind: "copy", path, unfinished, target });
  } finally {
    clearInterval(timer);
    // A full disk leaves an empty file.
    for (const end of ["", "-journal"]) rmSync(unfinished + end, { force: true });
  }
}

/** Verifies the database in a thread of its own. @throws as `verifyDatabase` does */
export const verifyInThread = (path: string, name: string): Promise<Copied> =>
  runInThread({ kind: "verify", path, name });

/**
 * @param name what the error calls it, since the file may be renamed or deleted by then
 * @throws if the file is not a database, is damaged, or has rows that refer to missing rows
 */
export function verifyDatabase(path: string, name: string): void {
  const fault = faultOf(path);
  if (fault !== null) throw new Error(`${name} is damaged: ${fault}.`);
}

function faultOf(path: string): string | null {
  try {
    return reading(path, (database) => {
      const [verdict] = database.query("PRAGMA integrity_check(1)").values()[0] as [string];
      if (verdict !== "ok") return verdict;
      const orphan = database.query("PRAGMA foreign_key_check").values()[0];
      return orphan ? `${orphan[0]} refers to missing rows` : null;
    });
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

/** Returns the name of the copy whose unfinished file this is; null for any other file. */
const targetOf = (name: string): string | null =>
  /^(.*)\.[^.]+\.unfinished(-journal)?$/.exec(name)?.[1] ?? null;

/** The size of the database with what is still in its journal. */
function sizeOf(path: string): number {
  const sql = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
  return reading(path, (database) => database.query(sql).values()[0]![0] as number);
}

function written(unfinished: string, needed: number): number {
  const size = statSync(unfinished, { throwIfNoEntry: false })?.size ?? 0;
  return Math.min(size / Math.max(needed, 1), 1);
}
