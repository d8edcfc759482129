import { Cron } from "croner";
import { createService } from "../app.ts";
import { checkOutbound, openDeps } from "../build.ts";
import { startCheckLoop } from "../checker/checker.ts";
import { createCheck } from "../checker/create-check.ts";
import { type Config, VERSION } from "../config.ts";
import { createDeliverer } from "../events/deliverer.ts";
import { housekeeping } from "../housekeeping.ts";
import { systemClock } from "../lib/clock.ts";
import { describeError, log, startLogging } from "../lib/log.ts";
import { createSetup } from "../session/setup.ts";

/** Above what the routes allow, so that a body of known length is refused by us, with an envelope. */
const OUTER_BODY_LIMIT = 5 * 1024 * 1024;
const METER_SECONDS = 5;
/** Idle connections are closed after as many seconds. */
const IDLE_TIMEOUT_S = 60;

/** API, dashboard, checker and deliveries in one process, until it is told to end. */
export async function serve(config: Config): Promise<void> {
  await startLogging({ level: config.logLevel, format: config.logFormat });
  const { deps, migrated } = await openDeps(config, systemClock);
  if (migrated.length > 0) log.info("database migrated", { migrated });
  const { front, meter } = createService(deps);
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    fetch: front,
    maxRequestBodySize: OUTER_BODY_LIMIT,
    idleTimeout: IDLE_TIMEOUT_S,
  });
  console.log(`listening on ${baseUrl(config, server.port!)}`);
  log.info("started", { version: VERSION, database: deps.store.engine.name });

  const setupToken = await createSetup(deps);
  if (setupToken) console.log(`set up at ${baseUrl(config, server.port!)}/setup#token=${setupToken}`);

  const deliverer = createDeliverer(deps);
  const check = startCheckLoop({
    ...deps,
    check: createCheck(config, systemClock, checkOutbound(config, systemClock)),
  });
  deps.loops.checking = true;
  deps.loops.wake = () => {
    check.wake();
    deliverer.wake();
  };
  const crons = [
    new Cron(`*/${METER_SECONDS} * * * * *`, { protect: true, catch: logFailure }, meter.flush),
    new Cron("7 * * * *", { protect: true, catch: logFailure }, () => housekeeping(deps)),
  ];

  await toldToEnd();
  log.info("stopping");
  for (const cron of crons) cron.stop();
  await Promise.all([server.stop(), check.stop(), deliverer.stop()]);
  await meter.flush();
  await deps.store.engine.close();
  log.info("stopped");
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
