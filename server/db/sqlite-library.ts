import type { Database } from "bun:sqlite";

/** Older ones can corrupt a WAL database that two connections write (sqlite.org/wal.html#walresetbug). */
const OLDEST = "3.51.3";

export function libraryVersion(database: Database): string {
  const statement = database.prepare("SELECT sqlite_version()");
  const [[version]] = statement.values() as [[string]];
  statement.finalize();
  return version;
}

/** On some systems the runtime uses the library of the system, whatever its age. */
export function refuseOldLibrary(version: string): void {
  if (Bun.semver.order(version, OLDEST) >= 0) return;
  throw new Error(
    `SQLite ${version} is too old to keep data safely; ${OLDEST} or newer is needed. Update the system, or use the released executable.`,
  );
}
