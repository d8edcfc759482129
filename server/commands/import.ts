import { type Command, Option } from "commander";
import { chunksOf } from "../ground/lib/steps.ts";
import { FREQUENCIES, type Frequency } from "../ground/lib/vocabulary.ts";
import { openGroupBook, problemOfName } from "../links/groups/groups.ts";
import { addHere, beginImport, dropImport } from "../links/imports/imports.ts";
import { countsOf, totalOf } from "../links/imports/items.ts";
import {
  groupOf,
  type ImportOptions,
  PART,
  previewPart,
  type Result,
  type Work,
} from "../links/imports/part.ts";
import { peopleByEmail } from "../links/imports/steps.ts";
import { refuseFullDisk } from "../ops/upkeep/disk.ts";
import { formatOfName } from "../read/documents/formats.ts";
import { FORMAT_NAMES, type Format, recognise } from "../read/lists/formats.ts";
import { notKeptText } from "../read/lists/noted.ts";
import { type ListPart, partsOf } from "../read/lists/read-bytes.ts";
import type { Item } from "../read/lists/reading.ts";
import type { Deps } from "../work/deps.ts";
import { callerFor, withEmail } from "./accounts.ts";
import { type Cli, UsageError, withDeps } from "./cli.ts";
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
import { openText, type TextSource } from "./list-source.ts";

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

/** A command that runs: where it reports to, and what it was asked. */
type Run = {
  deps: Deps;
  io: Io;
  options: Options;
  output: Output;
  status: ReturnType<typeof openStatusLine>;
  signal: AbortSignal;
  tally: Tally;
};

async function importFile(cli: Cli, file: string, options: Options) {
  const problem = options.group === undefined ? null : problemOfName(options.group);
  if (problem) throw new UsageError(`--group ${problem}.`);
  const { io } = cli;
  await withDeps(cli, async (deps) => {
    const run: Run = {
      deps,
      io,
      options,
      output: openOutput(io),
      status: openStatusLine(io),
      signal: interruption(io),
      tally: newTally(),
    };
    const { tally } = run;
    try {
      await readAndAdd(run, file);
    } finally {
      run.status.clear();
      if (tally.all() > 0) await run.output.write(summaryOf(tally, options));
    }
    if (tally.all() === 0) await run.output.write(summaryOf(tally, options));
    if (tally.sitemaps > 0) {
      throw new Error(
        "An index of sitemaps has no pages itself; fetch each of its sitemaps and import that",
      );
    }
    if (run.signal.aborted && !tally.isWhole) {
      io.stderr.write(`Stopped after line ${tally.lastLine}. Run it again to go on.\n`);
      cli.exitCode = INTERRUPTED;
    } else if (tally.refused > 0) cli.exitCode = SOME_REFUSED;
  });
}

/** Throws what was wrong with the list once everything before it is added. */
async function readAndAdd(run: Run, file: string): Promise<void> {
  const { options, tally } = run;
  const work = await workOf(run.deps, options);
  const list = await openText(run.io, file);
  const format =
    options.format ?? (formatOfName(file) === "markdown" ? "markdown" : recognise(list.head));
  const results = options.dryRun
    ? previewed(run, work, partsRead(run, list, format))
    : added(run, work, { file, format, parts: partsRead(run, list, format) });
  for await (const some of results) {
    for (const each of some) tally.count(each);
    const lines = some.filter(({ outcome }) => !options.quiet || outcome === "refused");
    const shown = options.json ? asJsonLine : asLine;
    run.status.clear();
    await run.output.write(
      lines.map((each) => `${shown(each, options.dryRun === true)}\n`).join(""),
    );
  }
}

async function workOf(deps: Deps, options: Options): Promise<Work> {
  const caller = await callerFor(deps, options.email);
  return {
    deps,
    caller,
    options: optionsOf(options),
    groups: await openGroupBook(deps, caller),
    people: options.withState ? await peopleByEmail(deps, caller) : null,
  };
}

const optionsOf = ({ group, frequency, withState }: Options): ImportOptions => ({
  group: group?.trim() ?? null,
  frequency: frequency ?? null,
  overrides: true,
  usesGroups: true,
  updates: true,
  withState: withState === true,
});

/** Reads the list until the signal. Notes about it go to standard error. */
async function* partsRead(
  { io, options, output, status, signal, tally }: Run,
  list: TextSource,
  format: Format,
): AsyncGenerator<ListPart> {
  let count = 0;
  for await (const part of partsOf(list, format)) {
    if (signal.aborted) return;
    for (const note of part.notes) io.stderr.write(`${note}\n`);
    tally.sitemaps += part.sitemaps.length;
    const shown = (url: string) =>
      options.json ? JSON.stringify({ sitemap: url }) : `sitemap  ${plain(url)}`;
    await output.write(part.sitemaps.map((url) => `${shown(url)}\n`).join(""));
    yield part;
    count += part.items.length;
    status.show(progressBar(list.done(), `${count.toLocaleString("en")} links read`));
  }
}

async function* previewed(
  { signal, tally }: Run,
  work: Work,
  parts: AsyncGenerator<ListPart>,
): AsyncGenerator<Result[]> {
  const lines = new Map<string, number>();
  const earlier = () => ({ count: lines.size, linesOf: async () => lines });
  async function* judge(items: Item[]) {
    for (const some of chunksOf(PART, items)) {
      if (signal.aborted) return;
      const results = await previewPart(work, some, earlier());
      for (const { urlHash, item, outcome } of results) {
        if (urlHash !== null) lines.set(urlHash, item.line);
        const name = outcome === "new" ? groupOf(work, item) : "";
        if (name !== "" && !work.groups.find(name)) tally.newGroups.add(name);
      }
      yield results;
    }
  }
  let waiting: Item[] = [];
  try {
    for await (const { items } of parts) {
      waiting = waiting.concat(items);
      const whole = waiting.length - (waiting.length % PART);
      if (whole > 0) yield* judge(waiting.splice(0, whole));
    }
  } catch (error) {
    if (!(error instanceof OutputClosed)) yield* judge(waiting);
    throw error;
  }
  yield* judge(waiting);
  tally.isWhole = !signal.aborted;
}

type List = { file: string; format: Format; parts: AsyncGenerator<ListPart> };

async function* added(
  { deps, signal, status, tally }: Run,
  { caller, groups: before, options: own }: Work,
  { file, format, parts }: List,
): AsyncGenerator<Result[]> {
  await refuseFullDisk(deps.config);
  const name = file === "-" ? null : file.split("/").at(-1)!.slice(0, 255);
  const { row, add } = await beginImport(deps, caller, { name, format, options: own });
  let failure: unknown = null;
  try {
    for await (const part of parts) await add(part);
  } catch (error) {
    failure = error;
  }
  const total = totalOf(countsOf(row));
  if (total === 0 || failure instanceof OutputClosed) await dropImport(deps, row);
  else {
    for await (const results of addHere(deps, row, signal)) {
      yield results;
      const done = tally.all();
      status.show(progressBar(done / total, `${done.toLocaleString("en")} links`));
      await refuseFullDisk(deps.config);
    }
  }
  tally.isWhole = tally.all() === total && !signal.aborted;
  const isNew = (groupId: string) => !before.find(groupId);
  for (const group of (await openGroupBook(deps, caller)).all())
    if (isNew(group.id) && row.groupIds.includes(group.id)) tally.newGroups.add(group.name);
  if (failure) throw failure;
}

/** The counts of an import so far. */
type Tally = Record<(typeof REPORTED)[number], number> & {
  /** The last line that was imported. */
  lastLine: number;
  /** How many sitemaps an index named. */
  sitemaps: number;
  /** How many links lack each field that the list has. */
  notKept: Map<string, number>;
  /** Names of groups that were created, or would be. */
  newGroups: Set<string>;
  /** Whether nothing of the list is left. */
  isWhole: boolean;
  count(result: Result): void;
  all(): number;
};

const REPORTED = ["created", "changed", "known", "refused"] as const;

/** What the report says of an outcome. */
const KIND: Record<Result["outcome"], (typeof REPORTED)[number]> = {
  waiting: "refused",
  new: "created",
  created: "created",
  changed: "changed",
  already_there: "known",
  duplicate: "known",
  refused: "refused",
};

const newTally = (): Tally => ({
  created: 0,
  changed: 0,
  known: 0,
  refused: 0,
  lastLine: 0,
  sitemaps: 0,
  notKept: new Map(),
  newGroups: new Set(),
  isWhole: false,
  count({ outcome, item: { line, notKept } }) {
    this[KIND[outcome]]++;
    this.lastLine = line;
    for (const field of new Set(notKept.map((each) => each.field)))
      this.notKept.set(field, (this.notKept.get(field) ?? 0) + 1);
  },
  all() {
    return this.created + this.changed + this.known + this.refused;
  },
});

const WORDS = {
  created: "created",
  changed: "changed",
  known: "already there",
  refused: "refused",
};
const WIDTH = 15;

export function asLine(
  { item: { line, url, notKept }, outcome, detail }: Result,
  isDry: boolean,
): string {
  const wouldBe = { ...WORDS, created: "would create", changed: "would change" };
  const word = (isDry ? wouldBe : WORDS)[KIND[outcome]];
  const why = outcome === "refused" ? `  ${detail}` : "";
  const lost = notKept.length > 0 ? `  not kept: ${notKeptText(notKept)}` : "";
  return plain(`${word.padEnd(WIDTH)}line ${line}  ${url}${why}${lost}`);
}

const asJsonLine = ({ item: { line, url, notKept }, outcome, linkId, detail }: Result): string =>
  JSON.stringify({
    line,
    url,
    outcome: WORDS[KIND[outcome]].replace(" ", "_"),
    id: linkId,
    reason: outcome === "refused" ? detail : null,
    ...(notKept.length > 0 && {
      not_kept: notKept.map(({ field, why: reason }) => ({ field, reason })),
    }),
  });

/** The last lines of the report. */
function summaryOf(tally: Tally, { json, dryRun }: Options): string {
  const { created, changed, known, refused, notKept } = tally;
  const newGroups = [...tally.newGroups];
  if (json) {
    const summary = {
      created,
      changed,
      already_there: known,
      refused,
      new_groups: newGroups,
      not_kept: Object.fromEntries(notKept),
      dry_run: dryRun === true,
    };
    return `${JSON.stringify({ summary })}\n`;
  }
  const [made, groupsMade] = dryRun
    ? ["would be created", "Groups that would be made"]
    : ["created", "Groups made"];
  const shown = (count: number) => count.toLocaleString("en");
  const lost = [...notKept].map(([field, count]) => `${field} of ${linksText(count)}`);
  return [
    newGroups.length === 0 ? null : `${groupsMade}: ${newGroups.join(", ")}.`,
    lost.length === 0 ? null : `Not kept: ${lost.join(", ")}.`,
    [
      `${shown(created)} ${made}`,
      ...(changed > 0 ? [`${shown(changed)} ${dryRun ? "would be changed" : "changed"}`] : []),
      `${shown(known)} already there`,
      `${shown(refused)} refused.`,
    ].join(", "),
  ]
    .flatMap((line) => (line === null ? [] : `${plain(line)}\n`))
    .join("");
}

const linksText = (count: number) =>
  count === 1 ? "1 link" : `${count.toLocaleString("en")} links`;
