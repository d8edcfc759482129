import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { backupFolder, type Config } from "../../ground/config/config.ts";
import {
  type BackupFile,
  type BackupName,
  backupsIn,
  cutShortIn,
} from "../../ground/db/backup-files.ts";
import { UPGRADES_KEPT } from "../../ground/db/open.ts";
import { notFound } from "../../ground/lib/errors.ts";

/** A backup of this program; it was verified before it got its name. */
export type Backup = BackupFile & BackupName;

type Place = Pick<Config, "dataDir">;

const WEEKS_KEPT = 4;
const DAY_MS = 86_400_000;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const DAYS_BEFORE_MONDAY = 3;

/** Creates the folder, readable by its owner only. */
export function makeBackupFolder(config: Place): string {
  const folder = backupFolder(config);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Newest first, without files that have other names. */
export const listBackups = (config: Place): Backup[] =>
  backupsIn(backupFolder(config)).filter((file): file is Backup => file.kind !== null);

/** @throws NOT_FOUND, also for a file with another name */
export function requireBackup(config: Place, name: string): Backup {
  const found = listBackups(config).find((backup) => backup.name === name);
  if (!found) throw notFound("backup");
  return found;
}

/** Removes what interrupted backups left: the next one may need the space. */
export const removeUnfinished = (config: Place): Promise<void> =>
  removeAll(cutShortIn(backupFolder(config), "daily"));

/** Removes outdated backups, but never `newest`, whatever the clock says. */
export async function rotate(config: Place & Pick<Config, "backupKeep">, newest: string) {
  const old = outdated(listBackups(config), config.backupKeep);
  await removeAll(old.filter(({ name }) => name !== newest).map(({ path }) => path));
}

/** Asynchronously, because deleting a large file takes a moment. */
export async function removeAll(paths: string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

/**
 * All but the last backup of each of the newest days and weeks (UTC), and the last ones before an upgrade.
 * @param days how many days are kept
 */
function outdated(backups: Backup[], days: number): Backup[] {
  const newestFirst = backups.toSorted((a, b) => b.madeAt - a.madeAt);
  const daily = newestFirst.filter(({ kind }) => kind === "daily");
  const upgrades = newestFirst.filter(({ kind }) => kind === "before_upgrade");
  const kept = new Set([
    ...lastOfEach(daily, dayOf).slice(0, days),
    ...lastOfEach(daily, weekOf).slice(0, WEEKS_KEPT),
    ...upgrades.slice(0, UPGRADES_KEPT),
  ]);
  return newestFirst.filter((backup) => !kept.has(backup));
}

function lastOfEach(newestFirst: Backup[], spanOf: (at: number) => number): Backup[] {
  const spans = newestFirst.map(({ madeAt }) => spanOf(madeAt));
  return newestFirst.filter((_, i) => spans[i] !== spans[i - 1]);
}

const dayOf = (at: number) => Math.floor(at / DAY_MS);

const weekOf = (at: number) => Math.floor((dayOf(at) + DAYS_BEFORE_MONDAY) / 7);
