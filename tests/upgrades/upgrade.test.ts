import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { prepareSqlite } from "../../server/ground/db/open.ts";
import { orphansIn, rowsOf, schemaOf } from "./dump.ts";
import { NEWER_FILES } from "./newer.ts";
import { preparationOf, usedDatabase } from "./used.ts";

const FOR_SQLITE = ["9001_notes.sql", "9001_notes.sqlite.sql", "9002_hosts.sql"];

test("an upgrade of a used database keeps its rows, and a copy of what it was", async () => {
  const { folder, path } = await usedDatabase();
  const before = rowsOf(path);

  const applied = await prepareSqlite(preparationOf(folder), () => {}, NEWER_FILES);

  expect(applied).toEqual(FOR_SQLITE);
  const after = rowsOf(path);
  const changed = Object.keys(after).filter(
    (table) => !Bun.deepEquals(after[table], before[table]),
  );
  expect(changed.sort()).toEqual(["groups", "hosts", "migrations", "new_webhooks", "notes"]);
  expect(after.notes!.map(({ link_no }) => link_no)).toEqual(
    before.links!.map(({ no }) => no).sort(),
  );
  expect(after.hosts).toEqual([expect.objectContaining({ webhooks: 2 })]);
  expect(orphansIn(path)).toEqual([]);
  const [copy, ...others] = readdirSync(join(folder, "backups"));
  expect(others).toEqual([]);
  expect(copy).toStartWith("stillup-before-9001_notes-");
  expect(rowsOf(join(folder, "backups", copy!))).toEqual(before);
});

test("an upgraded database is like one that was created by the newer version", async () => {
  const [used, fresh] = [await usedDatabase(), await usedDatabase()];
  await Bun.file(fresh.path).delete();

  await prepareSqlite(preparationOf(used.folder), () => {}, NEWER_FILES);
  await prepareSqlite({ ...preparationOf(fresh.folder), fresh: true }, () => {}, NEWER_FILES);

  expect(schemaOf(used.path)).toEqual(schemaOf(fresh.path));
});

test("progress that anyone may read contains no path of this machine", async () => {
  const { folder } = await usedDatabase();
  const messages: string[] = [];

  await prepareSqlite(preparationOf(folder), (doing) => messages.push(doing), NEWER_FILES);

  expect(messages.length).toBeGreaterThan(2);
  expect(messages.filter((doing) => doing.includes(folder))).toEqual([]);
});
