import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startServer("sqlite");
  const { owner } = await newOwner(server);
  const browser = openBrowser(server);
  await browser.signIn(owner.email);
  cookie = browser.cookie()!;
  const links = Array.from({ length: 20 }, (_, n) => ({ url: `https://example.org/${n}` }));
  await browser.post("/links/batch", { links });
});
afterAll(() => server.stop());

const GZIP = { "accept-encoding": "gzip, deflate, br, zstd", "sec-fetch-site": "same-origin" };

/** Straight from the front: over a socket the test's own client would unpack what it gets. */
const ask = (path: string, headers: Record<string, string> = GZIP, method = "GET") =>
  server.front(new Request(`http://127.0.0.1${path}`, { method, headers: { cookie, ...headers } }));

const codingOf = ({ headers }: Response) => headers.get("content-encoding");

describe("What the dashboard reads", () => {
  test("is compressed where it is long, and says the same", async () => {
    const small = await ask("/dashboard/api/links");
    const whole = await ask("/dashboard/api/links", {});

    expect(codingOf(small)).toBe("gzip");
    expect(codingOf(whole)).toBeNull();
    const bytes = new Uint8Array(await small.arrayBuffer());
    const text = await whole.text();
    expect(bytes.length).toBeLessThan(text.length / 3);
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
    expect(small.headers.get("etag")).toBe(whole.headers.get("etag"));
    for (const { headers } of [small, whole])
      expect(headers.get("vary")).toContain("Accept-Encoding");
  });

  test("that has not changed is not sent again", async () => {
    const first = await ask("/dashboard/api/links");

    const again = await ask("/dashboard/api/links", {
      ...GZIP,
      "if-none-match": first.headers.get("etag")!,
    });

    expect(again.status).toBe(304);
    expect(codingOf(again)).toBeNull();
    expect(await again.text()).toBe("");
  });

  eachRow([
    ["a short reply", "/dashboard/api/session", GZIP],
    ["for who does not take it", "/dashboard/api/links", { "accept-encoding": "gzip;q=0, br" }],
    ["for pages of others", "/dashboard/api/links", { ...GZIP, "sec-fetch-site": "cross-site" }],
    ["for neighbors", "/dashboard/api/links", { ...GZIP, "sec-fetch-site": "same-site" }],
    ["a file of a list", "/dashboard/api/links/export", GZIP],
    ["an error", "/dashboard/api/nothing", GZIP],
  ])("is sent as it is: %s", async (_, path, headers) => {
    expect(codingOf(await ask(path, headers))).toBeNull();
  });

  test("is never compressed while it is still written", async () => {
    const live = await ask("/dashboard/api/live");

    expect(live.headers.get("content-type")).toStartWith("text/event-stream");
    expect(codingOf(live)).toBeNull();
    await live.body!.cancel();
  });
});

test("Replies of the public API are left to the proxy in front of it", async () => {
  const me = await server.account();
  for (let n = 0; n < 5; n++) await me.post("/api/v1/links", { url: `https://example.org/${n}` });

  const reply = await ask("/api/v1/links", { ...GZIP, authorization: `Bearer ${me.key}` });

  expect(reply.status).toBe(200);
  expect(codingOf(reply)).toBeNull();
});
