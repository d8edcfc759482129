import { expect, onTestFinished, test } from "bun:test";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isWhole, newFolder, newHome, withDatabase } from "../../../tests/backups/home.ts";
import { openEngine } from "../../ground/db/open.ts";
import { type Engine, runAll } from "../../ground/db/store.ts";

/** More pages than SQLite leaves in a journal by default, and than we do. */
const ROWS = 3_000;
const PAGE = 4096;

async function write(engine: Engine) {
  for (let n = 0; n < ROWS; n += 500) {
    const batch = Array.from({ length: 500 }, (_, i) => ({
      sql: "insert into versions values (?, 2)",
      params: [`${n + i} ${"x".repeat(PAGE * 2)}`],
    }));
    await runAll(engine, batch);
  }
}

const rowsOf = (path: string) =>
  withDatabase(
    path,
    (database) =>
      database.query("select count(*) from versions where first_started_at = 2").values()[0]![0],
  );

test("with Litestream nothing is taken from the journal, neither while running nor at the end", async () => {
  const { path } = await newHome("kept");
  const before = statSync(path).mtimeMs;
  const engine = openEngine(`sqlite:${path}`, { litestream: true });
  onTestFinished(() => engine.close().catch(() => {}));

  await write(engine);
  const [whileRunning, file] = [statSync(`${path}-wal`).size, statSync(path).mtimeMs];
  await engine.close();

  expect(whileRunning).toBeGreaterThan(ROWS * PAGE);
  expect(file).toBe(before);
  expect([statSync(`${path}-wal`).size, statSync(path).mtimeMs]).toEqual([whileRunning, before]);
});

test("a replica made of the file and the journal has every write", async () => {
  const { path } = await newHome("kept");
  const replica = join(newFolder(), "replica.db");
  copyFileSync(path, replica);
  const engine = openEngine(`sqlite:${path}`, { litestream: true });

  await write(engine);
  copyFileSync(`${path}-wal`, `${replica}-wal`);
  await engine.close();

  expect(rowsOf(replica)).toBe(ROWS);
  expect(isWhole(replica)).toBe(true);
});
