import { existsSync } from "node:fs";
import type { Command } from "commander";
import { openDeps } from "../app/build.ts";
import { type Config, databaseName, sqlitePath } from "../ground/config/config.ts";
import { refuseUsed, withFolderLock } from "../ground/db/folder.ts";
import { migrateToHead, openEngine } from "../ground/db/open.ts";
import { createStore, Refused, type Store } from "../ground/db/store.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { failure } from "../ground/lib/errors.ts";
import { log } from "../ground/lib/log.ts";
import { reclassify } from "../links/reclassify.ts";
import { type Move, type Moved, move, type Step } from "../ops/move/move.ts";
import { forgetLeaving, leavingOf } from "../ops/move/notes.ts";
import { openSource } from "../ops/move/source.ts";
import { openTarget, type Target } from "../ops/move/target.ts";
import { prepareForCommand, prepareFresh, prepareToServe } from "../ops/start/prepare-database.ts";
import { type Cli, UsageError } from "./cli.ts";
import { INTERRUPTED, type Io, interruption, openStatusLine, progressBar } from "./io.ts";
import { FRESH } from "./serve.ts";

type Options = { to?: string | true; stay?: true; fresh?: true };

export function addMigrate(program: Command, cli: Cli) {
  program
    .command("migrate")
    .description("bring the database up to date and print what was done; serve does it too")
    .option("--to [url]", "move an SQLite installation to a PostgreSQL database")
    .option("--stay", "undo a move in the old database")
    .option(...FRESH)
    .addHelpText(
      "after",
      `
--to without a URL uses STILLUP_MOVE_TO, so that the password is not in the list of processes.
Stop the server before. To continue a move that was stopped, run it again.
Exit code: 0 done, 1 failed, 130 stopped.`,
    )
    .action(async ({ to, stay: isStay, fresh }: Options) => {
      if ([to, isStay, fresh].filter(Boolean).length > 1) {
        throw new UsageError("Give only one of --to, --stay and --fresh");
      }
      if (isStay) return stay(cli);
      return to ? moveTo(cli, to === true ? undefined : to) : bringUpToDate(cli, fresh === true);
    });
}

async function bringUpToDate(cli: Cli, isFresh: boolean) {
  const prepare = isFresh ? prepareFresh : prepareForCommand;
  const { deps, migrated } = await openDeps(await cli.config(), systemClock, prepare);
  const changed = await reclassify(deps);
  await deps.store.engine.close();
  for (const name of migrated) cli.print(`applied ${name}`);
  if (changed > 0) cli.print(`${changed} links filed under other services`);
  if (migrated.length === 0 && changed === 0) cli.print("The database is up to date.");
}

/** @param given the URL of the new database; undefined uses STILLUP_MOVE_TO */
async function moveTo(cli: Cli, given: string | undefined) {
  const config = await cli.config();
  const url = given ?? config.moveTo;
  refuseUrl(url);
  const began = performance.now();
  const moved = await withOldDatabase(config, (path, old) =>
    run({ io: cli.io, config, path, old, url }),
  );
  if (moved.state === "stopped") {
    cli.print(`Stopped. ${counted(moved.rows, "row")} are copied. ${GO_ON}`);
    cli.exitCode = INTERRUPTED;
    return;
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const line of report(moved, config, databaseName(url), seconds)) cli.print(line);
}

/** Undoes a move in the old database, which can be served again. */
async function stay(cli: Cli) {
  const config = await cli.config();
  await withOldDatabase(config, async (_, old) => {
    const leaving = await leavingOf(old);
    await forgetLeaving(old);
    cli.print(
      leaving
        ? `This installation stays where it is. Drop ${leaving.to}, so that no server uses it.`
        : "This installation is not being moved.",
    );
  });
}

function refuseUrl(url: string | null): asserts url is string {
  if (url === null) {
    throw new UsageError(
      "Set STILLUP_MOVE_TO to the new database: postgres://USER:PASSWORD@HOST/NAME",
    );
  }
  const isFit = /^postgres(ql)?:\/\/./.test(url) && URL.canParse(url);
  if (!isFit) throw new UsageError("The new database must be postgres://USER:PASSWORD@HOST/NAME");
}

/** Locks the data folder, and checks and migrates the database. */
async function withOldDatabase<T>(
  config: Config,
  work: (path: string, old: Store) => Promise<T>,
): Promise<T> {
  const path = sqlitePath(config);
  if (path === null) throw new Error(NOT_SQLITE);
  if (!existsSync(path)) throw new Error(`There is no database ${path}. Check STILLUP_DATA_DIR.`);
  return withFolderLock(config.dataDir, async () => {
    refuseUsed(path);
    await prepareToServe((doing) => log.info(doing))(config, systemClock);
    const engine = openEngine(config.databaseUrl);
    try {
      return await work(path, createStore(engine));
    } finally {
      await engine.close();
    }
  });
}

const NOT_SQLITE =
  "STILLUP_DATABASE_URL is a PostgreSQL database. Run the move where the SQLite installation is.";

type Run = { io: Io; config: Config; path: string; old: Store; url: string };

async function run({ io, config, path, old, url }: Run): Promise<Moved> {
  const source = openSource(path);
  const target = openTarget(url);
  const interrupt = interruption(io);
  const status = openStatusLine(io);
  const describe = describeStep(performance.now());
  const show = paced((step: Step) =>
    status.show(progressBar(...describe(step, performance.now()))),
  );
  const what: Move = {
    old,
    source,
    target,
    to: databaseName(url),
    now: systemClock.now,
    prepare: (oldestCheck) => makeReady(config, url, oldestCheck),
    onStep: show,
    isStopped: () => interrupt.aborted,
  };
  try {
    await reach(target);
    return await move(what);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw failure("The move did not finish", error, GO_ON);
  } finally {
    status.clear();
    source.close();
    await target.close();
  }
}

/** @throws Refused with the setting to check: nothing was copied that a next run could continue */
async function reach(target: Target): Promise<void> {
  await target.tables().catch((error) => {
    const hint = "Check STILLUP_MOVE_TO, or what --to was given.";
    throw new Refused(failure("The new database cannot be reached", error, hint).message);
  });
}

const GO_ON = "The copied rows stay there: run the same command again to continue.";

/** People cannot read more frequent changes. */
const SHOWN_EVERY_MS = 100;

function paced(show: (step: Step) => void): (step: Step) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (step) => {
    if (performance.now() - last < SHOWN_EVERY_MS) return;
    last = performance.now();
    show(step);
  };
}

const DAY_MS = 24 * 3_600_000;

/** Creates all partitions of history first: a full one cannot be split later. */
async function makeReady(
  { historyDays }: Config,
  url: string,
  oldestCheck: number | null,
): Promise<void> {
  const engine = openEngine(url);
  const now = systemClock.now();
  try {
    await migrateToHead(engine, now);
    const since = Math.max(oldestCheck ?? now, now - historyDays * DAY_MS);
    await engine.historyPartitions?.create(Math.min(since, now), now);
  } finally {
    await engine.close();
  }
}

function report(
  { counts, rows, tables }: Extract<Moved, { state: "done" }>,
  { secretKeyFile }: Config,
  to: string,
  seconds: number,
): string[] {
  const links = counted(counts.get("links")!, "link");
  const checks = counted(counts.get("checks")!, "check");
  return [
    `${links} and ${checks} are in ${to}: ${counted(rows, "row")} of ${tables} tables, all compared, in ${seconds} s.`,
    "Now set STILLUP_DATABASE_URL to that database and start one server or several.",
    `Each of them needs the same secret key, which is not in the database: ${secretKeyFile}.`,
    "The old database is unchanged, and can no longer be served.",
  ];
}

const counted = (count: number, what: string) =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/**
 * Describes the progress of a move: the part that is done, and the rest in words.
 * @param began in milliseconds, on the same clock as `now`
 */
export function describeStep(began: number): (step: Step, now: number) => [number, string] {
  let [doing, from, since]: [Step["doing"] | null, number, number] = [null, 0, began];
  return ({ doing: next, table, done, of }, now) => {
    if (next !== doing) [doing, from, since] = [next, done, now];
    const seconds = (now - since) / 1000;
    const words = [`${doing} ${table}`, `${shown(done)} of ${shown(of)} rows`];
    // Without the rows of an earlier run.
    const rate = (done - from) / seconds;
    if (seconds >= 1 && rate > 0) {
      words.push(`${shown(Math.round(rate))} a second`, `${lengthOf((of - done) / rate)} left`);
    }
    return [of === 0 ? 1 : done / of, words.join(", ")];
  };
}

const shown = (count: number) => count.toLocaleString("en");

function lengthOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
