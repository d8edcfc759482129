import { expect, onTestFinished, test } from "bun:test";
import { createProgram } from "../../../tests/commands/program.ts";
import { startPooler } from "../../../tests/pooler.ts";
import { emptyPostgres, makeReadOnly } from "../../../tests/postgres.ts";
import { startSilentProxy } from "../../../tests/silent-proxy.ts";
import { until, untilIs } from "../../../tests/until.ts";
import { openPostgres } from "./postgres.ts";
import { isUnavailable, type Query, runAll } from "./store.ts";

const asking = (sql: string, params: unknown[] = []): Query => ({ sql, params });
const ONE = asking("select 1");
const HOUR_MS = 3_600_000;
const NO_ANSWER = "The database does not answer.";

const messageOf = (error: Error) => error.message;

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

  const [found] = await runAll(engine, [asking(search, ["%"])]);
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

test("a PostgreSQL that falls silent is given up, and connected to again", async () => {
  const url = new URL(await emptyPostgres());
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  const engine = openPostgres(url.href, { timeoutMs: 200, silentMs: 300 });
  await engine.run(ONE);
  proxy.fallSilent();

  const asked = await Promise.all([
    engine.run(ONE).catch(isUnavailable),
    runAll(engine, [ONE, ONE]).catch(isUnavailable),
  ]);

  // One of them may have had a connection of its own.
  expect(asked).toContain(true);
  expect(await engine.run(ONE)).toEqual([[1]]);
  await engine.close();
  proxy.stop();
});

test("a proxy that turns connections away is known by its connections, without a look for silence", async () => {
  const url = new URL(await emptyPostgres());
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  const engine = openPostgres(url.href, { lookMs: HOUR_MS });
  onTestFinished(async () => {
    await engine.close();
    proxy.stop();
  });
  proxy.turnAway();

  const asked = await Promise.all([
    engine.run(ONE).catch(messageOf),
    runAll(engine, [ONE, ONE]).catch(messageOf),
    engine.apart().run(ONE).catch(messageOf),
  ]);

  // The driver alone retries for ten seconds, and says then that the connection was closed.
  expect(asked).toEqual([NO_ANSWER, NO_ANSWER, NO_ANSWER]);
  // From now on nothing waits.
  expect(await engine.run(ONE).catch(messageOf)).toBe(NO_ANSWER);
}, 20_000);

test("a proxy that turns connections away is a database that does not answer, until it lets them through", async () => {
  const url = new URL(await emptyPostgres());
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  const engine = openPostgres(url.href);
  await engine.run(ONE);
  proxy.turnAway();

  await untilIs("an error", () => engine.run(ONE).catch(messageOf), NO_ANSWER);
  proxy.flow();

  expect(
    await until("an answer", () => engine.run(ONE).catch(() => null), { everyMs: 50 }),
  ).toEqual([[1]]);
  await engine.close();
  proxy.stop();
}, 20_000);

test("a slow statement is not mistaken for a database that turns connections away", async () => {
  const engine = openPostgres(await emptyPostgres());

  expect(await engine.run(asking("select 1 from pg_sleep(2.5)"))).toEqual([[1]]);

  await engine.close();
});

/** An engine that reaches PostgreSQL through a proxy, and looks twenty times as often whether it answers. */
async function openBehindProxy(options: Parameters<typeof openPostgres>[1] = {}) {
  const url = new URL(await emptyPostgres());
  const proxy = await startSilentProxy(Number(url.port));
  url.port = String(proxy.port);
  const engine = openPostgres(url.href, { lookMs: 50, ...options });
  onTestFinished(async () => {
    await engine.close();
    proxy.stop();
  });
  return { engine, proxy };
}

test("a PostgreSQL that is cut off fails all that waits, whatever it waits for", async () => {
  const { engine, proxy } = await openBehindProxy();
  const slow = asking("select cast(pg_sleep(60) as text)");
  const migration = { name: "1.sql", statements: "select pg_sleep(60)" };
  await engine.run(ONE);
  const waiting = [
    engine.run(slow),
    runAll(engine, [ONE, slow]),
    engine.apart().run(slow),
    engine.upgrade({ at: 0, choose: () => [migration], onStep: () => proxy.cutOff() }),
  ];

  const ended = await Promise.all(waiting.map((each) => each.catch(isUnavailable)));

  expect(ended).toEqual([true, true, true, true]);
  const refused = [engine.run(ONE), engine.inTurn("turn", async () => 1), engine.notify("a", "b")];
  expect(await Promise.all(refused.map((each) => each.catch(isUnavailable)))).toEqual([
    true,
    true,
    true,
  ]);
});

test("a PostgreSQL that was cut off during idle time is reached again", async () => {
  const { engine, proxy } = await openBehindProxy();
  await engine.run(ONE);
  proxy.cutOff();
  await until("a failure", async () => (await engine.run(ONE).catch(isUnavailable)) === true, {
    everyMs: 50,
  });

  proxy.flow();
  await until("an answer", async () => (await engine.run(ONE).catch(isUnavailable)) !== true, {
    everyMs: 50,
  });

  expect(await engine.inTurn("turn", async () => "mine")).toBe("mine");
  expect(await engine.apart().run(ONE)).toEqual([[1]]);
});

test("a statement of a transaction that was cut off leaves nothing behind", async () => {
  const { engine, proxy } = await openBehindProxy();
  await engine.run(asking("create table thing (id bigint)"));
  const insert = asking("insert into thing values (1)");
  const writing = runAll(engine, [insert, asking("select cast(pg_sleep(1) as text)"), insert]);
  proxy.cutOff();

  expect(await writing.catch(isUnavailable)).toBe(true);
  proxy.flow();
  await until("an answer", async () => (await engine.run(ONE).catch(isUnavailable)) !== true, {
    everyMs: 50,
  });
  expect(await engine.run(asking("select count(*) from thing"))).toEqual([[0]]);
});

test("connections that lead nowhere are given up although others work", async () => {
  const { engine, proxy } = await openBehindProxy({ pool: 4, timeoutMs: 300, silentMs: 300 });
  const all = () =>
    Promise.all(Array.from({ length: 8 }, () => engine.run(ONE).catch(isUnavailable)));
  await all();
  proxy.fallSilent(({ index }) => index % 2 === 0);

  await all();

  await until("answers only", async () => (await all()).every((each) => each !== true), {
    everyMs: 50,
  });
});

test("a slow statement is waited for while PostgreSQL answers", async () => {
  const { engine } = await openBehindProxy({ pool: 1 });

  // As long as forty looks.
  expect(await engine.run(asking("select cast(pg_sleep(2) as text)"))).toEqual([[""]]);
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
  await until("a write", async () => (await write().catch(isUnavailable)) !== true, {
    everyMs: 50,
  });
  expect(await engine.run(asking("select id from thing"))).toEqual([[1]]);
  await Promise.all([engine.close(), other.close()]);
});

test("a pooler in transaction mode is refused, and the sentence says what to set there", async () => {
  const { run } = createProgram({ STILLUP_DATABASE_URL: await startPooler(await emptyPostgres()) });

  for (const command of ["migrate", "serve"]) {
    const { code, err } = await run([command]);
    expect(code).toBe(1);
    expect(err).toContain("Set pool_mode = session in PgBouncer");
  }
});

test("a server does not wait for a pooler that refuses its settings", async () => {
  const url = await startPooler(await emptyPostgres(), ["statement_timeout"]);
  const { run } = createProgram({ STILLUP_DATABASE_URL: url });

  for (const command of ["migrate", "serve"]) {
    const { code, err } = await run([command]);
    expect(code).toBe(1);
    expect(err).toContain("PgBouncer refuses the settings of our sessions (unsupported startup");
    expect(err).toContain("Set ignore_startup_parameters there");
  }
});
