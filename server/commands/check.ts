import { closeSync, openSync, writeSync } from "node:fs";
import { type Command, Option } from "commander";
import { onlineGuard } from "../app/build.ts";
import type { Config } from "../config/config.ts";
import { checkOutbound } from "../config/outbound.ts";
import { createLag, systemClock } from "../lib/clock.ts";
import { createTurns } from "../lib/concurrency.ts";
import { failure } from "../lib/errors.ts";
import type { Format } from "../links/imports/formats.ts";
import type { Item } from "../links/imports/reading.ts";
import { vetTarget } from "../net/policy.ts";
import { NEVER_CHECKED } from "../verdict/attempt.ts";
import { createCheck } from "../verdict/create-check.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import { messageOf } from "../verdict/reasons/reasons.ts";
import { serviceIdOf } from "../verdict/services/catalogue.ts";
import { catalogueWith } from "../verdict/services/records/built-in.ts";
import { createHostProfiles } from "../verdict/surroundings.ts";
import { type Cli, UsageError } from "./cli.ts";
import { type Io, openOutput, openStatusLine, plain } from "./io.ts";
import { FORMAT_NAMES, readParts } from "./list-source.ts";

const ALL_ACTIVE = 0;
const ANY_DEAD = 1;
const ANY_UNKNOWN = 2;
/** Checks that are started ahead of the output. */
const AHEAD = 2000;

export type CheckOptions = {
  file?: string;
  format?: Format;
  json?: true;
  junit?: string;
  quiet?: true;
  allowUnknown?: true;
};

export function addCheck(program: Command, cli: Cli) {
  program
    .command("check")
    .description("check URLs once, without a server or a database")
    .argument("[url...]", "what to check")
    .option(
      "-f, --file <file>",
      "check the links of a list too, as import reads it; - is standard input",
    )
    .addOption(
      new Option(
        "--format <format>",
        "format of the list; detected from its content by default",
      ).choices(FORMAT_NAMES),
    )
    .option("--json", "one JSON object a line")
    .option("--junit <file>", "also write a JUnit report for CI")
    .option("-q, --quiet", "print only what is not active")
    .option("--allow-unknown", "exit 0 where links are unknown and none is dead")
    .addHelpText("after", "\nExit code: 0 all active, 1 any dead, 2 any unknown and none dead.")
    .action((urls: string[], options: CheckOptions) => checkAll(cli, urls, options));
}

async function checkAll(cli: Cli, given: string[], options: CheckOptions) {
  const config = await cli.config({ forChecks: true });
  if (given.length === 0 && options.file === undefined) {
    throw new UsageError("Say which URLs to check, or give a list with --file.");
  }
  const urls = await urlsOf(cli.io, config, given, options);
  const junit = options.junit === undefined ? null : openJunit(options.junit, options);
  const shown = options.json ? asJson : asText;
  const output = openOutput(cli.io);
  const statusLine = openStatusLine(cli.io);
  let done = 0;
  const count = () => {
    if (urls.length > 1) statusLine.show(`${++done} of ${urls.length}`);
  };
  const counts = { active: 0, dead: 0, unknown: 0 };
  for await (const checked of checksOf(config, urls, count)) {
    const { status } = checked.conclusion;
    counts[status]++;
    cli.exitCode = exitCodeOf(counts, options);
    junit?.add(checked);
    statusLine.clear();
    if (!options.quiet || status !== "active") await output.write(`${shown(checked)}\n`);
  }
  statusLine.clear();
  junit?.end();
  if (options.file !== undefined && !options.json) await output.write(`${summaryOf(counts)}\n`);
}

type Counts = Record<Conclusion["status"], number>;

function exitCodeOf({ dead, unknown }: Counts, { allowUnknown }: CheckOptions): number {
  if (dead > 0) return ANY_DEAD;
  return unknown > 0 && !allowUnknown ? ANY_UNKNOWN : ALL_ACTIVE;
}

const summaryOf = (counts: Counts) =>
  `${Object.entries(counts)
    .map(([status, count]) => `${count.toLocaleString("en")} ${status}`)
    .join(", ")}.`;

/** In the order of the URLs. */
async function* checksOf(
  config: Config,
  urls: string[],
  done: () => void,
): AsyncGenerator<Checked, void> {
  const start = createChecker(config);
  const begun: Promise<Checked>[] = [];
  for (const url of urls) {
    begun.push(start(url).finally(done));
    if (begun.length >= AHEAD) yield begun.shift()!;
  }
  for (const checking of begun) yield checking;
}

function createChecker(config: Config): (url: string) => Promise<Checked> {
  const catalogue = catalogueWith(config.ownServices);
  const check = createCheck({
    config,
    clock: systemClock,
    outbound: checkOutbound(config, systemClock),
    online: onlineGuard(config, systemClock),
    lag: createLag(systemClock),
    profiles: createHostProfiles({ clock: systemClock }),
    catalogue,
    random: Math.random,
  });
  const inTurn = createTurns({ atOnce: config.checkConcurrency });
  const { signal } = new AbortController();
  return async (url) => {
    const conclusion = await inTurn(() => check({ ...NEVER_CHECKED, url }, signal));
    return { url, service: serviceIdOf(catalogue, new URL(url)), conclusion };
  };
}

type Checked = { url: string; service: string; conclusion: Conclusion };

const asJson = ({ url, service, conclusion }: Checked) =>
  JSON.stringify({
    url,
    status: conclusion.status,
    reason: conclusion.reason,
    message: messageOf(conclusion.reason, conclusion.statusCode, conclusion.cause),
    status_code: conclusion.statusCode,
    final_url: conclusion.finalUrl,
    response_time_ms: conclusion.responseTimeMs,
    service,
    evidence: conclusion.evidence,
  });

const INDENT = " ".repeat(9);

function asText({ url, conclusion }: Checked): string {
  const { status, reason, cause, statusCode, evidence } = conclusion;
  const lines = [`${status.padEnd(INDENT.length)}${url}`, messageOf(reason, statusCode, cause)];
  for (const hop of evidence.redirects) lines.push(`${hop.status} redirect from ${hop.url}`);
  if (evidence.redirects.length > 0) lines.push(`final URL ${conclusion.finalUrl}`);
  if (conclusion.responseTimeMs !== null) {
    lines.push(`answered ${statusCode} in ${conclusion.responseTimeMs} ms`);
  }
  lines.push(...evidence.signals.map(({ text }) => text), ...evidence.notes);
  if (status !== "active") lines.push(...attemptsOf(conclusion));
  return lines.map(plain).join(`\n${INDENT}`);
}

function attemptsOf({ reason, cause, evidence }: Conclusion): string[] {
  const seen = evidence.attempts.map((attempt) => attempt.detail ?? attempt.reason);
  const first = `reason ${reason}${cause ? `, caused by ${cause}` : ""}`;
  return [first, ...seen.map((what, i) => `attempt ${i + 1}: ${what}`)];
}

/**
 * The URLs of the command line, then each link of the list once.
 * @throws UsageError for an invalid URL, before anything is checked
 */
async function urlsOf(
  io: Io,
  config: Config,
  given: string[],
  { file, format }: CheckOptions,
): Promise<string[]> {
  for (const url of given) refuseInvalid(config, url, "");
  if (file === undefined) return given;
  const urls = new Set(given);
  for await (const { items, sitemaps } of readParts(io, file, format)) {
    if (sitemaps.length > 0) {
      throw new UsageError("An index of sitemaps has no pages itself; give one of its sitemaps.");
    }
    for (const item of items) if (isLink(io, item)) urls.add(vetted(config, item));
  }
  return [...urls];
}

/** Reports items that are not links. */
function isLink(io: Io, { line, url, problem }: Item): boolean {
  if (problem) io.stderr.write(`${plain(`Line ${line}: ${url} left out. ${problem}`)}\n`);
  return !problem;
}

function vetted(config: Config, { url, line }: Item): string {
  refuseInvalid(config, url, `Line ${line}: `);
  return url;
}

/** Only refuses invalid URLs: a check reports the hosts that the settings forbid. */
function refuseInvalid(
  { checkAllowedHosts, checkBlockedHosts }: Config,
  url: string,
  where: string,
) {
  const target = vetTarget(url, { allowed: checkAllowedHosts, blocked: checkBlockedHosts });
  if (target.ok || target.reason === "target_forbidden") return;
  throw new UsageError(`${where}${JSON.stringify(url)} ${target.problem}`);
}

type Report = { add(checked: Checked): void; end(): void };

/**
 * A JUnit report for CI: a dead link is a failure, an unknown one an error, or skipped where it is allowed. Opens the
 * file now, so that a wrong name is reported before the checks.
 */
function openJunit(path: string, { allowUnknown }: { allowUnknown?: true }): Report {
  const file = openFile(path);
  const cases: string[] = [];
  const counts = { active: 0, dead: 0, unknown: 0 };
  return {
    add(checked) {
      counts[checked.conclusion.status]++;
      cases.push(caseOf(checked, allowUnknown ? "skipped" : "error"));
    },
    end() {
      const [errors, skipped] = allowUnknown ? [0, counts.unknown] : [counts.unknown, 0];
      const sums = `tests="${cases.length}" failures="${counts.dead}" errors="${errors}" skipped="${skipped}"`;
      const suite = `<testsuite name="links" ${sums}>\n${cases.join("\n")}\n</testsuite>`;
      writeSync(file, `${HEAD}<testsuites ${sums}>\n${suite}\n</testsuites>\n`);
      closeSync(file);
    },
  };
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function openFile(path: string): number {
  try {
    return openSync(path, "w");
  } catch (error) {
    throw failure("The report cannot be written", error);
  }
}

function caseOf(checked: Checked, unknownIs: "error" | "skipped"): string {
  const { url, conclusion } = checked;
  const { status, reason, statusCode, cause } = conclusion;
  const seconds = (conclusion.responseTimeMs ?? 0) / 1000;
  const head = `<testcase classname="${escaped(new URL(url).host)}" name="${escaped(url)}" time="${seconds}"`;
  if (status === "active") return `${head}/>`;
  const name = status === "dead" ? "failure" : unknownIs;
  const message = escaped(messageOf(reason, statusCode, cause));
  const type = name === "skipped" ? "" : ` type="${reason}"`;
  return `${head}><${name} message="${message}"${type}>${escaped(asText(checked))}</${name}></testcase>`;
}

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Also replaces characters that XML does not allow. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\n]|[\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"]/g, (sign) => SIGNS[sign]!);
