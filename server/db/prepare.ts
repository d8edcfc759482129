import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { describeError } from "../lib/log.ts";
import {
  backupsIn,
  newestBeforeUpgrade,
  newestGoodBackup,
  restoreCommand,
} from "./backups-at-hand.ts";
import { copyBeforeUpgrade } from "./before-upgrade.ts";
import { checkDatabase, isDamage } from "./damage.ts";
import { migrate, missing, NewerDatabase } from "./migrate.ts";
import { openEngine, ownMigrationNames, ownMigrations } from "./open.ts";
import { reading } from "./reading.ts";
import { appliedTo, unshared } from "./sqlite-upgrade.ts";
import type { Migration } from "./store.ts";

/** What is to be done to an SQLite file before it is used; plain, since it may cross threads. */
export type Preparation = {
  path: string;
  /** The folder of copies. */
  backups: string;
  /** Where the secret key is kept unless a setting says otherwise. */
  keyFile: string;
  /** Whether an empty database may be made although an earlier one has left its key or its backups. */
  fresh: boolean;
  /** Whether to look through the whole file first. */
  check: boolean;
  /** Whether to copy a database before it is upgraded. */
  copy: boolean;
  /** Why it must not be upgraded now; null when it may. */
  heldBy: string | null;
  now: number;
};

/** Says to the operator why the database is not used, and what to do: nothing need be added. */
export class Refused extends Error {}

/** However long another process takes to upgrade, its end is worth waiting for. */
const UPGRADE_WAIT_MS = 3_600_000;

/**
 * Checks the database, copies it and brings it up to date, as far as needed. Holds the thread meanwhile.
 * @param tell is told what is going on, whenever that takes long
 * @returns the names of the migrations that ran
 * @throws Refused when it is damaged, lost, newer than this program, or cannot be upgraded
 */
export async function prepareSqlite(
  what: Preparation,
  tell: (doing: string) => void,
  files = ownMigrations(),
): Promise<string[]> {
  const known = new Set(files.map(({ name }) => name));
  if (!what.fresh) refuseLost(what, known);
  try {
    if (what.check && sizeOf(what.path) > 0) {
      tell("checking the database");
      checkDatabase(what.path, "quick");
    }
    return await upgrade(what, files, tell);
  } catch (error) {
    if (isDamage(error)) throw new Refused(damagedWithNewest(what.path, what.backups, known));
    if (error instanceof NewerDatabase) throw new Refused(newerSentence(what, known, error));
    throw error;
  }
}

/** What to do about a damaged database, with the newest copy of it that is known. */
export function damaged(path: string, newest: string | null): string {
  const advice = newest
    ? `Stop the server and type: ${restoreCommand(newest)}`
    : "There is no whole copy of it in the folder of backups: restore one from elsewhere with `stillup restore FILE`";
  return `The database ${path} is damaged, and what it says cannot be trusted. ${advice}.`;
}

/** As `damaged`, for whoever may take the time to read the copies of the folder through. */
export const damagedWithNewest = (
  path: string,
  backups: string,
  known = ownMigrationNames(),
): string => damaged(path, newestGoodBackup(backups, known));

/** An empty database in the place of one that is gone would look like a healthy installation without links. */
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
    ? `To restore the newest backup, type \`${restoreCommand(newest)}\`.`
    : "The backup folder has no intact backup: restore one from elsewhere with `stillup restore FILE`.";
  throw new Refused(
    `${what}, but ${left.join(" and ")} ${left.length > 1 ? "show" : "shows"} that there was one. ` +
      `${restore} To start with an empty database, type \`stillup serve --fresh\`.`,
  );
}

async function upgrade(what: Preparation, files: Migration[], tell: (doing: string) => void) {
  const applied = sizeOf(what.path) > 0 ? reading(what.path, appliedTo).map(unshared) : [];
  const [first] = missing("sqlite", files, applied);
  if (!first) return [];
  if (applied.length > 0) await makeReady(what, first.name, tell);
  const engine = openEngine(`sqlite:${what.path}`, { waitMs: UPGRADE_WAIT_MS });
  try {
    return await migrate(engine, files, what.now, ({ n, of, name }) =>
      tell(`upgrading the database: ${n} of ${of}, ${name.replace(/(\.sqlite)?\.sql$/, "")}`),
    ).catch(unchanged);
  } finally {
    await engine.close();
  }
}

async function makeReady(what: Preparation, first: string, tell: (doing: string) => void) {
  if (what.heldBy) throw new Refused(what.heldBy);
  if (!what.copy) return;
  tell("copying the database before its upgrade");
  const copied = copyBeforeUpgrade(what.path, what.backups, first, what.now);
  const copy = await copied.catch((error) => {
    if (isDamage(error)) throw error;
    throw new Refused(describeError(error).error);
  });
  // By its name alone: anybody who can reach the server may ask what it does.
  tell(`the database as it was is kept as ${basename(copy)}`);
}

function unchanged(error: unknown): never {
  if (isDamage(error) || error instanceof NewerDatabase) throw error;
  const why = describeError(error).error.replace(/\.$/, "");
  throw new Refused(
    `The database cannot be upgraded: ${why}. It is unchanged, and the version before goes on with it.`,
  );
}

function newerSentence({ path, backups }: Preparation, known: Set<string>, error: Error): string {
  const copy = newestBeforeUpgrade(backups, known);
  const version = writerOf(path);
  if (!version && !copy) return error.message;
  const back = copy
    ? `go back to the copy from before the upgrade, without what was written since: ${restoreCommand(copy)}`
    : "restore a backup that this version made";
  return `The database was written by ${version ? `version ${version}` : "a newer version"}, which this one cannot read. Start that version, or ${back}.`;
}

/** The version that was the last to serve it for the first time; null when it does not say. */
function writerOf(path: string): string | null {
  const sql = "select version from versions order by first_started_at desc limit 1";
  try {
    const rows = reading(path, (database) => database.query(sql).values());
    return (rows[0]?.[0] as string | undefined) ?? null;
  } catch {
    return null;
  }
}

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0);
