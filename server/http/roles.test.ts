import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { createService } from "../app/app.ts";
import { readConfig } from "../ground/config/config.ts";

const TOKEN = "metrics-of-the-tests";
const POSTGRES = "postgres://localhost/stillup";

describe("A node without the role api", () => {
  let server: TestServer;
  let ask: (path: string, authorization?: string) => Promise<Response>;
  beforeAll(async () => {
    server = await startServer("postgres", { STILLUP_METRICS_TOKEN: TOKEN });
    const config = { ...server.config, role: ["checker", "delivery"] as const };
    const { front } = await createService({ ...server.deps, config });
    ask = (path, authorization = "") =>
      front(new Request(`http://localhost${path}`, { headers: { authorization } }));
  });
  afterAll(() => server.stop());

  test("answers health checks and metrics", async () => {
    expect((await ask("/health")).status).toBe(200);
    expect(await (await ask("/ready")).json()).toMatchObject({ database: true });
    expect(await (await ask("/metrics", `Bearer ${TOKEN}`)).text()).toContain("stillup_");
    expect((await ask("/metrics")).status).toBe(401);
  });

  eachRow(["/", "/links", "/api/v1/links", "/dashboard/api/session", "/openapi.json", "/docs"])(
    "has nothing at %s, and says where it is",
    async (path) => {
      const { key } = await server.account();

      const reply = await ask(path, `Bearer ${key}`);

      expect(reply.status).toBe(404);
      expect((await reply.json()).error).toMatchObject({
        code: "NOT_FOUND",
        message: "This node only has the roles checker and delivery. Use a node with the role api.",
      });
      expect(reply.headers.get("x-request-id")).toBeTruthy();
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );
});

describe("STILLUP_ROLE", () => {
  const roleOf = (STILLUP_ROLE: string | undefined, url = POSTGRES) =>
    readConfig({ STILLUP_ROLE, STILLUP_DATABASE_URL: url }).role;

  eachRow([
    [undefined, ["api", "checker", "delivery"]],
    ["all", ["api", "checker", "delivery"]],
    ["delivery, api", ["api", "delivery"]],
    ["checker,all", ["api", "checker", "delivery"]],
  ])("%p is %p", (given, roles) => {
    expect(roleOf(given)).toEqual(roles as never);
  });

  test("takes no other roles", () => {
    expect(() => roleOf("checker,cook")).toThrow("STILLUP_ROLE must be all, or a list of api");
    expect(() => roleOf(",")).toThrow("STILLUP_ROLE");
  });

  test("is whole on SQLite, which one process serves", () => {
    expect(() => roleOf("api", "sqlite:a.db")).toThrow("one process does everything on SQLite");
    expect(roleOf("api,delivery,checker", "sqlite:a.db")).toHaveLength(3);
  });
});
