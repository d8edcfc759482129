import { afterAll, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import {
  grow,
  isWhole,
  marksOf,
  newFolder,
  newHome,
  setMarkInJournal,
  withDatabase,
} from "../../../tests/backups/home.ts";
import { createProgram } from "../../../tests/commands/program.ts";
import { copyDatabase } from "../../ground/db/backup-files.ts";

const { run } = createProgram();

test("copies the database with what stands in its journal, and says where the key is", async () => {
  const { dataDir, path, config } = await newHome("kept");
  setMarkInJournal(path, "last");
  const target = join(newFolder(), "copy.db");

  const { code, out } = await run(["backup", target], { STILLUP_DATA_DIR: dataDir });

  expect(code).toBe(0);
  expect(out).toMatch(/copy\.db is a verified copy: [\d.]+ [kM]B, 0 links, made in [\d.]+ s\.\n/);
  expect(out).toContain(
    `The secret key is not in it. Keep ${config.secretKeyFile} in another place`,
  );
  expect([marksOf(target), isWhole(target)]).toEqual([["kept", "last"], true]);
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

test("copies the key too on request", async () => {
  const { dataDir, config } = await newHome("kept");
  const target = join(newFolder(), "copy.db");

  const { out } = await run(["backup", target, "--with-key"], { STILLUP_DATA_DIR: dataDir });

  expect(out).toContain(`${target}.secret.key is the secret key.`);
  expect(readFileSync(`${target}.secret.key`)).toEqual(readFileSync(config.secretKeyFile));
  expect(statSync(`${target}.secret.key`).mode & 0o777).toBe(0o600);
});

test("replaces no file, and copies nothing where there is no database", async () => {
  const { dataDir, path } = await newHome("kept");
  const there = join(newFolder(), "there.db");
  writeFileSync(there, "mine");

  const taken = await run(["backup", there], { STILLUP_DATA_DIR: dataDir });
  const none = await run(["backup", `${there}.2`], { STILLUP_DATA_DIR: newFolder() });

  expect([taken.code, taken.err]).toEqual([
    1,
    `No backup was made: The file ${there} already exists.\n`,
  ]);
  expect(none.err).toMatch(/^There is no database .* Check STILLUP_DATA_DIR\.\n$/);
  expect([readFileSync(there, "utf8"), marksOf(path)]).toEqual(["mine", ["kept"]]);
});

/** Overwrites pages in the middle. */
const damage = (path: string) =>
  writeFileSync(path, readFileSync(path).fill(0xa5, 4096 * 5, 4096 * 40));

/** As a copy of it can be made all the same, only reading the copy through tells. */
const orphan = (path: string) =>
  withDatabase(path, (database) =>
    database.run(
      "pragma foreign_keys = off; insert into users (id, account_id, email, role, is_admin, created_at) values ('a', 'none', 'b', 'c', 0, 0)",
    ),
  );

/** Changes one word of the schema, after which SQLite still reads everything without complaint. */
function forbid(path: string) {
  const table = "create table strict_marks (mark text default 7)";
  withDatabase(path, (database) =>
    database.run(`${table}; insert into strict_marks values (null)`),
  );
  const file = readFileSync(path, "latin1");
  writeFileSync(path, file.replace("text default 7", "text not null "), "latin1");
}

test.each([
  ["pages that are damaged", damage, /damaged|malformed/],
  [
    "rows that refer to none",
    orphan,
    /^The copy of \S+\/stillup\.db is damaged: users refers to missing rows\.$/,
  ],
  [
    "values that its tables cannot have",
    forbid,
    /^The copy of \S+\/stillup\.db is damaged: NULL value in strict_marks\.mark\.$/,
  ],
])("a database with %s is not a backup", async (_what, spoil, sentence) => {
  const { path } = await newHome("kept");
  spoil(path);
  const folder = newFolder();

  await expect(copyDatabase(path, join(folder, "copy.db"))).rejects.toThrow(sentence);

  expect(readdirSync(folder)).toEqual([]);
});

test("of a damaged database tells how to have the newest good backup back", async () => {
  const { dataDir, path } = await newHome("kept");
  const folder = join(dataDir, "backups");
  const [good, newer] = [join(folder, "good.db"), join(folder, "newer.db")];
  mkdirSync(folder);
  await copyDatabase(path, good);
  await copyDatabase(path, newer);
  damage(newer);
  damage(path);

  const { code, err } = await run(["backup", join(newFolder(), "copy.db")], {
    STILLUP_DATA_DIR: dataDir,
  });

  expect([code, err]).toEqual([
    1,
    `No backup was made: The database ${path} is damaged and cannot be trusted. ` +
      `Stop the server and run: stillup restore ${good}.\n`,
  ]);
});

/** A file system of two megabytes, where we may make one. */
const small = mkdtempSync(join(tmpdir(), "stillup-small-"));
const mounted = await $`mount -t tmpfs -o size=2m none ${small}`.nothrow().quiet();

describe.skipIf(mounted.exitCode !== 0)(
  "on a disk that is too small (needs the right to mount)",
  () => {
    afterAll(async () => {
      await $`umount ${small}`.quiet();
      rmSync(small, { recursive: true });
    });

    test("nothing is begun, and it says how much is needed", async () => {
      const { path } = await newHome("large");
      grow(path, 4);

      await expect(copyDatabase(path, join(small, "copy.db"))).rejects.toThrow(
        /^The copy needs [\d.]+ MB, and the disk of .* has 2\.1 MB free\. Free some space there\.$/,
      );
    });

    test("nothing is left behind when others fill it meanwhile", async () => {
      const { path } = await newHome("large");
      grow(path, 4);
      const filled = { leaveFree: -100_000_000 };

      await expect(copyDatabase(path, join(small, "copy.db"), filled)).rejects.toThrow(/full/);

      expect(readdirSync(small)).toEqual([]);
    });
  },
);
