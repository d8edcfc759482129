import { Database } from "bun:sqlite";
import { Damaged } from "./store.ts";

/** Opens the database read-only, waits for a writer that locks it, and closes it in any case. */
export function reading<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 5000");
    return work(database);
  } finally {
    database.close(true);
  }
}

/** Runs a query once. A statement that stays prepared would keep the file from being closed. */
export function valuesOf(database: Database, sql: string): unknown[][] {
  const statement = database.prepare(sql);
  try {
    return statement.values();
  } finally {
    statement.finalize();
  }
}

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether an SQLite error says that the file is damaged. Works for errors from threads too, which have only a code. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Damaged || DAMAGE.test((error as { code?: string } | null)?.code ?? "");

const CHECKS = { quick: "quick_check", full: "integrity_check" };

/**
 * Checks the whole file, which blocks the thread for about a second per gigabyte. `quick` does not compare indexes with
 * their tables.
 * @throws Damaged with the first problem found
 */
export function checkDatabase(path: string, kind: "quick" | "full"): void {
  try {
    const verdict = reading(path, (database) => {
      database.run("PRAGMA mmap_size = 0");
      return database.query(`PRAGMA ${CHECKS[kind]}(1)`).values()[0]![0] as string;
    });
    if (verdict !== "ok") throw new Damaged(verdict);
  } catch (error) {
    throw isDamage(error) ? new Damaged((error as Error).message) : error;
  }
}

/** Older versions can corrupt a WAL database that two connections write (sqlite.org/wal.html#walresetbug). */
const OLDEST_LIBRARY = "3.51.3";

export const libraryVersion = (database: Database): string =>
  String(valuesOf(database, "SELECT sqlite_version()")[0]![0]);

/** On some systems the runtime uses the SQLite library of the system, which may be old. */
export function refuseOldLibrary(version: string): void {
  if (Bun.semver.order(version, OLDEST_LIBRARY) >= 0) return;
  throw new Error(
    `SQLite ${version} is too old to keep data safe; ${OLDEST_LIBRARY} or newer is required. Update the system, or use the released executable.`,
  );
}
