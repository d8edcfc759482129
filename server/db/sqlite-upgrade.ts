import type { Database } from "bun:sqlite";
import { inTransaction } from "./sqlite-access.ts";
import { valuesOf } from "./sqlite-file.ts";
import { type Applied, MIGRATIONS_TABLE, type Upgrade } from "./store.ts";

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
