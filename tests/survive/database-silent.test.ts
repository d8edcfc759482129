import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createProgram } from "../commands/program.ts";
import { freePort } from "../free-port.ts";
import { sendRaw } from "../http/raw.ts";
import { IS_LONG, sized } from "../long.ts";
import { METRICS_TOKEN } from "../metrics/reading.ts";
import { outputOf } from "../output.ts";
import { dropPostgres, freshPostgres } from "../postgres.ts";
import { type SilentProxy, startSilentProxy } from "../silent-proxy.ts";
import { type Site, startSite } from "../site.ts";
import { until } from "../until.ts";

const EMAIL = "me@example.org";
const PASSWORD = "correct horse battery staple";
const MANY = sized(50, 1000);

describe("A server that is cut off from PostgreSQL without a word", () => {
  let database = "";
  let proxy: SilentProxy;
  let site: Site;
  let program: ReturnType<typeof createProgram>;
  let server: ReturnType<typeof program.start>;
  let key = "";
  let cookie = "";
  let output: ReturnType<typeof outputOf>;
  const url = `http://127.0.0.1:${freePort()}`;

  const ask = async (
    path: string,
    { token = key, ...init }: RequestInit & { token?: string } = {},
  ) => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) };
    const reply = await fetch(url + path, { keepalive: false, ...init, headers });
    return { status: reply.status, text: await reply.text() };
  };
  const add = (name: string) =>
    ask("/api/v1/links", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: `${site.url}/${name}` }),
    });
  /** Each on a connection of its own, all at once. */
  const askOften = () =>
    Array.from({ length: MANY }, () =>
      sendRaw(
        url,
        `GET /api/v1/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      ),
    );
  async function signIn() {
    const reply = await fetch(`${url}/dashboard/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    return reply.headers.get("set-cookie")!.split(";")[0]!;
  }
  const isReady = async () => (await ask("/ready")).status === 200;

  beforeAll(async () => {
    site = startSite({}, { otherwise: () => new Response("A page.") });
    database = await freshPostgres();
    const behind = new URL(database);
    proxy = await startSilentProxy(Number(behind.port));
    behind.port = String(proxy.port);
    program = createProgram({
      STILLUP_PORT: new URL(url).port,
      STILLUP_DATABASE_URL: behind.href,
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_METRICS_TOKEN: METRICS_TOKEN,
      STILLUP_RATE_LIMIT_PER_MINUTE: "0",
      STILLUP_RATE_LIMIT_PER_HOUR: "0",
    });
    const email = ["--email", EMAIL];
    await program.run(["user", "create", ...email, "--password-file", "-"], {}, PASSWORD);
    key = (await program.run(["key", "create", ...email, "--name", "test"])).out.trim();
  });

  afterAll(async () => {
    server.kill("SIGKILL");
    await server.exited;
    proxy.stop();
    await Promise.all([site.stop(), dropPostgres(database)]);
  });

  test("waits for it at the start, and starts once it answers", async () => {
    proxy.cutOff();
    server = program.start(["serve"]);
    output = outputOf(server);
    await output.has(/waiting for the database/);
    expect(await ask("/health")).toEqual({ status: 200, text: '{"status":"starting"}' });

    proxy.flow();

    await until("a server that is ready", isReady, { everyMs: 50, log: output.text });
  });

  test("answers at once who watches it, and refuses all others soon, however many wait", async () => {
    expect((await add("before")).status).toBe(201);
    cookie = await signIn();
    await ask("/metrics", { token: METRICS_TOKEN });
    const filesBefore = openFiles(server.pid);
    proxy.cutOff();

    const early = [ask("/health"), ask("/ready"), ask("/metrics", { token: METRICS_TOKEN })];
    let refusals = 0;
    const waiting = askOften().map((asked) => asked.finally(() => refusals++));
    const unanswered = add("unanswered");
    expect((await Promise.all(early)).map(({ status }) => status)).toEqual([200, 200, 200]);
    // No one waited with them until the database was given up.
    expect(refusals).toBe(0);
    const memory = memoryOf(server.pid);
    const refused = await Promise.all(waiting);

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await unanswered).status).toBe(503);
    if (IS_LONG) expect(memoryOf(server.pid) - memory).toBeLessThan(100e6);
    expect((await ask("/api/v1/links")).status).toBe(503);
    const late = await Promise.all(askOften());
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([503]));
    const health = await ask("/health");
    expect(health).toEqual({
      status: 503,
      text: '{"status":"failing","troubles":["database_unreachable"]}',
    });
    expect((await ask("/ready")).status).toBe(503);
    const metrics = await ask("/metrics", { token: METRICS_TOKEN });
    expect(metrics.text).toContain("stillup_database_up 0");
    expect(openFiles(server.pid)).toBeLessThan(filesBefore + 50);
  });

  test("goes on where it was as soon as bytes flow again", async () => {
    proxy.flow();

    await until("a server that is ready", isReady, { everyMs: 50, log: output.text });
    // Other connections than the one that is ready first may still be lost.
    const added = await until("a link that is added", async () => {
      const { status } = await add("after");
      return status !== 503 && status;
    });
    expect(added).toBe(201);
    const urls = await until(
      "both links to be alive",
      async () => {
        const { status, text } = await ask("/api/v1/links?status=active");
        const found = status === 200 ? text.match(/\/(before|after)"/g) : null;
        return found?.length === 2 ? text : null;
      },
      { everyMs: 50, log: output.text },
    );
    expect(urls).toContain(`${site.url}/before`);
    const session = await ask("/dashboard/api/session", { headers: { cookie } });
    expect(JSON.parse(session.text).data.state).toBe("signed-in");
  });

  /** That this is found before the driver alone would give up, tests/postgres-pool.test.ts proves. */
  test("refuses all while a proxy turns its connections away", async () => {
    proxy.turnAway();

    const refused = await until("a refusal", async () => {
      const reply = await ask("/api/v1/links");
      const health = await ask("/health");
      return reply.status === 503 && health.status === 503 && { reply, health };
    });

    expect(JSON.parse(refused.reply.text).error.message).toBe(
      "The database is not available now. Try again later.",
    );
    expect(refused.health.text).toContain("database_unreachable");
    expect((await ask("/ready")).status).toBe(503);
    expect((await add("refused")).status).toBe(503);
    const many = await Promise.all(askOften());
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([503]));
  });

  test("answers again once the proxy lets connections through", async () => {
    proxy.flow();

    await until("a server that is ready", isReady, { everyMs: 50, log: output.text });
    await until("a link that is added", async () => (await add("again")).status === 201, {
      everyMs: 50,
    });
    expect((await ask("/api/v1/links")).text).not.toContain("/refused");
  });

  test("ends in order on SIGTERM", async () => {
    proxy.cutOff();
    const waiting = Array.from({ length: 20 }, () => ask("/api/v1/links").catch(() => null));
    await ask("/health");
    server.kill("SIGTERM");

    expect(await server.exited).toBe(0);
    await Promise.all(waiting);
  });
});

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** Resident, in bytes. */
const memoryOf = (pid: number) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
