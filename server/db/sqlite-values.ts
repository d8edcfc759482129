import type { Database } from "bun:sqlite";

/** Prepared for this once: what stays prepared would keep the file from being closed. */
export function valuesOf(database: Database, sql: string): unknown[][] {
  const statement = database.prepare(sql);
  try {
    return statement.values();
  } finally {
    statement.finalize();
  }
}
