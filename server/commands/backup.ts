import { constants, copyFileSync, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { backupFolder, type Config, sqlitePath } from "../config/config.ts";
import { copyDatabase } from "../db/backup-files.ts";
import { damagedWithNewest } from "../db/open.ts";
import { isDamage } from "../db/sqlite-file.ts";
import { failure } from "../lib/errors.ts";
import { sizeText } from "../lib/text.ts";
import { DUMP_HINT } from "../ops/backups/sqlite-only.ts";
import { finishRestore } from "../ops/start/prepare-database.ts";
import { placeOfKey } from "../ops/start/secret-key.ts";
import { floorAt } from "../ops/upkeep/disk.ts";
import type { Cli } from "./cli.ts";
import { type Io, openStatusLine } from "./io.ts";

export function addBackup(program: Command, cli: Cli) {
  program
    .command("backup")
    .description("copy the database as it is now, also while the server runs, and verify the copy")
    .argument("<file>", "what to make; a file that is there is never replaced")
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
  "The secret key is in STILLUP_SECRET_KEY and in no file. Keep it in another place, and leave out --with-key.";
const IS_THE_KEY = "is the secret key. Keep the two apart: together they open everything.";
const NOT_IN_IT = "The secret key is not in it. Keep";
const KEEP =
  "in another place, once: without it webhook URLs, signing secrets and second factors are lost, links are not.";

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
