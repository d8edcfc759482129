import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgram } from "../../tests/commands/program.ts";
import { startServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { ALIVE, FORBIDDEN, GONE } from "../../tests/triage/playing.ts";
import { askServer, serverFrom } from "./check/ask-server.ts";

const server = await startServer("sqlite");
afterAll(() => server.stop());

const url = (name: string) => `https://example.org/${name}`;
const KEY = "su_0123456789";
const PAGE = `<title>A page</title><h1>A page</h1><p>${"Some words of it. ".repeat(60)}</p>`;

const ENDLESS = () =>
  new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) });

/** What is known of the URLs, and what people are warned of. */
async function ask(base: string, urls: string[], key = KEY) {
  const warnings: string[] = [];
  const known = await askServer({ url: base, key }, urls, (said) => warnings.push(said));
  return { known, warnings };
}

describe("A server that is asked", () => {
  test("says what it knows of each URL, a thousand at a time", async () => {
    const me = await server.account();
    await me.post("/api/v1/links/batch", { links: [{ url: url("alive") }, { url: url("dead") }] });
    for (let round = 0; round < 2; round++) {
      const check = async (link: { url: string }) => (link.url === url("dead") ? GONE : ALIVE);
      await checkDueLinks({ ...server.deps, check });
      server.clock.moveBy(86_400_000);
    }
    const others = Array.from({ length: 1500 }, (_, i) => url(`other/${i}`));

    const { known, warnings } = await ask(
      server.url,
      [url("alive"), ...others, url("dead")],
      me.key,
    );

    expect(warnings).toEqual([]);
    expect([...known.keys()]).toEqual([url("alive"), url("dead")]);
    expect(known.get(url("dead"))).toMatchObject({ verdict: "dead", reason: "http_404" });
    expect(known.get(url("alive"))).toMatchObject({ verdict: "active", reason: "ok" });
  });

  test("with a key that it does not accept is an error, without the key in it", async () => {
    const asking = ask(server.url, [url("a")], "su_wrong");
    expect(asking).rejects.toThrow("does not accept the API key (401)");
    expect(await asking.catch(({ message }: Error) => message)).not.toContain("su_wrong");
  });

  test.each<[what: string, reply: () => Response, warning: string]>([
    ["fails", () => new Response("no", { status: 500 }), "answered 500"],
    ["is something else", () => new Response("<p>Hello"), "answered 200 with something else"],
    ["has no end", () => new Response(ENDLESS()), "answered 200 with something else"],
    [
      "wants a long pause",
      () => new Response("", { status: 429, headers: { "retry-after": "300" } }),
      "answered 429",
    ],
    ["leads elsewhere", () => Response.redirect("http://127.0.0.1:1/"), "answered 302"],
  ])("and %s is a warning, and links are checked without it", async (_, reply, warning) => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: reply });
    const base = `http://127.0.0.1:${other.port}`;
    const { known, warnings } = await ask(base, [url("a")]);
    await other.stop(true);

    expect(known.size).toBe(0);
    expect(warnings).toEqual([
      `The server ${base} ${warning}, so its links are checked without it.`,
    ]);
  });

  test("is not believed where it says what no server says", async () => {
    const odd = [
      ...[null, "x", {}, { url: url("a"), verdict: "toString" }, { url: 5, verdict: "dead" }],
      { url: url("b"), verdict: "dead", reason: '"><x', message: { a: 1 } },
    ];
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ data: { results: odd } }),
    });
    const { known, warnings } = await ask(`http://127.0.0.1:${other.port}`, [url("a"), url("b")]);
    await other.stop(true);

    expect([...known]).toEqual([
      [url("b"), { verdict: "dead", reason: "unknown", message: "The server knows it as dead." }],
    ]);
    expect(warnings).toEqual([]);
  });

  test("and does not answer is a warning", async () => {
    const { warnings } = await ask("http://127.0.0.1:1", [url("a")]);
    expect(warnings[0]).toContain("does not answer");
  });

  test("and wants a short pause is asked again, once", async () => {
    const requests: unknown[] = [];
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        requests.push(await request.json());
        if (requests.length === 1)
          return new Response("", { status: 429, headers: { "retry-after": "0" } });
        return Response.json({ data: { results: [] } });
      },
    });

    const urls = ["https://ann:secret@example.org/", url("a")];
    const { warnings } = await ask(`http://127.0.0.1:${other.port}`, urls);

    await other.stop(true);
    expect(warnings).toEqual([]);
    expect(requests).toEqual([{ urls: [url("a")] }, { urls: [url("a")] }]);
  });
});

describe("The server to ask", () => {
  const from = (options: object, env: Record<string, string> = {}) => {
    const notices: string[] = [];
    return { is: serverFrom(options, env, (said) => notices.push(said)), notices };
  };

  test("is not asked without an address or a key", () => {
    expect(from({}, { STILLUP_API_KEY: KEY })).toEqual({ is: null, notices: [] });
    const without = from({ server: "https://links.example.org" }, { STILLUP_API_KEY: "" });
    expect([without.is, without.notices.length]).toEqual([null, 1]);
  });

  test("has its key from the environment or a file, never from its address", () => {
    const env = {
      STILLUP_SERVER: "https://links.example.org/stillup/",
      STILLUP_API_KEY: ` ${KEY}\n`,
    };
    expect(from({}, env).is).toEqual({
      url: "https://links.example.org/stillup",
      key: KEY,
    });
    for (const server of ["https://a:b@links.example.org", "ftp://x", "links.example.org"])
      expect(() => from({ server }, env)).toThrow("--server must be");
    expect(() => from({ keyFile: "/nowhere" }, env)).toThrow("cannot be read");
    expect(() => from({}, { ...env, STILLUP_API_KEY: "a b" })).toThrow("spaces");
  });

  test("gets no key over plain http, except on this machine", () => {
    const env = { STILLUP_API_KEY: KEY };
    for (const server of [
      "http://links.example.org",
      "http://10.0.0.5:8484",
      "http://localhost.example.org",
    ])
      expect(() => from({ server }, env)).toThrow("Use https");
    for (const server of ["http://localhost:8484", "http://127.0.0.2", "http://[::1]:8484"])
      expect(from({ server }, env).is).toEqual({ url: server, key: KEY });
    expect(from({ server: "http://links.example.org" }).notices).toHaveLength(1);
  });
});

describe("stillup check --server", () => {
  const { run } = createProgram({
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CONFIRM_DELAYS_MS: "0",
    STILLUP_HOST_GAP_MS: "0",
  });
  const asked: string[] = [];
  const wall = new Set(["/wall"]);
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (wall.has(pathname)) return new Response("busy", { status: 503 });
      if (!["/known", "/repaired", "/new"].includes(pathname))
        return new Response("gone", { status: 410 });
      return new Response(PAGE, { headers: { "content-type": "text/html" } });
    },
  });
  afterAll(() => site.stop(true));
  const base = `http://127.0.0.1:${site.port}`;
  const folder = mkdtempSync(join(tmpdir(), "stillup-test-"));
  const file = join(folder, "a.md");
  const paths = ["known", "gone", "repaired", "wall", "new"];
  writeFileSync(file, paths.map((path) => `[${path}](${base}/${path})\n`).join("\n"));

  test("trusts what is alive, confirms what is dead, and fails on nothing that is unknown", async () => {
    const me = await server.account();
    const links = ["known", "gone", "repaired", "wall"].map((path) => ({ url: `${base}/${path}` }));
    await me.post("/api/v1/links/batch", { links });
    for (let round = 0; round < 2; round++) {
      const check = async (link: { url: string }) =>
        /gone|repaired/.test(link.url) ? GONE : link.url.endsWith("wall") ? FORBIDDEN : ALIVE;
      await checkDueLinks({ ...server.deps, check });
      server.clock.moveBy(86_400_000);
    }
    const env = { STILLUP_SERVER: server.url, STILLUP_API_KEY: me.key };

    const { code, out, err } = await run(["check", file], env);

    expect(err).not.toContain("warning");
    expect(code).toBe(1);
    expect(out).toContain(`${file}:3:8  dead  ${base}/gone`);
    expect(out).toContain("The server returned 404: there is no such page.");
    expect(out).toContain("1 dead, 1 unknown, 3 active, 2 known to the server.");
    expect(asked).not.toContain("/known");
    expect(asked).toContain("/repaired");
    expect(out).not.toContain(me.key);

    const args = ["--exclude", "/gone$"];
    expect((await run(["check", file, ...args], env)).code).toBe(0);
    expect((await run(["check", file, ...args, "--strict"], env)).code).toBe(2);
    const wrong = await run(["check", file], { ...env, STILLUP_API_KEY: "su_wrong" });
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining("does not accept")]);
    const fork = await run(["check", file, ...args], { ...env, STILLUP_API_KEY: "" });
    expect([fork.code, fork.err]).toEqual([0, expect.stringContaining("There is no API key")]);
  });

  test("is not chosen by the repository, which would get the key", async () => {
    writeFileSync(join(folder, ".stillup.yaml"), "check:\n  server: https://evil.example\n");
    const { code, err } = await run(["check", file, "--root", folder, "--offline"]);
    expect([code, err]).toEqual([
      64,
      expect.stringContaining("“server” can only be on the command line"),
    ]);
  });
});
