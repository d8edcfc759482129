import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { createSetup } from "../accounts/setup.ts";
import { toLastResort } from "../api/reply.ts";
import { createService } from "../app/app.ts";
import type { Config } from "../config/config.ts";
import type { Front } from "../http/front.ts";
import { createGracefulStop, createStarting } from "../http/start-and-stop.ts";
import { systemClock } from "../lib/clock.ts";
import { failure } from "../lib/errors.ts";
import { describeError, lineIn, log, logWarnings } from "../lib/log.ts";
import { VERSION } from "../lib/runtime.ts";
import type { Fresh } from "../ops/start/prepare-database.ts";
import { watchSchema } from "../ops/start/watch-schema.ts";
import { makeRoom, watchDisk } from "../ops/upkeep/disk.ts";
import { watchFaults } from "../ops/upkeep/faults.ts";
import { joinNodes } from "../work/join.ts";
import type { Io } from "./io.ts";
import { closeDatabase, startDatabase, takeFolder } from "./start-database.ts";
import { startLoops } from "./start-loops.ts";
import { startTopics } from "./start-topics.ts";

/** Above what the routes allow, so that a body of known length is refused by us, with an envelope. */
const OUTER_BODY_LIMIT = 5 * 1024 * 1024;
const KILLED = 1;
/** Idle connections are closed after as many seconds. */
const IDLE_TIMEOUT_S = 60;
/** Requests that still run then are cut off, since supervisors kill us after ten seconds. */
const FAREWELL_MS = 5000;

/** API, dashboard, checker and deliveries in one process, or part of them, until SIGTERM. */
export async function serve(config: Config, io: Io, options?: Fresh): Promise<void> {
  logWarnings();
  // From before anyone can know that we run.
  const ended = stopRequest(io);
  const lock = takeFolder(config);
  await makeRoom(config);
  const starting = createStarting(config);
  let front = starting.front;
  const graceful = createGracefulStop((request, peer) => front(request, peer), systemClock);
  const server = await listen(config, graceful.front);
  const opened = await startDatabase(config, starting.setStep, ended, options);
  if (!opened) return;
  const joined = joinNodes(opened);
  const { topics, stopTopics } = startTopics(opened);
  const deps = { ...opened, nodes: joined.nodes, topics };
  const service = await createService(deps);
  const { meter, live } = service;
  front = service.front;
  const url = baseUrl(config, server.port!);
  const announce = (what: string) => io.stdout.write(`${lineIn(config.logFormat, "info", what)}\n`);
  announce(`listening on ${url}`);
  log.info("started", { version: VERSION, database: deps.store.engine.name, roles: config.role });
  const setupToken = config.role.includes("api") ? await createSetup(deps) : null;
  if (setupToken) announce(`set up at ${config.publicUrl ?? url}/setup#token=${setupToken}`);
  const faults = watchFaults(deps);
  const schema = watchSchema(deps);
  const disk = watchDisk(deps);
  const stopLoops = startLoops(deps, meter);
  joined.start();

  const outgrown = await Promise.race([ended, faults.fatal, schema.outgrown]);
  log.info("stopping");
  deps.store.engine.hurry();
  schema.stop();
  // Else they would be waited for.
  live.close();
  await Promise.all([graceful.stop(() => stopListening(server)), joined.leave(stopLoops())]);
  await meter
    .flush()
    .catch((error) => log.error("requests were not counted", describeError(error)));
  await disk.stop();
  await stopTopics();
  await closeDatabase(deps);
  lock.release();
  log.info("stopped");
  if (outgrown) throw outgrown;
  if (faults.hasEnded()) throw new Error("Exited after an uncaught error; see the log.");
}

async function listen({ host: hostname, port }: Config, front: Front) {
  try {
    return Bun.serve({
      hostname,
      port,
      fetch: front,
      error: toLastResort,
      maxRequestBodySize: OUTER_BODY_LIMIT,
      idleTimeout: IDLE_TIMEOUT_S,
    });
  } catch (error) {
    const why = (await problemOfHost(hostname, error)) ?? error;
    throw failure("The server cannot listen", why, "Check STILLUP_HOST and STILLUP_PORT.");
  }
}

/** What is wrong with the address or the name to listen on; null when the error is about something else. */
async function problemOfHost(host: string, error: unknown): Promise<string | null> {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EADDRINUSE" || code === "EACCES") return null;
  const isElsewhere = code === "EADDRNOTAVAIL";
  if (isIP(host)) return isElsewhere ? `${host} is not an address of this machine` : null;
  const found = await lookup(host).catch(() => null);
  if (!found) return `The name "${host}" cannot be resolved`;
  return isElsewhere
    ? `"${host}" resolves to ${found.address}, which is not an address of this machine`
    : null;
}

/** Answers what was asked before, as long as clients take it in time. */
async function stopListening(server: Bun.Server<undefined>): Promise<void> {
  const cutting = setTimeout(() => void server.stop(true), FAREWELL_MS);
  await server.stop();
  clearTimeout(cutting);
}

const baseUrl = (config: Config, port: number) =>
  `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;

/** Resolves at the first signal, for an orderly stop; the second exits at once. */
const stopRequest = (io: Io): Promise<void> =>
  new Promise((resolve) => {
    io.catchSignals?.(KILLED).addEventListener("abort", () => resolve());
  });
