import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Config } from "../../config/config.ts";
import { backupFolder } from "../../config/config.ts";
import { type BackupFile, backupsIn, cutShortIn } from "../../db/backup-files.ts";
import { notFound } from "../../lib/errors.ts";
import type { Backup } from "./model.ts";
import { outdated } from "./rotate.ts";

type Place = Pick<Config, "dataDir">;

/** Makes the folder, for its owner's eyes only. */
export function makeBackupFolder(config: Place): string {
  const folder = backupFolder(config);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Newest first. Other files are left out. */
export const listBackups = (config: Place): (Backup & BackupFile)[] =>
  backupsIn(backupFolder(config)).filter((file) => isOurs(file));

/** @throws NOT_FOUND, also for a file that is there and not ours */
export function requireBackup(config: Place, name: string): Backup & BackupFile {
  const found = listBackups(config).find((backup) => backup.name === name);
  if (!found) throw notFound("backup");
  return found;
}

/** Removes what was cut short, whose room may be needed for the next one. */
export const clearCutShort = (config: Place): Promise<void> =>
  removeAll(cutShortIn(backupFolder(config), "daily"));

/** Removes what has had its time. `newest` stays, whatever the clock did. */
export async function rotate(config: Place & Pick<Config, "backupKeep">, newest: string) {
  const old = outdated(listBackups(config), config.backupKeep);
  await removeAll(old.filter(({ name }) => name !== newest).map(({ path }) => path));
}

/** Off the event loop: deleting a large file takes a moment. */
export async function removeAll(paths: string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

const isOurs = (file: BackupFile): file is Backup & BackupFile => file.kind !== null;
