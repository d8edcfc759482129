import { type Command, Option } from "commander";
import { checkOutbound, onlineGuard } from "../app/build.ts";
import type { Config } from "../config/config.ts";
import { createLag, systemClock } from "../lib/clock.ts";
import { createTurns } from "../lib/concurrency.ts";
import type { Format } from "../links/imports/formats.ts";
import { NEVER_CHECKED } from "../verdict/attempt.ts";
import { createCheck } from "../verdict/create-check.ts";
import type { Conclusion } from "../verdict/probe/conclusion.ts";
import { serviceIdOf } from "../verdict/services/catalogue.ts";
import { catalogueWith } from "../verdict/services/records/built-in.ts";
import { createHostProfiles } from "../verdict/surroundings.ts";
import { openJunit } from "./check-junit.ts";
import { asJson, asText, type Checked } from "./check-show.ts";
import { urlsOf } from "./check-urls.ts";
import { type Cli, UsageError } from "./cli.ts";
import { openOutput, openStatusLine } from "./io.ts";
import { FORMAT_NAMES } from "./list-source.ts";

const ALL_ACTIVE = 0;
const ANY_DEAD = 1;
const ANY_UNKNOWN = 2;
/** Checks that run at once; per-host limits hold in any case. */
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
    .option("--junit <file>", "write a report for CI as well, in the XML of JUnit")
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

/** In the order they were given, each as soon as those before it are there. */
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
