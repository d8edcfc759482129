import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { targetOf, verifyDatabase } from "./copy.ts";
import { reading } from "./sqlite-file.ts";
import { appliedTo } from "./sqlite-upgrade.ts";

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
export function readName(name: string): BackupName | null {
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
