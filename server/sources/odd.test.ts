import { afterAll, beforeAll, expect } from "bun:test";
import { gzipSync } from "node:zlib";
import { eq, sql } from "drizzle-orm";
import { packTar } from "modern-tar";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { type Routes, startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { ownMigrations } from "../ground/db/open.ts";
import { sources } from "../ground/db/tables.ts";

const html = (body: string) => () =>
  new Response(body, { headers: { "Content-Type": "text/html" } });
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const ROBOTS: Routes = { "/robots.txt": 404, "/sitemap.xml": 404 };

onServer("A source with oddities", (server, { test, testOnBoth }) => {
  let reading: ReturnType<typeof startReading>;
  const sites: ReturnType<typeof startSite>[] = [];
  beforeAll(() => {
    reading = startReading(server());
  });
  afterAll(() => Promise.all([reading.stop(), ...sites.map((site) => site.stop())]));
  const serve = (routes: Routes) => {
    const site = startSite(routes);
    sites.push(site);
    return site.url;
  };

  const urlsOf = async (me: Asker, base: string) =>
    (await me.get("/api/v1/links")).body.data.items
      .map(({ url }: Parsed) => url.replace(base, ""))
      .sort();

  test("neither reads nor watches what is left out of a site, also behind a redirect", async () => {
    const asked: string[] = [];
    const url: string = serve({
      ...ROBOTS,
      "/": html(
        '<a href="/page">p</a><a href="/edit/1">e</a><a rel="nofollow" href="/edit/2">e</a><img src="/edit/i.png"><a href="/to-edit">r</a><a href="https://out.test/edit/x">o</a><a href="https://ads.test/x">ad</a>',
      ),
      "/page": html("<a href=/page?x=1>x</a>"),
      "/to-edit": () => new Response(null, { status: 302, headers: { Location: "/edit/3" } }),
      ...Object.fromEntries(
        ["/edit/1", "/edit/2", "/edit/3", "/edit/i.png"].map((path) => [
          path,
          () => {
            asked.push(path);
            return new Response("", { status: 404 });
          },
        ]),
      ),
    });
    const me = await server().account();
    const settings = { exclude: ["/edit/", "/*?x=", "https://ads.test/"] };
    const given = { kind: "site", url: `${url}/`, settings };

    const { data: preview } = (await me.post(`${SOURCES}/preview`, given)).body;
    const { data: plain } = (await me.post(`${SOURCES}/preview`, { url: `${url}/` })).body;
    const { data: guessed } = (await me.post(`${SOURCES}/preview`, { url: `${url}/`, settings }))
      .body;
    const { run } = await reading.add(me, given);

    expect([preview.links, preview.left_out]).toEqual([1, 5]);
    expect([plain.kind, plain.left_out]).toEqual(["site", 0]);
    expect([guessed.kind, guessed.links, guessed.left_out]).toEqual(["site", 1, 5]);
    expect(run.status).toBe("complete");
    expect(await urlsOf(me, url)).toEqual(["https://out.test/edit/x"]);
    // Only the preview without settings may ask for them.
    expect(asked.filter((path) => path !== "/edit/1" && path !== "/edit/3")).toEqual([]);
  });

  test("watches what only nofollow links lead to, until another link leads there, and once", async () => {
    let home = '<a rel="nofollow" href="/a">a</a><a rel="ugc" href="/b">b</a><a href="/c">c</a>';
    const url: string = serve({
      ...ROBOTS,
      "/": () => html(home)(),
      "/a": html("<p>A"),
      "/b": html("<p>B"),
      "/c": html('<a href="/b">b</a><a rel="nofollow" href="/">home</a>'),
    });
    const me = await server().account();
    const first = await reading.add(me, { kind: "site", url: `${url}/` });
    expect(await urlsOf(me, url)).toEqual(["/a"]);
    const [link] = (await me.get("/api/v1/links")).body.data.items;
    expect((await me.get(`/api/v1/links/${link.id}/occurrences`)).body.data.items).toMatchObject([
      { page_url: `${url}/`, text: "a" },
    ]);

    home += '<a href="/a">a</a>';
    const { run } = await reading.again(me, first.id);
    expect(run).toMatchObject({ status: "complete", links: { new: 0, missing: 1 } });
  });

  /** Answers 304 to those that know the page as it is. */
  const unchanging = (body: () => string) => (request: Request) => {
    const ETag = `"${Bun.hash(body())}"`;
    return request.headers.get("if-none-match") === ETag
      ? new Response(null, { status: 304, headers: { ETag } })
      : new Response(body(), { headers: { ETag, "Content-Type": "text/html" } });
  };

  testOnBoth(
    "stops reading a page that only nofollow links lead to any more, and what it leads to leaves",
    async () => {
      let home = '<a href="/a">a</a><a href="/c">c</a>';
      let third = '<a href="/d">d</a>';
      const asked: string[] = [];
      const url: string = serve({
        ...ROBOTS,
        "/": unchanging(() => home),
        "/a": (request) => {
          asked.push("/a");
          return unchanging(
            () => '<a href="/b">b</a><a href="/a">a</a><a href="https://a.test/">x</a>',
          )(request);
        },
        "/b": unchanging(() => '<a href="/a">a</a><a href="https://b.test/">x</a>'),
        "/c": unchanging(() => third),
        "/d": unchanging(() => "<p>D"),
      });
      const me = await server().account();
      const { id } = await reading.add(me, { kind: "site", url: `${url}/` });
      const places = async () =>
        Object.fromEntries(
          (await me.get("/api/v1/links")).body.data.items.map((link: Parsed) => [
            link.url.replace(url, ""),
            link.places,
          ]),
        );
      const again = async () => {
        asked.splice(0);
        const { run } = await reading.again(me, id, { accept_shrink: true });
        expect(run.status).toBe("complete");
        return [run.pages.read + run.pages.unchanged, asked.length];
      };
      expect(await places()).toEqual({ "https://a.test/": 1, "https://b.test/": 1 });
      expect(await again()).toEqual([5, 1]);

      home = '<a rel="nofollow" href="/a">a</a><a href="/c">c</a>';
      expect(await again()).toEqual([3, 0]);
      expect(await places()).toEqual({ "https://a.test/": 0, "https://b.test/": 0, "/a": 1 });
      // Neither are the pages that lead there asked in full, nor the page itself.
      expect(await again()).toEqual([3, 0]);
      expect(await places()).toEqual({ "https://a.test/": 0, "https://b.test/": 0, "/a": 1 });

      third = '<a href="/d">d</a><a href="/a">a</a>';
      expect(await again()).toEqual([5, 1]);
      expect(await places()).toEqual({ "https://a.test/": 1, "https://b.test/": 1, "/a": 0 });
      // The home page, which is read first and has not changed, says nofollow; a page that has not changed does not.
      expect(await again()).toEqual([5, 1]);
      expect(await again()).toEqual([5, 1]);
      expect(await places()).toEqual({ "https://a.test/": 1, "https://b.test/": 1, "/a": 0 });
    },
  );

  testOnBoth(
    "of which only the sitemap is read reads nothing else when its pages have not changed",
    async () => {
      const asked: string[] = [];
      const url: string = serve({
        "/robots.txt": 404,
        "/sitemap.xml": () =>
          new Response(`<urlset ${NS}><url><loc>${url}/a</loc></url></urlset>`, {
            headers: { "Content-Type": "application/xml" },
          }),
        "/": unchanging(() => '<a href="/b">b</a><a href="/a">a</a>'),
        "/a": unchanging(() => '<a href="/b">b</a>'),
        "/b": (request) => {
          asked.push("/b");
          return unchanging(() => "<p>B")(request);
        },
      });
      const me = await server().account();
      const settings = { sitemaps: "only" };
      const { id } = await reading.add(me, { kind: "site", url: `${url}/`, settings });

      const { run } = await reading.again(me, id);

      expect(run).toMatchObject({ status: "complete", pages: { unchanged: 2 } });
      expect(asked).toEqual([]);
    },
  );

  testOnBoth("is read in full once after an upgrade whose readers find other links", async () => {
    const asked: (string | null)[] = [];
    const url: string = serve({
      ...ROBOTS,
      "/": (request) => {
        asked.push(request.headers.get("if-none-match"));
        return unchanging(() => '<a href="https://a.test/">a</a><a href="https://b.test/">b</a>')(
          request,
        );
      },
    });
    const me = await server().account();
    const { id } = await reading.add(me, { kind: "site", url: `${url}/` });
    const again = async () => {
      asked.splice(0);
      const { run } = await reading.again(me, id);
      return [asked.map((etag) => etag !== null), run.links.missing];
    };
    // What an older version would have watched in spite of its settings.
    await server()
      .deps.store.update(sources)
      .set({ settings: sql`replace(settings, '"exclude":[]', '"exclude":["https://b.test/"]')` })
      .where(eq(sources.id, id));
    expect(await again()).toEqual([[true], 0]);

    const upgrade = ownMigrations().find(({ name }) => name === "0013_read_sources_again.sql")!;
    await server().deps.store.run(sql.raw(upgrade.statements));

    expect(await again()).toEqual([[false], 1]);
    expect(await again()).toEqual([[true], 1]);
  });

  testOnBoth("keeps the parts of a sitemap whose index has not changed", async () => {
    const part = (name: string) => () =>
      new Response(`<urlset ${NS}><url><loc>https://${name}.test/</loc></url></urlset>`);
    const url: string = serve({
      "/index.xml": (request) =>
        request.headers.get("if-none-match") === '"1"'
          ? new Response(null, { status: 304 })
          : new Response(
              `<sitemapindex ${NS}>${["a", "b"].map((name) => `<sitemap><loc>${url}/${name}.xml</loc></sitemap>`).join("")}</sitemapindex>`,
              { headers: { ETag: '"1"' } },
            ),
      "/a.xml": part("a"),
      "/b.xml": part("b"),
    });
    const me = await server().account();
    const { id, counts } = await reading.add(me, { kind: "sitemap", url: `${url}/index.xml` });
    expect(counts).toMatchObject({ links: 2, pages: 3 });

    const again = await reading.again(me, id);

    expect(again.run).toMatchObject({ status: "complete", links: { missing: 0 } });
    expect(again.counts).toEqual(counts);
  });

  test("of a site may not have more pages than the account's tier allows", async () => {
    const me = await server().account("business");
    const site = { kind: "site", url: "https://a.test/", paused: true };
    const most = (max_pages: number) => ({ settings: { max_pages } });

    const { status, body } = await me.post(SOURCES, { ...site, name: "a", ...most(100_001) });
    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      "settings.max_pages": ["must be at most 100000, the limit of the account"],
    });
    const { data } = (await me.post(SOURCES, { ...site, name: "a", ...most(100_000) })).body;
    expect((await me.patch(`${SOURCES}/${data.id}`, most(100_001))).status).toBe(400);
    expect((await me.post(SOURCES, { ...site, name: "b" })).status).toBe(201);
  });

  testOnBoth(
    "counts a page that is missing once for each of its places, as a link and as an image",
    async () => {
      let body = '<a href="/gone">x</a><img src="/gone"><a href="/there">t</a>';
      const url = serve({
        ...ROBOTS,
        "/": () => html(body)(),
        "/there": html("<p>There"),
      });
      const me = await server().account();
      const { id, counts } = await reading.add(me, { kind: "site", url: `${url}/` });
      expect(counts).toMatchObject({ links: 1, places: 3 });
      const [link] = (await me.get("/api/v1/links")).body.data.items;
      expect(link).toMatchObject({ url: `${url}/gone`, places: 2 });

      body = '<a href="/there">t</a>';
      const { run } = await reading.again(me, id, { accept_shrink: true });

      expect(run).toMatchObject({ status: "complete", links: { missing: 1 } });
      expect((await me.get(`/api/v1/links/${link.id}`)).body.data.places).toBe(0);
    },
  );

  testOnBoth(
    "gives a missing page a link again after the URL of its link was changed",
    async () => {
      const url = serve({
        ...ROBOTS,
        "/": html('<a href="/gone">x</a><a href="/there">t</a>'),
        "/there": html("<p>There"),
      });
      const me = await server().account();
      const { id } = await reading.add(me, { kind: "site", url: `${url}/` });
      const list = async () => (await me.get("/api/v1/links")).body.data.items;
      const [link] = await list();
      const away = { url: "https://elsewhere.test/" };
      expect((await me.post(`/api/v1/links/${link.id}/url`, away)).status).toBe(200);

      const { run, counts } = await reading.again(me, id, { accept_shrink: true });

      expect(run).toMatchObject({ status: "complete", links: { new: 1 } });
      expect(counts).toMatchObject({ links: 2, places: 2 });
      const links = await list();
      expect(links).toHaveLength(2);
      expect(links).toContainEqual(expect.objectContaining({ url: `${url}/gone`, places: 1 }));
      expect(links).toContainEqual(
        expect.objectContaining({ id: link.id, ...away, places: 0, pinned: true }),
      );
    },
  );

  testOnBoth("lets a link of a repository leave, without another commit", async () => {
    let sha = "1".repeat(40);
    let text = "[a](https://a.test/) [b](https://b.test/)";
    const url = serve({
      "/api/v1/repos/o/r/commits": () => Response.json([{ sha }]),
      [`/api/v1/repos/o/r/archive/${"1".repeat(40)}.tar.gz`]: () => tarball(text),
      [`/api/v1/repos/o/r/archive/${"2".repeat(40)}.tar.gz`]: () => tarball(text),
    });
    const me = await server().account();
    const settings = { host: "gitea", ref: "main" };
    const { id } = await reading.add(me, { kind: "git", url: `${url}/o/r`, settings });

    [sha, text] = ["2".repeat(40), "[a](https://a.test/)"];
    expect((await reading.again(me, id)).run.links).toMatchObject({ missing: 1 });
    await reading.again(me, id);
    server().clock.moveBy(72 * 3_600_000);
    const { run, counts } = await reading.again(me, id);

    expect(run).toMatchObject({ status: "complete", links: { missing: 1, retired: 1, kept: 1 } });
    expect(counts).toMatchObject({ links: 1, places: 1 });
  });
});

const tarball = async (body: string) => {
  const header = { name: "r/README.md", size: body.length };
  return new Response(gzipSync(await packTar([{ header, body }])));
};
