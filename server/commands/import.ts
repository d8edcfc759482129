import { type Command, Option } from "commander";
import { findPeople } from "../accounts/people.ts";
import type { Caller } from "../api/caller.ts";
import { FORMAT_NAMES, type Format } from "../imports/formats.ts";
import type { Item } from "../imports/reading.ts";
import { FREQUENCIES, type Frequency } from "../lib/vocabulary.ts";
import { openGroupBook, problemOfName } from "../links/groups/groups.ts";
import type { Deps } from "../work/deps.ts";
import { callerFor, withEmail } from "./accounts.ts";
import { type Cli, UsageError, withDeps } from "./cli.ts";
import {
  asJsonLine,
  asLine,
  type Import,
  importPart,
  newTally,
  PART,
  summaryOf,
  type Tally,
} from "./import-part.ts";
import {
  INTERRUPTED,
  type Io,
  interruption,
  type Output,
  OutputClosed,
  openOutput,
  openStatusLine,
  plain,
  progressBar,
} from "./io.ts";
import { type ListPart, readParts } from "./list-source.ts";

const SOME_REFUSED = 1;

type Options = {
  email?: string;
  group?: string;
  frequency?: Frequency;
  format?: Format;
  withState?: true;
  dryRun?: true;
  json?: true;
  quiet?: true;
};

export function addImport(program: Command, cli: Cli) {
  const command = program
    .command("import")
    .description("add the links of a list, also while the server runs")
    .argument("<file>", "the list, also one compressed by gzip; - is standard input")
    .option("--group <name>", "put all of them into this group, which is created if needed")
    .addOption(new Option("--frequency <how often>", "check all so often").choices(FREQUENCIES))
    .addOption(
      new Option(
        "--format <format>",
        "format of the list; detected from its content by default",
      ).choices(FORMAT_NAMES),
    )
    .option("--with-state", "also take handling, muted_until and assignee (an e-mail)")
    .option("--dry-run", "only print what would be done")
    .option("--json", "one JSON object a line")
    .option("-q, --quiet", "print only what is refused")
    .addHelpText(
      "after",
      `
Where --group and --frequency do not say otherwise, the list does, and else a link is checked daily.
What is there already stays as it is, so that an import that was stopped is run again to go on.
A link with an external_id is changed if there is one with that id, and created otherwise.
What the list has and is not kept is printed with its line.
Exit code: 0 all are there now, 1 some were refused, 130 stopped.`,
    );
  withEmail(command).action((file: string, options: Options) => importFile(cli, file, options));
}

async function importFile(cli: Cli, file: string, options: Options) {
  const problem = options.group === undefined ? null : problemOfName(options.group);
  if (problem) throw new UsageError(`--group ${problem}.`);
  const { io } = cli;
  await withDeps(cli, async (deps) => {
    const work = await workOf(deps, options);
    const output = openOutput(io);
    const tally = newTally();
    const summarise = () =>
      output.write(summaryOf(tally, { ...options, newGroups: [...work.newGroups] }));
    const { isStopped } = await run({ io, work, file, options, output, tally }).catch(
      async (error) => {
        if (tally.all() > 0) await summarise();
        throw error;
      },
    );
    await summarise();
    if (tally.sitemaps > 0) {
      throw new Error(
        "An index of sitemaps has no pages itself; fetch each of its sitemaps and import that",
      );
    }
    if (isStopped) {
      io.stderr.write(`Stopped after line ${tally.lastLine}. Run it again to go on.\n`);
      cli.exitCode = INTERRUPTED;
    } else if (tally.refused > 0) cli.exitCode = SOME_REFUSED;
  });
}

async function workOf(deps: Deps, options: Options): Promise<Import> {
  const caller = await callerFor(deps, options.email);
  return {
    ...{ deps, caller, isDry: options.dryRun === true },
    groups: await openGroupBook(deps, caller),
    group: options.group?.trim() ?? null,
    frequency: options.frequency ?? null,
    people: options.withState ? await peopleByEmail(deps, caller) : null,
    newGroups: new Set(),
    wouldAdd: new Set(),
  };
}

async function peopleByEmail(deps: Deps, caller: Caller): Promise<Map<string, string>> {
  const people = await findPeople(deps, caller);
  return new Map([...people.values()].map(({ id, email }) => [email.toLowerCase(), id]));
}

type Run = { io: Io; work: Import; file: string; options: Options; output: Output; tally: Tally };

/** In parts, so that neither a long list nor its report is completely in memory. */
async function run({
  io,
  work,
  file,
  options,
  output,
  tally,
}: Run): Promise<{ isStopped: boolean }> {
  const interrupt = interruption(io);
  const status = openStatusLine(io);
  const shown = options.json ? asJsonLine : asLine;
  try {
    for await (const { items, done } of partsOf(io, file, options, output, tally)) {
      if (interrupt.aborted) return { isStopped: true };
      const results = await importPart(work, items);
      for (const each of results) tally.count(each);
      const lines = results.filter(({ outcome }) => !options.quiet || outcome === "refused");
      status.clear();
      await output.write(lines.map((each) => `${shown(each, work.isDry)}\n`).join(""));
      status.show(progressBar(done, `${tally.all().toLocaleString("en")} links`));
    }
    return { isStopped: false };
  } finally {
    status.clear();
  }
}

/**
 * Yields items in parts of `PART`, also those before an error. Notes about the list go to standard error.
 */
async function* partsOf(
  io: Io,
  file: string,
  { format, json }: Options,
  output: Output,
  tally: Tally,
): AsyncGenerator<{ items: Item[]; done: number | null }> {
  let waiting: Item[] = [];
  let done: number | null = null;
  try {
    for await (const part of readParts(io, file, format)) {
      for (const note of part.notes) io.stderr.write(`${note}\n`);
      await reportSitemaps(part, json === true, output, tally);
      waiting = waiting.concat(part.items);
      done = part.done;
      while (waiting.length >= PART) yield { items: waiting.splice(0, PART), done };
    }
  } catch (error) {
    if (waiting.length > 0 && !(error instanceof OutputClosed)) yield { items: waiting, done };
    throw error;
  }
  if (waiting.length > 0) yield { items: waiting, done };
}

async function reportSitemaps(
  { sitemaps }: ListPart,
  isJson: boolean,
  output: Output,
  tally: Tally,
) {
  tally.sitemaps += sitemaps.length;
  const shown = (url: string) =>
    isJson ? JSON.stringify({ sitemap: url }) : `sitemap  ${plain(url)}`;
  await output.write(sitemaps.map((url) => `${shown(url)}\n`).join(""));
}
