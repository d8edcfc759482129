import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { backupFolder, type Config, sqlitePath } from "../config.ts";
import { floorOf, readRoom } from "../upkeep/disk.ts";
import type { Readings } from "./readings.ts";

/** What the data folder and the files of SQLite take up, and what is left beside them. */
export async function readDisk(config: Config): Promise<Readings> {
  const room = await readRoom(config.dataDir);
  const path = sqlitePath(config);
  const ofSqlite = path !== null && {
    database_wal_bytes: await sizeOf(`${path}-wal`),
    backup_last_bytes: await newestBackup(backupFolder(config)),
  };
  return { disk_free_bytes: room.free, disk_floor_bytes: floorOf(config, room), ...ofSqlite };
}

/** Null where there is no such file. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** By name, which ends in the moment it was made. */
async function newestBackup(folder: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const newest = names
    .filter((name) => /^stillup-\d.*\.db$/.test(name))
    .sort()
    .at(-1);
  return newest ? sizeOf(join(folder, newest)) : null;
}
