import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { SQL } from "bun";
import { createProgram } from "../commands/program.ts";
import { freePort } from "../free-port.ts";
import { sendRaw } from "../http/raw.ts";
import { METRICS_TOKEN } from "../metrics/reading.ts";
import { type OwnPostgres, startOwnPostgres } from "../own-postgres.ts";
import { type SilentProxy, startSilentProxy } from "../silent-proxy.ts";
import { type Site, startSite } from "../site.ts";
import { until } from "../until.ts";

const EMAIL = "me@example.org";
const PASSWORD = "correct horse battery staple";
const WITHIN_MS = 2000;
const MANY = 1000;

describe("A server that is cut off from PostgreSQL without a word", () => {
  let database: OwnPostgres;
  let proxy: SilentProxy;
  let site: Site;
  let program: ReturnType<typeof createProgram>;
  let server: ReturnType<typeof program.start>;
  let key = "";
  let cookie = "";
  let databaseUrl = "";
  let log = "";
  const url = `http://127.0.0.1:${freePort()}`;

  const ask = async (
    path: string,
    { token = key, ...init }: RequestInit & { token?: string } = {},
  ) => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) };
    const reply = await fetch(url + path, { keepalive: false, ...init, headers });
    return { status: reply.status, text: await reply.text() };
  };
  /** Fails when that takes longer than is promised. */
  const askSoon = (path: string, init: RequestInit & { token?: string } = {}) =>
    ask(path, { ...init, signal: AbortSignal.timeout(WITHIN_MS) });
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
    database = await startOwnPostgres();
    proxy = await startSilentProxy(Number(new URL(database.urlOf("postgres")).port));
    const behind = new URL(database.urlOf("postgres"));
    behind.port = String(proxy.port);
    databaseUrl = behind.href;
    program = createProgram({
      STILLUP_PORT: new URL(url).port,
      STILLUP_DATABASE_URL: databaseUrl,
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_METRICS_TOKEN: METRICS_TOKEN,
      STILLUP_RATE_LIMIT_PER_MINUTE: "0",
      STILLUP_RATE_LIMIT_PER_HOUR: "0",
    });
    const email = ["--email", EMAIL];
    await program.run(["user", "create", ...email, "--password-file", "-"], {}, PASSWORD);
    key = (await program.run(["key", "create", ...email, "--name", "test"])).out.trim();
  });

  function serve() {
    server = program.start(["serve"]);
    void keep(server.stderr);
    void keep(server.stdout);
  }

  async function keep(output: ReadableStream<Uint8Array>) {
    const decoder = new TextDecoder();
    for await (const part of output) log += decoder.decode(part, { stream: true });
  }

  afterAll(async () => {
    server.kill("SIGKILL");
    await server.exited;
    proxy.stop();
    await Promise.all([site.stop(), database.remove()]);
  });

  test("waits for it at the start, and starts once it answers", async () => {
    proxy.cutOff();
    serve();
    await until(() => log.includes("waiting for the database"), { everyMs: 50, log: () => log });
    expect(await askSoon("/health")).toEqual({ status: 200, text: '{"status":"starting"}' });

    proxy.flow();

    await until(isReady, { everyMs: 50, log: () => log });
  });

  test("answers at once who watches it, and refuses all others soon, however many wait", async () => {
    expect((await add("before")).status).toBe(201);
    cookie = await signIn();
    await ask("/metrics", { token: METRICS_TOKEN });
    const filesBefore = openFiles(server.pid);
    proxy.cutOff();

    const early = [
      askSoon("/health"),
      askSoon("/ready"),
      askSoon("/metrics", { token: METRICS_TOKEN }),
    ];
    const waiting = askOften();
    const unanswered = add("unanswered");
    expect((await Promise.all(early)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const memory = memoryOf(server.pid);
    const refused = await Promise.all(waiting);

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await unanswered).status).toBe(503);
    expect(memoryOf(server.pid) - memory).toBeLessThan(100e6);
    expect((await askSoon("/api/v1/links")).status).toBe(503);
    const late = await Promise.all(askOften());
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([503]));
    const health = await askSoon("/health");
    expect(health).toEqual({
      status: 503,
      text: '{"status":"failing","troubles":["database_unreachable"]}',
    });
    expect((await askSoon("/ready")).status).toBe(503);
    const metrics = await askSoon("/metrics", { token: METRICS_TOKEN });
    expect(metrics.text).toContain("stillup_database_up 0");
    expect(openFiles(server.pid)).toBeLessThan(filesBefore + 50);
  }, 60_000);

  test("goes on where it was as soon as bytes flow again", async () => {
    proxy.flow();

    await until(isReady, { everyMs: 50, log: () => log });
    // Other connections than the one that is ready first may still be lost.
    const added = await until(async () => {
      const { status } = await add("after");
      return status !== 503 && status;
    });
    expect(added).toBe(201);
    const urls = await until(
      async () => {
        const { status, text } = await ask("/api/v1/links?status=active");
        const found = status === 200 ? text.match(/\/(before|after)"/g) : null;
        return found?.length === 2 ? text : null;
      },
      { everyMs: 50, log: () => log },
    );
    expect(urls).toContain(`${site.url}/before`);
    const session = await ask("/dashboard/api/session", { headers: { cookie } });
    expect(JSON.parse(session.text).data.state).toBe("signed-in");
  }, 30_000);

  test("refuses all, before the driver alone would give up, while a proxy turns its connections away", async () => {
    proxy.turnAway();
    let hasGivenUp = false;
    const alone = new SQL(databaseUrl, { max: 1, connectionTimeout: 10 });
    const driver = alone.unsafe("select 1").catch(() => {
      hasGivenUp = true;
    });

    const refused = await until(async () => {
      const reply = await ask("/api/v1/links");
      const health = await ask("/health");
      return reply.status === 503 && health.status === 503 && { reply, health };
    });

    expect(hasGivenUp).toBe(false);
    expect(JSON.parse(refused.reply.text).error.message).toBe(
      "The database is not available now. Try again later.",
    );
    expect(refused.health.text).toContain("database_unreachable");
    expect((await ask("/ready")).status).toBe(503);
    expect((await add("refused")).status).toBe(503);
    const many = await Promise.all(askOften());
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([503]));
    expect(hasGivenUp).toBe(false);
    await alone.close({ timeout: 0 });
    await driver;
  }, 60_000);

  test("answers again once the proxy lets connections through", async () => {
    proxy.flow();

    await until(isReady, { everyMs: 50, log: () => log });
    await until(async () => (await add("again")).status === 201, { everyMs: 50 });
    expect((await ask("/api/v1/links")).text).not.toContain("/refused");
  }, 30_000);

  test("ends in ten seconds when it is told to", async () => {
    proxy.cutOff();
    const waiting = Array.from({ length: 20 }, () => ask("/api/v1/links").catch(() => null));
    await askSoon("/health");
    server.kill("SIGTERM");

    const late = AbortSignal.timeout(10_000);
    await Promise.race([
      server.exited,
      new Promise((_, reject) => late.addEventListener("abort", () => reject(late.reason))),
    ]);

    expect(server.exitCode).toBe(0);
    await Promise.all(waiting);
  }, 30_000);
});

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** Resident, in bytes. */
const memoryOf = (pid: number) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
