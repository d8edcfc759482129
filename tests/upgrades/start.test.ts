import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownMigrations } from "../../server/ground/db/open.ts";
import type { Migration } from "../../server/ground/db/store.ts";
import { VERSION } from "../../server/ground/lib/runtime.ts";
import { createProgram } from "../commands/program.ts";
import { freePort } from "../free-port.ts";
import { listeningUrl } from "../listening.ts";
import { outputOf } from "../output.ts";
import { rowsOf } from "./dump.ts";
import { makeBackups, olderDatabase } from "./used.ts";

const LAST = ownMigrations()
  .map(({ name }) => name)
  .filter((name) => !name.includes("postgres"))
  .sort()
  .at(-1)!;
const LAST_STEP = LAST.replace(/(\.sqlite)?\.sql$/, "");
/** As of the versions before. */
const allButTheLast = (files: Migration[]) => files.filter(({ name }) => name !== LAST);
const theFirst = (files: Migration[]) => files.filter(({ name }) => name < "0002");

/** The program on an older database, at an address that is known before it is ready. */
async function newerProgram(older = allButTheLast) {
  const { folder, path } = await olderDatabase(older);
  const port = freePort();
  const program = createProgram({ STILLUP_DATA_DIR: folder, STILLUP_PORT: String(port) });
  return { ...program, folder, path, url: `http://127.0.0.1:${port}` };
}

/** The upgrade waits while another process writes. */
function holdUp(path: string) {
  const writer = new Database(path);
  // As every server leaves it; the fixture is packed without a journal.
  writer.run("PRAGMA journal_mode = WAL");
  writer.run("BEGIN IMMEDIATE");
  return { release: () => writer.close() };
}

const COPIED = "copied the database to stillup-before-";

test("requests during an upgrade are answered with 503, and served after it", async () => {
  const { begin, folder, path, url } = await newerProgram(theFirst);
  const hold = holdUp(path);
  const { output, stop } = begin(["serve"]);
  await output.has(new RegExp(COPIED));

  const health = await fetch(`${url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: "starting" }]);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  const refused = await fetch(`${url}/api/v1/links`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "3"]);
  expect(await refused.json()).toMatchObject({ error: { code: "SERVICE_UNAVAILABLE" } });
  const page = await fetch(url, { headers: { accept: "text/html" } });
  expect([page.status, page.headers.get("refresh")]).toEqual([503, "3"]);
  expect(page.headers.get("content-security-policy")).toContain("style-src 'self'");
  const shown = await page.text();
  expect(shown).toContain(COPIED);
  // The page is public, so it contains no path.
  expect(shown).not.toContain(folder);
  hold.release();

  expect(await output.url()).toBe(url);
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
  expect((await fetch(`${url}/api/v1/links`)).status).toBe(401);
  expect(await stop()).toBe(0);
  expect(output.text()).toMatch(/upgrading the database: 1 of \d+, 0002_/);
  expect(rowsOf(path)).toMatchObject({
    accounts: [{ email: "me@example.org" }],
    versions: [{ version: VERSION }],
  });
});

test("an upgrade that is stopped leaves the database as it was", async () => {
  const { start, folder, path } = await newerProgram();
  const before = rowsOf(path);
  const hold = holdUp(path);
  // A process of its own, since the thread of the upgrade ends with that.
  const server = start(["serve"]);
  await outputOf(server).has(new RegExp(COPIED));
  const unfinished = `stillup-before-${LAST_STEP}-20310101T000000000Z.db.x.unfinished`;
  writeFileSync(join(folder, "backups", unfinished), "");

  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  hold.release();
  expect(rowsOf(path)).toEqual(before);
  expect(readdirSync(join(folder, "backups"))).toHaveLength(1);
});

test("two servers never share a data folder, and one that was killed leaves it to the next", async () => {
  const { start, run, dataDir } = createProgram({ STILLUP_PORT: "0" });
  const first = start(["serve"]);
  await listeningUrl(first.stdout);

  const second = await run(["serve"]);
  expect(second.code).toBe(1);
  expect(second.err).toContain(`Another Stillup (process ${first.pid}) uses the data folder`);
  expect((await run(["user", "list"])).code).toBe(0);

  first.kill("SIGKILL");
  await first.exited;
  const third = start(["serve"]);
  await listeningUrl(third.stdout);
  expect(readFileSync(join(dataDir, "stillup.pid"), "utf8")).toStartWith(`${third.pid} `);
  third.kill("SIGTERM");
  expect(await third.exited).toBe(0);
});

test("a command does not upgrade the database under a server that runs", async () => {
  const { begin, run, folder, path } = await newerProgram();
  // It holds the folder, and does not upgrade any more.
  const server = begin(["serve"]);
  await server.output.url();
  const database = new Database(path);
  database.run("pragma busy_timeout = 10000");
  database.run("delete from migrations where name = ?", [LAST]);
  database.close();

  const { code, err } = await run(["user", "list"]);

  expect(code).toBe(1);
  expect(err).toContain("The database has to be upgraded first.");
  expect(err).toContain(`process ${process.pid}`);
  await server.stop();
  rmSync(folder, { recursive: true });
});

test("a server with a damaged database ends with one sentence, each time it is started", async () => {
  const { run, folder, path } = await newerProgram();
  makeBackups(folder);
  const bytes = readFileSync(path);
  writeFileSync(join(folder, "backups/stillup-1.db"), bytes);
  writeFileSync(path, bytes.fill(90, 8192, 20_000));

  for (const _ of [1, 2]) {
    const { code, out, err } = await run(["serve"], { STILLUP_LOG_LEVEL: "warning" });

    expect([code, out]).toEqual([1, ""]);
    expect(JSON.parse(err).message).toMatch(
      /^The database .* is damaged.* stillup restore .*stillup-1\.db\.$/,
    );
  }
});
