import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import {
  grow,
  isWhole,
  marksOf,
  newFolder,
  newHome,
  setMarkInJournal,
} from "../../../tests/backups/home.ts";
import { createProgram } from "../../../tests/commands/program.ts";
import { IS_LONG } from "../../../tests/long.ts";
import { openDeps } from "../../app/build.ts";
import { copyDatabase } from "../../ground/db/backup-files.ts";
import { systemClock } from "../../ground/lib/clock.ts";

const { start, run } = createProgram();
const STEPS = [
  "recorded",
  "synced",
  "ready",
  "moved -wal",
  "moved -shm",
  "moved the database",
  "placed",
];

/** From "ready" on it is the new one. */
const AROUND_READY = [STEPS.indexOf("ready"), STEPS.indexOf("ready") + 2];

/** Runs the restore until it has done so many steps; returns what it reported. */
async function killAfter(database: string, file: string, steps: number): Promise<string[]> {
  const script = join(import.meta.dir, "../../../tests/backups/killed-restore.ts");
  const child = Bun.spawn([process.execPath, script, database, file, String(steps)], {
    stdout: "pipe",
  });
  const out = await new Response(child.stdout).text();
  await child.exited;
  return out.split("\n").filter(Boolean);
}

describe("a restore that is killed", () => {
  test.each(IS_LONG ? [...STEPS.keys(), STEPS.length] : AROUND_READY)(
    "after %d steps leaves the old database or the new one",
    async (steps) => {
      const { dataDir, path, config } = await newHome("old");
      const file = join(newFolder(), "backup.db");
      await copyDatabase(path, file);
      setMarkInJournal(path, "young");

      const reported = await killAfter(path, file, steps);
      const { deps } = await openDeps(config, systemClock);
      await deps.store.engine.close();

      expect(reported).toEqual(STEPS.slice(0, steps));
      const isOld = steps < STEPS.indexOf("ready") + 1;
      expect(marksOf(path)).toEqual(isOld ? ["old", "young"] : ["old"]);
      expect(isWhole(path)).toBe(true);
      const aside = readdirSync(dataDir).find((name) => /before-restore-\w+Z$/.test(name));
      if (isOld) expect(aside).toBeUndefined();
      else expect(marksOf(join(dataDir, aside!))).toEqual(["old", "young"]);
    },
  );

  test("is gone on with by the next one, and neither of the two is lost", async () => {
    const { dataDir, path } = await newHome("old");
    const [first, second] = ["first", "second"].map((name) => join(newFolder(), `${name}.db`));
    await copyDatabase(path, first!);
    setMarkInJournal(path, "young");
    copyFileSync(first!, second!);
    await killAfter(path, first!, STEPS.indexOf("moved the database"));

    const { code } = await run(["restore", second!, "--force"], { STILLUP_DATA_DIR: dataDir });

    expect(code).toBe(0);
    expect(marksOf(path)).toEqual(["old"]);
    const kept = readdirSync(dataDir).filter(
      (name) => /before-restore-\w+Z/.test(name) && !/-(wal|shm)$/.test(name),
    );
    const marks = kept.map((name) => marksOf(join(dataDir, name)));
    expect(marks).toContainEqual(["old", "young"]);
    expect(readdirSync(dataDir).filter((name) => /staged|restored/.test(name))).toEqual([]);
  });
});

test("a backup that is killed has no name, and the next one succeeds", async () => {
  const { dataDir, path } = await newHome("large");
  grow(path, 10);
  const folder = newFolder();
  const target = join(folder, "backup.db");
  const begun = Promise.withResolvers<void>();
  const watcher = watch(folder, () => begun.resolve());

  const child = start(["backup", target], { STILLUP_DATA_DIR: dataDir });
  await begun.promise;
  child.kill("SIGKILL");
  await child.exited;
  watcher.close();
  const left = readdirSync(folder);
  const again = await run(["backup", target], { STILLUP_DATA_DIR: dataDir });

  expect(left.filter((name) => !/\.unfinished(-journal)?$/.test(name))).toEqual([]);
  expect(left).not.toEqual([]);
  expect(again.code).toBe(0);
  expect(existsSync(target)).toBe(true);
});
