import type { Command } from "commander";
import { printConfig, readConfig } from "../config/config.ts";
import { checksWithin, filesFor, openFileLimit } from "../lib/runtime.ts";
import { type Cli, UsageError } from "./cli.ts";
import { serve } from "./serve.ts";

/** For commands that may make a database. */
export const FRESH = [
  "--fresh",
  "make an empty database even if there was one, as its secret key or its backups show",
] as const;

/** The default: without a command the server starts. */
export function addServe(program: Command, cli: Cli) {
  program
    .command("serve", { isDefault: true })
    .description("run API, dashboard, checker and webhook delivery (the default)")
    .option("--print-config", "print every setting with its value and where it came from, then end")
    .option(...FRESH)
    // A word that is no command ends up here.
    .argument("[words...]")
    .usage("[options]")
    .action(async (words: string[], options: { printConfig?: true; fresh?: true }) => {
      if (words.length > 0) throw new UsageError(`There is no command "${words[0]}"`);
      cli.isServing = !options.printConfig;
      if (options.printConfig) return printSettings(cli);
      // Before the log starts: the process may replace itself, and each warning is logged once.
      await serve(await cli.config({ forChecks: true }), cli.io, options);
    });
}

function printSettings(cli: Cli) {
  const { env, file } = cli.sources();
  cli.print(printConfig(env, file));
  const { checkConcurrency } = readConfig({ ...file, ...env });
  const used = checksWithin(checkConcurrency);
  if (used < checkConcurrency) {
    cli.print(
      `# The limit of open files (ulimit -n) is ${openFileLimit()}: at most ${used} instead of ` +
        `${checkConcurrency} checks run at once. Raise it to ${filesFor(checkConcurrency)}.`,
    );
  }
}
