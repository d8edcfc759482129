import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { failure } from "../lib/errors.ts";
import { carryOut } from "../ops/apply/carry-out.ts";
import { Misdeclared } from "../ops/apply/model.ts";
import { type Plan, planOf } from "../ops/apply/plan.ts";
import { readDeclaration } from "../ops/apply/read.ts";
import { diffOf, isAnything, summaryOf } from "./apply-diff.ts";
import { type Cli, NamedFileError, UsageError, withDeps } from "./cli.ts";
import { confirm, openOutput, plain, readInput } from "./io.ts";
import { callerFor, withEmail } from "./whose.ts";

const SOME_FAILED = 1;
const DIFFERENT = 2;

type Options = { file: string; email?: string; prune?: true; dryRun?: true; yes?: true };

export function addApply(program: Command, cli: Cli) {
  const command = program
    .command("apply")
    .description("make groups and links as a file says, after showing what that changes")
    .requiredOption("-f, --file <file>", "YAML or JSON; - is standard input")
    .option("--prune", "delete links of the file's groups that are not in the file")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do it without asking")
    .addHelpText(
      "after",
      `
The file speaks for the groups that it names, and for links in no group if it has a list "links" of
its own. Everything else stays as it is, and no group is ever deleted.
Exit code: 0 all is as the file says, 1 failed, 2 with --dry-run if something differs.`,
    );
  withEmail(command).action((options: Options) => apply(cli, options));
}

async function apply(cli: Cli, options: Options) {
  const file = readIn(options.file, await textOf(cli, options.file));
  await withDeps(cli, async (deps) => {
    const caller = await callerFor(deps, options.email);
    const plan = await planOf(deps, caller, file).catch((error) => refuse(options.file, error));
    await show(cli, plan, options);
    if (!isAnything(plan, options)) return;
    if (options.dryRun) {
      cli.exitCode = DIFFERENT;
      return;
    }
    if (!options.yes && !(await isWanted(cli, options))) throw new Error("Nothing was changed");
    const failures = await carryOut(deps, caller, plan, { prune: options.prune === true });
    for (const { what, why } of failures) cli.print(plain(`failed  ${what}  ${why}`));
    if (failures.length > 0) cli.exitCode = SOME_FAILED;
    else cli.print("Done.");
  });
}

async function show(cli: Cli, plan: Plan, options: Options) {
  const output = openOutput(cli.io);
  const isColoured = cli.io.stdout.isTTY === true && !cli.env.NO_COLOR;
  for (const lines of diffOf(plan, options, isColoured)) await output.write(lines);
  await output.write(summaryOf(plan, options));
}

/** Asks on a terminal, where the file does not come from it. */
function isWanted(cli: Cli, { file }: Options): Promise<boolean> {
  if (!cli.io.stdin.isTTY || !cli.io.stdout.isTTY || file === "-") {
    throw new UsageError("Use --yes to do this without a terminal.");
  }
  return confirm(cli.io, "Do this?");
}

async function textOf({ io }: Cli, path: string): Promise<string> {
  try {
    return path === "-" ? await readInput(io) : readFileSync(path, "utf8");
  } catch (error) {
    throw failure("The file cannot be read", error);
  }
}

function readIn(path: string, text: string) {
  try {
    return readDeclaration(text);
  } catch (error) {
    return refuse(path, error);
  }
}

function refuse(path: string, error: unknown): never {
  if (!(error instanceof Misdeclared)) throw error;
  const name = path === "-" ? "Standard input" : path;
  throw new NamedFileError(`${name}: ${error.message}`);
}
