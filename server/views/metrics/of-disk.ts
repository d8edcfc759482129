import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { backupFolder, type Config, sqlitePath } from "../../config/config.ts";
import { leastRoom, type RoomAt } from "../../ops/upkeep/disk.ts";
import type { Readings } from "./readings.ts";

/** What the files of SQLite take up, and what is left where the server writes. */
export async function readDisk(config: Config, roomAt?: RoomAt): Promise<Readings> {
  const { free, floor } = await leastRoom(config, roomAt);
  const path = sqlitePath(config);
  const ofSqlite = path !== null && {
    database_wal_bytes: await sizeOf(`${path}-wal`),
    backup_last_bytes: await newestBackup(backupFolder(config)),
  };
  return { disk_free_bytes: free, disk_floor_bytes: floor, ...ofSqlite };
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
