import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { refuseNetworkFs } from "../../server/ground/db/folder.ts";
import { openEngine, ownMigrations, prepareSqlite } from "../../server/ground/db/open.ts";
import { checkDatabase, refuseOldLibrary } from "../../server/ground/db/sqlite-file.ts";
import { Refused } from "../../server/ground/db/store.ts";
import { VERSION } from "../../server/ground/lib/runtime.ts";
import { sized } from "../long.ts";
import { randomFrom } from "../random.ts";
import { rowsOf } from "./dump.ts";
import { NEWER_FILES } from "./newer.ts";
import { makeBackups, preparationOf, usedDatabase } from "./used.ts";

const silent = () => {};

/** Returns the error message that the operator reads; empty if the preparation succeeds. */
const outcomeOf = (folder: string, more = {}, files = ownMigrations()): Promise<string> =>
  prepareSqlite({ ...preparationOf(folder), ...more }, silent, files).then(
    () => "",
    (error) => {
      expect(error).toBeInstanceOf(Refused);
      return error.message;
    },
  );

/** The same with the migrations of a newer version, which upgrades the database. */
const outcomeOfUpgrade = (folder: string, more = {}) => outcomeOf(folder, more, NEWER_FILES);

describe("a database of a newer version", () => {
  async function upgradedFurther() {
    const { folder, path } = await usedDatabase();
    await prepareSqlite(preparationOf(folder), silent, NEWER_FILES);
    const database = new Database(path);
    database.run("insert into versions values ('0.1.0', 1), ('9.0.0', 9)");
    database.close();
    const [copy] = readdirSync(join(folder, "backups"));
    return { folder, copy: join(folder, "backups", copy!) };
  }

  test("is refused with the version that wrote it, the one that refuses it, and the way back", async () => {
    const { folder, copy } = await upgradedFurther();

    const sentence = await outcomeOf(folder);

    expect(sentence).toStartWith(
      `The database was written by version 9.0.0, which version ${VERSION} cannot read. Start version 9.0.0, or go back`,
    );
    expect(sentence).toEndWith(`stillup restore ${copy}.`);
  });

  test("is not said to be written by the version that refuses it", async () => {
    const { folder, path } = await usedDatabase();
    await prepareSqlite(preparationOf(folder), silent, NEWER_FILES);
    const database = new Database(path);
    database.run("insert into versions values ('0.0.1', 1), (?, 9)", [VERSION]);
    database.close();

    expect(await outcomeOf(folder)).toStartWith(
      `The database was written by a newer version, which version ${VERSION} cannot read. Start the newer version, or`,
    );
  });

  test("is not answered with a copy that is too new as well", async () => {
    const { folder, copy } = await upgradedFurther();
    const database = new Database(copy);
    database.run("insert into migrations values ('9998_future.sql', 9)");
    database.close();

    expect(await outcomeOf(folder)).toEndWith("or restore a backup that this version made.");
  });
});

/** Has the header say so: sqlite.org/fileformat2.html, "in-header database size". */
function sayPages(path: string, pages: number) {
  const file = openSync(path, "r+");
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(pages);
  writeSync(file, bytes, 0, 4, 28);
  closeSync(file);
}

describe("the copy before an upgrade", () => {
  test("is made once for each step, however often the upgrade is begun", async () => {
    const { folder, path } = await usedDatabase();
    const database = new Database(path);
    // Makes the migration fail at each start.
    database.run("create table notes (id text)");
    database.close();
    const name = "stillup-before-9001_notes-20310101T000000000Z.db.x.unfinished";
    writeFileSync(join(makeBackups(folder), name), "");

    for (const now of [1, 2, 3]) {
      const sentence = await outcomeOfUpgrade(folder, { now });
      expect(sentence).toContain("notes already exists. It is unchanged");
    }

    expect(readdirSync(join(folder, "backups"))).toEqual([
      "stillup-before-9001_notes-19700101T000000003Z.db",
    ]);
  });

  test("can be gone without", async () => {
    const { folder } = await usedDatabase();

    expect(await outcomeOfUpgrade(folder, { copy: false })).toBe("");

    expect(existsSync(join(folder, "backups"))).toBe(false);
  });

  test("needs room, and the sentence says how much and what else can be done", async () => {
    const { folder, path } = await usedDatabase();
    const before = rowsOf(path);
    // With holes: it takes no room itself.
    truncateSync(path, 2 ** 43);
    sayPages(path, 2 ** 43 / 4096);

    const sentence = await outcomeOfUpgrade(folder, { check: false });

    expect(sentence).toContain("The copy needs 8.8 TB, and the disk of");
    expect(sentence).toContain("STILLUP_UPGRADE_BACKUP=false");
    expect(rowsOf(path)).toEqual(before);
  });
});

test("a command leaves the tables of a running server alone", async () => {
  const { folder, path } = await usedDatabase();
  const before = rowsOf(path);

  expect(await outcomeOfUpgrade(folder, { heldBy: "A server runs." })).toBe("A server runs.");

  expect(rowsOf(path)).toEqual(before);
});

describe("a damaged database", () => {
  const SEEDS = Array.from({ length: sized(8, 40) }, (_, seed) => seed);
  const PAGE_BYTES = 4096;

  /** Of whole databases only what was meant to be flipped differs. */
  function damage(path: string, seed: number) {
    const random = randomFrom(seed);
    const bytes = readFileSync(path);
    // About one in each page: a single byte within a text is nothing that SQLite can notice.
    for (let i = 0; i < bytes.length / PAGE_BYTES; i++) {
      const at = random(bytes.length);
      bytes[at] = bytes[at]! ^ (1 + random(255));
    }
    writeFileSync(path, bytes);
  }

  async function damagedCopy(seed: number) {
    const { folder, path } = await usedDatabase();
    const good = join(makeBackups(folder), "stillup-20310102T000000000Z.db");
    copyFileSync(path, good);
    damage(path, seed);
    return { folder, path, good };
  }

  test.each(SEEDS)("is refused, or serves what was written: %d", async (seed) => {
    const { folder, path, good } = await damagedCopy(seed);
    const written = JSON.stringify(rowsOf(good));

    for (const _ of [1, 2, 3]) {
      const sentence = await outcomeOf(folder);

      if (sentence === "") expect(JSON.stringify(rowsOf(path))).toBe(written);
      else expect(sentence).toEndWith(`stillup restore ${good}.`);
    }
  });

  test("names the newest copy that is whole", async () => {
    const { folder, good } = await damagedCopy(1);
    const newer = join(folder, "backups/stillup-20310103T000000000Z.db");
    copyFileSync(good, newer);
    damage(newer, 2);

    expect(await outcomeOf(folder)).toEndWith(`stillup restore ${good}.`);
  });

  test("is refused with the same words when the copy before an upgrade comes upon it", async () => {
    const { folder, path } = await usedDatabase();
    const good = join(makeBackups(folder), "stillup-20310102T000000Z.db");
    copyFileSync(path, good);
    const database = new Database(path);
    const sql = "select (rootpage - 1) * 4096 from sqlite_schema where name = 'links'";
    const [[at]] = database.query(sql).values() as [[number]];
    database.close(true);
    writeFileSync(path, readFileSync(path).fill(90, at, at + 4096));

    expect(await outcomeOfUpgrade(folder, { check: false })).toEndWith(`stillup restore ${good}.`);
  });

  test("that never was one is refused too", async () => {
    const { folder, path } = await usedDatabase();
    writeFileSync(path, "a letter to my aunt\n".repeat(500));

    expect(await outcomeOf(folder)).toContain("The backup folder has no intact copy");
    expect(() => checkDatabase(path, "full")).toThrow("not a database");
  });

  test("is reported when it turns out later", async () => {
    const { folder, path } = await usedDatabase();
    await prepareSqlite(preparationOf(folder), silent);
    const engine = openEngine(`sqlite:${path}`);
    let reports = 0;
    engine.onDamage(() => {
      reports++;
    });
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(90, 4096));

    const asking = engine.run({ sql: "select * from links", params: [] });

    await expect(asking).rejects.toThrow();
    expect(reports).toBe(1);
    // Had it been thrown once more, where no one catches it, this test would fail.
    await new Promise(setImmediate);
  });
});

test("a database on a network file system is refused by name", () => {
  expect(() => refuseNetworkFs("/tmp/x.db", () => 0x6969)).toThrow("(NFS)");
  expect(() => refuseNetworkFs("/tmp/x.db", () => 0xff534d42 | 0)).toThrow("(CIFS)");
  expect(() => refuseNetworkFs("/tmp/x.db", () => 0x65735546)).toThrow(
    "STILLUP_ALLOW_NETWORK_FS=true",
  );
  expect(() => refuseNetworkFs("/tmp/x.db", () => 0xef53)).not.toThrow();
  expect(() => refuseNetworkFs("/tmp/x.db")).not.toThrow();
});

test.each(["3.7.0", "3.50.4", "3.51.2"])("SQLite %s is too old", (version) => {
  expect(() => refuseOldLibrary(version)).toThrow(`SQLite ${version} is too old`);
});

test.each(["3.51.3", "3.54.1", "4.0.0"])("SQLite %s is new enough", (version) => {
  expect(() => refuseOldLibrary(version)).not.toThrow();
});
