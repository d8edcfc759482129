import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupFolder, type Config, SECRET_KEY_FILE, sqlitePath } from "../../config/config.ts";
import {
  FolderTaken,
  finishPlacing,
  isLocked,
  isPlacing,
  refuseNetworkFs,
  withFolderLock,
} from "../../db/folder.ts";
import { missing } from "../../db/migrate.ts";
import {
  migrateToHead,
  openEngine,
  ownMigrations,
  type Preparation,
  prepareSqlite,
} from "../../db/open.ts";
import { isUnavailable, Refused } from "../../db/store.ts";
import { prepareInThread } from "../../db/threads.ts";
import type { Clock } from "../../lib/clock.ts";
import { failure, fileFailure } from "../../lib/errors.ts";
import { describeError, log } from "../../lib/log.ts";
import { takeCleanStop } from "./clean-stop.ts";
import { type Upgrading, whenOlderAreGone } from "./older-nodes.ts";

/** Called with each step that takes long. */
export type Tell = (doing: string) => void;

/** Brings the database up to date before it is opened; gives the names of the migrations that ran. */
export type Prepare = (config: Config, clock: Clock) => Promise<string[]>;

/** Makes an empty database even where an earlier one has left its key or its backups. */
export type Fresh = { fresh?: boolean };

/** A database larger than this is not looked through after a stop in order: it would take seconds. */
const LARGE = 2 * 1024 ** 3;

/** For a server, which has the data folder for itself: long work runs off the event loop. */
export const prepareToServe =
  (tell: Tell, { fresh }: Fresh = {}): Prepare =>
  (config, clock) => {
    const path = sqlitePath(config);
    if (path === null) return waitAndPrepare(config, clock, tell);
    // Not by `finishRestore`, which would take and let go of the lock that is ours already.
    finishPlacing(path);
    if (!config.allowNetworkFs) refuseNetworkFs(path);
    const check = !takeCleanStop(config, path) || sizeOf(path) < LARGE;
    const what = { ...preparation(config, path, clock), check, fresh: fresh === true };
    return asOpened(config, prepareInThread(what, tell));
  };

/** For a command, which may run next to a server: it must not change that server's tables. */
export const prepareForCommand: Prepare = (config, clock) => prepareFor({}, config, clock);

/** The same for a command that may begin with an empty database. */
export const prepareFresh: Prepare = (config, clock) => prepareFor({ fresh: true }, config, clock);

async function prepareFor({ fresh }: Fresh, config: Config, clock: Clock): Promise<string[]> {
  await finishRestore(config);
  const tell = (doing: string) => log.info(doing);
  const path = sqlitePath(config);
  if (path === null) return preparePostgres(config, clock, tell, (upgrade) => upgrade());
  if (!config.allowNetworkFs) refuseNetworkFs(path);
  const holder = isLocked(config.dataDir);
  const heldBy =
    holder &&
    `The database has to be upgraded first. ${new FolderTaken(config.dataDir, holder).message}`;
  const what = { ...preparation(config, path, clock), heldBy, fresh: fresh === true };
  return asOpened(config, prepareSqlite(what, tell));
}

/**
 * Makes the data folder, or closes the existing one to other users.
 * @throws when it cannot be closed, or is a folder of something else, such as `/tmp`, that others may need
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure("The data folder cannot be made", error, "Check STILLUP_DATA_DIR.");
  }
  if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return;
  const files = readdirSync(path).filter((name) => name !== "lost+found");
  if (files.length > 0 && !OWN_FILES.some((name) => files.includes(name))) {
    const what = "The data folder is open to other users and holds other files";
    const hint = "Check STILLUP_DATA_DIR: it must be an empty folder, or one with mode 0700.";
    throw fileFailure(what, new Error(path), hint);
  }
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    const hint =
      "Give the folder to the user that this runs as, with chmod 700, or check STILLUP_DATA_DIR.";
    throw fileFailure("The data folder is open to other users and cannot be closed", error, hint);
  }
}

/** Any of these shows that a folder holds the data of an installation. */
const OWN_FILES = ["stillup.db", "stillup.lock", SECRET_KEY_FILE, "setup-token"];

/** What the group and all others may do. */
const OTHERS = 0o077;

/** An error that says nothing of what to do is one of opening. */
export const asOpened = <T>(config: Config, opening: Promise<T>): Promise<T> =>
  opening.catch((error) => {
    if (error instanceof Refused) throw error;
    const fail = sqlitePath(config) === null ? failure : fileFailure;
    const hint = "Check STILLUP_DATABASE_URL and STILLUP_DATA_DIR.";
    throw fail("The database cannot be opened", error, hint);
  });

const preparation = (config: Config, path: string, clock: Clock): Preparation => ({
  path,
  backups: backupFolder(config),
  keyFile: join(config.dataDir, SECRET_KEY_FILE),
  fresh: false,
  check: false,
  copy: config.upgradeBackup,
  heldBy: null,
  now: clock.now(),
});

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 10_000];

/**
 * Servers of a whole may start in any order, so that one whose database is not there yet waits for it. What
 * does not mend by itself ends it: a wrong password, or no database of that name.
 */
async function waitAndPrepare(config: Config, clock: Clock, tell: Tell): Promise<string[]> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await preparePostgres(config, clock, tell, whenOlderAreGone(clock, tell));
    } catch (error) {
      if (!(error instanceof Error) || !isUnavailable(error.cause ?? error)) throw error;
      if (waitMs === FIRST_WAIT_MS) {
        log.warning("the database is not there yet", describeError(error.cause ?? error));
        tell("waiting for the database");
      }
    }
    await clock.sleep(waitMs);
  }
}

/** Its copies are its operator's: we could not make one that is as good. */
async function preparePostgres(
  config: Config,
  clock: Clock,
  tell: Tell,
  run: Upgrading,
): Promise<string[]> {
  // Else a server that this process was cut off from would hold the upgrade's lock for hours.
  const engine = openEngine(config.databaseUrl, { timeoutMs: config.databaseTimeoutMs });
  try {
    const applied = await asOpened(config, engine.applied());
    const pending = missing(engine.name, ownMigrations(), applied);
    if (applied.length > 0 && pending.length > 0) {
      log.warning("the PostgreSQL database is upgraded without a copy; a dump is yours to make");
    }
    return await run(() =>
      migrateToHead(engine, clock.now(), ({ n, of, name }) =>
        tell(`upgrading the database: ${n} of ${of}, ${name}`),
      ),
    );
  } finally {
    await engine.close();
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * For everyone who opens the database: goes on with a restore that was killed.
 * @throws when it is under way still
 */
export async function finishRestore(
  config: Pick<Config, "databaseUrl" | "dataDir">,
): Promise<void> {
  const path = sqlitePath(config);
  if (path === null || !isPlacing(path)) return;
  await withFolderLock(config.dataDir, async () => finishPlacing(path));
}
