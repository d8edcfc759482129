import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileFailure } from "../lib/errors.ts";

/** Held until `release`, or until the process ends in whatever way. */
export type FolderLock = { release(): void };

/** Who holds a folder, as far as that is known. */
type Holder = { pid: number | null; host: string | null };

/** Another process has the folder. */
export class FolderTaken extends Error {
  constructor(folder: string, { pid, host }: Holder) {
    const elsewhere = host !== null && host !== hostname() ? ` on ${host}` : "";
    super(
      `Another Stillup (process ${pid ?? "unknown"}${elsewhere}) uses the data folder ${folder}. ` +
        "Stop it first, or give this one a folder of its own with STILLUP_DATA_DIR.",
    );
  }
}

/**
 * Takes the folder for one server. The lock is the kernel's, which SQLite puts on a file: it ends with the
 * process, even one that is killed, and holds between containers that share the folder.
 * @throws FolderTaken; a sentence that says what to do when the folder may not be written
 */
export function lockFolder(folder: string): FolderLock {
  let database: Database | undefined;
  try {
    database = new Database(join(folder, LOCK), { create: true, readwrite: true });
    database.run(`PRAGMA busy_timeout = ${LOOK_MS}; BEGIN EXCLUSIVE`);
    // Beside the locked file: to read that one would let go of the lock in its own process.
    writeFileSync(join(folder, HOLDER), `${process.pid} ${hostname()}\n`);
  } catch (error) {
    database?.close(true);
    throw isBusy(error) ? new FolderTaken(folder, holderOf(folder)) : notLocked(folder, error);
  }
  const held = database;
  return { release: () => held.close(true) };
}

/** Who runs on the folder now; null when nobody does. */
export function isLocked(folder: string): Holder | null {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return null;
  let database: Database | undefined;
  try {
    database = new Database(path, { create: false, readwrite: true });
    // Only to read: others may look at the same time, and none takes another for a server.
    database.run("PRAGMA busy_timeout = 0; SELECT 1 FROM sqlite_schema");
    return null;
  } catch (error) {
    if (isBusy(error)) return holderOf(folder);
    throw notLocked(folder, error);
  } finally {
    database?.close(true);
  }
}

/** Does the work while no server can start on the folder. @throws FolderTaken when one runs */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = lockFolder(folder);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** A command that looks who is there is in the way for less than this. */
const LOOK_MS = 1000;
const LOCK = "stillup.lock";
const HOLDER = "stillup.pid";

const notLocked = (folder: string, error: unknown) =>
  fileFailure(
    "The data folder cannot be locked",
    error,
    `Check STILLUP_DATA_DIR, and who may write to ${folder}.`,
  );

const isBusy = (error: unknown) =>
  error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY") === true;

function holderOf(folder: string): Holder {
  const path = join(folder, HOLDER);
  const [pid, host] = existsSync(path) ? readFileSync(path, "utf8").trim().split(" ") : [];
  return { pid: pid ? Number(pid) : null, host: host ?? null };
}
