import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  isWhole,
  marksOf,
  newFolder,
  newHome,
  setMark,
  setMarkInJournal,
  withDatabase,
} from "../../../tests/backups/home.ts";
import { createProgram } from "../../../tests/commands/program.ts";
import { openDeps } from "../../app/build.ts";
import { copyDatabase } from "../../ground/db/backup-files.ts";
import { withFolderLock } from "../../ground/db/folder.ts";
import { audit } from "../../ground/db/tables.ts";
import { systemClock } from "../../ground/lib/clock.ts";
import { stage } from "./restore.ts";

const { run, command, env } = createProgram();

/** An installation, and a backup of it from before its last change. */
async function backedUp() {
  const home = await newHome("old");
  const file = join(newFolder(), "backup.db");
  await copyDatabase(home.path, file);
  setMark(home.path, "young");
  const restore = (name = file, ...more: string[]) =>
    run(["restore", name, "--force", ...more], { STILLUP_DATA_DIR: home.dataDir });
  return { ...home, file, restore };
}

const asideIn = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => /before-restore-\d{8}T\d{6}Z$/.test(name));

test("brings back what was, keeps what was there, and tells it", async () => {
  const { dataDir, path, file, restore, config } = await backedUp();

  const { code, out } = await restore();

  const [aside] = asideIn(dataDir);
  expect(code).toBe(0);
  expect(out).toContain(`${path} is restored from ${file}: 0 links`);
  expect(out).toContain(`is kept as ${join(dataDir, aside!)}.`);
  expect(marksOf(path)).toEqual(["old"]);
  expect(marksOf(join(dataDir, aside!))).toEqual(["old", "young"]);
  const { deps } = await openDeps(config, systemClock);
  const entries = await deps.store.select().from(audit);
  await deps.store.engine.close();
  expect(entries.map(({ action, actorKind }) => [action, actorKind])).toEqual([
    ["backup.restored", "operator"],
  ]);
});

test.each([
  ["no", "n\r"],
  ["Ctrl-C", "\x03"],
  ["Ctrl-D", "\x04"],
])("changes nothing and leaves no copy behind where the answer is %s", async (_, keys) => {
  const { dataDir, path, file } = await backedUp();
  let shown = "";
  const child = Bun.spawn([...command, "restore", file], {
    env: { ...env, STILLUP_DATA_DIR: dataDir },
    terminal: {
      data(terminal, bytes) {
        const isAsking = shown.includes("[y/N]");
        shown += new TextDecoder().decode(bytes);
        if (!isAsking && shown.includes("[y/N]")) terminal.write(keys);
      },
    },
  });

  expect(await child.exited).toBe(1);
  expect(shown).toContain("Nothing was changed.");
  expect(marksOf(path)).toEqual(["old", "young"]);
  expect(readdirSync(dataDir).filter((name) => name.includes("staged"))).toEqual([]);
});

test("plays no journal of the database that was there into the restored one", async () => {
  const { dataDir, path, restore } = await backedUp();
  // Of a database that cannot even be opened the journal stays as it is.
  setMarkInJournal(path, "last");
  truncateSync(path, 100);

  const { code } = await restore();

  expect(code).toBe(0);
  expect(marksOf(path)).toEqual(["old"]);
  expect(isWhole(path)).toBe(true);
  expect(existsSync(`${join(dataDir, asideIn(dataDir)[0]!)}-wal`)).toBe(true);
});

test("keeps the last changes of the database that was there, journal and all", async () => {
  const { dataDir, path, restore } = await backedUp();
  setMarkInJournal(path, "last");

  await restore();

  expect(marksOf(path)).toEqual(["old"]);
  expect(marksOf(join(dataDir, asideIn(dataDir)[0]!))).toEqual(["last", "old", "young"]);
});

test("takes a database that was copied as files, with what stands in its journal", async () => {
  const { path, file, restore } = await backedUp();
  withDatabase(file, (database) => database.run("pragma journal_mode = wal"));
  setMarkInJournal(file, "in the journal");

  const { code } = await restore();

  expect(code).toBe(0);
  expect(marksOf(path)).toEqual(["in the journal", "old"]);
});

test("starts an installation where there is none", async () => {
  const { file } = await backedUp();
  const dataDir = join(newFolder(), "new");

  const { code, out } = await run(["restore", file, "--force"], { STILLUP_DATA_DIR: dataDir });

  expect(code).toBe(0);
  expect(out).not.toContain("is kept as");
  expect(marksOf(join(dataDir, "stillup.db"))).toEqual(["old"]);
});

/** By the name of the file that was given. */
const DAMAGED = /\/backup\.db is damaged: /;

test.each<[what: string, spoil: (file: string) => void, sentence: RegExp]>([
  ["is missing", (file) => rmSync(file), /^There is no file /],
  ["is something else", (file) => writeFileSync(file, "hello"), /is not an SQLite database\.$/],
  ["is cut off", (file) => truncateSync(file, 100_000), DAMAGED],
  ["is damaged", damage, DAMAGED],
  [
    "is of another program",
    (file) => change(file, "drop table links"),
    /not a Stillup database\.$/,
  ],
  [
    "is newer than the program",
    (file) => change(file, "insert into migrations values ('9999_later.sql', 1)"),
    /written by a newer version of Stillup \(9999_later\.sql\)/,
  ],
  [
    "has rows that refer to none",
    (file) =>
      change(
        file,
        "insert into users (id, account_id, email, role, is_admin, created_at) values ('a', 'none', 'b', 'c', 0, 0)",
      ),
    /\/backup\.db is damaged: users refers to missing rows\./,
  ],
  ["has a journal that cannot be read", (file) => mkdirSync(`${file}-wal`), /./],
])("changes nothing when the backup %s", async (_what, spoil, sentence) => {
  const { dataDir, path, file } = await backedUp();
  spoil(file);

  await expect(stage(path, file)).rejects.toThrow(sentence);

  expect(marksOf(path)).toEqual(["old", "young"]);
  expect(readdirSync(dataDir).filter((name) => /staged|restore/.test(name))).toEqual([]);
});

test("leaves no copy next to the database when it cannot be finished", async () => {
  const { dataDir, path, file, restore } = await backedUp();
  change(file, "create trigger t before insert on audit begin select raise(abort, 'not now'); end");

  const { code, err } = await restore();

  expect([code, err]).toEqual([1, "Not now.\n"]);
  expect(marksOf(path)).toEqual(["old", "young"]);
  expect(readdirSync(dataDir).filter((name) => /staged|restore/.test(name))).toEqual([]);
});

test("is refused while a server or anybody else uses the database", async () => {
  const { path, dataDir, restore, config } = await backedUp();

  const held = await withFolderLock(dataDir, async () => await restore());
  const { deps } = await openDeps(config, systemClock);
  const used = await restore();
  await deps.store.engine.close();

  expect([held.code, used.code]).toEqual([1, 1]);
  expect(held.err).toContain(
    `(process ${process.pid}) uses the data folder ${dataDir}. Stop it first`,
  );
  expect(used.err).toBe(
    "Another process uses the database. Stop the server and every other command first.\n",
  );
  expect(marksOf(path)).toEqual(["old", "young"]);
});

test("asks before, and without a terminal wants --force", async () => {
  const { dataDir, file, path } = await backedUp();

  const { code, err } = await run(["restore", file], { STILLUP_DATA_DIR: dataDir });

  expect([code, err]).toEqual([
    64,
    "There is no terminal to ask: use --force to replace the database.\n",
  ]);
  expect(marksOf(path)).toEqual(["old", "young"]);
});

test("only verifies next to a running server, and changes nothing", async () => {
  const { dataDir, path, file } = await backedUp();
  const settings = { STILLUP_DATA_DIR: dataDir };
  const before = readdirSync(dataDir).sort();
  const verify = () => run(["restore", "--verify-only", file], settings);

  const whole = await withFolderLock(dataDir, verify);
  damage(file);
  const damaged = await verify();
  writeFileSync(file, "");
  const empty = await verify();

  expect([whole.code, whole.err]).toEqual([0, ""]);
  expect(whole.out).toStartWith(`${file} is intact: 0 links, `);
  expect(whole.out).toContain("The secret key of this backup is that of ");
  expect([damaged.code, damaged.out]).toEqual([1, ""]);
  expect(damaged.err).toMatch(DAMAGED);
  expect([empty.code, empty.err]).toEqual([1, `${file} is not an SQLite database.\n`]);
  expect(marksOf(path)).toEqual(["old", "young"]);
  const isOfLock = (name: string) => name.startsWith("stillup.lock") || name === "stillup.pid";
  expect(readdirSync(dataDir).filter((name) => !isOfLock(name) && !before.includes(name))).toEqual(
    [],
  );
});

test("of PostgreSQL is left to its own program", async () => {
  const settings = { STILLUP_DATABASE_URL: "postgres://localhost/none" };

  const backup = await run(["backup", "/nowhere/x"], settings);
  const restore = await run(["restore", "/nowhere/x", "--force"], settings);

  expect([backup.code, restore.code]).toEqual([1, 1]);
  expect(backup.err).toContain("pg_dump --format=custom");
  expect(restore.err).toContain("pg_restore --no-owner --file=stillup.sql stillup.dump && psql ");
});

function change(file: string, statement: string) {
  withDatabase(file, (database) => database.run(`pragma foreign_keys = off; ${statement}`));
}

/** Overwrites pages in the middle. */
function damage(file: string) {
  const bytes = readFileSync(file).fill(0xa5, 4096 * 5, 4096 * 40);
  writeFileSync(file, bytes);
}
