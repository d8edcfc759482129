import { existsSync } from "node:fs";
import { type Config, databaseName, sqlitePath } from "../config/config.ts";
import { refuseUsed, withFolderLock } from "../db/folder.ts";
import { migrateToHead, openEngine } from "../db/open.ts";
import { createStore, Refused, type Store } from "../db/store.ts";
import { systemClock } from "../lib/clock.ts";
import { failure } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { type Move, type Moved, move, type Step } from "../ops/move/move.ts";
import { forgetLeaving, leavingOf } from "../ops/move/notes.ts";
import { openSource } from "../ops/move/source.ts";
import { openTarget, type Target } from "../ops/move/target.ts";
import { prepareToServe } from "../ops/start/prepare-database.ts";
import { type Cli, UsageError } from "./cli.ts";
import { INTERRUPTED, type Io, interruption, openStatusLine, progressBar } from "./io.ts";
import { describeStep } from "./move-progress.ts";

/** @param given is the new database's URL; that of STILLUP_MOVE_TO if there is none */
export async function moveTo(cli: Cli, given: string | undefined) {
  const config = await cli.config();
  const url = given ?? config.moveTo;
  refuseUrl(url);
  const began = performance.now();
  const moved = await withOldDatabase(config, (path, old) =>
    run({ io: cli.io, config, path, old, url }),
  );
  if (moved.state === "stopped") {
    cli.print(`Stopped. ${counted(moved.rows, "row")} are there. ${GO_ON}`);
    cli.exitCode = INTERRUPTED;
    return;
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const line of report(moved, config, databaseName(url), seconds)) cli.print(line);
}

/** Takes a move back, as far as the old database goes: that is served again. */
export async function stay(cli: Cli) {
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
    throw new UsageError("Say where to: set STILLUP_MOVE_TO to postgres://USER:PASSWORD@HOST/NAME");
  }
  const isFit = /^postgres(ql)?:\/\/./.test(url) && URL.canParse(url);
  if (!isFit) throw new UsageError("The new database must be postgres://USER:PASSWORD@HOST/NAME");
}

/** Has the data folder and the database for itself, checked and up to date. */
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
  "STILLUP_DATABASE_URL is a PostgreSQL database. A move begins where the SQLite installation is.";

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
    ...{ old, source, target, to: databaseName(url) },
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
    throw failure("The move did not come to its end", error, GO_ON);
  } finally {
    status.clear();
    source.close();
    await target.close();
  }
}

/** @throws Refused with where to look: nothing has begun that could be gone on with */
async function reach(target: Target): Promise<void> {
  await target.tables().catch((error) => {
    const hint = "Check STILLUP_MOVE_TO, or what --to was given.";
    throw new Refused(failure("The new database cannot be reached", error, hint).message);
  });
}

const GO_ON = "What was copied stays there: run the same command again to go on.";

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

/** History that is to be kept has its parts from the beginning: a full one could not be divided later. */
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
    "Now set STILLUP_DATABASE_URL to that database and start the server, as many of them as wanted.",
    `Each of them needs the same secret key, which is not in the database: ${secretKeyFile}.`,
    "The old database is as it was, and is not served any more.",
  ];
}

const counted = (count: number, what: string) =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
