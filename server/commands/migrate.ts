import type { Command } from "commander";
import { openDeps } from "../build.ts";
import { systemClock } from "../lib/clock.ts";
import { reclassify } from "../links/reclassify.ts";
import type { Cli } from "./cli.ts";

export function addMigrate(program: Command, cli: Cli) {
  program
    .command("migrate")
    .description("bring the database up to date and say what was done; serve does it too")
    .action(async () => {
      const { deps, migrated } = await openDeps(await cli.config(), systemClock);
      const changed = await reclassify(deps);
      await deps.store.engine.close();
      for (const name of migrated) cli.print(`applied ${name}`);
      if (changed > 0) cli.print(`${changed} links filed under other services`);
      if (migrated.length === 0 && changed === 0) cli.print("The database is up to date.");
    });
}
