import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildDashboard } from "../../tests/build-dashboard.ts";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { KINDS, startPrefixProxy } from "../../tests/prefix-proxy.ts";
import { newOwner, PASSWORD } from "../../tests/session/browser.ts";
import { readConfig } from "../ground/config/config.ts";
import { createStarting } from "./start-and-stop.ts";

const given = (url: string) => readConfig({ STILLUP_PUBLIC_URL: url });

describe.each(KINDS)("The API below a path, behind a proxy that %s it", (kind) => {
  const proxy = startPrefixProxy(kind);
  let server: TestServer;
  beforeAll(async () => {
    await buildDashboard();
    server = await startServer("sqlite", { STILLUP_PUBLIC_URL: proxy.url });
    proxy.leadTo(server.url);
  });
  afterAll(() => server.stop());

  test("leads to created records and to other pages of a list", async () => {
    const { key } = await server.account();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ url: "https://example.org/" });
    const created = await fetch(`${proxy.url}/api/v1/links`, { method: "POST", headers, body });
    const location = created.headers.get("location")!;
    const list = await fetch(`${proxy.url}/api/v1/links?per_page=1`, { headers });

    expect(created.status).toBe(201);
    expect(location).toStartWith("/stillup/api/v1/links/");
    expect((await fetch(new URL(location, proxy.url), { headers })).status).toBe(200);
    expect(list.headers.get("link")).toContain("</stillup/api/v1/links?per_page=1&page=1>;");
    expect(proxy.strays).toEqual([]);
  });

  test("is described where it is", async () => {
    const { servers } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    const page = await (await fetch(`${proxy.url}/docs`)).text();

    expect(servers.map(({ url }) => url)).toEqual(["/stillup"]);
    expect(page).toContain('href="/stillup/docs/reference.css"');
    for (const file of ["/docs/reference.css", "/docs/reference.js", "/health"])
      expect((await fetch(proxy.url + file)).status).toBe(200);
  });

  test("is reached without the path as well, by those who are not behind the proxy", async () => {
    for (const path of ["/health", "/openapi.json", "/stillup", "/stillup/", "/stillup?add"])
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
    for (const path of ["/stillupx", "/stillup/stillup/health", "/stillup//health"])
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404]);
  });

  test("serves the same dashboard as without the proxy, and signs in to it", async () => {
    const { owner } = await newOwner(server);
    const pageOf = async (url: string) => (await fetch(`${url}/sign-in?next=%2Flinks`)).text();
    const page = await pageOf(proxy.url);
    const [, script] = /src="([^"]+index-[^"]+\.js)"/.exec(page)!;
    const body = JSON.stringify({ email: owner.email, password: PASSWORD });
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };

    expect(page).toBe(await pageOf(server.url));
    expect((await fetch(new URL(script!, `${proxy.url}/sign-in`))).status).toBe(200);
    const entered = await fetch(`${proxy.url}/dashboard/api/session`, {
      method: "POST",
      headers,
      body,
    });
    expect(entered.status).toBe(200);
    expect(entered.headers.get("set-cookie")).toContain("Path=/stillup");
    expect(proxy.strays).toEqual([]);
  });

  test("sees the address of the client that the proxy names", async () => {
    const peers: unknown[] = [];
    const requestIP = (request: Request) => {
      peers.push(request);
      return { address: "192.0.2.7" };
    };
    const incoming = new Request(`${server.url}/stillup/api/v1/links`);

    await server.front(incoming, { requestIP });

    expect([...new Set(peers)]).toEqual([incoming]);
  });
});

test("while it starts, the page below a path has its style", async () => {
  const { front } = createStarting(given("https://tools.example/stillup"));
  const ask = (path: string) =>
    front(new Request(`http://localhost${path}`, { headers: { accept: "text/html" } }));

  expect(await (await ask("/stillup/links")).text()).toContain('href="/stillup/starting.css"');
  expect((await ask("/stillup/starting.css")).headers.get("content-type")).toBe("text/css");
  expect((await ask("/stillup/health")).status).toBe(200);
});

eachRow(["/docs", "/api", "/links/of/us"])(
  "the path %s would be mistaken for one of ours",
  async (path) => {
    const starting = startServer("sqlite", { STILLUP_PUBLIC_URL: `https://tools.example${path}` });

    await expect(starting).rejects.toThrow(
      "which is a path of Stillup. Choose another, such as /stillup.",
    );
  },
);

eachRow([
  ["https://tools.example/stillup?a=1", "must have no query, fragment, user or password."],
  ["https://tools.example/#a", "must have no query, fragment, user or password."],
  ["https://ann:secret@tools.example/", "must have no query, fragment, user or password."],
  ["https://tools.example//evil.example", "its path may have letters"],
  ["https://tools.example/a b", "its path may have letters"],
  ["https://tools.example/caf%C3%A9", "its path may have letters"],
])("the public URL %s is refused", (url, problem) => {
  expect(() => given(url)).toThrow(problem);
});

eachRow([
  ["https://tools.example", "https://tools.example"],
  ["https://tools.example/", "https://tools.example"],
  ["https://tools.example/a/b.c_d~e-f/", "https://tools.example/a/b.c_d~e-f"],
])("the public URL %s is taken as %s", (url, taken) => {
  expect(given(url).publicUrl).toBe(taken);
});
