import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Env } from "../ground/config/config.ts";
import { failure } from "../ground/lib/errors.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import type { GroupChange } from "../links/groups/model.ts";
import { carryOut, type LinkChanged, type Plan, planOf } from "../ops/apply/plan.ts";
import { Misdeclared, readDeclaration } from "../ops/apply/read.ts";
import { callerFor, withEmail } from "./accounts.ts";
import { type Cli, NamedFileError, UsageError, withDeps } from "./cli.ts";
import { confirm, openOutput, plain, readInput } from "./io.ts";

const SOME_FAILED = 1;
const DIFFERENT = 2;

type Options = { file: string; email?: string; prune?: true; dryRun?: true; yes?: true };

export function addApply(program: Command, cli: Cli) {
  const command = program
    .command("apply")
    .description(
      "create and change groups, links, sources and settings for hosts as a file says, after showing the changes",
    )
    .requiredOption("-f, --file <file>", "YAML or JSON; - is standard input")
    .option(
      "--prune",
      "delete what is not in the file: links of its groups, and sources and hosts if it has any",
    )
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do it without asking")
    .addHelpText(
      "after",
      `
The file covers the groups that it names, and links in no group if it has its own list "links".
Everything else stays as it is, and no group is ever deleted. Links that only sources
have are neither exported nor deleted. Credentials come from environment variables that the file names.
Exit code: 0 everything matches the file, 1 failed, 2 with --dry-run if something differs.`,
    );
  withEmail(command).action((options: Options) => apply(cli, options));
}

async function apply(cli: Cli, options: Options) {
  const { env, file: more } = cli.sources();
  const file = readIn(options.file, await textOf(cli, options.file), { ...more, ...env });
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

/** Asks at the terminal, unless the file comes from it. */
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

function readIn(path: string, text: string, env: Env) {
  try {
    return readDeclaration(text, env);
  } catch (error) {
    return refuse(path, error);
  }
}

function refuse(path: string, error: unknown): never {
  if (!(error instanceof Misdeclared)) throw error;
  const name = path === "-" ? "Standard input" : path;
  throw new NamedFileError(`${name}: ${error.message}`);
}

const GREEN = 32;
const YELLOW = 33;
const RED = 31;
const LINES_AT_ONCE = 500;

/** The changes of the plan, one per line, some lines at a time. */
export function* diffOf(
  plan: Plan,
  options: Pick<Options, "prune" | "dryRun">,
  isColoured: boolean,
): Generator<string> {
  for (const some of chunksOf(LINES_AT_ONCE, [...linesOf(plan, options)])) {
    yield some
      .map(([sign, text]) => `${coloured(`${sign} ${plain(text)}`, isColoured)}\n`)
      .join("");
  }
}

/** Whether there is anything to do. */
const isAnything = (plan: Plan, { prune }: Pick<Options, "prune" | "dryRun">) =>
  countsOf(plan).some((count) => count > 0) || (prune === true && straysIn(plan) > 0);

export function summaryOf(plan: Plan, options: Pick<Options, "prune" | "dryRun">): string {
  const stray = options.prune ? "" : keptOf(plan);
  if (!isAnything(plan, options)) return `${stray}Everything matches the file.\n`;
  const [created, changed] = countsOf(plan).map((count) => count.toLocaleString("en"));
  const deleted = (options.prune ? straysIn(plan) : 0).toLocaleString("en");
  return `${stray}${created} to create, ${changed} to change, ${deleted} to delete.\n`;
}

const countsOf = ({ newGroups, newLinks, changedGroups, changedLinks, hosts, sources }: Plan) => [
  newGroups.length + newLinks.length + hosts.created.length + sources.created.length,
  changedGroups.length + changedLinks.length + hosts.changed.length + sources.changed.length,
];

const straysIn = ({ strays, hosts, sources }: Plan) =>
  strays.length + hosts.strays.length + sources.strays.length;

function keptOf({ strays, hosts, sources }: Plan): string {
  const kept = [
    strays.length > 0 && counted(strays.length, "link of these groups", "links of these groups"),
    sources.strays.length > 0 && counted(sources.strays.length, "source", "sources"),
    hosts.strays.length > 0 && counted(hosts.strays.length, "host", "hosts"),
  ].filter((text) => text !== false);
  return kept.map((text) => `${text}\n`).join("");
}

const counted = (count: number, one: string, many: string) =>
  count === 1
    ? `1 ${one} is not in the file; --prune deletes it.`
    : `${count.toLocaleString("en")} ${many} are not in the file; --prune deletes them.`;

type Line = [sign: "+" | "~" | "-", text: string];

function* linesOf(plan: Plan, { prune }: Pick<Options, "prune" | "dryRun">): Generator<Line> {
  const { created, changed, strays } = plan.hosts;
  for (const { input, variables } of created) {
    yield ["+", `host ${input.host}${withVariables(variables)}`];
  }
  for (const { setting, fields } of changed) {
    yield ["~", `host ${setting.host}  ${fields.join(", ")}`];
  }
  for (const { name } of plan.newGroups) yield ["+", `group ${name}`];
  for (const { group, change } of plan.changedGroups) {
    const parts = Object.entries(change).map(([name, value]) => `${name} ${valueText(value)}`);
    yield ["~", `group ${group.name}  ${parts.join(", ")}`];
  }
  const { sources } = plan;
  for (const { wanted } of sources.created) {
    const { name, kind, url, variables } = wanted;
    yield ["+", `source ${name}  ${kind} ${url ?? ""}`.trimEnd() + withVariables(variables)];
  }
  for (const { source, fields } of sources.changed) {
    yield ["~", `source ${source.name}  ${fields.join(", ")}`];
  }
  for (const { url, group, frequency } of plan.newLinks) {
    yield ["+", `${url}  ${placeOf(group)}, ${frequency ?? "daily"}`];
  }
  for (const link of plan.changedLinks) yield ["~", `${link.url}  ${changeOf(link)}`];
  if (!prune) return;
  for (const { url, group } of plan.strays) yield ["-", `${url}  ${placeOf(group)}`];
  for (const { name } of sources.strays) yield ["-", `source ${name}`];
  for (const { host } of strays) yield ["-", `host ${host}`];
}

const withVariables = (variables: string[]) =>
  variables.length > 0 ? `  with ${variables.join(", ")}` : "";

function valueText(value: GroupChange[keyof GroupChange]): string {
  if (typeof value === "object" && value !== null) return `${value.cron} ${value.time_zone}`;
  return String(value || "none");
}

const placeOf = (group: string | null) => (group === null ? "in no group" : `in ${group}`);

const changeOf = ({ group, frequency, fields }: LinkChanged) =>
  [
    group && `${group.from ?? "no group"} → ${group.to ?? "no group"}`,
    frequency && `${frequency.from} → ${frequency.to}`,
    ...fields,
  ]
    .filter(Boolean)
    .join(", ");

const COLOURS: Record<string, number> = { "+": GREEN, "~": YELLOW, "-": RED };

const coloured = (line: string, isColoured: boolean) =>
  isColoured ? `\x1b[${COLOURS[line.charAt(0)]}m${line}\x1b[0m` : line;
