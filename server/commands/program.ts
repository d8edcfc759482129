import { Argument, Command, CommanderError } from "commander";
import { type Env, logFormatIn } from "../ground/config/config.ts";
import { AppError, type FieldProblems, inWords } from "../ground/lib/errors.ts";
import { describeError, lineIn, log } from "../ground/lib/log.ts";
import { VERSION } from "../ground/lib/runtime.ts";
import { type Cli, createCli, NamedFileError, UsageError } from "./cli.ts";
import { type Io, OutputClosed, plain, watchOutput } from "./io.ts";

const OK = 0;
const FAILED = 1;
/** `EX_USAGE` of sysexits.h. */
const WRONG_USAGE = 64;

/**
 * Runs one command, and ends standard output once all of it is written. Commands use the process only through these
 * arguments, so tests run them without starting one; the log goes to `io.stderr` until it is configured again.
 * @param argv the arguments without the program's name
 * @param env the environment; its proxy variables (`HTTP_PROXY` and so on) are deleted
 * @param io the streams to read and write; `serve` stops only through `io.catchSignals`
 * @returns the exit code
 */
export async function run(argv: string[], env: Env, io: Io): Promise<number> {
  const program = new Command("stillup");
  const cli = createCli(env, io, () => program.opts<{ envFile?: string }>().envFile);
  await describeProgram(program, cli, argv);
  program.hook("preSubcommand", (_, command) => {
    // Also when the options are wrong, if the command is named: a supervisor reads the error.
    cli.isServing = command.name() === "serve" && argv.includes("serve");
  });
  const output = watchOutput(io);
  const code = await attempt(program, argv, cli);
  const problem = await output.end();
  // A server has served, even if its first lines could not be written.
  return problem === null || cli.isServing || code !== OK ? code : report(problem, cli);
}

async function attempt(program: Command, argv: string[], cli: Cli): Promise<number> {
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    const isHelp = error instanceof CommanderError && error.exitCode === OK;
    // The exit code counts what was found until then.
    if (!isHelp && !(error instanceof OutputClosed)) return report(error, cli);
  }
  return cli.exitCode;
}

type Add = (program: Command, cli: Cli) => void;

/** Loads all commands, but `check` without the others: it runs before each commit, and needs no server. */
async function commandsFor([first]: string[]): Promise<Add[]> {
  if (first === "check") return [(await import("./check.ts")).addCheck];
  return (await import("./commands.ts")).COMMANDS;
}

async function describeProgram(program: Command, cli: Cli, argv: string[]) {
  program
    .description("Watches links and says which are alive, dead or unknown, and why.")
    .option("--env-file <file>", "read settings from this file too; the environment wins")
    .version(VERSION, "-V, --version", "print the version")
    .helpCommand("help [command]", "explain a command")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      getOutHelpWidth: () => cli.io.stdout.columns ?? 80,
      // `report` prints errors, in one place.
      writeErr: () => {},
    });
  for (const add of await commandsFor(argv)) add(program, cli);
  program
    .command("version")
    .description("print the version")
    .action(() => cli.print(`stillup ${VERSION}`));
  addHelp(program);
}

function report(error: unknown, cli: Cli): number {
  const sentence = plain(sentenceOf(error));
  const format = cli.isServing ? logFormat(cli) : "text";
  cli.io.stderr.write(`${lineIn(format, "error", sentence)}\n`);
  log.debug("the command failed", describeError(error));
  return isUsage(error) ? WRONG_USAGE : FAILED;
}

function logFormat(cli: Cli): "text" | "json" {
  try {
    const { env, file } = cli.sources();
    return logFormatIn({ ...file, ...env });
  } catch {
    return logFormatIn(cli.env);
  }
}

const isUsage = (error: unknown) =>
  error instanceof CommanderError ||
  error instanceof UsageError ||
  (error instanceof AppError && error.code === "VALIDATION_ERROR");

/** One plain sentence for any error. */
function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError && error.code.startsWith("commander.help")) {
    return "Name a command; `stillup help` lists them.";
  }
  const text = textOf(error)
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .trim();
  const isName = error instanceof NamedFileError;
  const sentence = isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(sentence) ? sentence : `${sentence}.`;
}

function textOf(error: unknown): string {
  const fields = error instanceof AppError ? (error.details?.fields as FieldProblems) : undefined;
  if (!fields) return inWords(describeError(error).error);
  const problems = Object.entries(fields).map(([name, texts]) => {
    return `${name.replaceAll("_", " ")} ${texts.join(" and ")}`;
  });
  return problems.join("; ");
}

/** Commander's own help command explains `key` when asked for `key create`. */
function addHelp(program: Command) {
  const words = new Argument("[command...]");
  // For completion. `commandOf` checks them, since only the first word must be one of these.
  words.argChoices = program.commands.map((each) => each.name());
  program
    .command("help")
    .description("explain a command")
    .addArgument(words)
    .action((given: string[]) => given.reduce(commandOf, program).outputHelp());
}

function commandOf(parent: Command, word: string, place: number, words: string[]): Command {
  const found = parent.commands.find((each) => each.name() === word);
  if (found) return found;
  throw new UsageError(`There is no command "${words.slice(0, place + 1).join(" ")}"`);
}
