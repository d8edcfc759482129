import type { Command } from "commander";
import { openDeps } from "../build.ts";
import { systemClock } from "../lib/clock.ts";
import type { Cli } from "./cli.ts";

export function addMigrate(program: Command, cli: Cli) {
  program
    .command("migrate")
    .description("bring the database up to date and say what was done; serve does it too")
    .action(async () => {
      const { deps, migrated } = await openDeps(await cli.config(), systemClock);
      await deps.store.engine.close();
      for (const name of migrated) cli.print(`applied ${name}`);
      if (migrated.length === 0) cli.print("The database is up to date.");
    });
}
