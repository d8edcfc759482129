import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ENGINES, startServer, type TestServer } from "../../tests/harness.ts";
import { makeReadOnly } from "../../tests/postgres.ts";

describe.each(ENGINES)("While the %s database is read-only", (engineName) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engineName);
  });
  afterAll(() => server.stop());

  test("a change is answered 503 with when to come back, and reads go on within the limit", async () => {
    const { get, post } = await server.account();
    await endWriting();
    await untilHealthy();

    const refused = await post("/api/v1/groups", { name: "Mine" });
    const read = await get("/api/v1/groups");
    const all = await Promise.all(Array.from({ length: 130 }, () => get("/api/v1/nothing")));

    expect(refused.status).toBe(503);
    expect(refused.body.error.code).toBe("SERVICE_UNAVAILABLE");
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(read.body.data?.items).toEqual([]);
    const kinds = new Set(all.map(({ status }) => status));
    expect([...kinds].sort()).toEqual([404, 429]);
  });

  async function endWriting() {
    const { config, deps } = server;
    if (engineName === "postgres") return makeReadOnly(config.databaseUrl);
    await deps.store.engine.run({ sql: "pragma query_only = on", params: [] });
  }

  /** Each connection that was cut off fails once. */
  async function untilHealthy() {
    for (let times = 0; times < 20; times++) {
      if ((await fetch(`${server.url}/health`)).ok) return;
    }
  }
});
