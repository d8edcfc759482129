import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assetFolder, readTexts } from "../server/lib/assets.ts";
import { migrate } from "../server/store/migrate.ts";
import { migrateToHead, openEngine } from "../server/store/open.ts";
import { createStore } from "../server/store/store.ts";
import { links } from "../server/store/tables.ts";
import { ENGINES } from "./harness.ts";
import { emptyPostgres } from "./postgres.ts";

const newFile = () => `sqlite:${join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db")}`;

const LINK = `
  insert into links (id, account_id, url, url_key, service, status, reason, decided_status,
    status_changed_at, inconclusive_checks, check_frequency, next_check_at, next_trigger, created_at,
    updated_at, evidence)
  values (?, 'a', ?, ?, 'generic', ?, ?, ?, 1, 0, 'daily', 1, 'scheduled', 1, 1, ?)`;

/** A database as it was before a migration, and what brings it up to before another. */
async function openAt(before: string, name: (typeof ENGINES)[number]) {
  const engine = openEngine(name === "postgres" ? await emptyPostgres() : newFile());
  const files = readTexts(assetFolder("drizzle"));
  const migrateTo = (end: string) =>
    migrate(
      engine,
      files
        .filter((file) => file.name < end)
        .map((file) => ({ name: file.name, statements: file.text })),
      1,
    );
  await migrateTo(before);
  return { engine, migrateTo };
}

test.each(ENGINES)("what the first version knew of links is kept on %s", async (name) => {
  const { engine } = await openAt("0003", name);
  const account = "insert into accounts (id, email, tier, created_at) values ('a', 'a', 'free', 1)";
  await engine.run({ sql: account, params: [] });
  for (const [id, status, reason, decided] of [
    ["dead", "dead", "http_404", "dead"],
    ["lost", "unknown", "http_403", "dead"],
    ["new", "unknown", null, null],
  ]) {
    const evidence = decided && `{"final_url":"https://example.org/${id}"}`;
    await engine.run({ sql: LINK, params: [id, id, id, status, reason, decided, evidence] });
  }

  await migrateToHead(engine, 2);

  const rows = await createStore(engine).select().from(links).orderBy(links.id);
  expect(rows).toMatchObject([
    { id: "dead", decidedReason: "http_404", evidence: '{"final_url":"https://example.org/dead"}' },
    { id: "lost", decidedReason: null, evidence: '{"final_url":"https://example.org/lost"}' },
    { id: "new", decidedReason: null, evidence: null },
  ]);
  await engine.close();
});

const CHECK = `
  insert into checks (id, account_id, link_id, status, previous_status, status_changed, status_code,
    response_time_ms, reason, final_url, redirect_count, trigger_kind, checked_at, cause, evidence)
  values (?, 'a', ?, ?, 'active', ?, ?, ?, ?, ?, 0, 'scheduled', ?, null, ?)`;

test.each(ENGINES)("history is kept when links get numbers on %s", async (name) => {
  const { engine, migrateTo } = await openAt("0005", name);
  const account = "insert into accounts (id, email, tier, created_at) values ('a', 'a', 'free', 1)";
  await engine.run({ sql: account, params: [] });
  const group =
    "insert into groups (id, account_id, name, color, created_at, updated_at) values ('g', 'a', 'g', '#000000', 1, 1)";
  await engine.run({ sql: group, params: [] });
  for (const id of ["one", "two"]) {
    await engine.run({ sql: LINK, params: [id, id, id, "dead", "http_404", "dead", null] });
  }
  await engine.run({ sql: "update links set group_id = 'g' where id = 'two'", params: [] });
  for (const check of [
    ["c1", "one", "active", 0, 200, 120, "ok", "one", 3_600_001, null],
    ["c2", "one", "dead", 1, 404, 80, "http_404", null, 7_200_000, '{"attempts":[]}'],
    ["c3", "two", "unknown", 0, null, null, "timeout", "https://else.where/", 86_400_000, null],
  ]) {
    await engine.run({ sql: CHECK, params: check });
  }

  await migrateTo("0007");

  const read = (sql: string) => engine.run({ sql, params: [] });
  expect(await read("select no, id, account_no from links order by no")).toEqual([
    [3, "one", 1],
    [4, "two", 1],
  ]);
  expect(
    await read(`
      select account_no, link_no, checked_at, status, previous_status, status_changed, status_code, reason,
        response_time_ms, group_no, final_url, evidence
      from checks join check_kinds on no = kind_no order by checked_at`),
  ).toEqual([
    [1, 3, 3_600_001, "active", "active", 0, 200, "ok", 120, null, "", null],
    [1, 3, 7_200_000, "dead", "active", 1, 404, "http_404", 80, null, null, '{"attempts":[]}'],
    [
      1,
      4,
      86_400_000,
      "unknown",
      "active",
      0,
      null,
      "timeout",
      null,
      2,
      "https://else.where/",
      null,
    ],
  ]);
  expect(await read("select * from history_hours order by subject, since")).toEqual([
    [1, 3_600_000, 1, 0, 0, 0, 1, 120],
    [1, 7_200_000, 0, 1, 0, 1, 1, 80],
    [1, 86_400_000, 0, 0, 1, 0, 0, 0],
    [2, 86_400_000, 0, 0, 1, 0, 0, 0],
  ]);
  expect(await read("select * from history_days order by subject, day")).toEqual([
    [1, 0, 1, 1, 0, 1, 2, 200, null],
    [1, 1, 0, 0, 1, 0, 0, 0, null],
    [2, 1, 0, 0, 1, 0, 0, 0, null],
    [3, 0, 1, 1, 0, 1, 2, 200, null],
    [4, 1, 0, 0, 1, 0, 0, 0, null],
  ]);
  expect(await read("select * from link_counts order by subject")).toEqual([
    [1, 0, 0, 2, 0],
    [2, 0, 0, 1, 0],
  ]);
  expect(await read("select next from numbers")).toEqual([[5]]);
  await engine.close();
});
