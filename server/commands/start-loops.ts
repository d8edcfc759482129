import { Cron } from "croner";
import type { Meter } from "../accounts/meter.ts";
import { startBackups } from "../backups/daily.ts";
import { heartbeatOutbound, linkCheck } from "../build.ts";
import { startCheckLoop } from "../checker/checker.ts";
import type { Deps } from "../deps.ts";
import { createDeliverer } from "../events/deliverer.ts";
import { forgetDoomed } from "../history/forget-doomed.ts";
import { housekeeping } from "../housekeeping.ts";
import { systemClock } from "../lib/clock.ts";
import { createLag } from "../lib/lag.ts";
import { describeError, log } from "../lib/log.ts";
import { reclassify } from "../links/reclassify.ts";
import { checkIntegrityWhenDue } from "../start/integrity.ts";
import { keepHeartbeat } from "../upkeep/heartbeat.ts";

/** Requests are counted in memory in between. */
const METER_SECONDS = 5;

/** Checks, delivers and keeps house; gives what ends all of it in order. */
export function startLoops(deps: Deps, meter: Meter): () => Promise<void> {
  const ended = new AbortController();
  const stopWork = startWork(deps);
  const tidyUp = createTidying(deps, ended.signal);
  // What a stop or a crash left half forgotten.
  void tidyUp(forgetDoomed);
  const outbound = heartbeatOutbound(deps.config, deps.clock);
  const beating = keepHeartbeat({ ...deps, outbound }, ended.signal);
  const filing = classifyAll(deps, ended.signal).catch(logFailure);
  const options = { protect: true, catch: logFailure };
  const crons = [
    new Cron(`*/${METER_SECONDS} * * * * *`, options, async () => {
      if (!deps.troubles.stoppingWrites()) await meter.flush();
    }),
    new Cron("7 * * * *", options, () => tidyUp(housekeeping)),
    startBackups(deps),
    new Cron("37 * * * *", options, () => checkIntegrityWhenDue(deps, ended.signal)),
  ];
  return async () => {
    for (const cron of crons) cron.stop();
    ended.abort();
    await Promise.all([stopWork(), filing, tidyUp(), beating]);
  };
}

/** What all the rest is for: checks and deliveries. */
function startWork(deps: Deps): () => Promise<unknown> {
  const { loops } = deps;
  const deliverer = createDeliverer(deps);
  const checker = startCheckLoop({ ...deps, check: linkCheck(deps, createLag(systemClock)) });
  loops.checking = true;
  loops.wake = () => {
    checker.wake();
    deliverer.wake();
  };
  return () => Promise.all([checker.stop(), deliverer.stop()]);
}

/** One thing after another, whoever asks for it: none of it is urgent. Without work it waits for the rest. */
function createTidying(deps: Deps, signal: AbortSignal) {
  let tidying = Promise.resolve();
  return (work?: typeof housekeeping): Promise<void> => {
    if (work && !deps.troubles.stoppingDeletions()) {
      tidying = tidying.then(() => work(deps, signal)).catch(logFailure);
    }
    return tidying;
  };
}

/** Links that belong to another service since the catalogue changed, whatever else is going on. */
async function classifyAll(deps: Deps, signal: AbortSignal): Promise<void> {
  // Now rather than with the first link: a catalogue that contradicts itself is told at the start.
  deps.catalogue.index();
  const changed = await reclassify(deps, signal);
  if (changed > 0) log.info("links filed under other services", { changed });
}

const logFailure = (error: unknown) => log.error("a timed job failed", describeError(error));
