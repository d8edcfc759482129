import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../server/db/migrate.ts";
import { migrateToHead, openEngine } from "../server/db/open.ts";
import { createStore } from "../server/db/store.ts";
import { links } from "../server/db/tables.ts";
import { assetFolder, readTexts } from "../server/lib/assets.ts";
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

const BATCH = `
  insert into batches (id, account_id, total, active, dead, unknown, skipped, started_at, completed_at)
  values (?, 'a', ?, ?, 0, 0, 0, 1, ?)`;
const NUMBERED_LINK = `
  insert into links (no, id, account_id, account_no, batch_id, url, url_key, service, status,
    status_changed_at, inconclusive_checks, check_frequency, next_check_at, next_trigger, created_at, updated_at)
  values (?, ?, 'a', 1, ?, ?, ?, 'generic', 'unknown', 1, 0, 'daily', 1, ?, 1, 1)`;

test.each(ENGINES)(
  "a batch that runs is carried over when links can be in many on %s",
  async (name) => {
    const { engine } = await openAt("0009", name);
    const run = (sql: string, ...params: unknown[]) => engine.run({ sql, params });
    await run(
      "insert into accounts (id, email, tier, created_at, no, history_since) values ('a', 'a', 'free', 1, 1, 0)",
    );
    await run(BATCH, "running", 3, 1, null);
    await run(BATCH, "done", 1, 1, 2);
    for (const [no, batchId] of [
      [2, null],
      [3, "running"],
      [4, "running"],
    ])
      await run(
        NUMBERED_LINK,
        no,
        `l${no}`,
        batchId,
        `l${no}`,
        `l${no}`,
        batchId ? "batch" : "scheduled",
      );

    await migrateToHead(engine, 2);

    expect(await run("select link_no, batch_id from batch_links order by link_no")).toEqual([
      [3, "running"],
      [4, "running"],
    ]);
    expect(
      await run(
        "select id, total, active, filled_to, expected, completed_at from batches order by id",
      ),
    ).toEqual([
      ["done", 1, 1, null, 1, 2],
      ["running", 3, 1, null, 3, null],
    ]);
    await run("update links set status = 'dead' where no = 3");
    await run("delete from links where no = 4");
    expect(await run("select link_no from batch_links")).toEqual([[3]]);
    expect(await run("select active, dead, unknown from link_counts where subject = 1")).toEqual([
      [0, 1, 1],
    ]);
    expect(await createStore(engine).select().from(links)).toHaveLength(2);
    await engine.close();
  },
);

const OLD_DELIVERY = `
  insert into deliveries (event_id, webhook_id, status, attempts, next_attempt_at, lease, last_status_code,
    last_error, last_duration_ms, created_at, completed_at)
  values (?, 'w', ?, ?, ?, ?, ?, ?, ?, 1, ?)`;

test.each(ENGINES)("deliveries are kept when they get a log on %s", async (name) => {
  const { engine } = await openAt("0008", name);
  const run = (sql: string, ...params: unknown[]) => engine.run({ sql, params });
  await run(
    "insert into accounts (id, email, tier, created_at, no, history_since) values ('a', 'a', 'free', 1, 1, 0)",
  );
  await run(`insert into webhooks (id, account_id, url, is_active, secret, created_at, updated_at)
    values ('w', 'a', 'https://example.org/', 1, 's', 1, 1)`);
  const old = [
    ["e1", "pending", 0, 10, null, null, null, null, null],
    ["e2", "delivering", 2, 60_000, "l", 500, null, 3, null],
    ["e3", "failed", 1, 5000, null, 0, "timeout", 15_000, null],
    ["e4", "succeeded", 1, 60_000, null, 204, null, 7, 9],
    ["e5", "paused", 0, 10, null, null, null, null, null],
  ];
  for (const [id, ...rest] of old) {
    await run("insert into events values (?, 'a', 'link.dead', '{}', 1)", id);
    await run(OLD_DELIVERY, id, ...rest);
  }

  await migrateToHead(engine, 2);

  expect(
    await run(`select event_id, type, status, attempts, unplanned_attempts, next_attempt_at, due_at, lease,
      last_trigger, last_status_code, last_error, last_duration_ms, completed_at from deliveries order by event_id`),
  ).toEqual([
    ["e1", "link.dead", "pending", 0, 0, 10, 10, null, null, null, null, null, null],
    ["e2", "link.dead", "delivering", 2, 0, 60_000, 60_000, "l", "scheduled", 500, null, 3, null],
    ["e3", "link.dead", "failed", 1, 0, 5000, 5000, null, "scheduled", 0, "timeout", 15_000, null],
    ["e4", "link.dead", "succeeded", 1, 0, null, null, null, "scheduled", 204, null, 7, 9],
    ["e5", "link.dead", "paused", 0, 0, null, null, null, null, null, null, null, null],
  ]);
  expect(await run("select format, old_secrets from webhooks")).toEqual([["standard", null]]);
  await run("delete from webhooks where id = 'w'");
  expect(await run("select count(*) from deliveries")).toEqual([[0]]);
  await engine.close();
});
