import { Database } from "bun:sqlite";

/** Opens the database only to read, waits for whoever holds it up, and closes it whatever comes of the work. */
export function reading<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    database.run("PRAGMA busy_timeout = 5000");
    return work(database);
  } finally {
    database.close(true);
  }
}
