import type { Database } from "bun:sqlite";
import { inTransaction } from "./sqlite-transaction.ts";
import { valuesOf } from "./sqlite-values.ts";
import { type Applied, MIGRATIONS_TABLE, type Upgrade } from "./store.ts";

/**
 * Runs what the database lacks, all of it or nothing.
 * @throws when rows would be left that refer to none
 */
export function upgradeSqlite(database: Database, { at, choose, onStep }: Upgrade): string[] {
  // Else a table that is made anew would take along all that refers to it. Inside a transaction this
  // would do nothing.
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

/** Nobody else goes on beside an upgrade. */
export const unshared = (name: string): Applied => ({ name, oldest: null });

/** The names of the migrations that the database has: none in a new one. */
export function appliedTo(database: Database): string[] {
  const has = "select 1 from sqlite_master where type = 'table' and name = 'migrations'";
  if (valuesOf(database, has).length === 0) return [];
  return valuesOf(database, "select name from migrations").map(([name]) => name as string);
}

/**
 * STRICT tables refuse a text in a number's column; they know INTEGER, not BIGINT. A table whose primary
 * key is also the order of its rows says so in a comment, which PostgreSQL does not read.
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
