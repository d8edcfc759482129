import { Database, SQLiteError } from "bun:sqlite";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileFailure } from "../lib/errors.ts";
import { sizeText } from "../lib/text.ts";

/** Held until `release`, or until the process ends. */
type FolderLock = { release(): void };

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

/** Type numbers of statfs(2) on Linux of file systems whose locks other machines do not see reliably. */
const NETWORK: Record<number, string> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "CIFS",
  1702057286: "FUSE",
  16914839: "9p",
  1397113167: "AFS",
  12805120: "Ceph",
  2020557398: "a VirtualBox shared folder",
  3133910204: "a VMware shared folder",
};

/**
 * Refuses network file systems: SQLite relies on locks and shared memory, which do not work reliably there, so the
 * database would be damaged sooner or later.
 * @param typeOf returns the type number of the folder's file system
 */
export function refuseNetworkFs(database: string, typeOf = typeOfFolder): void {
  const folder = dirname(resolve(database));
  const name = existsSync(folder) ? NETWORK[typeOf(folder) >>> 0] : undefined;
  if (name === undefined) return;
  throw new Error(
    `The database ${database} is on a network file system (${name}), where SQLite cannot keep it consistent. ` +
      "Put STILLUP_DATA_DIR on a local disk, or use PostgreSQL with STILLUP_DATABASE_URL. If the disk is " +
      "local anyway, set STILLUP_ALLOW_NETWORK_FS=true.",
  );
}

/** On other systems than Linux the numbers have other meanings. */
const typeOfFolder = (folder: string): number =>
  process.platform === "linux" ? statfsSync(folder).type : 0;

/** The disk has too little room for what would be written. */
export class NoRoom extends Error {}

/** @throws NoRoom if the folder's disk has fewer free bytes than needed */
export function refuseWithoutRoom(folder: string, needed: number): void {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  // Some file systems report no numbers.
  if (blocks === 0 || free >= needed) return;
  throw new NoRoom(
    `The copy needs ${sizeText(needed)}, and the disk of ${folder} has ${sizeText(free)} free. Free some space there.`,
  );
}

/** Makes a file, or the names in a folder, survive a power cut. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Files that SQLite keeps next to a database. The new database must not find those of the old one. */
const COMPANIONS = ["-wal", "-shm"];

/** The name of a complete database that will replace the one at `path`. */
export const readyName = (path: string, stamp: string) => `${path}.restored-${stamp}`;

/** The name that the replaced database gets. */
export const asideName = (path: string, stamp: string) => `${path}.before-restore-${stamp}`;

/**
 * Replaces the database at `path` by the one with the ready name, and keeps the old one with its journal. Once a ready
 * database exists there is no way back: if the process is killed, the next caller continues. Yields after each step.
 */
export function* placing(path: string): Generator<string, void> {
  const ready = findReady(path);
  if (ready === null) return;
  const aside = asideName(path, ready.slice(readyName(path, "").length));
  for (const part of [...COMPANIONS, ""]) {
    if (moveAside(path + part, aside + part)) yield `moved ${part || "the database"}`;
  }
  renameSync(ready, path);
  yield "placed";
  syncToDisk(dirname(path));
}

/** Finishes a replacement that was started before, if any. */
export function finishPlacing(path: string): void {
  for (const _step of placing(path));
}

/** Whether a replacement was started and not finished. */
export const isPlacing = (path: string) => findReady(path) !== null;

function findReady(path: string): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return null;
  const start = readyName(basename(path), "");
  // Excludes copies that are still being verified, and their journals.
  const found = readdirSync(folder).find((name) => name.startsWith(start) && /Z$/.test(name));
  return found ? join(folder, found) : null;
}

function moveAside(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  // Never overwrites a database that was kept earlier.
  renameSync(from, existsSync(to) ? `${to}.${Date.now()}` : to);
  return true;
}
