import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { saw } from "../../../tests/checker/ended.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { failingDeps } from "../../../tests/events/failing-store.ts";
import { ENGINES, onBothEngines, startServer, type TestServer } from "../../../tests/harness.ts";
import { METRICS_TOKEN, metricsText, readMetrics } from "../../../tests/metrics/reading.ts";
import { makeNews, startReceiver, subscribe } from "../../../tests/receiver.ts";
import { checkDueLinks, deliverDue } from "../../../tests/rounds.ts";
import { createStore } from "../../ground/db/store.ts";
import { upkeep, webhooks } from "../../ground/db/tables.ts";
import { sawNothing } from "../../judge/probe/conclusion.ts";
import { createReader } from "./routes.ts";

const HOUR_MS = 3_600_000;
/** What the database holds is read once in so long. */
const FRESH_MS = 10_000;

onBothEngines("Without a token for it", (server) => {
  test("there is no page with metrics", async () => {
    const { status, body } = await server().asker("whatever").get("/metrics");

    expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe.each(ENGINES)("The page with metrics on %s", (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { STILLUP_METRICS_TOKEN: METRICS_TOKEN, STILLUP_DISK_FLOOR_MB: "1" };
    server = await startServer(engine, settings);
  });
  afterAll(() => server.stop());
  beforeEach(() => server.clock.moveBy(FRESH_MS));
  afterEach(async () => {
    await server.deps.store.delete(webhooks);
  });

  eachRow(["", "Bearer wrong", `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`])(
    "is refused with %p",
    async (authorization) => {
      const reply = await fetch(`${server.url}/metrics`, { headers: { authorization } });

      expect(reply.status).toBe(401);
      expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="metrics"');
    },
  );

  test("tells in a form that Prometheus reads", async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const reply = await fetch(`${server.url}/metrics`, { headers });

    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await reply.text()).split("\n").filter((line) => line !== "");
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    const typed = lines.filter((line) => line.startsWith("# TYPE"));
    expect(new Set(typed).size).toBe(typed.length);
  });

  test("tells how late the most overdue link is, and how many wait", async () => {
    const me = await server.account();
    await me.post("/api/v1/links", { url: "https://example.org/1" });
    await me.post("/api/v1/links", { url: "https://example.org/2" });
    server.clock.moveBy(2 * HOUR_MS);

    const lines = await readMetrics(server);

    expect(lines).toContain("stillup_links_due 2");
    expect(lines).toContain("stillup_links_due_lag_seconds 7200");
    expect(lines).toContain('stillup_links{status="unknown"} 2');
  });

  test("counts checks by what they came to", async () => {
    const me = await server.account();
    await me.post("/api/v1/links", { url: "https://example.org/gone" });
    const before = numberIn(await readMetrics(server), DEAD);

    await checkDueLinks({ ...server.deps, check: async () => saw("http_404") });

    const lines = await readMetrics(server);
    expect(numberIn(lines, DEAD)).toBeGreaterThan(before);
    expect(lines).toContain("stillup_checks_under_way 0");
    expect(numberIn(lines, "stillup_check_duration_seconds_count")).toBeGreaterThan(0);
  });

  test("counts checks that were put off on their own, and not among those that were made", async () => {
    const me = await server.account();
    const check = async () => ({ ...sawNothing("http_429"), deferMs: 60_000 });
    for (const n of [1, 2, 3]) await me.post("/api/v1/links", { url: `https://busy.example/${n}` });
    const before = await readMetrics(server);

    await checkDueLinks({ ...server.deps, check });

    const lines = await readMetrics(server);
    const countOf = (name: string) => numberIn(lines, name) - numberIn(before, name);
    expect(countOf("stillup_checks_deferred_total")).toBeGreaterThanOrEqual(3);
    expect(countOf('stillup_checks_total{status="unknown",reason="http_429"}')).toBe(0);
    expect(countOf("stillup_check_duration_seconds_count")).toBe(0);
    expect(lines).toContain("stillup_checks_under_way 0");
  });

  test("counts deliveries that wait, and the outcomes of those that were tried", async () => {
    const me = await server.account();
    const receiver = startReceiver(503);
    await subscribe(me, receiver.url);
    await makeNews(me);
    server.clock.moveBy(60_000);
    const waiting = await readMetrics(server);

    await deliverDue(server.deps);
    server.clock.moveBy(FRESH_MS);
    await deliverDue(server.deps);

    const tried = await readMetrics(server);
    expect(waiting).toContain("stillup_deliveries_waiting 1");
    expect(waiting).toContain("stillup_deliveries_overdue_seconds 60");
    expect(waiting).toContain("stillup_deliveries_oldest_age_seconds 60");
    expect(waiting).toContain('stillup_webhooks{state="well"} 1');
    expect(tried).toContain('stillup_delivery_attempts_total{outcome="5xx"} 2');
    expect(tried).toContain("stillup_deliveries_overdue_seconds 0");
    expect(tried).toContain('stillup_webhooks{state="failing"} 1');
  });

  test("tells requests apart by their route, never by what a stranger typed", async () => {
    const me = await server.account();
    await me.get("/api/v1/links/01976b2e-0000-7000-8000-000000000000");
    for (const path of ["/api/v1/canary", "/canary", "/assets/canary.js", "/api/v1/links/canary"]) {
      await me.get(path);
    }
    await fetch(`${server.url}/health`, { method: "CANARY" });

    const text = await metricsText(server);

    expect(text).toContain('method="GET",route="/api/v1/links/:id",status="4xx"} 2');
    expect(text.toLowerCase()).not.toContain("canary");
  });

  test("tells nothing about any account", async () => {
    const me = await server.account();
    await me.post("/api/v1/links", { url: "https://private.example/secret" });

    const text = await metricsText(server);

    for (const secret of [me.accountId, me.key, me.key.slice(0, 9), "private.example", "@"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("tells what is wrong, and when it is over", async () => {
    server.deps.troubles.set("disk_full", "The disk is full.");
    const during = await readMetrics(server);
    server.deps.troubles.set("disk_full", null);
    const after = await readMetrics(server);

    expect(during).toContain('stillup_troubles{name="disk_full"} 1');
    expect(after).toContain('stillup_troubles{name="disk_full"} 0');
  });

  test("reports the memory, checks and replacements of each process that checks links", async () => {
    const state = {
      pid: 4711,
      isStarting: false,
      memoryBytes: 118_000_000,
      checks: 7,
      restarts: 2,
    };
    server.deps.metrics.watchProcesses(() => [{ name: "1", ...state }]);
    const lines = await readMetrics(server);
    server.deps.metrics.watchProcesses(() => []);

    expect(lines).toContain('stillup_checker_process_memory_bytes{process="1"} 118000000');
    expect(lines).toContain('stillup_checker_process_checks_total{process="1"} 7');
    expect(lines).toContain('stillup_checker_process_restarts_total{process="1"} 2');
  });

  test("tells the same floor of the disk as stops writing", async () => {
    expect(await readMetrics(server)).toContain(`stillup_disk_floor_bytes ${1024 * 1024}`);
  });

  test("tells when a backup last succeeded, and that the one after it failed", async () => {
    expect(await metricsText(server)).not.toContain("stillup_upkeep");
    const row = { job: "backup", startedAt: 9000, succeededAt: 5000, failedAt: 9000 } as const;
    await server.deps.store.insert(upkeep).values(row);
    server.clock.moveBy(FRESH_MS);

    const lines = await readMetrics(server);

    expect(lines).toContain('stillup_upkeep_last_success_timestamp_seconds{task="backup"} 5');
    expect(lines).toContain('stillup_upkeep_failing{task="backup"} 1');
  });

  test("tells when a backup is expected by the settings, where backups are made", async () => {
    const weekly = { ...server.deps.config, backupCron: "30 4 * * 7" };
    const succeededAt = server.clock.now();
    await server.deps.store.delete(upkeep);
    await server.deps.store.insert(upkeep).values({ job: "backup", startedAt: 0, succeededAt });
    const textWith = (config: typeof weekly) => createReader({ ...server.deps, config })();

    const expected = new Date(2030, 0, 6, 4, 30).getTime() / 1000;
    const line = `stillup_backup_expected_timestamp_seconds ${expected}\n`;
    expect((await textWith(weekly)).includes(line)).toBe(engine === "sqlite");
    expect(await textWith({ ...weekly, backupCron: "" })).not.toContain("backup_expected");
  });

  test("names one moment of the start, and how many files may be open", async () => {
    const started = async () =>
      (await readMetrics(server)).find((line) => line.startsWith("process_start_time_seconds"));
    const first = await started();

    expect(await started()).toBe(first!);
    expect(numberIn(await readMetrics(server), "process_max_fds")).toBeGreaterThan(
      numberIn(await readMetrics(server), "process_open_fds"),
    );
  });

  test("reports what is available while the database does not answer, and nothing old", async () => {
    const engine = {
      ...server.deps.store.engine,
      runInReadPool: () => Promise.reject(new Error("gone")),
    };
    const deps = { ...server.deps, store: createStore(engine) };

    const text = await createReader(deps)();

    expect(text).toContain("stillup_database_up 0");
    expect(text).toContain("stillup_build_info");
    expect(text).not.toMatch(/stillup_(links|accounts|deliveries)/);
  });

  test("reads the database once in ten seconds, however many ask", async () => {
    const engine = { ...server.deps.store.engine };
    const { runInReadPool } = engine;
    let asked = 0;
    engine.runInReadPool = (query) => {
      asked++;
      return runInReadPool(query);
    };
    const read = createReader({ ...server.deps, store: createStore(engine) });
    await read();
    const once = asked;

    await Promise.all(Array.from({ length: 20 }, read));
    expect(asked).toBe(once);
    server.clock.moveBy(FRESH_MS);
    await Promise.all([read(), read()]);
    expect(asked).toBe(2 * once);
  });

  test("asks the database only outside the event loop", async () => {
    const deps = failingDeps(server.deps, () => new Error("on the event loop"));

    expect(await createReader(deps)()).toContain("stillup_database_up 1");
  });

  test("tells the age of the oldest delivery to be made, whatever was made before it", async () => {
    const me = await server.account();
    await subscribe(me, "https://h.example/");
    await makeNews(me);
    await server.deps.store.run(sql`update deliveries set status = 'delivered', due_at = null`);
    server.clock.moveBy(30_000);
    await makeNews(me);
    server.clock.moveBy(20_000);

    expect(await readMetrics(server)).toContain("stillup_deliveries_oldest_age_seconds 20");
  });

  test("tells how late the most overdue delivery is also among many webhooks", async () => {
    const me = await server.account();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await subscribe(me, `https://h${i}.example/`)).id);
    await makeNews(me);
    await server.deps.store.run(
      sql`update deliveries set due_at = due_at - 5000 where webhook_id = ${ids[1]}`,
    );

    expect(await readMetrics(server)).toContain("stillup_deliveries_overdue_seconds 5");
  });
});

const LINE =
  /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[\d.e+-]+)$/;

const DEAD = 'stillup_checks_total{status="dead",reason="http_404"}';

/** 0 when it is not there. */
const numberIn = (lines: string[], name: string) =>
  Number(
    lines
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")
      .at(-1) ?? 0,
  );
