import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openDeps } from "../../server/app/build.ts";
import { readConfig } from "../../server/ground/config/config.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";
import { newFolder } from "../backups/home.ts";
import { createProgram } from "../commands/program.ts";

/** An installation with one user and one daily backup. */
async function backedUp() {
  const program = createProgram({ STILLUP_PORT: "0" });
  const path = join(program.dataDir, "stillup.db");
  const backup = join(program.dataDir, "backups", "stillup-20300101T030000Z.db");
  await program.run(["user", "create", "--email", "me@example.org"]);
  mkdirSync(join(program.dataDir, "backups"));
  await program.run(["backup", backup]);
  copyFileSync(backup, backup.replace("2030", "2029"));
  return { ...program, path, backup };
}

test.each([
  ["is missing", (path: string) => rmSync(path), "There is no database "],
  ["is empty", (path: string) => truncateSync(path, 0), "The database "],
])("a database that %s stops the start, and the backup to restore is named", async (...given) => {
  const [, spoil, sentence] = given;
  const { run, dataDir, path, backup } = await backedUp();
  spoil(path);

  const served = await run(["serve"]);
  const created = await run(["user", "create", "--email", "you@example.org"]);

  const copied = await run(["backup", join(dataDir, "copy.db")]);

  expect([copied.code, existsSync(join(dataDir, "copy.db"))]).toEqual([1, false]);
  for (const { code, err } of [served, created]) {
    expect(code).toBe(1);
    expect(err).toContain(sentence + path);
    expect(err).toContain(join(dataDir, "secret.key"));
    expect(err).toContain(`run \`stillup restore ${backup}\`. To start with an empty database, `);
    expect(err).toContain("run `stillup serve --fresh`.");
  }
  expect(existsSync(path) ? statSync(path).size : 0).toBe(0);
  expect((await run(["restore", backup, "--force"])).code).toBe(0);
  expect((await run(["user", "list"])).out).toContain("me@example.org");
});

test("--fresh starts with an empty database, and keeps the secret key and the backups", async () => {
  const { run, begin, dataDir, path, backup } = await backedUp();
  const key = readFileSync(join(dataDir, "secret.key"), "utf8");
  rmSync(path);

  const server = begin(["serve", "--fresh"]);
  expect((await fetch(`${await server.output.url()}/ready`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  const listed = await run(["user", "list"]);
  rmSync(path);
  const migrated = await run(["migrate", "--fresh"]);

  expect(listed.out).not.toContain("me@example.org");
  expect(migrated.code).toBe(0);
  expect((await run(["migrate"])).out).toBe("The database is up to date.\n");
  expect(readFileSync(join(dataDir, "secret.key"), "utf8")).toBe(key);
  expect(existsSync(backup)).toBe(true);
});

test("a database elsewhere that a wrong path misses is not begun again", async () => {
  const { run, dataDir, path } = await backedUp();
  const wrong = join(newFolder(), "stillup.db");

  const refused = await run(["migrate"], { STILLUP_DATABASE_URL: `sqlite:${wrong}` });

  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    `There is no database ${wrong}, but ${join(dataDir, "secret.key")}`,
  );
  expect(existsSync(wrong)).toBe(false);
  expect((await run(["migrate"], { STILLUP_DATABASE_URL: `sqlite:${path}` })).code).toBe(0);
});

test("without an intact backup the sentence says so", async () => {
  const { run, path, backup } = await backedUp();
  for (const each of [path, backup, backup.replace("2030", "2029")]) truncateSync(each, 0);

  const { code, err } = await run(["migrate"]);

  expect(code).toBe(1);
  expect(err).toContain("The backup folder has no intact backup: restore one from elsewhere");
});

test.each([
  ["an empty key file", (dataDir: string) => writeFileSync(join(dataDir, "secret.key"), "")],
  ["a folder for backups", (dataDir: string) => mkdirSync(join(dataDir, "backups"))],
  ["an empty database", (dataDir: string) => writeFileSync(join(dataDir, "stillup.db"), "")],
])("%s that a first start left or found stops nothing", async (_what, leave) => {
  const { run, dataDir } = createProgram();
  mkdirSync(dataDir, { mode: 0o700 });
  leave(dataDir);

  expect((await run(["migrate"])).code).toBe(0);
});

test("the first start makes the key only once the database is there, so a kill in between loses nothing", async () => {
  const dataDir = newFolder();
  const config = readConfig({ STILLUP_DATA_DIR: dataDir, STILLUP_SENTINELS: "" });
  const killed = openDeps(config, systemClock, undefined, () => {
    expect(existsSync(config.secretKeyFile)).toBe(false);
    expect(statSync(join(dataDir, "stillup.db")).size).toBeGreaterThan(0);
    throw new Error("killed");
  });

  await expect(killed).rejects.toThrow("killed");
  const { deps } = await openDeps(config, systemClock);
  await deps.store.engine.close();
  expect(existsSync(config.secretKeyFile)).toBe(true);
});
