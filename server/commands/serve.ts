import { Cron } from "croner";
import type { Meter } from "../accounts/meter.ts";
import { createService } from "../app.ts";
import { linkCheck, openDeps } from "../build.ts";
import { startCheckLoop } from "../checker/checker.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { createDeliverer } from "../events/deliverer.ts";
import { forgetDoomed } from "../history/forget-doomed.ts";
import { housekeeping } from "../housekeeping.ts";
import type { Front } from "../http/front.ts";
import { systemClock } from "../lib/clock.ts";
import { failure } from "../lib/failure.ts";
import { createLag } from "../lib/lag.ts";
import { describeError, log, startLogging } from "../lib/log.ts";
import { prepareRuntime } from "../lib/runtime.ts";
import { VERSION } from "../lib/version.ts";
import { reclassify } from "../links/reclassify.ts";
import { createSetup } from "../session/setup.ts";

/** Above what the routes allow, so that a body of known length is refused by us, with an envelope. */
const OUTER_BODY_LIMIT = 5 * 1024 * 1024;
const METER_SECONDS = 5;
/** Idle connections are closed after as many seconds. */
const IDLE_TIMEOUT_S = 60;
/** What is still under way then is cut off, since whoever waits for our end kills us after ten seconds. */
const FAREWELL_MS = 5000;

/** API, dashboard, checker and deliveries in one process, until it is told to end. */
export async function serve(config: Config): Promise<void> {
  prepareRuntime(config.checkConcurrency);
  await startLogging({ level: config.logLevel, format: config.logFormat });
  // From before anyone can know that we run.
  const ended = toldToEnd();
  const { deps, migrated } = await openDeps(config, systemClock);
  if (migrated.length > 0) log.info("database migrated", { migrated });
  const { front, meter, live } = await createService(deps);
  const server = listen(config, front);
  const url = baseUrl(config, server.port!);
  console.log(`listening on ${url}`);
  log.info("started", { version: VERSION, database: deps.store.engine.name });
  const setupToken = await createSetup(deps);
  if (setupToken) console.log(`set up at ${config.publicUrl ?? url}/setup#token=${setupToken}`);
  const stopLoops = startLoops(deps, meter);

  await ended;
  log.info("stopping");
  // Else they would be waited for.
  live.close();
  await Promise.all([stopListening(server), stopLoops()]);
  await meter.flush();
  await deps.store.engine.close();
  log.info("stopped");
}

function listen({ host: hostname, port }: Config, front: Front) {
  try {
    return Bun.serve({
      hostname,
      port,
      fetch: front,
      maxRequestBodySize: OUTER_BODY_LIMIT,
      idleTimeout: IDLE_TIMEOUT_S,
    });
  } catch (error) {
    throw failure("The server cannot listen", error, "Check STILLUP_HOST and STILLUP_PORT.");
  }
}

/** Answers what was asked before, as long as clients take it in time. */
async function stopListening(server: Bun.Server<undefined>): Promise<void> {
  const cutting = setTimeout(() => void server.stop(true), FAREWELL_MS);
  await server.stop();
  clearTimeout(cutting);
}

/** Checks, delivers and keeps house; gives what ends all of it in order. */
function startLoops(deps: Deps, meter: Meter): () => Promise<void> {
  const { loops } = deps;
  const deliverer = createDeliverer(deps);
  const checker = startCheckLoop({ ...deps, check: linkCheck(deps, createLag(systemClock)) });
  loops.checking = true;
  loops.wake = () => {
    checker.wake();
    deliverer.wake();
  };
  const ended = new AbortController();
  // One thing after another, whoever asks for it: none of it is urgent.
  let tidying = Promise.resolve();
  const tidyUp = (work: typeof housekeeping) => {
    tidying = tidying.then(() => work(deps, ended.signal)).catch(logFailure);
    return tidying;
  };
  // What a stop or a crash left half forgotten.
  void tidyUp(forgetDoomed);
  const filing = classifyAll(deps, ended.signal).catch(logFailure);
  const options = { protect: true, catch: logFailure };
  const crons = [
    new Cron(`*/${METER_SECONDS} * * * * *`, options, meter.flush),
    new Cron("7 * * * *", options, () => tidyUp(housekeeping)),
  ];
  return async () => {
    for (const cron of crons) cron.stop();
    ended.abort();
    await Promise.all([checker.stop(), deliverer.stop(), filing, tidying]);
  };
}

/** Links that belong to another service since the catalogue changed, whatever else is going on. */
async function classifyAll(deps: Deps, signal: AbortSignal): Promise<void> {
  // Now rather than with the first link: a catalogue that contradicts itself is told at the start.
  deps.catalogue.index();
  const changed = await reclassify(deps, signal);
  if (changed > 0) log.info("links filed under other services", { changed });
}

const baseUrl = (config: Config, port: number) =>
  `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;

/** The first signal ends in order, the second at once. */
function toldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(1));
      resolve();
    };
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
  });
}

const logFailure = (error: unknown) => log.error("a timed job failed", describeError(error));
