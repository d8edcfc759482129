import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateToHead, openEngine } from "./open.ts";
import { isUnavailable } from "./store.ts";
import { createReadPool } from "./threads.ts";

const newFile = () => join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db");
const CATALOGUES = { sql: "select count(*) from classification", params: [] };

async function openMigrated(path: string) {
  const engine = openEngine(`sqlite:${path}`);
  await migrateToHead(engine, 1);
  return engine;
}

test("reads that were asked of a thread that breaks down fail, and the next one starts another", async () => {
  const path = newFile();
  const reader = createReadPool(path);
  const outcomes = await Promise.allSettled([reader.read(CATALOGUES), reader.read(CATALOGUES)]);
  for (const outcome of outcomes)
    expect(outcome.status === "rejected" && isUnavailable(outcome.reason)).toBe(true);

  const engine = await openMigrated(path);

  expect(await reader.read(CATALOGUES)).toEqual([[0]]);
  await reader.close();
  await engine.close();
});

test("reads after a rest are as before, and the database is closed as one file", async () => {
  const path = newFile();
  const engine = await openMigrated(path);
  const reader = createReadPool(path, 0);

  for (let i = 0; i < 20; i++) expect(await reader.read(CATALOGUES)).toEqual([[0]]);
  await engine.runInReadPool(CATALOGUES);

  await reader.close();
  await engine.close();
  expect(readdirSync(join(path, ".."))).toEqual(["test.db"]);
});
