import { Database } from "bun:sqlite";
import { onTestFinished } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDeps } from "../../server/app/build.ts";
import { readConfig } from "../../server/ground/config/config.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";

/** A folder that is gone when the test is. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stillup-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An installation on disk, with a mark by which it is known. */
export async function newHome(mark: string, settings: Record<string, string> = {}) {
  const dataDir = newFolder();
  const config = readConfig({ ...settings, STILLUP_DATA_DIR: dataDir, STILLUP_SENTINELS: "" });
  const { deps } = await openDeps(config, systemClock);
  await deps.store.engine.close();
  const path = join(dataDir, "stillup.db");
  setMark(path, mark);
  return { dataDir, path, config };
}

export function setMark(path: string, mark: string) {
  withDatabase(path, (database) =>
    database.run("insert or replace into versions values ('mark', 0), (?, 1)", [mark]),
  );
}

/** The marks that were ever set, in the order of the alphabet. */
export const marksOf = (path: string): string[] =>
  withDatabase(path, (database) =>
    database
      .query("select version from versions where first_started_at = 1 order by version")
      .values()
      .map(([mark]) => String(mark)),
  );

export const isWhole = (path: string): boolean =>
  withDatabase(
    path,
    (database) => database.query("pragma integrity_check").values()[0]![0] === "ok",
  );

export function withDatabase<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("pragma busy_timeout = 5000");
    return work(database);
  } finally {
    database.close(true);
  }
}

/** Sets a mark that stands in the journal only, as if the program had been killed a moment later. */
export function setMarkInJournal(path: string, mark: string) {
  const left = `${path}.left`;
  const database = new Database(path, { readwrite: true });
  database.run("pragma wal_autocheckpoint = 0; pragma journal_mode = wal");
  database.run("insert into versions values (?, 1)", [mark]);
  for (const end of ["", "-wal", "-shm"]) copyFileSync(path + end, left + end);
  database.close(true);
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(path + end, { force: true });
    copyFileSync(left + end, path + end);
    rmSync(left + end);
  }
}

/** Makes the database so large that copying it takes a while. */
export function grow(path: string, megabytes: number) {
  withDatabase(path, (database) =>
    database.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into versions select i || hex(randomblob(500)), 0 from n`,
      [megabytes * 1000],
    ),
  );
}
