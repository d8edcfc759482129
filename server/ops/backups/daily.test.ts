import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer, type TestServer } from "../../../tests/harness.ts";
import { usedDatabase } from "../../../tests/upgrades/used.ts";
import { backupFolder } from "../../ground/config/config.ts";
import { upkeep } from "../../ground/db/tables.ts";
import { backUpIfDue, beginBackup, recallLast } from "./backups.ts";
import { listBackups } from "./files.ts";
import { readBackups } from "./routes.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Runs the story on a new installation, whose clock shows midnight of a Tuesday in UTC. */
function story(name: string, tell: (server: TestServer) => Promise<void>, settings = {}) {
  test(name, async () => {
    const server = await startServer("sqlite", { STILLUP_DISK_FLOOR_MB: "0", ...settings });
    try {
      await tell(server);
    } finally {
      await server.stop();
    }
  });
}

const namesIn = ({ config }: TestServer) => readdirSync(backupFolder(config)).sort();

/** Where the folder should be there is a file: no backup can succeed. */
const obstruct = ({ config }: TestServer) => writeFileSync(backupFolder(config), "");
const clear = ({ config }: TestServer) => rmSync(backupFolder(config), { recursive: true });

const lastOf = async ({ deps }: TestServer) => (await deps.store.select().from(upkeep))[0]!;

story(
  "a backup is made once it is due, for its owner's eyes only, and then once a day",
  async (server) => {
    const { deps, clock } = server;
    expect(await backUpIfDue(deps)).toBe(false);

    clock.moveBy(DAY_MS);
    const made = [await backUpIfDue(deps), await backUpIfDue(deps)];
    clock.moveBy(DAY_MS);
    made.push(await backUpIfDue(deps));

    expect(made).toEqual([true, false, true]);
    expect(namesIn(server)).toEqual(["stillup-20300102T000000Z.db", "stillup-20300103T000000Z.db"]);
    expect(statSync(backupFolder(server.config)).mode & 0o777).toBe(0o700);
    expect(statSync(join(backupFolder(server.config), namesIn(server)[0]!)).mode & 0o777).toBe(
      0o600,
    );
  },
);

story(
  "one that was missed while the machine was off is made up once, however many were",
  async (server) => {
    const { deps, clock } = server;
    clock.moveBy(20 * DAY_MS);

    expect([await backUpIfDue(deps), await backUpIfDue(deps)]).toEqual([true, false]);
  },
);

story(
  "none is made automatically where the pattern is empty",
  async ({ deps, clock }) => {
    clock.moveBy(20 * DAY_MS);

    expect(await backUpIfDue(deps)).toBe(false);
    expect((await readBackups(deps)).problem).toBe(null);
  },
  { STILLUP_BACKUP_CRON: "" },
);

story(
  "days, weeks and the last upgrades are kept, and no file of others is touched",
  async (server) => {
    const { deps, clock, config } = server;
    mkdirSync(backupFolder(config));
    const others = ["mine.db", "stillup-2030.db", "stillup-20300101T000000Z.db.gz"];
    const upgrades = [1, 2, 3, 4].map((n) => `stillup-before-001${n}_x-2029010${n}T000000123Z.db`);
    const halfDone = "stillup-20291231T000000Z.db.01a203ea-31b0-739f-8b1c-e207d6233f47.unfinished";
    for (const name of [...others, ...upgrades, halfDone])
      writeFileSync(join(backupFolder(config), name), "");

    for (let day = 0; day < 28; day++) {
      clock.moveBy(DAY_MS);
      await backUpIfDue(deps);
    }

    // The 27th of January is a Sunday; of the weeks before this one, the last three Sundays are left.
    expect(namesIn(server)).toEqual(
      [
        ...others,
        ...upgrades.slice(1),
        ...["13", "20", "27", "28", "29"].map((day) => `stillup-203001${day}T000000Z.db`),
      ].sort(),
    );
  },
  { STILLUP_BACKUP_KEEP: "2" },
);

story(
  "what was cut short makes room before the next one begins",
  async ({ deps, clock, config }) => {
    mkdirSync(backupFolder(config));
    const name = "stillup-20291231T000000Z.db.01a203ea-31b0-739f-8b1c-e207d6233f47.unfinished";
    writeFileSync(join(backupFolder(config), name), "");
    clock.moveBy(DAY_MS);

    await backUpIfDue(deps);

    expect(deps.troubles.all()[0]!.message).toMatch(
      /needs 1 TB, and the disk of .* Free some space there\.$/,
    );
    expect(readdirSync(backupFolder(config))).toEqual([]);
  },
  { STILLUP_DISK_FLOOR_MB: "1000000" },
);

story(
  "one that fails is reported, tried again after an hour, and forgotten once it succeeds",
  async (server) => {
    const { deps, clock } = server;
    obstruct(server);
    clock.moveBy(DAY_MS);

    const failed = await backUpIfDue(deps);
    const [trouble] = deps.troubles.all();
    clear(server);
    const atOnce = await backUpIfDue(deps);
    clock.moveBy(HOUR_MS);
    const later = await backUpIfDue(deps);

    expect([failed, atOnce, later]).toEqual([false, false, true]);
    expect(trouble).toMatchObject({ name: "backup_failed" });
    expect(trouble!.message).toStartWith("The last backup failed. ");
    expect(deps.troubles.all()).toEqual([]);
    expect(await lastOf(server)).toMatchObject({ succeededAt: clock.now(), failedAt: null });
  },
);

story(
  "one that fails leaves all that are there",
  async (server) => {
    const { deps, clock } = server;
    for (let day = 0; day < 3; day++) {
      clock.moveBy(DAY_MS);
      await backUpIfDue(deps);
    }
    const before = namesIn(server);
    deps.troubles.set("database_damaged", "It is damaged.");
    clock.moveBy(DAY_MS);

    await backUpIfDue(deps);

    expect((await lastOf(server)).problem).toBe(
      "No backup is made of a damaged database. It is damaged.",
    );
    expect(namesIn(server)).toEqual(before);
  },
  { STILLUP_BACKUP_KEEP: "1" },
);

story("one that finds damage reports it, and stops all writing", async ({ deps }) => {
  const { path } = await usedDatabase();
  writeFileSync(path, readFileSync(path).fill(90, 8192, 20_000));
  const config = { ...deps.config, databaseUrl: `sqlite:${path}` };

  const ended = await beginBackup({ ...deps, config });

  expect(await ended()).toBe("failed");
  expect(deps.troubles.stoppingWrites()?.message).toContain(`${path} is damaged`);
  expect((await readBackups(deps)).problem).toContain("malformed");
});

story(
  "after a restart a failure is still reported, and one that was cut short counts as one",
  async (server) => {
    const { deps, clock } = server;
    await deps.store.insert(upkeep).values({ job: "backup", startedAt: clock.now() });
    clock.moveBy(MINUTE_MS);

    await recallLast(deps);

    expect(deps.troubles.all()[0]!.message).toStartWith(
      "The last backup failed. Stillup was stopped",
    );
    expect((await readBackups(deps)).is_under_way).toBe(false);
  },
);

story("of two who begin at once one makes it", async ({ deps, clock }) => {
  clock.moveBy(DAY_MS);

  const begun = await Promise.allSettled([beginBackup(deps), beginBackup(deps), beginBackup(deps)]);
  const ended = begun.filter((each) => each.status === "fulfilled");
  await Promise.all(ended.map(({ value }) => value()));

  expect(ended).toHaveLength(1);
  expect(listBackups(deps.config)).toHaveLength(1);
});

story("none for two days is a problem, even if nothing failed", async ({ deps, clock }) => {
  const problemAfter = async (ms: number) => {
    clock.moveBy(ms);
    return (await readBackups(deps)).problem;
  };

  expect(await problemAfter(26 * HOUR_MS)).toBe(null);
  expect(await problemAfter(26 * HOUR_MS)).toStartWith("No backup has been made so far.");
});

story("a clock that was a year ahead stops no backup", async (server) => {
  const { deps, clock } = server;
  clock.moveBy(365 * DAY_MS);
  await backUpIfDue(deps);
  clock.moveBy(-364 * DAY_MS);

  clock.moveBy(DAY_MS);
  expect(await backUpIfDue(deps)).toBe(true);
  expect(namesIn(server)).toContain("stillup-20300103T000000Z.db");
});

test("a backup that failed on SQLite is not a problem after the move to PostgreSQL", async () => {
  const server = await startServer("postgres");
  const { deps, clock } = server;
  const failed = {
    startedAt: clock.now(),
    failedAt: clock.now() + 1,
    problem: "The disk was full.",
  };
  await deps.store.insert(upkeep).values({ job: "backup", ...failed });

  await recallLast(deps);
  const state = await readBackups(deps);
  await deps.store.update(upkeep).set({ failedAt: null, startedAt: clock.now() });
  await recallLast(deps);

  expect(state).toMatchObject({
    folder: null,
    last_failure_at: null,
    is_under_way: false,
    problem: null,
  });
  expect(deps.troubles.all()).toEqual([]);
  expect((await lastOf(server)).failedAt).toBeNull();
  await server.stop();
});
