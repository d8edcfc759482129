import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupFolder, readConfig } from "../../server/ground/config/config.ts";
import { upkeep } from "../../server/ground/db/tables.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";
import {
  checkIntegrityWhenDue,
  checkWhileServing,
  noteCleanStop,
  reportDamage,
  takeCleanStop,
} from "../../server/ops/start/integrity.ts";
import { prepareToServe } from "../../server/ops/start/prepare-database.ts";
import { startServer } from "../harness.ts";
import { usedDatabase } from "./used.ts";

const DAY_MS = 24 * 3_600_000;

test("the whole database is looked through once a week", async () => {
  const { deps, clock, stop } = await startServer("sqlite");
  const starts = async () => (await deps.store.select().from(upkeep)).map((row) => row.startedAt);

  await checkIntegrityWhenDue(deps);
  const first = clock.now();
  clock.moveBy(6 * DAY_MS);
  await checkIntegrityWhenDue(deps);
  expect(await starts()).toEqual([first]);
  clock.moveBy(DAY_MS);
  await checkIntegrityWhenDue(deps);

  expect(await starts()).toEqual([first + 7 * DAY_MS]);
  expect(await deps.store.select().from(upkeep)).toMatchObject([
    { job: "integrity", succeededAt: first + 7 * DAY_MS, failedAt: null, problem: null },
  ]);
  await stop();
});

test("what is found damaged is noted, and stops all writing", async () => {
  const { deps, stop } = await startServer("sqlite");
  const { path } = await usedDatabase();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(90, 8192, 20_000));

  await checkIntegrityWhenDue({
    ...deps,
    config: { ...deps.config, databaseUrl: `sqlite:${path}` },
  });

  expect(deps.troubles.stoppingWrites()?.message).toContain("is damaged");
  expect(deps.troubles.failHealth()).toBe(true);
  const [row] = await deps.store.select().from(upkeep);
  expect(row).toMatchObject({ job: "integrity", succeededAt: null, failedAt: deps.clock.now() });
  expect(row!.problem).toBeString();
  await stop();
});

test("a process that finds damage names the newest backup that can be read and is ours", async () => {
  const { deps, stop } = await startServer("sqlite");
  const folder = backupFolder(deps.config);
  mkdirSync(folder, { recursive: true });
  const good = join(folder, "stillup-20300101T000000Z.db");
  copyFileSync((await usedDatabase()).path, good);
  new Database(join(folder, "stillup-20300102T000000Z.db")).run("create table others (id)");
  writeFileSync(join(folder, "stillup-20300103T000000Z.db"), "no database");

  reportDamage(deps.config, deps.troubles);

  expect(deps.troubles.stoppingWrites()?.message).toEndWith(`stillup restore ${good}.`);
  await stop();
});

test("a look that was noted while the clock was years ahead holds up none", async () => {
  const { deps, stop } = await startServer("sqlite");
  const startedAt = deps.clock.now() + 10 * 365 * 86_400_000;
  await deps.store.insert(upkeep).values({ job: "integrity", startedAt });

  await checkIntegrityWhenDue(deps);

  const [row] = await deps.store.select().from(upkeep);
  expect(row!.startedAt).toBe(deps.clock.now());
  await stop();
});

test("a stop in order is known once, and only of the file as it was closed", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "stillup-"));
  const config = readConfig({ STILLUP_DATA_DIR: dataDir });
  const path = join(dataDir, "stillup.db");
  writeFileSync(path, "closed");
  expect(takeCleanStop(config, path)).toBe(false);

  noteCleanStop(config, path);
  expect([takeCleanStop(config, path), takeCleanStop(config, path)]).toEqual([true, false]);

  noteCleanStop(config, path);
  truncateSync(path, 3);
  expect(takeCleanStop(config, path)).toBe(false);
});

test("a database is verified at its start unless it is large and was closed in order", async () => {
  const { folder, path } = await usedDatabase();
  const config = readConfig({ STILLUP_DATA_DIR: folder, STILLUP_SENTINELS: "" });
  const database = new Database(path);
  const sql = "select (rootpage - 1) * 4096 from sqlite_schema where name = 'delivery_attempts'";
  const [[at]] = database.query(sql).values() as [[number]];
  database.close(true);
  // No start reads that page.
  writeFileSync(path, readFileSync(path).fill(90, at, at + 4096));
  const start = () =>
    prepareToServe(() => {})(config, systemClock).then(
      () => "started",
      (error: Error) => error.message,
    );

  noteCleanStop(config, path);
  expect(await start()).toContain("is damaged");
  // With holes: it takes no space.
  truncateSync(path, 2 * 1024 ** 3);
  expect(await start()).toContain("is damaged");
  noteCleanStop(config, path);
  expect(await start()).toBe("started");
});

test("one of medium size that was closed in order is verified while it is served", async () => {
  const { folder, path } = await usedDatabase();
  const { deps, stop } = await startServer("sqlite");
  const config = readConfig({ STILLUP_DATA_DIR: folder, STILLUP_SENTINELS: "" });
  writeFileSync(path, readFileSync(path).fill(90, 8192, 20_000));
  truncateSync(path, 33 * 1024 ** 2);
  let left = 0;
  const leaveCheck = () => left++;
  const start = () => prepareToServe(() => {}, { leaveCheck })(config, systemClock);

  await expect(start()).rejects.toThrow("is damaged");
  expect(left).toBe(0);
  noteCleanStop(config, path);
  await start().catch(() => {});
  expect(left).toBe(1);
  await checkWhileServing({ ...deps, config }, new AbortController().signal);

  expect(deps.troubles.stoppingWrites()?.message).toContain("is damaged");
  expect(deps.troubles.failHealth()).toBe(true);
  await stop();
});
