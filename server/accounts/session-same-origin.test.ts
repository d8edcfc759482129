import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";
import { createApp } from "../app/app.ts";

const ID = "0197a1b2-0000-7000-8000-000000000000";
const PUBLIC = "https://links.example.org";
const STRANGE = "This request does not come from the dashboard's own pages.";
const settings = { STILLUP_PUBLIC_URL: PUBLIC };

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startServer("sqlite", settings);
  const { owner } = await newOwner(server);
  const browser = openBrowser(server);
  await browser.signIn(owner.email);
  cookie = browser.cookie()!;
});
afterAll(() => server.stop());

/** Every route of the dashboard that changes something. */
const mutations = () =>
  createApp(server.deps)
    .routes.filter(({ path }) => path.startsWith("/dashboard/api/"))
    .filter(({ method }) => !["GET", "HEAD", "OPTIONS"].includes(method))
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, ID) }));

const send = (method: string, path: string, headers: Record<string, string>) =>
  server.front(new Request(`http://127.0.0.1${path}`, { method, headers }));

async function isRefused(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  return (await response.json()).error.message === STRANGE;
}

describe("a change asked for with", () => {
  eachRow<[string, Record<string, string>, boolean]>([
    ["Sec-Fetch-Site: same-origin", { "sec-fetch-site": "same-origin" }, false],
    ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }, false],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }, true],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }, true],
    ["our own Origin alone", { origin: PUBLIC }, false],
    ["another Origin alone", { origin: "https://evil.example" }, true],
    ["our name unencrypted as Origin", { origin: "http://links.example.org" }, true],
    ["an Origin of null", { origin: "null" }, true],
    ["neither", {}, true],
    ["cross-site and our own Origin", { "sec-fetch-site": "cross-site", origin: PUBLIC }, true],
  ])("%s", async (_name, headers, refused) => {
    const routes = mutations();

    const answers = await Promise.all(
      routes.map(async ({ method, path }) =>
        isRefused(await send(method, path, { cookie, ...headers })),
      ),
    );

    expect(routes.length).toBeGreaterThan(15);
    expect(routes.filter((_, i) => answers[i] !== refused)).toEqual([]);
  });
});

test("each slice has a change that was tried", () => {
  const slices = new Set(mutations().map(({ path }) => path.split("/")[3]));

  expect([...slices]).toEqual(
    expect.arrayContaining(["session", "setup", "password", "keys", "links", "groups", "webhooks"]),
  );
});

test("a form of another kind than JSON is refused even from our own pages", async () => {
  const response = await server.front(
    new Request("http://127.0.0.1/dashboard/api/session", {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", "content-type": "text/plain" },
      body: '{"email":"a@example.org","password":"x"}',
    }),
  );

  expect(response.status).toBe(415);
});

test("reading needs no word of where it comes from", async () => {
  const response = await send("GET", "/dashboard/api/session", { "sec-fetch-site": "cross-site" });

  expect(response.status).toBe(200);
});

describe("the dashboard under the name", () => {
  eachRow([
    ["links.example.org", true],
    ["links.example.org:8443", true],
    ["localhost:8484", true],
    ["127.0.0.1:8484", true],
    ["192.168.1.20", true],
    ["[::1]:8484", true],
    ["[fe80::1]", true],
    ["evil.example", false],
    ["links.example.org.evil.example", false],
    ["localhost.evil.example", false],
    ["127.0.0.1.evil.example", false],
    ["nas", false],
    ["bad host", false],
  ])("%s", async (host, answers) => {
    const paths = ["/dashboard/api/session", "/", "/links/7"];

    const replies = await Promise.all(paths.map((path) => send("GET", path, { host })));

    const areRefused = replies.map(({ status }) => status === 403);
    expect(areRefused).toEqual(paths.map(() => !answers));
  });

  test("of a stranger is refused for its pages alone", async () => {
    const headers = { host: "evil.example" };
    const paths = ["/health", "/docs", "/openapi.json", "/api/v1/links"];

    const others = await Promise.all(paths.map((path) => send("GET", path, headers)));
    const page = await send("GET", "/", headers);

    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 401]);
    expect((await page.json()).error).toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("Set STILLUP_PUBLIC_URL"),
    });
  });
});

test("without a public address our own origin is where the browser thinks it is", async () => {
  const other = await startServer("sqlite");
  const ask = async (host: string, origin: string) => {
    const url = "http://127.0.0.1/dashboard/api/session";
    const headers = { host, origin };
    return (await other.front(new Request(url, { method: "DELETE", headers }))).status;
  };

  expect(await ask("192.168.1.20:8484", "http://192.168.1.20:8484")).toBe(200);
  expect(await ask("192.168.1.20:8484", "http://192.168.1.20:9999")).toBe(403);
  expect(await ask("192.168.1.20:8484", "http://evil.example")).toBe(403);
  await other.stop();
});
