import type { Database } from "bun:sqlite";

/** Synchronous from begin to commit, so nothing of another request can come between. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.run("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.run("COMMIT");
    return result;
  } catch (error) {
    // A full disk or a failed commit has rolled back already.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}
