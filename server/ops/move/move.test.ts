import { expect, test } from "bun:test";
import { join } from "node:path";
import { createProcesses } from "../../../tests/commands/program.ts";
import { type Asker, type Parsed, startServer, type TestServer } from "../../../tests/harness.ts";
import { lookAt } from "../../../tests/move/new.ts";
import {
  addHardTexts,
  addManyChecks,
  change,
  copiesIn,
  fillAllTables,
  MANY,
  oldInstallation,
} from "../../../tests/move/old.ts";
import { emptyPostgres, freshPostgres } from "../../../tests/postgres.ts";
import { rowsOf, sorted } from "../../../tests/upgrades/dump.ts";
import { NEWER } from "../../../tests/upgrades/newer.ts";
import { programOf } from "../../../tests/upgrades/program-of.ts";
import { usedDatabase } from "../../../tests/upgrades/used.ts";
import { LEFT_BEHIND } from "./source.ts";

test("every row of every table is in the new database as it was", async () => {
  const { path, run } = await oldInstallation();
  addHardTexts(path);
  addManyChecks(path);
  fillAllTables(path);
  const before = rowsOf(path);
  const url = await emptyPostgres();

  const { code, err } = await run(["migrate", "--to"], { STILLUP_MOVE_TO: url });

  expect({ code, err }).toEqual({ code: 0, err: "" });
  const there = lookAt(url);
  const tables = Object.keys(before).filter((name) => !LEFT_BEHIND.includes(name));
  expect(tables.length).toBeGreaterThan(25);
  expect(before.checks!.length).toBeGreaterThan(MANY);
  for (const table of tables) {
    const rows = (await there.rows(table)).filter(({ name }) => !isNote(name));
    // Who held it does not exist there.
    const isHeld = table === "sources" || table === "imports";
    const moved = isHeld ? before[table]!.map((row) => ({ ...row, lease: null })) : before[table]!;
    expect([table, rows.length > 0, rows]).toEqual([table, true, moved]);
  }
});

test("what belongs to a process stays behind, and checks that were under way are due", async () => {
  const { path, run } = await oldInstallation();
  const lease = "update links set lease = 'a process', checking_until = 5, next_check_at = 5";
  change(path, (database) => database.run(lease));
  const before = rowsOf(path).links!;
  const url = await emptyPostgres();

  expect((await run(["migrate", "--to", url])).code).toBe(0);

  const there = lookAt(url);
  const released = before.map((link) => ({ ...link, lease: null, checking_until: null }));
  expect(await there.rows("links")).toEqual(sorted(released));
  expect(await there.rows("nodes")).toEqual([]);
});

test("the new database counts its links as the old one did, and goes on counting", async () => {
  const { path, key, folder, run } = await oldInstallation();
  const counts = rowsOf(path).link_counts!;
  const url = await emptyPostgres();
  await run(["migrate", "--to", url]);
  const there = lookAt(url);
  expect(counts.length).toBeGreaterThan(1);
  expect(await there.rows("link_counts")).toEqual(counts);

  const server = await served("postgres", url, folder);
  const me = server.asker(key);
  const total = async () => (await me.get("/api/v1/links")).body.data.pagination.total;
  const before = await total();
  await me.post("/api/v1/links", { url: "https://example.org/new" });

  expect(await total()).toBe(before + 1);
  await server.stop();
});

test("the API answers from the new database as it did from the old one", async () => {
  const { path, key, folder, run } = await oldInstallation();
  const url = await emptyPostgres();
  expect((await run(["migrate", "--to", url])).code).toBe(0);

  const [old, moved] = await Promise.all([
    served("sqlite", `sqlite:${path}`, folder),
    served("postgres", url, folder),
  ]);

  const asked = await allAnswers(old.asker(key));
  expect(asked.length).toBeGreaterThan(60);
  expect(asked.filter(([, status]) => status !== 200)).toEqual([]);
  expect(await allAnswers(moved.asker(key))).toEqual(asked);
  const [hook] = (await moved.asker(key).get("/api/v1/webhooks")).body.data.items;
  // Its secret opens with the key that went over as a file.
  expect((await moved.asker(key).post(`/api/v1/webhooks/${hook.id}/test`)).status).toBe(200);
  await Promise.all([old.stop(), moved.stop()]);
});

test("tells what every node needs, and nothing that opens a database", async () => {
  const { folder, path, run } = await oldInstallation();
  const url = await freshPostgres();
  const { host, pathname } = new URL(url);

  const { out, err } = await run(["migrate", "--to"], { STILLUP_MOVE_TO: url });

  expect(out).toStartWith(
    `6 links and ${rowsOf(path).checks!.length} checks are in ${host}${pathname}: `,
  );
  expect(out).toContain(
    ` secret key, which is not in the database: ${join(folder, "secret.key")}.\n`,
  );
  const note = JSON.stringify(rowsOf(path).facts);
  for (const text of [out, err, note]) expect(text).not.toContain("postgres:postgres");
});

test("a database of an older version is copied and brought up to date before", async () => {
  const { folder, path } = await usedDatabase();
  const { run } = createProcesses({ STILLUP_DATA_DIR: folder }, programOf("0.2.0", NEWER));
  const url = await emptyPostgres();

  expect((await run(["migrate", "--to", url])).code).toBe(0);

  expect(copiesIn(folder)).toHaveLength(1);
  expect(await lookAt(url).rows("notes")).toEqual(rowsOf(path).notes!);
});

const isNote = (name: unknown) => typeof name === "string" && name.startsWith("move:");

const served = (engine: "sqlite" | "postgres", url: string, folder: string): Promise<TestServer> =>
  startServer(engine, {
    STILLUP_DATABASE_URL: url,
    STILLUP_SECRET_KEY_FILE: join(folder, "secret.key"),
    STILLUP_RATE_LIMIT_PER_MINUTE: "0",
    STILLUP_RATE_LIMIT_PER_HOUR: "0",
  });

const LISTS = [
  ...["audit", "overview", "overview/services", "services", "account", "usage", "keys"],
  ...[
    "links",
    "links?status=dead",
    "links?sort=url",
    "links?search=here",
    "links?per_page=2&page=2",
  ],
  ...["links/export", "groups", "groups/none", "history", "history?per_page=2&page=2"],
  ...["history/export", "history/series?from=2026-01-01&to=2026-12-31&step=day", "history/stats"],
  "webhooks",
];

/** Of every list, and of everything that these lists name. */
async function allAnswers(me: Asker): Promise<[path: string, status: number, body: Parsed][]> {
  const answers: [string, number, Parsed][] = [];
  const ask = async (path: string) => {
    const { status, body } = await me.get(`/api/v1/${path}`);
    answers.push([path, status, body]);
    return body?.data?.items ?? [];
  };
  for (const path of LISTS) await ask(path);
  for (const { id } of await ask("links")) {
    for (const end of ["", "/events", "/history", "/stats"]) await ask(`links/${id}${end}`);
  }
  for (const { id } of await ask("groups"))
    for (const end of ["", "/links"]) await ask(`groups/${id}${end}`);
  for (const { id } of await ask("keys")) await ask(`keys/${id}`);
  for (const { id } of await ask("webhooks")) {
    await ask(`webhooks/${id}`);
    for (const delivery of await ask(`webhooks/${id}/deliveries`)) {
      await ask(`webhooks/${id}/deliveries/${delivery.id}`);
    }
  }
  return answers;
}
