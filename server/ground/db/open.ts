import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describeError } from "../lib/log.ts";
import { assetFolder, readTexts, VERSION } from "../lib/runtime.ts";
import {
  backupsIn,
  beforeUpgradeName,
  copyDatabase,
  cutShortIn,
  isSameUpgrade,
  newestBeforeUpgrade,
  newestGoodBackup,
  restoreCommand,
} from "./backup-files.ts";
import { NoRoom } from "./folder.ts";
import { migrate, missing, NewerDatabase } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import type { PostgresOptions } from "./postgres-pool.ts";
import { openSqlite, type SqliteOptions } from "./sqlite.ts";
import { appliedTo, checkDatabase, isDamage, reading, unshared } from "./sqlite-file.ts";
import { type Engine, type Migration, Refused, type Upgrade } from "./store.ts";
import type { Preparation } from "./threads.ts";

/** @param url `sqlite:PATH` or `postgres://…`; each uses its own options and ignores the others */
export function openEngine(url: string, options?: SqliteOptions & PostgresOptions): Engine {
  if (!url.startsWith("sqlite:")) return openPostgres(url, options);
  const path = url.slice("sqlite:".length);
  const engine = openSqlite(path, options);
  chmodSync(path, 0o600);
  return engine;
}

/** Runs the missing migrations of this program, and returns their names. */
export const migrateToHead = (
  engine: Engine,
  now: number,
  onStep?: Upgrade["onStep"],
): Promise<string[]> => migrate(engine, ownMigrations(), now, onStep);

/** The migrations of this program, for both databases. */
export const ownMigrations = (): Migration[] =>
  readTexts(assetFolder("drizzle")).map(({ name, text }) => ({ name, statements: text }));

/** A database that this program can read has no other migrations. */
export const ownMigrationNames = (): Set<string> =>
  new Set(ownMigrations().map(({ name }) => name));

/** However long another process takes to upgrade, waiting for its end is right. */
const UPGRADE_WAIT_MS = 3_600_000;
/** The copies made before this many upgrades are kept. */
export const UPGRADES_KEPT = 3;

/**
 * Checks the database, copies it and upgrades it, as far as needed. Blocks the thread meanwhile.
 * @param report receives what is being done, whenever that may take long
 * @param files all migrations of this program
 * @returns the names of the migrations that ran
 * @throws Refused if the database is damaged, lost, newer than this program, or cannot be upgraded
 */
export async function prepareSqlite(
  what: Preparation,
  report: (doing: string) => void,
  files = ownMigrations(),
): Promise<string[]> {
  const known = new Set(files.map(({ name }) => name));
  if (!what.fresh) refuseLost(what, known);
  try {
    if (what.check && sizeOf(what.path) > 0) {
      report("checking the database");
      checkDatabase(what.path, "quick");
    }
    return await upgrade(what, files, report);
  } catch (error) {
    if (isDamage(error)) throw new Refused(damagedWithNewest(what.path, what.backups, known));
    if (error instanceof NewerDatabase) throw new Refused(newerMessage(what, known, error));
    throw error;
  }
}

/** Returns what to do about a damaged database, given its newest known copy. */
export function damaged(path: string, newest: string | null): string {
  const advice = newest
    ? `Stop the server and run: ${restoreCommand(newest)}`
    : "The backup folder has no intact copy: restore one from elsewhere with `stillup restore FILE`";
  return `The database ${path} is damaged and cannot be trusted. ${advice}.`;
}

/** The same, after reading the copies in the folder to find an intact one. */
export const damagedWithNewest = (
  path: string,
  backups: string,
  known = ownMigrationNames(),
): string => damaged(path, newestGoodBackup(backups, known));

/** An empty database in place of a lost one would look like a healthy installation without links. */
function refuseLost({ path, backups, keyFile }: Preparation, known: Set<string>): void {
  if (sizeOf(path) > 0) return;
  const left = [
    ...(sizeOf(keyFile) > 0 ? [keyFile] : []),
    ...(backupsIn(backups).length > 0 ? [backups] : []),
  ];
  if (left.length === 0) return;
  const what = existsSync(path)
    ? `The database ${path} is empty (0 bytes)`
    : `There is no database ${path}`;
  const newest = newestGoodBackup(backups, known);
  const restore = newest
    ? `To restore the newest backup, run \`${restoreCommand(newest)}\`.`
    : "The backup folder has no intact backup: restore one from elsewhere with `stillup restore FILE`.";
  throw new Refused(
    `${what}, but ${left.join(" and ")} ${left.length > 1 ? "show" : "shows"} that there was one. ` +
      `${restore} To start with an empty database, run \`stillup serve --fresh\`.`,
  );
}

async function upgrade(what: Preparation, files: Migration[], report: (doing: string) => void) {
  const applied = sizeOf(what.path) > 0 ? reading(what.path, appliedTo).map(unshared) : [];
  const [first] = missing("sqlite", files, applied);
  if (!first) return [];
  if (applied.length > 0) await copyFirst(what, first.name, report);
  const engine = openEngine(`sqlite:${what.path}`, { waitMs: UPGRADE_WAIT_MS });
  try {
    return await migrate(engine, files, what.now, ({ n, of, name }) =>
      report(`upgrading the database: ${n} of ${of}, ${name.replace(/(\.sqlite)?\.sql$/, "")}`),
    ).catch(refuseUpgrade);
  } finally {
    await engine.close();
  }
}

async function copyFirst(what: Preparation, first: string, report: (doing: string) => void) {
  if (what.heldBy) throw new Refused(what.heldBy);
  if (!what.copy) return;
  report("copying the database before its upgrade");
  const copied = copyBeforeUpgrade(what.path, what.backups, first, what.now);
  const copy = await copied.catch((error) => {
    if (isDamage(error)) throw error;
    throw new Refused(describeError(error).error);
  });
  // Only the file name: anyone who can reach the server may read what it is doing.
  report(`copied the database to ${basename(copy)}`);
}

/**
 * Copies the database before its first missing migration runs, and verifies the copy.
 * @returns the path of the copy
 * @throws if there is no room, or the database is inconsistent
 */
async function copyBeforeUpgrade(
  path: string,
  folder: string,
  migration: string,
  now: number,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  deleteUnfinished(folder);
  const name = beforeUpgradeName(migration, now);
  const target = join(folder, name);
  await copyDatabase(path, target).catch((error) => {
    if (!(error instanceof NoRoom)) throw error;
    throw new Error(
      `The database must be upgraded, and is copied first. ${error.message} ` +
        "To upgrade without a copy, set STILLUP_UPGRADE_BACKUP=false.",
    );
  });
  deleteOlderCopies(folder, name);
  return target;
}

/** Deletes the unfinished copies of starts that were interrupted. */
export function deleteUnfinished(folder: string): void {
  for (const path of cutShortIn(folder, "before_upgrade")) rmSync(path, { force: true });
}

/** An upgrade that fails at each start must not fill the disk with copies of the same database. */
function deleteOlderCopies(folder: string, newest: string) {
  const others = backupsIn(folder).filter(
    ({ kind, name }) => kind === "before_upgrade" && name !== newest,
  );
  const superseded = others.filter(({ name }) => isSameUpgrade(name, newest));
  const old = others.filter(({ name }) => !isSameUpgrade(name, newest)).slice(UPGRADES_KEPT - 1);
  for (const { path } of [...superseded, ...old]) rmSync(path);
}

function refuseUpgrade(error: unknown): never {
  if (isDamage(error) || error instanceof NewerDatabase) throw error;
  const why = describeError(error).error.replace(/\.$/, "");
  throw new Refused(
    `The database cannot be upgraded: ${why}. It is unchanged: the previous version can still use it.`,
  );
}

function newerMessage(
  { path, backups }: Preparation,
  known: Set<string>,
  error: NewerDatabase,
): string {
  const copy = newestBeforeUpgrade(backups, known);
  const version = writerOf(path);
  if (!version && !copy) return error.message;
  const [writer, needed] = version
    ? [`version ${version}`, `version ${version}`]
    : ["a newer version", "the newer version"];
  const back = copy
    ? `go back to the copy from before the upgrade, without what was written since: ${restoreCommand(copy)}`
    : "restore a backup that this version made";
  return `The database was written by ${writer}, which version ${VERSION} cannot read. Start ${needed}, or ${back}.`;
}

/**
 * Returns the newest version that served the database; null if none newer than this one is known. The one that upgraded it
 * may have ended before it served, and this one may have served it since.
 */
function writerOf(path: string): string | null {
  const sql = "select version from versions";
  try {
    const rows = reading(path, (database) => database.query(sql).values());
    const versions = rows.map(([version]) => String(version)).sort(Bun.semver.order);
    const newest = versions.at(-1);
    return newest && Bun.semver.order(newest, VERSION) > 0 ? newest : null;
  } catch {
    return null;
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
