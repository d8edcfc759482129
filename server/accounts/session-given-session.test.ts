import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { buildDashboard } from "../../tests/build-dashboard.ts";
import { eachRow } from "../../tests/each-row.ts";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { newOwner, openBrowser } from "../../tests/session/browser.ts";
import { users } from "../ground/db/tables.ts";

let server: TestServer;
beforeAll(async () => {
  await buildDashboard();
  server = await startServer("sqlite");
}, 120_000);
afterAll(() => server.stop());

/** A document as a browser asks for it. */
const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { accept: "text/html,*/*;q=0.8", ...headers } });

async function signedIn() {
  const { owner } = await newOwner(server);
  const browser = openBrowser(server);
  await browser.signIn(owner.email);
  return { owner, browser, headers: { cookie: browser.cookie()! } };
}

const blockIn = (html: string, id = "session") =>
  new RegExp(`<script type="application/json" id="${id}">(.*?)</script>`, "s").exec(html)?.[1];

describe("A page of the dashboard", () => {
  test("carries the session of who is signed in, as the API describes it", async () => {
    const { browser, headers } = await signedIn();

    const page = await open("/links", headers);
    const given = JSON.parse(blockIn(await page.text())!);

    const { visit, ...session } = given;
    expect(session).toEqual((await browser.get("/session")).body.data);
    expect(session.user.role).toBe("owner");
    expect(visit).toEqual({ previous_ended_at: null });
  });

  test("is kept by no cache then, and has no script in it that a browser runs", async () => {
    const { headers } = await signedIn();

    const page = await open("/", { ...headers, "if-none-match": "*" });
    const html = await page.text();

    expect(page.status).toBe(200);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("etag")).toBeNull();
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
    const inline = [...html.matchAll(/<script(?![^>]* src=)([^>]*)>/g)].map(([, found]) => found);
    const data = (id: string) => ` type="application/json" id="${id}"`;
    expect(inline).toEqual(["session", "answers"].map(data));
  });

  test("carries the answers to what it asks first, as the API gives them to this person", async () => {
    const { browser, headers } = await signedIn();
    await browser.post("/groups", { name: "Only </script> ours" });
    const answersOf = async (path: string) =>
      JSON.parse(blockIn(await (await open(path, headers)).text(), "answers")!);

    const [overview, list, door] = [
      await answersOf("/"),
      await answersOf("/links"),
      await answersOf("/sign-in"),
    ];

    expect(overview["/dashboard/api/overview"].data.groups.items[0].name).toBe(
      "Only </script> ours",
    );
    for (const [path, answer] of Object.entries(overview).filter(([path]) => path !== "/ready")) {
      const { body } = await browser.get(path.replace("/dashboard/api", ""));
      expect([path, (answer as typeof body).data]).toEqual([path, body.data]);
    }
    expect(Object.keys(overview).length).toBeGreaterThan(6);
    expect(Object.keys(list)).toContain("/dashboard/api/views");
    expect(Object.keys(list).length).toBeLessThan(4);
    expect(door).toEqual({});
  });

  test("cannot be broken by a person's name", async () => {
    const { owner, headers } = await signedIn();
    const email = "</script><!--<script>$&@example.org";
    await server.deps.store.update(users).set({ email }).where(eq(users.id, owner.id));

    const html = await (await open("/", headers)).text();

    expect(html).not.toContain("<!--");
    expect(JSON.parse(blockIn(html)!).user.email).toBe(email);
  });

  eachRow([
    ["without a cookie", () => ({})],
    ["with the cookie of a session that has ended", () => ({ cookie: "session=gone" })],
  ])("carries nothing %s", async (_, headers) => {
    const page = await open("/", headers());

    expect(blockIn(await page.text())).toBeUndefined();
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const known = { ...headers(), "if-none-match": page.headers.get("etag")! };
    expect((await open("/", known)).status).toBe(304);
  });
});

test("A page notes the visit, and says when the one before it ended", async () => {
  const { headers } = await signedIn();
  await open("/", headers);
  const endedAt = new Date(server.clock.now()).toISOString();

  server.clock.moveBy(31 * 60_000);
  const page = await open("/", headers);

  expect(JSON.parse(blockIn(await page.text())!).visit.previous_ended_at).toBe(endedAt);
});

test("A visit that is noted has no page read its data again", async () => {
  const { browser } = await signedIn();
  const before = (await browser.get("/session")).body.data.live;

  const visit = await browser.post("/visit");

  expect(visit.status).toBe(200);
  expect((await browser.get("/session")).body.data.live).toBe(before);
  await browser.post("/groups", { name: "Docs" });
  expect((await browser.get("/session")).body.data.live).not.toBe(before);
});

describe("At an address that does not exist", () => {
  eachRow(["/nothing", "/links/7/nothing", "/index.html"])(
    "a browser gets the page: %s",
    async (path) => {
      const { headers } = await signedIn();

      for (const sent of [headers, {}] as Record<string, string>[]) {
        const page = await open(path, sent);
        expect(page.status).toBe(404);
        expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(page.headers.get("cache-control")).toBe("no-store");
        expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
        const html = await page.text();
        expect(html).toContain('<div id="app">');
        expect(blockIn(html) !== undefined).toBe("cookie" in sent);
      }
    },
  );

  eachRow([
    ["under the API", "/api/v1/nothing", "GET", "text/html"],
    ["under the dashboard's API", "/dashboard/api/nothing", "GET", "text/html"],
    ["among the assets", "/assets/nothing.js", "GET", "text/html"],
    ["in the reference", "/docs/nothing", "GET", "text/html"],
    ["of a program", "/nothing", "GET", "*/*"],
    ["of a form", "/nothing", "POST", "text/html"],
  ])("a request %s gets an error in JSON", async (_, path, method, accept) => {
    const reply = await fetch(server.url + path, { method, headers: { accept } });

    expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect([401, 404]).toContain(reply.status);
  });

  test("a host name that someone else may own gets no page", async () => {
    const reply = await open("/nothing", { host: "evil.example" });

    expect(reply.status).toBe(403);
  });
});
