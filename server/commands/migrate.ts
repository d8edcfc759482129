import type { Command } from "commander";
import { openDeps } from "../app/build.ts";
import { systemClock } from "../lib/clock.ts";
import { reclassify } from "../links/reclassify.ts";
import { prepareForCommand, prepareFresh } from "../ops/start/prepare-database.ts";
import { type Cli, UsageError } from "./cli.ts";
import { moveTo, stay } from "./move-to.ts";
import { FRESH } from "./serve.ts";

type Options = { to?: string | true; stay?: true; fresh?: true };

export function addMigrate(program: Command, cli: Cli) {
  program
    .command("migrate")
    .description("bring the database up to date and say what was done; serve does it too")
    .option("--to [url]", "move all of an SQLite installation to a PostgreSQL database")
    .option("--stay", "take a move back, as far as the old database goes")
    .option(...FRESH)
    .addHelpText(
      "after",
      `
--to without a URL takes that of STILLUP_MOVE_TO, so that its password stands in no list of processes.
The server is stopped for it. A move that was stopped is run again to go on.
Exit code: 0 all is there, 1 failed, 130 stopped.`,
    )
    .action(async ({ to, stay: isStay, fresh }: Options) => {
      if ([to, isStay, fresh].filter(Boolean).length > 1) {
        throw new UsageError("Give only one of --to, --stay and --fresh");
      }
      if (isStay) return stay(cli);
      return to ? moveTo(cli, to === true ? undefined : to) : bringUpToDate(cli, fresh === true);
    });
}

async function bringUpToDate(cli: Cli, isFresh: boolean) {
  const prepare = isFresh ? prepareFresh : prepareForCommand;
  const { deps, migrated } = await openDeps(await cli.config(), systemClock, prepare);
  const changed = await reclassify(deps);
  await deps.store.engine.close();
  for (const name of migrated) cli.print(`applied ${name}`);
  if (changed > 0) cli.print(`${changed} links filed under other services`);
  if (migrated.length === 0 && changed === 0) cli.print("The database is up to date.");
}
