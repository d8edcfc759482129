import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../server/db/migrate.ts";
import { migrateToHead, openEngine, ownMigrations } from "../../server/db/open.ts";
import { prepareSqlite } from "../../server/db/prepare.ts";
import { startServer } from "../harness.ts";
import { emptyPostgres } from "../postgres.ts";
import { type Dump, orphansIn, rowsOf, schemaOf, sorted } from "./dump.ts";
import { EMAIL, PASSWORD, preparationOf, RELEASED, unpack } from "./released.ts";

const silent = () => {};

/** What people put there, which no upgrade may lose or change. */
const idsIn = (rows: Dump) => ({
  accounts: rows.accounts!.map(({ id, email }) => [id, email]),
  users: rows.users!.map(({ id, password_hash }) => [id, password_hash]),
  sessions: rows.sessions!.length,
  keys: rows.api_keys!.map(({ id, hash }) => [id, hash]),
  groups: rows.groups!.map(({ id, name }) => [id, name]),
  links: rows.links!.map(({ id, url, status, group_id, created_at }) => [
    ...[id, url, status, group_id, created_at],
  ]),
  checks: rows.checks!.map(({ checked_at }) => checked_at).sort(),
  webhooks: rows.webhooks!.map(({ id, url, secret }) => [id, url, secret]),
  deliveries: rows.deliveries!.map(({ event_id, webhook_id, status }) => [
    ...[event_id, webhook_id, status],
  ]),
});

const sets = (ids: ReturnType<typeof idsIn>) =>
  Object.fromEntries(
    Object.entries(ids).map(([name, list]) => [
      name,
      Array.isArray(list) ? list.map((each) => JSON.stringify(each)).sort() : list,
    ]),
  );

async function freshSchema() {
  const path = join(mkdtempSync(join(tmpdir(), "stillup-")), "fresh.db");
  const engine = openEngine(`sqlite:${path}`);
  await migrateToHead(engine, 1);
  await engine.close();
  return schemaOf(path);
}

test("a database of every released schema is kept", () => {
  // None may be missed, and those to come stand behind them.
  const first = ["0002", "0003", "0004", "0007", "0009", "0010"];
  expect(RELEASED.slice(0, first.length)).toEqual(first);
});

describe.each(RELEASED)("a database that was released with %s", (name) => {
  test("is brought to head whole, with a copy of what it was", async () => {
    const { folder, path } = unpack(name);
    const before = rowsOf(path);
    expect(before.links!.length).toBeGreaterThan(4);
    expect(before.deliveries!.length).toBeGreaterThan(1);

    await prepareSqlite(preparationOf(folder), silent);

    expect(sets(idsIn(rowsOf(path)))).toEqual(sets(idsIn(before)));
    expect(schemaOf(path)).toEqual(await freshSchema());
    expect(orphansIn(path)).toEqual([]);
    const [copy, ...others] = readdirSync(join(folder, "backups"));
    expect(others).toEqual([]);
    expect(rowsOf(join(folder, "backups", copy!))).toEqual(before);
  });

  test("serves its users as before", async () => {
    const { folder, path, key } = unpack(name);
    await prepareSqlite(preparationOf(folder), silent);
    const server = await startServer("sqlite", {
      STILLUP_DATABASE_URL: `sqlite:${path}`,
      STILLUP_SECRET_KEY_FILE: join(folder, "secret.key"),
    });
    const asker = server.asker(key);

    const links = (await asker.get("/api/v1/links")).body.data.items;
    expect(links).toHaveLength(6);
    const turned = links.find(({ url }: { url: string }) => url.endsWith("/turns"));
    expect(turned).toMatchObject({ status: "dead", reason: "http_404" });
    const history = (await asker.get(`/api/v1/links/${turned.id}/history`)).body.data.items;
    expect(history.map(({ status }: { status: string }) => status)).toEqual(["dead", "active"]);
    const groups = (await asker.get("/api/v1/groups")).body.data.items;
    expect(groups.map((each: { name: string }) => each.name).sort()).toEqual(["Docs", "Empty"]);
    const [hook] = (await asker.get("/api/v1/webhooks")).body.data.items;
    expect((await asker.post(`/api/v1/webhooks/${hook.id}/test`)).status).toBeLessThan(300);
    expect((await asker.post("/api/v1/links", { url: "https://example.org/new" })).status).toBe(
      201,
    );
    const signedIn = await fetch(`${server.url}/dashboard/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    expect(signedIn.status).toBe(200);
    await server.stop();
  });

  test("becomes the same on PostgreSQL", async () => {
    const { folder, path } = unpack(name);
    const before = rowsOf(path);
    const engine = openEngine(await emptyPostgres());
    const then = ownMigrations().filter((each) => each.name.slice(0, 4) <= name);
    await migrate(engine, then, 1);
    await fill(engine, before);

    await migrateToHead(engine, 2);
    await prepareSqlite(preparationOf(folder), silent);

    const head = rowsOf(path);
    for (const [table, rows] of Object.entries(head)) {
      if (OF_SQLITE.includes(table)) continue;
      expect([table, await readAll(engine, table, rows)]).toEqual([table, rows]);
    }
    await engine.close();
  });
});

/** Which migrations there were differs by nature; and what SQLite needs for its searching thread. */
const OF_SQLITE = ["migrations", "link_changes", "link_change"];

type Engine = ReturnType<typeof openEngine>;

/** Puts the rows in as they are: what triggers made of them is among them. */
async function fill(engine: Engine, dump: Dump) {
  const tables = await engine.run({
    sql: "select table_name from information_schema.tables where table_schema = 'public'",
    params: [],
  });
  const known = tables.map(([table]) => String(table)).filter((table) => table !== "migrations");
  const inserts = known.flatMap((table) =>
    (dump[table] ?? []).map((row) => ({
      sql: `insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map(() => "?")})`,
      params: Object.values(row),
    })),
  );
  await engine.batch([
    { sql: "set local session_replication_role = replica", params: [] },
    ...known.map((table) => ({ sql: `delete from ${table}`, params: [] })),
    ...inserts,
  ]);
}

async function readAll(engine: Engine, table: string, like: Dump[string]) {
  const columns = Object.keys(like[0] ?? {});
  if (columns.length === 0) return engine.run({ sql: `select 1 from ${table}`, params: [] });
  const rows = await engine.run({ sql: `select ${columns} from ${table}`, params: [] });
  return sorted(
    rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])) as never),
  );
}
