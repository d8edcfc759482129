import { Cron } from "croner";
import { CONTENTS } from "../accounts/mail-contents.ts";
import type { Meter } from "../accounts/usage.ts";
import { closeChecks, openChecks } from "../app/build.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { heartbeatOutbound } from "../ground/config/outbound.ts";
import { log, logFailure } from "../ground/lib/log.ts";
import { deletePendingHistory } from "../history/pending-deletions.ts";
import { startImportLoop } from "../links/imports/steps.ts";
import { reclassify } from "../links/reclassify.ts";
import { endMutes } from "../links/triage/end-mutes.ts";
import { createMailSender } from "../mail/send.ts";
import { startCheckLoop } from "../monitor/checker.ts";
import { startDomainLoop } from "../monitor/domains/loop.ts";
import { createDeliverer } from "../notify/deliverer.ts";
import { sendSummaries } from "../notify/summaries.ts";
import { compareUsage } from "../notify/usage-thresholds.ts";
import { eraseDeletedWebhooks } from "../notify/webhooks.ts";
import { startBackups } from "../ops/backups/backups.ts";
import { checkIntegrityWhenDue, checkWhileServing } from "../ops/start/integrity.ts";
import { keepHeartbeat } from "../ops/upkeep/heartbeat.ts";
import { hourly } from "../ops/upkeep/hourly.ts";
import { startSaveLoop } from "../repair/archive/save-loop.ts";
import { startReplacementLoop } from "../repair/check-replacements.ts";
import { startPatternLoop } from "../repair/patterns/loop.ts";
import { startLookupLoop } from "../repair/suggestions/loop.ts";
import { startSourceLoop } from "../sources/loop.ts";
import type { Deps } from "../work/deps.ts";

/** Requests are counted in memory and saved this often. */
const METER_SECONDS = 5;

/**
 * Starts checks and deliveries, if they are roles of this node, and housekeeping.
 * @param isVerified whether the database was verified before
 * @returns a function that stops them
 */
export function startLoops(deps: Deps, meter: Meter, isVerified = true): () => Promise<void> {
  const ended = new AbortController();
  const stopWork = startWork(deps);
  const tidyUp = createTidying(deps, ended.signal);
  // Continues deletions that a stop or a crash interrupted.
  void tidyUp(deletePendingHistory);
  void tidyUp(eraseDeletedWebhooks);
  const outbound = heartbeatOutbound(deps.config, deps.clock);
  const beating = keepHeartbeat({ ...deps, outbound }, ended.signal);
  const verifying = isVerified ? null : checkWhileServing(deps, ended.signal);
  const filing = classifyAll(deps, ended.signal).catch(noteFailure);
  const options = { protect: true, catch: noteFailure };
  const crons = [
    new Cron(`*/${METER_SECONDS} * * * * *`, options, async () => {
      if (!deps.troubles.stoppingWrites()) await meter.flush();
    }),
    new Cron("7 * * * *", options, () => tidyUp(keepHouse)),
    startBackups(deps),
    ...(deps.config.role.includes("delivery")
      ? [
          new Cron("* * * * *", options, () => endMutes(deps)),
          new Cron("* * * * *", options, () => sendSummaries(deps)),
          new Cron("*/10 * * * *", options, () => compareUsage(deps)),
        ]
      : []),
    new Cron("37 * * * *", options, () => checkIntegrityWhenDue(deps, ended.signal)),
  ];
  return async () => {
    for (const cron of crons) cron.stop();
    ended.abort();
    await Promise.all([stopWork(), filing, verifying, tidyUp(), beating]).finally(() =>
      closeChecks(deps),
    );
  };
}

/** Once an hour, on one of the nodes. */
const keepHouse = async (deps: Deps, signal: AbortSignal): Promise<void> => {
  // Continues where a node that has stopped left off.
  await classifyAll(deps, signal);
  await hourly(deps, "housekeeping", signal, housekeeping);
};

function startWork(deps: Deps): () => Promise<unknown> {
  const { loops, config } = deps;
  const work = [
    ...(config.role.includes("api") ? [startImportLoop(deps)] : []),
    ...(config.role.includes("checker") ? startChecks(deps) : []),
    ...(config.role.includes("delivery")
      ? [createDeliverer(deps), createMailSender(deps, CONTENTS)]
      : []),
  ];
  loops.setChecking(config.role.includes("checker"));
  for (const each of work) loops.onWake(each.wake);
  return () => Promise.all(work.map((each) => each.stop()));
}

/** Checks and readings are requested from the same processes, so a site has one limit for both. */
function startChecks(deps: Deps) {
  const checks = openChecks(deps);
  deps.metrics.watchProcesses(checks.processes);
  return [
    startCheckLoop({ ...deps, ...checks }),
    startSourceLoop(deps),
    startPatternLoop(deps),
    ...(savesPages(deps) ? [startSaveLoop(deps)] : []),
    startLookupLoop(deps),
    startReplacementLoop(deps),
    ...(deps.config.rdap === "on" ? [startDomainLoop(deps)] : []),
  ];
}

const savesPages = ({ config }: Deps) => config.archive !== "off" && config.archiveKeyFile !== null;

/** Runs tasks one after another. Without a task, waits for the others. */
function createTidying(deps: Deps, signal: AbortSignal) {
  let tidying = Promise.resolve();
  return (work?: typeof keepHouse): Promise<void> => {
    if (work && !deps.troubles.stoppingDeletions()) {
      tidying = tidying.then(() => work(deps, signal)).catch(noteFailure);
    }
    return tidying;
  };
}

/** Updates the service of links after the catalogue changed. */
async function classifyAll(deps: Deps, signal: AbortSignal): Promise<void> {
  // Reports a contradictory catalogue now rather than at the first link.
  deps.catalogue.index();
  const changed = await reclassify(deps, signal);
  if (changed > 0) log.info("links filed under other services", { changed });
}

const noteFailure = logFailure("scheduled job failed");
