import type { Database } from "bun:sqlite";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { type Config, sqlitePath } from "../config/config.ts";
import type { Copied } from "../db/backup-files.ts";
import { refuseUsed, withFolderLock } from "../db/folder.ts";
import { reading } from "../db/sqlite-file.ts";
import { systemClock } from "../lib/clock.ts";
import { sizeText } from "../lib/text.ts";
import {
  clearStages,
  replacing,
  type Staged,
  stage,
  verifyBackup,
} from "../ops/backups/restore.ts";
import { LOAD_HINT } from "../ops/backups/sqlite-only.ts";
import { makeFolder } from "../ops/start/prepare-database.ts";
import { FINGERPRINT_QUERY, isKnownBy, placeOfKey } from "../ops/start/secret-key.ts";
import { floorAt } from "../ops/upkeep/disk.ts";
import { type Cli, UsageError } from "./cli.ts";
import { confirm } from "./io.ts";

export function addRestore(program: Command, cli: Cli) {
  program
    .command("restore")
    .description("put a verified backup in the place of the database, while the server is stopped")
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
  cli.print(`${file} is whole: ${contentOf(verified)}.`);
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
      cli.print(`${database} is now what ${file} was: ${contentOf(staged)}.`);
      if (keptAs) cli.print(`The database that was there is kept as ${keptAs}.`);
      cli.print(aboutKey);
    } finally {
      // Also when there is no answer, or it cannot be finished; a copy that was placed is gone already.
      clearStages(database);
    }
  });
}

/** Without the right key the next start is refused, which better be known now. */
function keyLine(config: Config, backup: string): string {
  const place = placeOfKey(config);
  const fingerprint = reading(backup, fingerprintOf);
  return fingerprint === null || isKnownBy(config, fingerprint)
    ? `Webhook URLs and signing secrets open with the secret key of that time: ${place}.`
    : `Its secrets were kept under another secret key than that of ${place}: put the one of that time there before the next start. Only if it is lost: stillup accept-key.`;
}

/** Null in a database of the time before there was one. */
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
    `${file} is whole: ${contentOf(staged)}. Replace the database by it? The present one is kept.`,
  );

const contentOf = ({ bytes, links }: Copied) =>
  `${links.toLocaleString("en")} ${links === 1 ? "link" : "links"}, ${sizeText(bytes)}`;
