import { Database } from "bun:sqlite";
import { type Applied, Damaged, MIGRATIONS_TABLE, type Upgrade } from "./store.ts";

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

/** Runs synchronous work in a transaction. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.run("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.run("COMMIT");
    return result;
  } catch (error) {
    // A full disk or a failed commit may have rolled back already.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

/**
 * Runs the chosen migrations in one transaction.
 * @throws if rows would refer to missing rows afterwards
 */
export function upgradeSqlite(database: Database, { at, choose, onStep }: Upgrade): string[] {
  // Otherwise replacing a table would delete the rows that refer to it. Has no effect inside a transaction.
  database.run("PRAGMA foreign_keys = OFF");
  try {
    return inTransaction(database, () => {
      database.run(MIGRATIONS_TABLE);
      const pending = choose(appliedTo(database).map(unshared), []);
      for (const [i, { name, statements }] of pending.entries()) {
        onStep({ n: i + 1, of: pending.length, name });
        database.run("insert into migrations (name, applied_at) values (?, ?)", [name, at]);
        database.run(toStrict(statements));
      }
      if (pending.length > 0) refuseOrphans(database);
      return pending.map(({ name }) => name);
    });
  } finally {
    database.run("PRAGMA foreign_keys = ON");
  }
}

/** No other process runs next to an upgrade of SQLite. */
export const unshared = (name: string): Applied => ({ name, oldest: null });

/** Returns the names of the applied migrations; none for a new database. */
export function appliedTo(database: Database): string[] {
  const has = "select 1 from sqlite_master where type = 'table' and name = 'migrations'";
  if (valuesOf(database, has).length === 0) return [];
  return valuesOf(database, "select name from migrations").map(([name]) => name as string);
}

/**
 * STRICT tables refuse text in a column of numbers. They have INTEGER, not BIGINT. A table that is stored in the order
 * of its primary key says so in a comment, which PostgreSQL ignores.
 */
const toStrict = (statements: string) =>
  statements
    .replaceAll("BIGINT", "INTEGER")
    .replaceAll(") /* WITHOUT ROWID */;", ") STRICT, WITHOUT ROWID;")
    .replace(/^\);$/gm, ") STRICT;");

function refuseOrphans(database: Database) {
  const [orphan] = valuesOf(database, "PRAGMA foreign_key_check");
  if (orphan)
    throw new Error(`rows of ${orphan[0]} would refer to rows of ${orphan[2]} that do not exist`);
}
