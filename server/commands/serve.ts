import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Command } from "commander";
import { createSetup } from "../accounts/users.ts";
import { createService } from "../app/app.ts";
import { openDeps } from "../app/build.ts";
import {
  backupFolder,
  type Config,
  databaseName,
  printConfig,
  readConfig,
  sqlitePath,
} from "../ground/config/config.ts";
import { lockFolder } from "../ground/db/folder.ts";
import { refuseNewer } from "../ground/db/migrate.ts";
import { deleteUnfinished, ownMigrations } from "../ground/db/open.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { failure } from "../ground/lib/errors.ts";
import { describeError, lineIn, log, logWarnings } from "../ground/lib/log.ts";
import { checksWithin, filesFor, openFileLimit, VERSION } from "../ground/lib/runtime.ts";
import { makeParts } from "../history/forget-old.ts";
import type { Front } from "../http/front.ts";
import { toStandaloneErrorResponse } from "../http/reply.ts";
import { createGracefulStop, createStarting } from "../http/start-and-stop.ts";
import { ownServicesOf } from "../judge/services/own-services.ts";
import { UPLOAD_LIMIT } from "../links/imports/upload.ts";
import { watchFaults, watchSchema } from "../ops/start/fatal.ts";
import { noteCleanStop } from "../ops/start/integrity.ts";
import {
  type Fresh,
  makeFolder,
  noteVersion,
  prepareToServe,
  type Tell,
} from "../ops/start/prepare-database.ts";
import { makeRoom, watchDisk } from "../ops/upkeep/disk.ts";
import type { Deps } from "../work/deps.ts";
import { joinNodes } from "../work/membership.ts";
import { listenToTopics, localTopics, type Topics } from "../work/topics.ts";
import { type Cli, UsageError } from "./cli.ts";
import { localUrl, urlOf } from "./health.ts";
import { type Io, openStatusLine } from "./io.ts";
import { startLoops } from "./start-loops.ts";

/** Larger than the routes' limits, so that the routes refuse a body of known length, with an envelope. */
const OUTER_BODY_LIMIT = UPLOAD_LIMIT + 1024 * 1024;
const KILLED = 1;
const IDLE_TIMEOUT_S = 60;
/** Requests that still run then are cut off: supervisors kill a process after ten seconds. */
const STOP_TIMEOUT_MS = 5000;

/** For commands that may create a database. */
export const FRESH = [
  "--fresh",
  "create an empty database even if there was one, as its secret key or its backups show",
] as const;

/** The default: without a command the server starts. */
export function addServe(program: Command, cli: Cli) {
  program
    .command("serve", { isDefault: true })
    .description("run API, dashboard, checker and webhook delivery (the default)")
    .option(
      "--print-config",
      "print every setting with its value and where it came from, then exit",
    )
    .option(...FRESH)
    // An unknown command ends up here.
    .argument("[words...]")
    .usage("[options]")
    .action(async (words: string[], options: { printConfig?: true; fresh?: true }) => {
      if (words.length > 0) throw new UsageError(`There is no command "${words[0]}"`);
      cli.isServing = !options.printConfig;
      if (options.printConfig) return printSettings(cli);
      // Before the log starts: the process may replace itself, and each warning is logged once.
      await serve(await cli.config({ forChecks: true }), cli, options);
    });
}

function printSettings(cli: Cli) {
  const { env, file } = cli.sources();
  const config = readConfig({ ...file, ...env });
  ownServicesOf(config);
  cli.print(printConfig(env, file));
  const { checkConcurrency } = config;
  const used = checksWithin(checkConcurrency);
  if (used < checkConcurrency) {
    cli.print(
      `# The limit of open files (ulimit -n) is ${openFileLimit()}: at most ${used} instead of ` +
        `${checkConcurrency} checks run at once. Raise it to ${filesFor(checkConcurrency)}.`,
    );
  }
}

/** Runs API, dashboard, checker and deliveries, or those of them that are this node's roles, until SIGTERM. */
async function serve(config: Config, cli: Cli, options: Fresh): Promise<void> {
  logWarnings();
  // Before anyone can know that this process runs.
  const ended = stopRequest(cli.io);
  makeFolder(config.dataDir);
  const lock = lockFolder(config.dataDir);
  try {
    await makeRoom(config);
    await serveLocked(config, cli, { ended, options });
  } finally {
    lock.release();
  }
}

type Serving = { ended: Promise<void>; options: Fresh };

/** What `serve` does while it holds the data folder. */
async function serveLocked(config: Config, cli: Cli, { ended, options }: Serving): Promise<void> {
  const starting = createStarting(config);
  let front = starting.front;
  const graceful = createGracefulStop((request, peer) => front(request, peer), systemClock);
  const server = await listen(config, graceful.front);
  const status = openStatusLine(cli.io, cli.isAtTerminal());
  const tell = (step: string) => {
    log.info(step);
    starting.setStep(step);
    status.show(`${step} …`);
  };
  const opened = await startDatabase(config, tell, ended, options)
    .catch(async (error) => {
      await server.stop(true);
      throw error;
    })
    .finally(status.clear);
  if (!opened) return server.stop(true);
  const joined = joinNodes(opened.deps);
  const { topics, stopTopics } = startTopics(opened.deps);
  const deps = { ...opened.deps, nodes: joined.nodes, topics };
  const service = await createService(deps);
  const { meter, live } = service;
  front = service.front;
  const setupToken = config.role.includes("api") ? await createSetup(deps) : null;
  announce(cli, { ...config, port: server.port! }, setupToken);
  if (config.smtpHost !== null && config.outboundProxy !== null) {
    log.warning(
      "STILLUP_OUTBOUND_PROXY is not used for e-mail, which goes to STILLUP_SMTP_HOST directly",
    );
  }
  log.info("started", { version: VERSION, database: deps.store.engine.name, roles: config.role });
  const faults = watchFaults(deps);
  const schema = watchSchema(deps);
  const disk = watchDisk(deps);
  const stopLoops = startLoops(deps, meter, opened.isVerified);
  joined.start();

  const outgrown = await Promise.race([ended, faults.fatal, schema.outgrown]);
  log.info("stopping");
  deps.store.engine.hurry();
  schema.stop();
  // Otherwise the stop would wait for them.
  live.close();
  await Promise.all([graceful.stop(() => stopListening(server)), joined.leave(stopLoops())]);
  await meter
    .flush()
    .catch((error) => log.error("failed to save request counts", describeError(error)));
  await disk.stop();
  await stopTopics();
  await closeDatabase(deps);
  log.info("stopped");
  if (outgrown) throw outgrown;
  if (faults.hasEnded()) throw new Error("Exited after an uncaught error; see the log.");
}

/** Prints three lines for a person at a terminal, and lines of the log for everything else. */
function announce(cli: Cli, config: Config, setupToken: string | null) {
  const url = urlOf(config.host, config.port);
  const setupPath = setupToken && `/setup#token=${setupToken}`;
  if (!cli.isAtTerminal()) {
    const { logFormat, publicUrl } = config;
    cli.print(lineIn(logFormat, "info", `listening on ${url}`));
    if (setupPath)
      cli.print(lineIn(logFormat, "info", `set up at ${publicUrl ?? url}${setupPath}`));
    return;
  }
  const address = config.publicUrl ?? localUrl(config);
  const isOther = sqlitePath(config) === null;
  const database = isOther ? ` and PostgreSQL at ${databaseName(config.databaseUrl)}` : "";
  cli.print(`Stillup is running: ${address}`);
  cli.print(`Data: ${config.dataDir}${database}`);
  cli.print(
    setupPath
      ? `Next, create the first administrator: ${address}${setupPath}`
      : "Press Ctrl+C to stop.",
  );
}

/**
 * Opens the database, which may take long when it is large and has to be upgraded.
 * @returns null when the process is stopped meanwhile: then nothing was done
 */
async function startDatabase(
  config: Config,
  tell: Tell,
  ended: Promise<void>,
  options: Fresh,
): Promise<{ deps: Deps; isVerified: boolean } | null> {
  let isVerified = true;
  const leaveCheck = () => {
    isVerified = false;
  };
  const prepare = prepareToServe(tell, { ...options, leaveCheck });
  const opening = openDeps(config, systemClock, prepare);
  const opened = await Promise.race([opening, ended.then(() => null)]);
  if (!opened) {
    // An unfinished transaction leaves nothing; an unfinished copy leaves its first part.
    deleteUnfinished(backupFolder(config));
    log.info("stopped before the start was done");
    return null;
  }
  const { deps, migrated } = opened;
  const { engine } = deps.store;
  if (migrated.length > 0) log.info("database migrated", { migrated });
  await noteVersion(deps.store, deps.clock);
  // Another node may be upgrading the database now, without knowing of this process.
  if (engine.isShared) await refuseNewer(engine, ownMigrations(), systemClock.now());
  // Checks that are written before the first housekeeping would otherwise have to be moved.
  await makeParts(deps).catch((error) =>
    log.warning("failed to create history partitions", describeError(error)),
  );
  return { deps, isVerified };
}

/** Closes the database and notes that it was closed in order. */
async function closeDatabase({ store, config, troubles }: Deps): Promise<void> {
  await store.engine.close();
  const path = sqlitePath(config);
  const isWell = troubles.all().every(({ name }) => name !== "database_damaged");
  if (path !== null && isWell) noteCleanStop(config, path);
}

/** Sends and receives messages where other processes may serve the database. */
function startTopics(deps: Pick<Deps, "store" | "nodes" | "loops">): {
  topics: Topics;
  stopTopics: () => Promise<void>;
} {
  if (!deps.store.engine.isShared) return { topics: localTopics, stopTopics: async () => {} };
  const topics = listenToTopics(deps);
  deps.loops.onWakeElsewhere(topics.workIsDue);
  return { topics, stopTopics: topics.stop };
}

async function listen({ host: hostname, port }: Config, front: Front) {
  try {
    return Bun.serve({
      hostname,
      port,
      fetch: front,
      error: toStandaloneErrorResponse,
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

/** Finishes requests under way, as long as clients read the replies in time. */
async function stopListening(server: Bun.Server<undefined>): Promise<void> {
  const cutting = setTimeout(() => void server.stop(true), STOP_TIMEOUT_MS);
  await server.stop();
  clearTimeout(cutting);
}

/** Resolves at the first signal, for an orderly stop; the second exits at once. */
const stopRequest = (io: Io): Promise<void> =>
  new Promise((resolve) => {
    io.catchSignals?.(KILLED).addEventListener("abort", () => resolve());
  });
