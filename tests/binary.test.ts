import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { $ } from "bun";
import type { Parsed } from "./harness.ts";
import { executable, SETTINGS } from "./installed.ts";
import { listeningUrl } from "./listening.ts";
import { asked, clientOf, connect, withAnswers } from "./mcp/client.ts";
import { startReceiver, verified } from "./receiver.ts";
import { startSite } from "./site.ts";

let program = "";
const PASSWORD = "correct horse battery staple";

/** The program as it is shipped, started in an empty folder with nothing next to it. */
describe("the executable", () => {
  const folder = mkdtempSync(join(tmpdir(), "stillup-binary-"));
  const env = { ...SETTINGS, STILLUP_PORT: "0" };
  const run = (...args: string[]) => $`${program} ${args}`.cwd(folder).env(env).nothrow().quiet();
  let server: Bun.Subprocess<"ignore", "pipe", "pipe">;
  let url = "";

  /** Asks with a new key of the user that a test before has made. */
  async function asker() {
    const made = await run("key", "create", "--email", "me@example.org", "--name", "test");
    const key = made.stdout.toString().trim();
    expect(key).toMatch(/^su_[0-9A-Za-z]{38}$/);
    return async (path: string, body?: object) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await response.json()) as { data: Parsed }).data;
    };
  }

  beforeAll(async () => {
    program = await executable();
    server = Bun.spawn([program], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
    url = await listeningUrl(server.stdout);
  });

  afterAll(async () => {
    server.kill("SIGKILL");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  test("says its version and explains itself", async () => {
    expect((await run("version")).stdout.toString()).toMatch(/^stillup \d+\.\d+\.\d+\n$/);
    expect((await run("help")).stdout.toString()).toContain("serve");
    expect((await run("fly")).exitCode).toBe(64);
  });

  test("reads documents, long ones in a thread", async () => {
    writeFileSync(join(folder, "long.md"), `[a](http://)\n\n${"word ".repeat(10_000)}`);

    const { exitCode, stdout } = await run("check", "--offline", "long.md");
    rmSync(join(folder, "long.md"));

    expect(exitCode).toBe(1);
    expect(stdout.toString()).toStartWith("long.md:1:5  dead  http://  ");
  });

  test("brings its dashboard and its API reference along", async () => {
    const page = await fetch(`${url}/`);
    expect(page.headers.get("content-type")).toStartWith("text/html");
    const script = /src="([^"]+\.js)"/.exec(await page.text())![1]!;
    expect((await fetch(url + script)).status).toBe(200);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string };
    expect(document.openapi).toStartWith("3.1");
  });

  test("takes a user from nothing to a signed link.dead", async () => {
    const site = startSite({ "/here": "hello" });
    const receiver = startReceiver();
    writeFileSync(join(folder, "password"), PASSWORD);
    await run("user", "create", "--email", "me@example.org", "--password-file", "password");
    const ask = await asker();

    const hook = await ask("/webhooks", {
      url: receiver.url,
      events: ["link.dead", "check.complete"],
    });
    const urls = [`${site.url}/here`, `${site.url}/gone`, "http://no-such-name.invalid/"];
    const made = await Promise.all(urls.map((each) => ask("/links", { url: each })));
    await receiver.seen(5);

    const links = await Promise.all(made.map(({ id }) => ask(`/links/${id}`)));
    expect(links.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      "active ok",
      "dead http_404",
      "dead dns_nxdomain",
    ]);
    const history = await ask(`/links/${made[1].id}/history`);
    expect(history.items).toMatchObject([{ status: "dead", status_code: 404, trigger: "initial" }]);
    const events = receiver.requests.map((each) => verified(each, hook.signing_secret, Date.now()));
    const dead = events
      .filter(({ event }) => event === "link.dead")
      .map(({ data }) => String(data.url));
    expect(dead.sort()).toEqual([urls[1]!, urls[2]!].sort());
    await site.stop();
  });

  test("answers assistants, over HTTP and by its own command, with every tool", async () => {
    const made = await run("key", "create", "--email", "me@example.org", "--name", "assistant");
    const key = made.stdout.toString().trim();
    const client = clientOf("2026-07-28");
    const args = ["mcp", "--server", url];
    await client.connect(
      new StdioClientTransport({ command: program, args, env: { ...env, STILLUP_KEY: key } }),
    );

    for (const { call } of [await connect(url, key), withAnswers(client)]) {
      const links = [{ url: "http://127.0.0.1:8/a" }];
      const [{ link }] = (await call("add_links", { links })).results;
      for (const [tool, given] of asked(link.id, new Date(Date.now() + 86_400_000)))
        expect(await call(tool, given)).toBeObject();
      const { items } = await call("find_links", { search: "127.0.0.1:8/b" });
      await call("delete_links", { link_ids: [items[0].id], confirm: true });
    }
    await client.close();
  });

  test("searches many links, in a thread of its own", async () => {
    const ask = await asker();
    const many = Array.from({ length: 1000 }, (_, n) => ({ url: `http://127.0.0.1:8/page-${n}` }));
    const { summary } = await ask("/links/batch", { links: many });
    expect(summary.created).toBe(1000);

    const found = await ask("/links?search=PAGE-99");

    expect(found.pagination.total).toBe(11);
    expect(found.items[0].url).toBe("http://127.0.0.1:8/page-999");
  });

  test("checks a URL without a server, and tells it by its exit code", async () => {
    const site = startSite({ "/here": "hello" });

    const alive = await run("check", "--json", `${site.url}/here`);
    const mixed = await run("check", "--json", `${site.url}/here`, `${site.url}/gone`);

    expect(alive.exitCode).toBe(0);
    expect(JSON.parse(alive.stdout.toString())).toMatchObject({
      status: "active",
      status_code: 200,
    });
    expect(mixed.exitCode).toBe(1);
    await site.stop();
  });

  test("keeps its files to itself, in one folder", () => {
    expect(readdirSync(folder).sort()).toEqual(["password", "stillup-data"]);
    const data = join(folder, "stillup-data");
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(data))
      expect([name, statSync(join(data, name)).mode & 0o077]).toEqual([name, 0]);
  });

  test("ends in order on SIGTERM, and leaves no open journal", async () => {
    server.kill("SIGTERM");

    expect(await server.exited).toBe(0);
    const left = readdirSync(join(folder, "stillup-data"));
    expect(left.filter((name) => name.endsWith("-wal"))).toEqual([]);
  });

  test.if(process.platform === "linux")(
    "makes room for more checks at once than the runtime allows by default",
    async () => {
      const many = Bun.spawn([program, "serve"], {
        cwd: folder,
        env: { ...env, STILLUP_CHECK_CONCURRENCY: "1000" },
        stdout: "pipe",
        stderr: "ignore",
      });
      await listeningUrl(many.stdout);

      const environment = await Bun.file(`/proc/${many.pid}/environ`).text();

      expect(environment.split("\0")).toContain("BUN_CONFIG_MAX_HTTP_REQUESTS=2256");
      many.kill("SIGTERM");
      expect(await many.exited).toBe(0);
    },
  );

  test("refuses a setting that makes no sense, by name", async () => {
    const bad = await $`${program} serve`
      .cwd(folder)
      .env({ ...env, STILLUP_PORT: "x" })
      .nothrow()
      .quiet();

    expect(bad.exitCode).toBe(1);
    expect(JSON.parse(bad.stderr.toString())).toMatchObject({
      level: "error",
      message: 'STILLUP_PORT must be a whole number from 0 to 65535; got "x".',
    });
  });
});
