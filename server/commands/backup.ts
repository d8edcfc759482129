import type { Database } from "bun:sqlite";
import { constants, copyFileSync, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { openDeps } from "../app/build.ts";
import { backupFolder, type Config, sqlitePath } from "../ground/config/config.ts";
import { copyDatabase } from "../ground/db/backup-files.ts";
import { refuseUsed, withFolderLock } from "../ground/db/folder.ts";
import { damagedWithNewest } from "../ground/db/open.ts";
import { isDamage, reading } from "../ground/db/sqlite-file.ts";
import type { Copied } from "../ground/db/threads.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { failure } from "../ground/lib/errors.ts";
import { sizeText } from "../ground/lib/text.ts";
import { DUMP_HINT, LOAD_HINT } from "../ops/backups/backups.ts";
import {
  clearStages,
  replacing,
  type Staged,
  stage,
  verifyBackup,
} from "../ops/backups/restore.ts";
import { finishRestore, makeFolder, prepareForCommand } from "../ops/start/prepare-database.ts";
import { FINGERPRINT_QUERY, hasKeyWith, newKey, placeOfKey } from "../ops/start/secret-key.ts";
import { floorAt } from "../ops/upkeep/disk.ts";
import { type Cli, UsageError } from "./cli.ts";
import { confirm, type Io, openStatusLine } from "./io.ts";

export function addBackup(program: Command, cli: Cli) {
  program
    .command("backup")
    .description("copy the database, also while the server runs, and verify the copy")
    .argument("<file>", "the new file; an existing file is never replaced")
    .option("--with-key", "copy the secret key too, as <file>.secret.key")
    .action((file: string, options: { withKey?: true }) => backUp(cli, resolve(file), options));
}

async function backUp(cli: Cli, file: string, { withKey }: { withKey?: true }) {
  const config = await cli.config();
  const path = sqlitePath(config);
  if (path === null) throw new Error(DUMP_HINT);
  await finishRestore(config);
  if (!existsSync(path)) throw new Error(`There is no database ${path}. Check STILLUP_DATA_DIR.`);
  if (statSync(path).size === 0) throw new Error(`The database ${path} is empty (0 bytes).`);
  if (withKey && config.secretKey) throw new Error(NO_FILE);
  const keyCopy = `${file}.secret.key`;
  if (withKey && existsSync(keyCopy)) throw new Error(`The file ${keyCopy} already exists.`);
  const began = performance.now();
  const { bytes, links } = await copied(cli.io, config, path, file);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const counted = `${links.toLocaleString("en")} ${links === 1 ? "link" : "links"}`;
  cli.print(`${file} is a verified copy: ${sizeText(bytes)}, ${counted}, made in ${seconds} s.`);
  if (!withKey) return cli.print(`${NOT_IN_IT} ${placeOfKey(config)} ${KEEP}`);
  copyKey(config, keyCopy);
  cli.print(`${keyCopy} ${IS_THE_KEY}`);
}

const NO_FILE =
  "The secret key is in STILLUP_SECRET_KEY, not in a file. Keep it in another place, and leave out --with-key.";
const IS_THE_KEY = "is the secret key. Keep the two apart: together they open everything.";
const NOT_IN_IT = "The secret key is not in it. Keep";
const KEEP =
  "in another place, once: without it webhook URLs, signing secrets, what is set for hosts and second factors are lost, links are not.";

async function copied(io: Io, config: Config, path: string, file: string) {
  const status = openStatusLine(io);
  try {
    const leaveFree = await floorAt(config, dirname(file));
    return await copyDatabase(path, file, {
      leaveFree,
      onProgress: (part) =>
        status.show(part < 1 ? `copying: ${Math.floor(part * 100)} %` : "verifying"),
    });
  } catch (error) {
    const why = isDamage(error) ? new Error(damagedWithNewest(path, backupFolder(config))) : error;
    throw failure("No backup was made", why);
  } finally {
    status.clear();
  }
}

function copyKey({ secretKeyFile }: Config, target: string) {
  try {
    copyFileSync(secretKeyFile, target, constants.COPYFILE_EXCL);
  } catch (error) {
    throw failure("The secret key cannot be copied", error);
  }
}

export function addRestore(program: Command, cli: Cli) {
  program
    .command("restore")
    .description("replace the database with a verified backup, while the server is stopped")
    .argument("<file>", "a backup; it is only read")
    .option("--force", "do not ask")
    .option("--verify-only", "only verify the backup; also while the server runs")
    .action((file: string, { verifyOnly, force }: Options) =>
      verifyOnly ? verify(cli, resolve(file)) : restore(cli, resolve(file), force === true),
    );
}

type Options = { force?: true; verifyOnly?: true };

async function verify(cli: Cli, file: string) {
  const config = await cli.config();
  const verified = await verifyBackup(file);
  cli.print(`${file} is intact: ${contentOf(verified)}.`);
  if (sqlitePath(config) !== null) cli.print(keyLine(config, file));
}

async function restore(cli: Cli, file: string, force: boolean) {
  const config = await cli.config();
  const path = sqlitePath(config);
  if (path === null) throw new Error(LOAD_HINT);
  const database = resolve(path);
  if (!force && !cli.io.stdin.isTTY) {
    throw new UsageError("There is no terminal to ask: use --force to replace the database");
  }
  makeFolder(config.dataDir);
  await withFolderLock(config.dataDir, async () => {
    refuseUsed(database);
    const staged = await stage(database, file, await floorAt(config, dirname(database)));
    try {
      if (!force && !(await isWanted(cli, staged, file))) throw new Error("Nothing was changed");
      const aboutKey = keyLine(config, staged.path);
      const keptAs = await replace(database, staged);
      cli.print(`${database} is restored from ${file}: ${contentOf(staged)}.`);
      if (keptAs) cli.print(`The previous database is kept as ${keptAs}.`);
      cli.print(aboutKey);
    } finally {
      // After a success the staged copy is gone already.
      clearStages(database);
    }
  });
}

/** Without the right key the next start is refused. */
function keyLine(config: Config, backup: string): string {
  const place = placeOfKey(config);
  const fingerprint = reading(backup, fingerprintOf);
  return fingerprint === null || hasKeyWith(config, fingerprint)
    ? `The secret key of this backup is that of ${place}.`
    : `Its secrets were encrypted with another secret key than that of ${place}: put the key of the backup there before the next start. Only if it is lost: stillup accept-key.`;
}

/** Null in an older database. */
function fingerprintOf(database: Database): string | null {
  const hasFacts = "select 1 from sqlite_schema where name = 'facts'";
  if (database.query(hasFacts).values().length === 0) return null;
  const [row] = database.query<[string], []>(FINGERPRINT_QUERY).values();
  return row === undefined ? null : String(row[0]);
}

async function replace(database: string, staged: Staged): Promise<string | null> {
  const steps = replacing(database, staged, systemClock);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value.keptAs;
  }
}

const isWanted = ({ io }: Cli, staged: Staged, file: string) =>
  confirm(
    io,
    `${file} is intact: ${contentOf(staged)}. Replace the database with it? The current one is kept.`,
  );

const contentOf = ({ bytes, links }: Copied) =>
  `${links.toLocaleString("en")} ${links === 1 ? "link" : "links"}, ${sizeText(bytes)}`;

export function addAcceptKey(program: Command, cli: Cli) {
  program
    .command("accept-key")
    .description("use this machine's secret key, when the previous one is lost")
    .option("--force", "do not ask")
    .action((options: { force?: true }) => acceptKey(cli, options));
}

async function acceptKey(cli: Cli, { force }: { force?: true }) {
  const config = await cli.config();
  if (!force && !cli.io.stdin.isTTY) {
    throw new UsageError("There is no terminal to ask: use --force to continue with another key");
  }
  if (!force && !(await confirm(cli.io, LOST))) throw new Error("Nothing was changed");
  const { deps } = await openDeps(config, systemClock, prepareForCommand, newKey);
  await deps.store.engine.close();
  cli.print(`The secret key of ${placeOfKey(config)} is used from the next start.`);
}

const LOST =
  "Webhooks send nothing until their URLs are entered again and they have new signing secrets, second factors need a recovery code, and links of hosts with settings are not checked until their values are entered again. Is the previous secret key lost?";
