import { Command } from "commander";
import type { Config } from "../ground/config/config.ts";
import { SUGGESTION_KINDS, type SuggestionKind } from "../ground/lib/vocabulary.ts";
import { serverFrom } from "./check/ask-server.ts";
import { readOptions } from "./check/config.ts";
import { createReader, type Reader, rootOf } from "./check/documents.ts";
import { findDocuments, isUrl } from "./check/files.ts";
import { targetsOf } from "./check/findings.ts";
import { repositoryOf } from "./check/within.ts";
import { addCheck } from "./check.ts";
import { isOwnMachine } from "./check-inputs.ts";
import { type CheckOptions, collect, patterns } from "./check-options.ts";
import { type Cli, UsageError } from "./cli.ts";
import { openArchive } from "./fix/archive.ts";
import { changeFile, type File, versionOf } from "./fix/change-file.ts";
import { findReplacements, type Origins } from "./fix/replacements.ts";
import { isReplaceable } from "./fix/rewrite.ts";
import { asJson, asLine, type Row, rowsOf } from "./fix/rows.ts";
import { INTERRUPTED, interruption, openOutput, openStatusLine, plain } from "./io.ts";

const DIFF_PRINTED = 1;
const NOT_ALL_DONE = 2;

type FixOptions = Pick<
  CheckOptions,
  "exclude" | "excludePath" | "includeIgnored" | "config" | "server" | "keyFile" | "json"
> & {
  archive?: true;
  redirects?: true;
  kinds?: SuggestionKind[];
  write?: true;
};

export function addFix(program: Command, cli: Cli) {
  program
    .command("fix")
    .description("put other addresses in place of dead links in documents")
    .argument("<file...>", "documents, folders of them, and globs")
    .option("--server <url>", "take what a Stillup server suggests and what people accepted there")
    .option("--key-file <file>", "a file with its API key, instead of STILLUP_API_KEY")
    .option("--archive", "ask an archive for copies of dead links, which learns their addresses")
    .option("--redirects", "also change addresses that redirect for good to another form of them")
    .option(
      "--kinds <list>",
      `only suggestions of these kinds: ${SUGGESTION_KINDS.join(", ")}`,
      kindsOf,
    )
    .option("--write", "change the files, and print no diff")
    .option("--json", "one JSON object a line, in place of the diff")
    .option("--exclude <regex>", "leave out URLs that match; may be repeated", patterns)
    .option("--exclude-path <glob>", "leave out files; may be repeated", collect)
    .option("--include-ignored", "read files that .gitignore and .stillupignore leave out")
    .option("--no-config", "do not read .stillup.yaml, as for a change that others propose")
    .addHelpText(
      "after",
      `
Prints a diff for git apply or patch -p1.
Exit code: 0 nothing to change or all written, 1 a diff was printed, 2 something could not be done.`,
    )
    .action((given: string[], options: FixOptions) => fixAll(cli, given, options));
}

/** @throws UsageError */
function kindsOf(text: string): SuggestionKind[] {
  return text.split(",").map((each) => {
    const kind = SUGGESTION_KINDS.find((known) => known === each.trim());
    if (kind) return kind;
    throw new UsageError(
      `--kinds ${JSON.stringify(each)} must be one of ${SUGGESTION_KINDS.join(", ")}.`,
    );
  });
}

async function fixAll(cli: Cli, given: string[], options: FixOptions) {
  const url = given.find((each) => isUrl(each) || each === "-");
  if (url !== undefined) throw new UsageError(`${JSON.stringify(url)} is not a file.`);
  const config = await cli.config({ forChecks: true });
  const say = (sentence: string) => void cli.io.stderr.write(`${plain(sentence)}\n`);
  let isAllAsked = true;
  const missed = (sentence: string) => {
    isAllAsked = false;
    say(sentence);
  };
  const origins = await originsFrom(cli, config, options, missed);
  const reader = createReader(say);
  try {
    const all = { ...settingsOfTree(cli, options), ...options };
    const files = await readFiles(given, all, reader, say);
    const { remote, leftOut } = targetsOf(
      files.map(({ document }) => document),
      { ...all, isLeftOut: (each) => isOwnMachine(config, each) },
    );
    const status = openStatusLine(cli.io);
    const signal = interruption(cli.io);
    let done = 0;
    const replacements = await findReplacements(config, [...remote.keys()], origins, {
      missed,
      say,
      signal,
      done: () => status.show(`${++done} of ${remote.size}`),
    });
    status.clear();
    if (signal.aborted) {
      say("Stopped before all was checked.");
      cli.exitCode = INTERRUPTED;
      return;
    }
    const rows = rowsOf(remote, replacements);
    await changeFiles(cli, files, rows, options);
    await report(cli, rows, options);
    if (leftOut > 0) say(`${leftOut.toLocaleString("en")} left out.`);
    if (!isAllAsked) cli.exitCode = NOT_ALL_DONE;
  } finally {
    await reader.close();
    await origins.archive?.close();
  }
}

/** @throws UsageError where other addresses could be from nowhere */
async function originsFrom(
  cli: Cli,
  config: Config,
  { archive, redirects, kinds, ...options }: FixOptions,
  missed: (sentence: string) => void,
): Promise<Origins> {
  const server = serverFrom(options, cli.env, missed);
  const isServerNamed = Boolean(options.server ?? cli.env.STILLUP_SERVER);
  if (!isServerNamed && !archive && !redirects) {
    throw new UsageError(
      "Say where other addresses are from: --server URL, --archive or --redirects.",
    );
  }
  if (archive && config.archive === "off") {
    throw new UsageError("STILLUP_ARCHIVE=off forbids --archive.");
  }
  return {
    server,
    archive: archive ? await openArchive(config, cli.env) : null,
    hasRedirects: redirects === true,
    kinds: new Set(kinds ?? SUGGESTION_KINDS),
  };
}

/** What `.stillup.yaml` says about which files and links are checked. */
function settingsOfTree(cli: Cli, { config }: FixOptions): Partial<CheckOptions> {
  if (!config) return {};
  const program = new Command();
  addCheck(program, cli);
  const [check] = program.commands;
  readOptions(repositoryOf(process.cwd()) ?? process.cwd(), check!);
  const { exclude, excludePath, includeIgnored, baseUrl } = check!.opts<CheckOptions>();
  const given = { exclude, excludePath, includeIgnored, baseUrl };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Of the links only those that may be replaced. */
async function readFiles(
  given: string[],
  options: FixOptions,
  reader: Reader,
  skip: (sentence: string) => void,
): Promise<File[]> {
  const files: File[] = [];
  for (const file of findDocuments(given, { ...options, skip })) {
    const version = versionOf(file.path);
    const read = await reader.file(file);
    if (!read) continue;
    const links = read.links.filter(isReplaceable);
    const document = { ...file, root: rootOf(file.path, undefined), read: { ...read, links } };
    files.push({ document, version });
  }
  return files;
}

/** Writes the files, or prints how they would change, and notes in the rows what became of them. */
async function changeFiles(cli: Cli, files: File[], rows: Row[], options: FixOptions) {
  const output = openOutput(cli.io);
  const wanted = Map.groupBy(
    rows.filter(({ replacement }) => replacement),
    ({ place }) => place.file,
  );
  const reader = createReader(() => {});
  try {
    for (const file of files) {
      const own = wanted.get(file.document.file);
      if (!own) continue;
      const patch = await changeFile(file, own, reader, options.write === true);
      if (patch && !options.json) await output.write(patch);
    }
  } finally {
    await reader.close();
  }
}

async function report(cli: Cli, rows: Row[], { json }: FixOptions) {
  const output = openOutput(cli.io);
  for (const row of rows) {
    if (json) await output.write(`${asJson(row)}\n`);
    else if (row.state === "changed") await output.write(`${plain(asLine(row))}\n`);
    if (row.state === "left" || row.state === "dead") {
      cli.io.stderr.write(`${plain(asLine(row))}\n`);
    }
  }
  if (rows.some(({ state }) => state === "left")) cli.exitCode = NOT_ALL_DONE;
  else if (rows.some(({ state }) => state === "suggested")) cli.exitCode = DIFF_PRINTED;
}
