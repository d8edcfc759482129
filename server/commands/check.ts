import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Config } from "../ground/config/config.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { failure } from "../ground/lib/errors.ts";
import { ANCHOR_KINDS } from "../read/documents/slugs.ts";
import { FORMAT_NAMES } from "../read/lists/formats.ts";
import {
  askServer,
  type KnownVerdict,
  type ServerOptions,
  serverFrom,
} from "./check/ask-server.ts";
import { type Baseline, entryOf, readBaseline, writeBaseline } from "./check/baseline.ts";
import { type Cache, openCache } from "./check/cache.ts";
import { readAddedLines } from "./check/changed-lines.ts";
import { readOptions } from "./check/config.ts";
import { createReader, type Reader } from "./check/documents.ts";
import {
  type Counts,
  cachedFinding,
  type Finding,
  findingOf,
  isProblem,
  knownFinding,
  type Place,
  type Targets,
  targetsOf,
} from "./check/findings.ts";
import { createLocalCheck } from "./check/local-links.ts";
import { documentSummary, explained, listSummary, placesOf } from "./check/outputs/human.ts";
import { asJson } from "./check/outputs/json.ts";
import { markdownReport } from "./check/outputs/markdown.ts";
import { problemRows, type Report, type Row } from "./check/outputs/report.ts";
import { createTree } from "./check/tree.ts";
import { pageUrlFrom, type WatchOptions, watchNew } from "./check/watch-new.ts";
import { refuseOutside, repositoryOf, slashed } from "./check/within.ts";
import { isOwnMachine, readInputs, type Work } from "./check-inputs.ts";
import {
  ageOf,
  type CheckOptions,
  collect,
  DAY_MS,
  isStreamed,
  listOf,
  type OutputTo,
  outputs,
  outputsOf,
  patterns,
  REPORTS,
  refused,
} from "./check-options.ts";
import { type Cli, UsageError } from "./cli.ts";
import {
  INTERRUPTED,
  type Io,
  interruption,
  type Output,
  openOutput,
  openStatusLine,
  plain,
} from "./io.ts";

const ALL_ACTIVE = 0;
const ANY_DEAD = 1;
const ANY_UNKNOWN = 2;

export function addCheck(program: Command, cli: Cli) {
  program
    .command("check")
    .description("check URLs and the links of documents once, without a database")
    .argument(
      "[url or file...]",
      "URLs, and documents, folders of them, and globs; - is standard input",
    )
    .option(
      "-f, --file <file>",
      "check the links of a list too, as import reads it, or of a document; - is standard input",
    )
    .option("--stdin-name <name>", "name of the document on standard input, as in README.md")
    .addOption(
      new Option(
        "--format <format>",
        "format of the list; detected from its content by default",
      ).choices(FORMAT_NAMES),
    )
    .option("--root <folder>", "what / stands for in links; the repository by default")
    .option("--base-url <url>", "where the root is published: links below it are files")
    .option("--extensions <list>", "endings that links may omit, as in md,mdx", listOf)
    .addOption(
      new Option("--anchors <kind>", "how headings get their anchors").choices(
        Object.keys(ANCHOR_KINDS),
      ),
    )
    .option("--exclude <regex>", "leave out URLs that match; may be repeated", patterns)
    .option("--exclude-path <glob>", "leave out files; may be repeated", collect)
    .option("--include-ignored", "read files that .gitignore and .stillupignore leave out")
    .option("--allow-empty", "exit 0 where a folder or a glob has no documents")
    .option(
      "--output <format[:file]>",
      `a report, on standard output without a file; may be repeated: ${Object.keys(REPORTS).join(", ")}`,
      outputs,
    )
    .option("--json", "one JSON object a line")
    .option("--junit <file>", "also write a JUnit report for CI")
    .option("--cache [file]", "do not request what was active not long ago")
    .option("--cache-age <time>", "how long that counts, as in 12h or 7d; 1d by default", ageOf)
    .option("--changed-since <ref>", "of links to other sites, check those on new lines only")
    .option("--baseline <file>", "findings that are known, which fail nothing")
    .option("--write-baseline", "write what is found into the file of --baseline")
    .option("-q, --quiet", "print only what is not active")
    .option("--offline", "check links within the documents, and open no connection")
    .option("--allow-unknown", "exit 0 where links are unknown and none is dead")
    .option("--exit-zero", "exit 0 whatever is found")
    .option("--server <url>", "ask a Stillup server first; unknown links are allowed then")
    .option("--key-file <file>", "a file with its API key, instead of STILLUP_API_KEY")
    .option("--strict", "exit 1 for documents that were not read; allow no unknown links")
    .option("--watch-new <source>", "then push the documents to a source of the server")
    .option("--page-url <url>", "where people see a document, with {path}; known in most CI")
    .option("--prune", "with --watch-new: remove pages of documents that are gone")
    .option("--no-config", "do not read .stillup.yaml, as for a change that others propose")
    .addHelpText(
      "after",
      `
Options may stand in .stillup.yaml at the root, under check:, by their long names.
Exit code: 0 all active, 1 any dead, 2 any unknown and none dead.`,
    )
    .action((given: string[], _: CheckOptions, command: Command) => {
      const { root, config } = command.opts<CheckOptions>();
      if (config) readOptions(root === undefined ? defaultRoot() : resolve(root), command);
      return checkAll(cli, given, command.opts<CheckOptions>());
    });
}

const defaultRoot = () => repositoryOf(process.cwd()) ?? process.cwd();

async function checkAll(cli: Cli, given: string[], options: CheckOptions) {
  if (given.length === 0 && options.file === undefined) {
    throw new UsageError("Say which URLs or documents to check, or give a list with --file.");
  }
  const config = await cli.config({ forChecks: !options.offline });
  const warn = (sentence: string) => void cli.io.stderr.write(`${plain(sentence)}\n`);
  const reader = createReader(warn);
  try {
    const server = options.offline ? null : serverFrom(options, cli.env, warn);
    const isServerNamed = Boolean(options.server ?? cli.env.STILLUP_SERVER);
    const allowed = isServerNamed && !options.strict ? { allowUnknown: true as const } : {};
    const vetted = { ...refused(options), ...allowed };
    const watched = watchOptions(options, cli.env, server);
    const work = await readInputs({
      io: cli.io,
      config,
      reader,
      given,
      options: vetted,
      tell: warn,
    });
    const { isStopped, remote } = await perform(cli, config, reader, { ...work, server, warn });
    if (!server || !watched || isStopped) return;
    const prune = watched.prune && work.unread === 0;
    if (watched.prune && !prune) {
      warn("No pages are removed from the source, since not all documents were read.");
    }
    warn(await watchNew(server, { ...watched, prune }, work.documents, remote));
  } finally {
    await reader.close();
  }
}

type Asking = { server: ServerOptions | null; warn: (sentence: string) => void };

async function perform(
  cli: Cli,
  config: Config,
  reader: Reader,
  { server, warn, ...work }: Work & Asking,
): Promise<{ isStopped: boolean; remote: Targets["remote"] }> {
  const { options, urls, documents } = work;
  const { changedSince } = options;
  const folders = documents.map(({ path }) => dirname(path));
  const isAdded =
    changedSince === undefined ? undefined : readAddedLines(changedSince, folders, cli.env);
  const targets = targetsOf(documents, {
    ...options,
    isAdded,
    isLeftOut: (url) => isOwnMachine(config, url),
  });
  const places = new Map<string, Place[]>([...urls].map((url) => [url, []]));
  for (const [url, some] of targets.remote) places.set(url, some);
  const run: Run = {
    baseline: baselineOf(options),
    ...work,
    targets,
    findings: [],
    counts: { active: 0, dead: 0, unknown: 0 },
    reports: outputsOf(options).map(({ format, file }) => ({
      format,
      file: file === null ? null : openFile(file),
    })),
    env: cli.env,
    output: openOutput(cli.io),
    statusLine: openStatusLine(cli.io),
    hasColors: !!cli.io.stdout.isTTY && !cli.env.NO_COLOR,
  };
  let done = 0;
  const count = () => {
    if (places.size > 1) run.statusLine.show(`${++done} of ${places.size}`);
  };
  const add = async (finding: Finding) => {
    run.counts[finding.status]++;
    run.findings.push(finding);
    cli.exitCode = exitCodeOf(run);
    await show(run, finding);
  };
  cli.exitCode = exitCodeOf(run);
  for (const finding of [...work.refused, ...targets.wrong]) await add(finding);
  const root = options.root === undefined ? undefined : resolve(options.root);
  const local = { ...options, root };
  const checkLocal = createLocalCheck({ tree: createTree(), reader, documents, options: local });
  for (const link of targets.local) await add(await checkLocal(link));
  const wanted = options.offline ? [] : [...places.keys()];
  const cache = options.offline ? null : cacheOf(options, config, cli.env);
  const open = wanted.filter((url) => !cache?.has(url));
  for (const url of wanted) if (cache?.has(url)) await add(cachedFinding(url, places.get(url)!));
  const known = server ? await askServer(server, open, warn) : new Map<string, KnownVerdict>();
  for (const url of open) {
    const verdict = known.get(url);
    if (verdict?.verdict === "active") await add(knownFinding(url, verdict, places.get(url)!));
  }
  const requested = open.filter((url) => known.get(url)?.verdict !== "active");
  const signal = interruption(cli.io);
  const { checksOf } = await import("./check/requests.ts");
  const checks = checksOf(config, requested, { done: count, signal });
  for await (const { url, service, conclusion } of checks) {
    const finding = findingOf(url, conclusion, { service, places: places.get(url)! });
    if (!isProblem(finding)) cache?.add(url, conclusion);
    const verdict = known.get(url);
    // Someone may just have repaired it; everything else confirms what the server has settled.
    const isKnownDead = verdict?.verdict === "dead" && conclusion.status !== "active";
    await add(isKnownDead ? knownFinding(url, verdict, places.get(url)!) : finding);
  }
  saveCache(cache, warn);
  // What was not checked must not be taken out of the baseline.
  const isStopped = signal.aborted;
  await finish(isStopped ? { ...run, baseline: null } : run, cli);
  if (isStopped) {
    warn("Stopped before all was checked.");
    cli.exitCode = INTERRUPTED;
  }
  return { isStopped, remote: targets.remote };
}

/** Null without `--watch-new`. @throws UsageError */
function watchOptions(
  { watchNew: source, pageUrl, prune }: CheckOptions,
  env: Cli["env"],
  server: ServerOptions | null,
): WatchOptions | null {
  if (source === undefined) return null;
  if (!server) throw new UsageError("--watch-new needs --server and an API key that may write.");
  return { source, pageUrl: pageUrlFrom(pageUrl, env), prune: prune === true };
}

/** Null without one. */
function cacheOf({ cache, cacheAge = DAY_MS }: CheckOptions, config: Config, env: Cli["env"]) {
  if (cache === undefined) return null;
  const folder = env.XDG_CACHE_HOME || join(env.HOME ?? ".", ".cache");
  const file = cache === true ? join(folder, "stillup", "check.ndjson") : cache;
  refuseOutside(file);
  return openCache(file, cacheAge, config.services.records, systemClock.now());
}

/** Without a cache, only the next run takes longer. */
function saveCache(cache: Cache | null, warn: (sentence: string) => void) {
  try {
    cache?.save();
  } catch (error) {
    warn((error as Error).message);
  }
}

/** Null without one. One that is to be written may not be there yet. */
function baselineOf({ baseline, writeBaseline }: CheckOptions): Baseline | null {
  if (baseline !== undefined) refuseOutside(baseline);
  if (baseline !== undefined && !writeBaseline) return readBaseline(baseline);
  return baseline === undefined ? null : new Set();
}

/** One run of the command, with what was found until now. */
type Run = Work & {
  baseline: Baseline | null;
  targets: Targets;
  findings: Finding[];
  counts: Counts;
  /** With files that are open. */
  reports: { format: OutputTo["format"]; file: number | null }[];
  env: Cli["env"];
  output: Output;
  statusLine: ReturnType<typeof openStatusLine>;
  hasColors: boolean;
};

/** Whether people read standard output. Annotations stand between their lines. */
const isForPeople = ({ options, reports }: Run) =>
  !options.json && !reports.some(({ format, file }) => file === null && format !== "github");

/** Prints a finding at once, unless it belongs to a document, whose findings are sorted. */
async function show(run: Run, finding: Finding) {
  const { options, output, statusLine } = run;
  statusLine.clear();
  if (options.quiet && !isProblem(finding)) return;
  if (isStreamed(options)) await output.write(`${asJson(finding)}\n`);
  else if (!isForPeople(run)) return;
  else if (finding.places.length === 0) await output.write(`${explained(finding)}\n`);
}

async function finish(run: Run, cli: Cli) {
  const { options, documents, findings, counts, output } = run;
  run.statusLine.clear();
  const names = new Map(
    documents.map(({ file, root, path }) => [file, slashed(relative(root, path))]),
  );
  const nameOf = (file: string) => names.get(file) ?? file;
  if (run.baseline) {
    markKnown(run, problemRows({ findings, nameOf }), run.baseline, cli.io);
    cli.exitCode = exitCodeOf(run);
  }
  const isOfDocuments = documents.length > 0 || run.unread > 0;
  const summary = isOfDocuments ? summaryOf(run) : listSummary(counts);
  if (isForPeople(run)) {
    for (const line of placesOf(findings, run.hasColors)) await output.write(`${line}\n`);
    if (isOfDocuments || run.isList) await output.write(`${summary}\n`);
  }
  const report: Report = {
    findings,
    summary,
    isUnknownAllowed: options.allowUnknown === true,
    env: run.env,
    nameOf,
  };
  for (const { format, file } of run.reports) {
    const text = REPORTS[format](report);
    if (file === null) await output.write(text);
    else {
      writeSync(file, text);
      closeSync(file);
    }
    if (format === "github") summarise(report, cli.io);
  }
}

/** Takes what is known out of the counts, and names what the baseline has and the documents do not have any more. */
function markKnown({ options, findings, counts }: Run, rows: Row[], baseline: Baseline, io: Io) {
  const entries = rows.map(entryOf);
  const known = options.writeBaseline ? new Set(entries) : baseline;
  rows.forEach(({ place }, i) => {
    if (known.has(entries[i]!)) place.isKnown = true;
  });
  for (const { status, places } of findings) {
    if (status !== "active" && places.length > 0 && places.every(({ isKnown }) => isKnown))
      counts[status]--;
  }
  if (options.writeBaseline) return writeBaseline(options.baseline!, entries);
  for (const entry of new Set(baseline).difference(new Set(entries))) {
    io.stderr.write(`${plain(`In the baseline, but not found: ${entry.replaceAll("\t", " ")}`)}\n`);
  }
}

/** The page of a job on GitHub takes 1 MiB. */
const LONGEST_SUMMARY = 1_000_000;

function summarise(report: Report, { stderr }: Io) {
  const file = report.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    // In bytes a character may be three.
    appendFileSync(file, markdownReport(report, LONGEST_SUMMARY / 3));
  } catch (error) {
    stderr.write(`${plain(failure("The summary cannot be written", error).message)}\n`);
  }
}

const lacksAnchor = (finding: Finding) => finding.status === "active" && isProblem(finding);

function summaryOf({ options, documents, unread, targets, findings, counts }: Run): string {
  const isLocal = ({ via, status }: Finding) => via === "disk" && status === "active";
  const local = findings.filter(isLocal).length;
  const others: [number, string][] = [
    [findings.filter(({ via }) => via === "server").length, "known to the server"],
    [local, "local"],
    [findings.filter(lacksAnchor).length, "without their anchor"],
    [options.offline ? targets.remote.size : 0, "not requested"],
    [findings.flatMap(({ places }) => places).filter(({ isKnown }) => isKnown).length, "known"],
    [targets.old, "on old lines"],
    [targets.leftOut, "left out"],
    [documents.reduce((sum, { read }) => sum + read.disabled, 0), "disabled by comments"],
    [unread, "not read"],
  ];
  return documentSummary({ ...counts, active: counts.active - local }, others);
}

function exitCodeOf({ counts: { dead, unknown }, options, unread }: Run): number {
  const { allowUnknown, exitZero, strict } = options;
  if (exitZero) return ALL_ACTIVE;
  if (dead > 0 || (strict && unread > 0)) return ANY_DEAD;
  return unknown > 0 && !allowUnknown ? ANY_UNKNOWN : ALL_ACTIVE;
}

function openFile(path: string): number {
  try {
    refuseOutside(path);
    return openSync(path, "w");
  } catch (error) {
    throw new UsageError(failure("The report cannot be written", error).message);
  }
}
