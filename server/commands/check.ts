import type { Command } from "commander";
import { checkOutbound, onlineGuard } from "../build.ts";
import type { Conclusion } from "../checker/conclusion.ts";
import { createCheck } from "../checker/create-check.ts";
import { NEVER_CHECKED } from "../checker/look.ts";
import { messageOf } from "../checker/messages.ts";
import { catalogueWith } from "../checker/services/built-in.ts";
import { serviceIdOf } from "../checker/services/catalogue.ts";
import { createHostProfiles } from "../checker/surroundings/host-profiles.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { createLag } from "../lib/lag.ts";
import { prepareRuntime } from "../lib/runtime.ts";
import { createTurns } from "../lib/turns.ts";
import { vetTarget } from "../outbound/address.ts";
import { type Cli, UsageError } from "./cli.ts";
import { startProgress } from "./progress.ts";

const ANY_DEAD = 1;
const ANY_UNKNOWN = 2;

type Checked = { url: string; service: string; conclusion: Conclusion };

export function addCheck(program: Command, cli: Cli) {
  program
    .command("check")
    .description("check URLs once, without a server or a database")
    .argument("<url...>", "what to check")
    .option("--json", "one JSON object a line")
    .addHelpText("after", "\nExit code: 0 all active, 1 any dead, 2 any unknown and none dead.")
    .action((urls: string[], options: { json?: true }) => checkAll(cli, urls, options));
}

async function checkAll(cli: Cli, urls: string[], options: { json?: true }) {
  const config = await cli.config();
  prepareRuntime(config.checkConcurrency);
  for (const url of urls) refuseNoUrl(config, url);
  const shown = options.json ? asJson : asText;
  const progress = startProgress(urls.length);
  const statuses = new Set<string>();
  // In the order they were given, each as soon as those before it are there.
  for (const checking of startChecks(config, urls, progress.count)) {
    const checked = await checking;
    progress.clear();
    cli.print(shown(checked));
    statuses.add(checked.conclusion.status);
  }
  progress.clear();
  if (statuses.has("dead")) cli.exitCode = ANY_DEAD;
  else if (statuses.has("unknown")) cli.exitCode = ANY_UNKNOWN;
}

/** What may not be reached is judged by the check; what is no URL is a mistake on the command line. */
function refuseNoUrl({ checkAllowedHosts, checkBlockedHosts }: Config, url: string) {
  const target = vetTarget(url, { allowed: checkAllowedHosts, blocked: checkBlockedHosts });
  if (target.ok || target.reason === "target_forbidden") return;
  throw new UsageError(`${JSON.stringify(url)} ${target.problem}`);
}

function startChecks(config: Config, urls: string[], done: () => void): Promise<Checked>[] {
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
  return urls.map(async (url) => {
    const conclusion = await inTurn(() => check({ ...NEVER_CHECKED, url }, signal));
    done();
    return { url, service: serviceIdOf(catalogue, new URL(url)), conclusion };
  });
}

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

/** The verdict, what it means, and what was seen. */
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

/** What a site sends must not move the terminal's cursor. */
const plain = (line: string) => line.replace(/\p{Cc}/gu, " ");
