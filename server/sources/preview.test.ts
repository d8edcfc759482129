import { afterAll, beforeAll, expect } from "bun:test";

import { onServer } from "../../tests/harness.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { SOURCES } from "../../tests/sources/reading.ts";

const HTML = { "Content-Type": "text/html" };
const XML = { "Content-Type": "application/xml" };

onServer("A preview of a source", (server, { test, testOnBoth }) => {
  let site: Site;
  beforeAll(() => {
    site = startSite({
      "/robots.txt": () => new Response("", { status: 404 }),
      "/sitemap.xml": () => new Response("", { status: 404 }),
      "/": () =>
        new Response(
          '<title>Home</title><a href="/a">in</a> <a href="https://out.test/">out</a> <a href="https://out.test/">again</a>',
          {
            headers: HTML,
          },
        ),
      "/a": () => new Response('<a href="https://other.test/x">x</a>', { headers: HTML }),
      "/map.xml": () =>
        new Response(
          '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://s.test/</loc></url></urlset>',
          { headers: XML },
        ),
      "/feed.xml": () =>
        new Response(
          '<rss version="2.0"><channel><title>F</title><item><title>I</title><link>https://f.test/1</link></item></channel></rss>',
          { headers: XML },
        ),
      "/list.txt": () =>
        new Response(Array.from({ length: 3000 }, (_, i) => `https://l.test/${i}`).join("\n")),
    });
  });
  afterAll(() => site.stop());

  test.each([
    ["site", "/", 2],
    ["sitemap", "/map.xml", 1],
    ["feed", "/feed.xml", 1],
  ])("says that an address is of the kind %s, and what it would bring", async (kind, path, n) => {
    const me = await server().account();
    await me.post("/api/v1/links", { url: "https://other.test/x" });

    const { data } = (await me.post(`${SOURCES}/preview`, { url: site.url + path })).body;

    const isNew = kind === "site" ? n - 1 : n;
    expect(data).toMatchObject({ kind, links: n, new_links: isNew, errors: [], robots: null });
    expect(data.samples).toHaveLength(n);
    if (kind === "site") expect(data.samples[0]).toMatchObject({ text: "out", line: 1 });
    expect((await me.get(SOURCES)).body.data.items).toEqual([]);
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(1);
  });

  test("reads only the beginning of a long list", async () => {
    const me = await server().account();
    const { data } = (await me.post(`${SOURCES}/preview`, { url: `${site.url}/list.txt` })).body;
    expect(data).toMatchObject({ kind: "list", errors: [] });
    expect(data.links).toBeLessThan(3000);
    expect(data.room).toBeGreaterThan(0);
  });

  test("says why nothing can be read", async () => {
    const me = await server().account();
    const reply = await me.post(`${SOURCES}/preview`, { url: `${site.url}/none.txt` });
    expect(reply.body.data).toMatchObject({ links: 0, errors: [expect.stringContaining("404")] });
    const refused = await me.post(`${SOURCES}/preview`, { url: "ftp://docs.test/" });
    expect(refused.body.error.details.fields).toHaveProperty("url");
    const pushed = await me.post(`${SOURCES}/preview`, { kind: "push" });
    expect(pushed.body.error.details.fields).toHaveProperty("kind");
  });

  testOnBoth("is read two hundred times an hour, also when two are asked for at once", async () => {
    const me = await server().account();
    const preview = (more: object = {}) =>
      me.post(`${SOURCES}/preview`, { url: `${site.url}/feed.xml`, kind: "feed", ...more });
    // Refused for its settings, and counted.
    for (let n = 0; n < 199; n++) {
      expect((await preview({ settings: { nonsense: 1 } })).status).toBe(400);
      server().clock.moveBy(10_000);
    }

    const asked = await Promise.all([preview(), preview()]);

    expect(asked.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = asked.find(({ status }) => status === 429)!;
    expect(refused.body.error.details).toMatchObject({ limit: 200, remaining: 0 });
    const other = await server().account();
    const others = { url: `${site.url}/feed.xml`, kind: "feed" };
    expect((await other.post(`${SOURCES}/preview`, others)).status).toBe(200);
    server().clock.moveBy(3_600_000);
    expect((await preview()).status).toBe(200);
  });
});
