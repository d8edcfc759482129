import type { Command } from "commander";
import { openDeps } from "../app/build.ts";
import { systemClock } from "../lib/clock.ts";
import { prepareForCommand } from "../ops/start/prepare-database.ts";
import { newKey, placeOfKey } from "../ops/start/secret-key.ts";
import { type Cli, UsageError } from "./cli.ts";
import { confirm } from "./io.ts";

export function addAcceptKey(program: Command, cli: Cli) {
  program
    .command("accept-key")
    .description("go on under this machine's secret key, when the one before is lost")
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
  cli.print(`The secret key of ${placeOfKey(config)} counts from the next start.`);
}

const LOST =
  "Webhooks send nothing until their URLs are entered again and they have new signing secrets, and second factors need a recovery code. Is the previous secret key lost?";
