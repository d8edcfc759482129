import { expect, test } from "bun:test";
import { openPostgres } from "../server/store/postgres.ts";
import { isUnavailable, type Query } from "../server/store/store.ts";
import { polled } from "./cluster/node.ts";
import { emptyPostgres, makeReadOnly } from "./postgres.ts";
import { startSilentProxy } from "./silent-proxy.ts";

const asking = (sql: string, params: unknown[] = []): Query => ({ sql, params });
const ONE = asking("select 1");

test("PostgreSQL prepares a statement once, whatever its parameters are", async () => {
  const engine = openPostgres(await emptyPostgres(), { pool: 1 });
  const often = "select cast(? as bigint) + 1";

  for (let i = 0; i < 20; i++) expect(await engine.run(asking(often, [i]))).toEqual([[i + 1]]);

  const found = await engine.run(asking("select statement from pg_prepared_statements"));
  expect(found).toHaveLength(1);
  expect(found[0]![0]).toContain("as bigint) + 1");
  await engine.close();
});

test("a search is planned for what it looks for each time", async () => {
  const engine = openPostgres(await emptyPostgres(), { pool: 1 });
  const search = "select statement from pg_prepared_statements where statement like ? escape '!'";

  for (let i = 0; i < 10; i++) expect(await engine.run(asking(search, ["%like%"]))).toEqual([]);

  const [found] = await engine.batch([asking(search, ["%"])]);
  expect(found).toEqual([]);
  await engine.close();
});

test("a statement that takes too long is cut off, and an upgrade is not", async () => {
  const engine = openPostgres(await emptyPostgres(), { timeoutMs: 200 });

  const slow = engine.run(asking("select pg_sleep(10)"));
  const migration = { name: "1.sql", statements: "select pg_sleep(0.5)" };
  const upgrade = engine.upgrade({ at: 0, choose: () => [migration], onStep: () => {} });

  expect(await slow.catch(isUnavailable)).toBe(true);
  expect(await upgrade).toEqual(["1.sql"]);
  await engine.close();
});

test("a server knows whose connections it has, and lets go of those that fall silent", async () => {
  const engine = openPostgres(await emptyPostgres(), { timeoutMs: 200 });

  const settings = [
    "application_name",
    "tcp_keepalives_idle",
    "idle_in_transaction_session_timeout",
  ];
  const texts = settings.map((name) => `current_setting('${name}')`).join(", ");

  expect(await engine.run(asking(`select ${texts}`))).toEqual([["stillup", "20", "10s"]]);
  await engine.close();
});

test("a PostgreSQL that falls silent is given up, and connected to anew", async () => {
  const url = new URL(await emptyPostgres());
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  const engine = openPostgres(url.href, { timeoutMs: 200, silentMs: 300 });
  await engine.run(ONE);
  proxy.fallSilent();

  const asked = await Promise.all([
    engine.run(ONE).catch(isUnavailable),
    engine.batch([ONE, ONE]).catch(isUnavailable),
  ]);

  // One of them may have had a connection of its own.
  expect(asked).toContain(true);
  expect(await engine.run(ONE)).toEqual([[1]]);
  await engine.close();
  proxy.stop();
});

test("a PostgreSQL that has turned read-only is left for the one that can write", async () => {
  const url = await emptyPostgres();
  const engine = openPostgres(url, { pool: 2 });
  await engine.run(asking("create table thing (id bigint)"));
  await makeReadOnly(url);
  const write = () => engine.run(asking("insert into thing values (1)"));
  // The first finds itself cut off.
  await write().catch(() => {});
  expect(await write().catch(isUnavailable)).toBe(true);

  const name = new URL(url).pathname.slice(1);
  const other = openPostgres(url.replace(/[^/]+$/, "postgres"));
  await other.run(asking(`alter database ${name} reset default_transaction_read_only`));

  // What was connected before stays as it was, and is left some seconds later.
  await polled(async () => ((await write().catch(isUnavailable)) === true ? undefined : true));
  expect(await engine.run(asking("select id from thing"))).toEqual([[1]]);
  await Promise.all([engine.close(), other.close()]);
});
