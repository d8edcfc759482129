import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  backupFolder,
  type Config,
  SECRET_KEY_FILE,
  sqlitePath,
} from "../../ground/config/config.ts";
import {
  FolderTaken,
  finishPlacing,
  isLocked,
  isPlacing,
  refuseNetworkFs,
  withFolderLock,
} from "../../ground/db/folder.ts";
import { missing, OlderNodes } from "../../ground/db/migrate.ts";
import { migrateToHead, openEngine, ownMigrations, prepareSqlite } from "../../ground/db/open.ts";
import { requireSessions } from "../../ground/db/postgres-pooler.ts";
import { isUnavailable, Refused, type Store } from "../../ground/db/store.ts";
import { versions } from "../../ground/db/tables.ts";
import { type Preparation, prepareInThread } from "../../ground/db/threads.ts";
import type { Clock } from "../../ground/lib/clock.ts";
import { failure, fileFailure } from "../../ground/lib/errors.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { VERSION } from "../../ground/lib/runtime.ts";
import { takeCleanStop } from "./integrity.ts";

/** Called with each step that takes long. */
export type Tell = (doing: string) => void;

/** Brings the database up to date before it is opened; returns the names of the migrations that ran. */
export type Prepare = (config: Config, clock: Clock) => Promise<string[]>;

/** Creates an empty database even where an earlier one has left its key or its backups. */
export type Fresh = { fresh?: boolean };

type ToServe = Fresh & {
  /** Called for a database that is to be verified while it is served. Without it, this is done before. */
  leaveCheck?: () => void;
};

/** After an orderly stop a larger database is verified while it is served: that may take seconds. */
const MEDIUM = 32 * 1024 ** 2;
/** An even larger one is not verified then. */
const LARGE = 2 * 1024 ** 3;
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 10_000];
const OLDER_NODES_WAIT_MS = 2000;
/** Shown without sign-in, so it names neither nodes nor versions. */
const WAITING_FOR_OLDER = "waiting until older nodes are stopped or upgraded";

/** For a server, which holds the lock of the data folder: long work runs off the event loop. */
export const prepareToServe =
  (tell: Tell, { fresh, leaveCheck }: ToServe = {}): Prepare =>
  (config, clock) => {
    const path = sqlitePath(config);
    if (path === null) return waitAndPrepare(config, clock, tell);
    // Not `finishRestore`, which would take and release the lock.
    finishPlacing(path);
    if (!config.allowNetworkFs) refuseNetworkFs(path);
    const size = sizeOf(path);
    const isAsClosed = takeCleanStop(config, path);
    const isLeft = isAsClosed && size >= MEDIUM && size < LARGE && leaveCheck !== undefined;
    if (isLeft) leaveCheck();
    const check = !isLeft && (!isAsClosed || size < LARGE);
    const what = { ...preparation(config, path, clock), check, fresh: fresh === true };
    return asOpened(config, prepareInThread(what, tell));
  };

/** For a command, which may run next to a server and must not change that server's tables. */
export const prepareForCommand: Prepare = (config, clock) => prepareFor({}, config, clock);

/** The same for a command that may create the database. */
export const prepareFresh: Prepare = (config, clock) => prepareFor({ fresh: true }, config, clock);

async function prepareFor({ fresh }: Fresh, config: Config, clock: Clock): Promise<string[]> {
  await finishRestore(config);
  const tell = (doing: string) => log.info(doing);
  const path = sqlitePath(config);
  if (path === null) return preparePostgres(config, clock, tell);
  if (!config.allowNetworkFs) refuseNetworkFs(path);
  const holder = isLocked(config.dataDir);
  const heldBy =
    holder &&
    `The database has to be upgraded first. ${new FolderTaken(config.dataDir, holder).message}`;
  const what = { ...preparation(config, path, clock), heldBy, fresh: fresh === true };
  return asOpened(config, prepareSqlite(what, tell));
}

/** Completes a restore that was killed. @throws while a restore is running */
export async function finishRestore(
  config: Pick<Config, "databaseUrl" | "dataDir">,
): Promise<void> {
  const path = sqlitePath(config);
  if (path === null || !isPlacing(path)) return;
  await withFolderLock(config.dataDir, async () => finishPlacing(path));
}

/** Records that this version serves the database, so that an older one can name it. */
export async function noteVersion(store: Store, clock: Clock): Promise<void> {
  const row = { version: VERSION, firstStartedAt: clock.now() };
  await store.insert(versions).values(row).onConflictDoNothing();
}

/**
 * Creates the data folder, or closes the existing one to other users.
 * @throws when it cannot be closed, or belongs to something else, such as `/tmp`, that others may need
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

/** Every permission of the group and of all others. */
const OTHERS = 0o077;

/** Adds what to check to an error that does not say it. */
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

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Waits for a database that is not up yet, since servers may start in any order. Other errors end it: a wrong password,
 * or no database of that name.
 */
async function waitAndPrepare(config: Config, clock: Clock, tell: Tell): Promise<string[]> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await preparePostgres(config, clock, tell, (upgrade) =>
        whenOlderAreGone(clock, tell, upgrade),
      );
    } catch (error) {
      if (!(error instanceof Error) || !isUnavailable(error.cause ?? error)) throw error;
      if (waitMs === FIRST_WAIT_MS) {
        log.warning("database unavailable: waiting", describeError(error.cause ?? error));
        tell("waiting for the database");
      }
    }
    await clock.sleep(waitMs);
  }
}

/** Makes no copy: the operator's own dump is better. */
async function preparePostgres(
  config: Config,
  clock: Clock,
  tell: Tell,
  run: <T>(upgrade: () => Promise<T>) => Promise<T> = (upgrade) => upgrade(),
): Promise<string[]> {
  // Without the time limit, a server that lost the connection would hold the upgrade's lock for hours.
  const options = { timeoutMs: config.databaseTimeoutMs };
  const engine = openEngine(config.databaseUrl, options);
  try {
    await asOpened(config, requireSessions(config.databaseUrl, options));
    const applied = await asOpened(config, engine.applied());
    const pending = missing(engine.name, ownMigrations(), applied);
    if (applied.length > 0 && pending.length > 0) {
      log.warning("upgrading the PostgreSQL database without a copy: make your own dump");
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

/** Upgrades as soon as no node is alive that could not work with the result; older nodes work until then. */
export async function whenOlderAreGone<T>(
  { sleep }: Pick<Clock, "sleep">,
  tell: Tell,
  upgrade: () => Promise<T>,
): Promise<T> {
  let logged = "";
  for (;;) {
    try {
      return await upgrade();
    } catch (error) {
      if (!(error instanceof OlderNodes)) throw error;
      if (error.waiting !== logged) {
        log.info(error.waiting);
        tell(WAITING_FOR_OLDER);
      }
      logged = error.waiting;
      await sleep(OLDER_NODES_WAIT_MS);
    }
  }
}
