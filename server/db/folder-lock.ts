import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileFailure } from "../lib/errors.ts";

/** Held until `release`, or until the process ends. */
export type FolderLock = { release(): void };

/** The process that holds a folder, as far as known. */
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
 * Locks the folder for one server. SQLite takes a kernel lock on a file, which ends with the process, even if that is
 * killed, and works between containers that share the folder.
 * @throws FolderTaken, or an error that says what to do if the folder is not writable
 */
export function lockFolder(folder: string): FolderLock {
  let database: Database | undefined;
  try {
    database = new Database(join(folder, LOCK), { create: true, readwrite: true });
    database.run(`PRAGMA busy_timeout = ${LOOK_MS}; BEGIN EXCLUSIVE`);
    // Not in the locked file: closing that after reading it would release the lock of its own process.
    writeFileSync(join(folder, HOLDER), `${process.pid} ${hostname()}\n`);
  } catch (error) {
    database?.close(true);
    throw isBusy(error) ? new FolderTaken(folder, holderOf(folder)) : notLocked(folder, error);
  }
  const held = database;
  return { release: () => held.close(true) };
}

/** Returns the process that holds the folder; null if none does. */
export function isLocked(folder: string): Holder | null {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return null;
  let database: Database | undefined;
  try {
    database = new Database(path, { create: false, readwrite: true });
    // Only reads: several processes may look at the same time without mistaking each other for a server.
    database.run("PRAGMA busy_timeout = 0; SELECT 1 FROM sqlite_schema");
    return null;
  } catch (error) {
    if (isBusy(error)) return holderOf(folder);
    throw notLocked(folder, error);
  } finally {
    database?.close(true);
  }
}

/** Does the work while no server can start on the folder. @throws FolderTaken if one runs */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = lockFolder(folder);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** A command that only looks holds the lock for less than this. */
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

const IN_USE = "Another process uses the database. Stop the server and every other command first.";

/** @throws if any process, of whatever program, has the database open */
export function refuseUsed(path: string): void {
  if (!existsSync(path)) return;
  let database: Database | undefined;
  try {
    database = new Database(path, { readwrite: true });
    database.run("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    // A damaged database gives other errors. It may be replaced for that reason, so they are ignored.
    if (isBusy(error)) throw new Error(IN_USE, { cause: error });
  } finally {
    database?.close(true);
  }
}
