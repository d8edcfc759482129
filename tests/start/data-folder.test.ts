import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../server/ops/start/prepare-database.ts";
import { newFolder } from "../backups/home.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A folder that every user of the machine may read, with these files. */
function openFolder(...names: string[]): string {
  const folder = newFolder();
  for (const name of names) writeFileSync(join(folder, name), "x");
  chmodSync(folder, 0o755);
  return folder;
}

test("a new data folder is for its user only", () => {
  const folder = join(newFolder(), "a", "b");

  makeFolder(folder);

  expect(modeOf(folder)).toBe(0o700);
});

test.each<[what: string, files: string[]]>([
  ["is empty", []],
  ["holds a database", ["stillup.db"]],
  ["holds a database and other files", ["stillup.db", "notes.txt"]],
  ["holds a secret key", ["secret.key"]],
])("an open folder that %s is closed to other users", (_, names) => {
  const folder = openFolder(...names);

  makeFolder(folder);

  expect(modeOf(folder)).toBe(0o700);
});

test("the root of a new disk is closed to other users", () => {
  const folder = openFolder();
  mkdirSync(join(folder, "lost+found"));

  makeFolder(folder);

  expect(modeOf(folder)).toBe(0o700);
});

test("an open folder of something else is refused, and stays as it is", () => {
  const folder = openFolder("passwd", "hosts");

  expect(() => makeFolder(folder)).toThrow(
    /^The data folder is open to other users and holds other files: .+ Check STILLUP_DATA_DIR/,
  );

  expect(modeOf(folder)).toBe(0o755);
  expect(readdirSync(folder).toSorted()).toEqual(["hosts", "passwd"]);
});

test("a closed folder of something else may hold the data as well", () => {
  const folder = openFolder("notes.txt");
  chmodSync(folder, 0o700);

  makeFolder(folder);

  expect(existsSync(join(folder, "notes.txt"))).toBe(true);
});
