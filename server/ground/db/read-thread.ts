import { Database } from "bun:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { Query, Rows } from "./store.ts";
import type { FromThread, ToThread } from "./threads.ts";

const database = new Database(workerData as string, { readwrite: true, strict: true });
database.run(`
  PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA synchronous = FULL;
`);

parentPort?.on("message", (message: ToThread) => {
  if (message === "end") {
    database.close(true);
    process.exit();
  }
  if (message === "checkpoint") return checkpoint();
  parentPort?.postMessage(answer(message));
});

/** Does not wait for readers and writers: the next checkpoint does the rest. */
function checkpoint(): void {
  try {
    database.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // The writer does it once the journal is too large, and reports the error.
  }
}

function answer({ id, query }: Exclude<ToThread, string>): FromThread {
  try {
    return { id, rows: read(query) };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { id, error: { message, code } };
  }
}

function read({ sql, params }: Query): Rows {
  const statement = database.prepare(sql);
  try {
    return statement.values(...(params as string[])) as Rows;
  } finally {
    statement.finalize();
  }
}
