/**
 * Runs test files in as many processes as there are cores. Prints one line per finished file, and the output of those
 * that fail.
 *
 *   bun tests/run.ts [--verbose] [--long | --short] [--record] [--test-name-pattern REGEX] [FILE…]
 *
 * FILE is any part of a path; without one, all files run. `--verbose` prints all output. `--long` runs only the files
 * that import long.ts, at full size, and `--short` all others. `--record` writes the seconds that each file took into
 * seconds.json. Files that it does not name run first, and fail a run of all files, so that none is scheduled blindly.
 * Such a run also fails for statements of the product that ran on SQLite, and on PostgreSQL in none of the files.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { unseenPromises } from "./contract.ts";
import { testFiles } from "./imports.ts";
import { executable } from "./installed.ts";
import { shareServer } from "./postgres.ts";
import { newScratchFolder } from "./scratch.ts";
import { closeShared } from "./shared.ts";
import { onlyOnSqlite } from "./statements.ts";
import { cpuSeconds, type FileRun, runFiles } from "./test-process.ts";

/** More batches end closer together; fewer load the program less often. */
const BATCHES_PER_PROCESS = 6;
const SHORTEST_BATCH = 10;
/** Of a file that was not measured yet: as long as the slow ones. */
const UNKNOWN_SECONDS = 100;
const SECONDS_FILE = join(import.meta.dir, "seconds.json");

const { values: flags, positionals } = parseArgs({
  options: {
    verbose: { type: "boolean" },
    long: { type: "boolean" },
    short: { type: "boolean" },
    record: { type: "boolean" },
    "test-name-pattern": { type: "string", short: "t" },
  },
  allowPositionals: true,
});
const startedAt = performance.now();
const args = flags["test-name-pattern"] ? ["-t", flags["test-name-pattern"]] : [];
const isWhole = positionals.length === 0 && args.length === 0 && !flags.long;

/** Seconds per file, as an earlier run measured them. */
const seconds: Record<string, number> = JSON.parse(readFileSync(SECONDS_FILE, "utf8"));
const total = { passed: 0, failed: 0 };
/** What failed, printed once more at the end, which a log that was cut still shows. */
const failures: string[] = [];
const LINES_OF_FAILURE = 40;

const isLong = (file: string) => readFileSync(file, "utf8").includes('/long.ts"');

const allFiles = testFiles();

function filesToRun(): string[] {
  const parts = positionals.map((part) => part.replace(/^\.\//, ""));
  return allFiles
    .filter((file) => (!flags.long || isLong(file)) && !(flags.short && isLong(file)))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
}

const sumOf = (files: string[]) =>
  files.reduce((sum, file) => sum + (seconds[file] ?? UNKNOWN_SECONDS), 0);

/** Files of a folder share a process, which loads the program and starts a browser once. Longest batch first. */
function batchesOf(files: string[], processes: number): string[][] {
  const limit = Math.max(sumOf(files) / (processes * BATCHES_PER_PROCESS), SHORTEST_BATCH);
  const batches: string[][] = [];
  for (const file of files) {
    const last = batches.at(-1);
    if (last && sumOf([...last, file]) <= limit) last.push(file);
    else batches.push([file]);
  }
  return batches.sort((a, b) => sumOf(b) - sumOf(a));
}

const isFailure = (line: string) => /^(\(fail\)|# Unhandled error)/.test(line);

const RULE = /^-+$/;

/** Each failure with the lines before it, which say why, or those after it up to the second rule. */
function failuresIn(file: string, lines: string[]): string[] {
  const ends = lines.flatMap((line, index) => {
    if (!isFailure(line)) return [];
    if (line.startsWith("(fail)")) return [index + 1];
    const second = lines.findIndex((each, at) => at > index + 1 && RULE.test(each));
    return [second < 0 ? lines.length : second];
  });
  return ends.map((end) => {
    const before = lines.slice(Math.max(0, end - LINES_OF_FAILURE), end);
    const start = before.findLastIndex((line) => line.startsWith("(pass)")) + 1;
    return [`${file}:`, ...before.slice(start)].join("\n");
  });
}

function report({ file, lines, seconds: took }: FileRun): void {
  const passed = lines.filter((line) => line.startsWith("(pass)")).length;
  const failed = lines.filter(isFailure).length;
  failures.push(...failuresIn(file, lines));
  total.passed += passed;
  total.failed += failed;
  seconds[file] = Number(took.toFixed(1));
  if (flags.verbose) console.log(lines.join("\n"));
  else if (failed > 0) console.log(lines.filter((line) => !line.startsWith("(pass)")).join("\n"));
  const suffix = failed > 0 ? `, ${failed} FAILED` : "";
  console.log(`${file}: ${passed} passed${suffix} (${took.toFixed(1)} s)`);
}

/** Fails for promises of the API's document that no test saw kept, which only a run of all tests can know. */
function reportUnseen(folder: string): void {
  const unseen = unseenPromises(folder);
  if (unseen.length === 0) return;
  total.failed++;
  failures.push(`Documented, but never answered in any test:\n${unseen.join("\n")}`);
}

/** Fails for statements of the product that no test ran on PostgreSQL, although one did on SQLite. */
function reportOnlyOnSqlite(folder: string): void {
  const statements = onlyOnSqlite(folder);
  if (statements.length === 0) return;
  total.failed++;
  failures.push(`Ran on SQLite only; add them to tests/both-engines:\n${statements.join("\n")}`);
}

/** Fails for files that the schedule does not know. In CI the file that was committed counts. */
function reportUnknown(): void {
  const unknown = allFiles.filter((file) => !(file in seconds));
  if (unknown.length === 0 || (flags.record && !process.env.CI)) return;
  total.failed++;
  failures.push(
    `Not in tests/seconds.json; run \`npm test -- --record\` or add them:\n${unknown.join("\n")}`,
  );
}

async function runInProcesses(files: string[], env: Record<string, string>): Promise<void> {
  const processes = Math.min(availableParallelism(), files.length);
  const batches = batchesOf(files, processes);
  const work = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift())
      await runFiles(batch, args, env, report);
  };
  await Promise.all(Array.from({ length: processes }, work));
}

/** What processes share: one PostgreSQL, one build of the executable, and what they saw of the API and of SQL. */
async function runTogether(files: string[]): Promise<void> {
  const contract = newScratchFolder("stillup-contract-");
  await runInProcesses(files, {
    STILLUP_TEST_POSTGRES: await shareServer(),
    STILLUP_BINARY: await executable(),
    STILLUP_TEST_LONG: flags.long ? "1" : "0",
    STILLUP_TEST_CONTRACT: contract,
  });
  if (isWhole) {
    reportUnseen(contract);
    reportOnlyOnSqlite(contract);
  }
  rmSync(contract, { recursive: true });
  await closeShared();
}

/** `5 min 40 s (590 s of processors)`, without what the shared PostgreSQL and the build took. */
function timeTaken(): string {
  const took = Math.round((performance.now() - startedAt) / 1000);
  return `${Math.floor(took / 60)} min ${took % 60} s (${Math.round(cpuSeconds())} s of processors)`;
}

const files = filesToRun();
if (isWhole) reportUnknown();
await (files.length > 1 ? runTogether(files) : runInProcesses(files, {}));
if (flags.record) {
  const known = Object.entries(seconds).filter(([file]) => existsSync(file));
  writeFileSync(SECONDS_FILE, `${JSON.stringify(Object.fromEntries(known.sort()), null, 2)}\n`);
}
if (failures.length > 0) console.log(`\n${failures.join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed in ${timeTaken()}`);
process.exit(total.failed > 0 || files.length === 0 ? 1 : 0);
