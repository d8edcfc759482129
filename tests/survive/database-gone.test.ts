import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createProgram } from "../commands/program.ts";
import { freePort } from "../free-port.ts";
import { sized } from "../long.ts";
import type { Output } from "../output.ts";
import { type OwnPostgres, startOwnPostgres } from "../own-postgres.ts";
import { type Site, startSite } from "../site.ts";
import { until } from "../until.ts";

const LINKS = 20;
const EMAIL = "me@example.org";
const PASSWORD = "correct horse battery staple";
/** Requests while the database is away, one after another. Each waits for it for a moment. */
const ASKED = sized(3, 10);

describe("A server whose PostgreSQL stops", () => {
  let database: OwnPostgres;
  let site: Site;
  let receiver: Site;
  let output: Output;
  let key = "";
  const port = freePort();
  /** Pages that are asked for wait for this. */
  let answering = Promise.resolve();
  let program: ReturnType<typeof createProgram>;
  let server: ReturnType<typeof program.begin>;

  const url = `http://127.0.0.1:${port}`;
  const get = async (path: string) => {
    const reply = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    return { status: reply.status, body: await reply.json() };
  };
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  /** The failures logged from there on, as often as they were logged. */
  const failuresFrom = (from: number): string[] =>
    output
      .text()
      .slice(from)
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level !== "info")
      .map(({ message, error }) => `${message}: ${error}`);

  beforeAll(async () => {
    site = startSite({}, { otherwise: () => answering.then(() => new Response("A page.")) });
    receiver = startSite({}, { otherwise: 204 });
    database = await startOwnPostgres();
    program = createProgram({
      STILLUP_PORT: String(port),
      STILLUP_DATABASE_URL: database.urlOf("postgres"),
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_WEBHOOK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_HOST_CONCURRENCY: "100",
      STILLUP_HOST_GAP_MS: "0",
      STILLUP_WEBHOOK_RETRY_SECONDS: "1,1,1,1,1,1,1,1,1,1",
    });
    const email = ["--email", EMAIL];
    await program.run(["user", "create", ...email, "--password-file", "-"], {}, PASSWORD);
    key = (await program.run(["key", "create", ...email, "--name", "test"])).out.trim();
    await database.stop();
    server = program.begin(["serve"]);
    output = server.output;
  });

  afterAll(async () => {
    await server.stop();
    await Promise.all([site.stop(), receiver.stop(), database.remove()]);
  });

  test("waits for it at the start, and says so", async () => {
    const waiting = await until(
      "a server that waits",
      async () => {
        const reply = await get("/ready").catch(() => null);
        return reply?.body.doing === "waiting for the database" ? reply : null;
      },
      { everyMs: 50, log: output.text },
    );

    expect(waiting.status).toBe(503);
    expect(await get("/health")).toEqual({ status: 200, body: { status: "starting" } });
    expect(output.text()).toContain("waiting for the database");

    await database.start();
    await until("a server that is ready", async () => (await get("/ready")).status === 200, {
      everyMs: 50,
      log: output.text,
    });
  });

  test.each([
    [
      "another password",
      (url: string) => url.replace(":postgres@", ":wrong@"),
      /password .* failed/,
    ],
    [
      "no database of that name",
      (url: string) => `${url}_none`,
      /database "postgres_none" does not exist/,
    ],
  ])("is not waited for where there is %s", async (_, spoilt, why) => {
    const databaseUrl = spoilt(database.urlOf("postgres"));

    const { code, err } = await createProgram({
      STILLUP_PORT: "0",
      STILLUP_DATABASE_URL: databaseUrl,
    }).run(["serve"]);

    expect(code).toBe(1);
    const { message } = JSON.parse(err.trim().split("\n").at(-1)!);
    expect(message).toMatch(why);
    expect(message).toContain("Check STILLUP_DATABASE_URL");
  });

  test("says so, judges nothing, and goes on where it was", async () => {
    await post("/api/v1/webhooks", { url: `${receiver.url}/`, events: ["check.complete"] });
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    answering = promise;
    for (let i = 0; i < LINKS; i++) await post("/api/v1/links", { url: `${site.url}/${i}` });
    await until("a request of each", () => site.requests.length >= LINKS, { everyMs: 20 });
    const before = output.text().length;

    await database.stop();
    answer();
    const [health, ready, links] = await Promise.all(
      ["/health", "/ready", "/api/v1/links"].map(get),
    );
    for (let n = 0; n < ASKED; n++) expect((await get("/api/v1/links")).status).toBe(503);

    expect(health).toEqual({
      status: 503,
      body: { status: "failing", troubles: ["database_unreachable"] },
    });
    expect(ready!.status).toBe(503);
    expect(links!.status).toBe(503);
    expect(links!.body.error.message).toBe("The database is not available now. Try again later.");
    expect(receiver.requests).toEqual([]);
    // What fails again and again is logged once a minute.
    const failures = failuresFrom(before);
    expect(failures).toEqual([...new Set(failures)]);

    await database.start();
    const { body } = await until(
      "all links to be alive",
      async () => {
        const reply = await get("/api/v1/links?status=active&per_page=100");
        return reply.status === 200 && reply.body.data.pagination.total === LINKS ? reply : null;
      },
      { everyMs: 50, log: output.text },
    );
    await until("all messages", () => receiver.requests.length >= LINKS, { everyMs: 20 });

    expect(body.data.items.every(({ status }: { status: string }) => status === "active")).toBe(
      true,
    );
    expect((await get("/api/v1/history")).body.data.pagination.total).toBe(LINKS);
    const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(LINKS);
    const linkIds = receiver.requests.map(({ body }) => JSON.parse(body).data.linkId);
    expect(new Set(linkIds).size).toBe(LINKS);
  });
});
