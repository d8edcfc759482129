import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";

const IN_USE = "Another process uses the database. Stop the server and every other command first.";

/** @throws when any process has the database open, whoever's program it is */
export function refuseUsed(path: string): void {
  if (!existsSync(path)) return;
  let database: Database | undefined;
  try {
    database = new Database(path, { readwrite: true });
    takeOrRefuse(database);
  } catch (error) {
    // Of what is damaged this cannot be asked, and it may be the reason why it is replaced.
    if ((error as Error).message === IN_USE) throw error;
  } finally {
    database?.close(true);
  }
}

function takeOrRefuse(database: Database) {
  try {
    database.run("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    const isTaken = error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY");
    throw isTaken ? new Error(IN_USE, { cause: error }) : error;
  }
}
