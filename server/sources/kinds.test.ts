import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { startServer, type TestServer } from "../../tests/harness.ts";
import { type Routes, type Site, startSite } from "../../tests/site.ts";
import { SOURCES, startReading } from "../../tests/sources/reading.ts";
import { allOf } from "../../tests/sources/whole.ts";
import { SOURCE_KINDS } from "../ground/lib/vocabulary.ts";

const json =
  (body: unknown, headers = {}) =>
  () =>
    Response.json(body, { headers });
const as = (type: string, body: string) => () =>
  new Response(body, { headers: { "Content-Type": type } });

const CONTENT =
  '<p><a href="https://out.test/a">out</a> <img src="https://cdn.test/i.png" alt="I"><script src="https://cdn.test/s.js"></script>';

/** As WordPress makes it without settings (wp-includes/feed-rss2.php). */
const WORDPRESS_FEED = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"
	xmlns:content="http://purl.org/rss/1.0/modules/content/"
	xmlns:wfw="http://wellformedweb.org/CommentAPI/"
	xmlns:dc="http://purl.org/dc/elements/1.1/"
	xmlns:atom="http://www.w3.org/2005/Atom"
	xmlns:slash="http://purl.org/rss/1.0/modules/slash/">
<channel>
	<title>My blog</title>
	<atom:link href="https://blog.test/feed/" rel="self" type="application/rss+xml" />
	<link>https://blog.test</link>
	<generator>https://wordpress.org/?v=6.8</generator>
	<item>
		<title>Hello world!</title>
		<link>https://blog.test/hello-world/</link>
		<comments>https://blog.test/hello-world/#respond</comments>
		<dc:creator><![CDATA[ann]]></dc:creator>
		<guid isPermaLink="false">https://blog.test/?p=1</guid>
		<description><![CDATA[Welcome. This is your first post. [&#8230;]]]></description>
		<content:encoded><![CDATA[${CONTENT} <a href="/about/">About</a>]]></content:encoded>
		<wfw:commentRss>https://blog.test/hello-world/feed/</wfw:commentRss>
		<slash:comments>1</slash:comments>
	</item>
</channel></rss>`;

const SHA = "0123456789abcdef0123456789abcdef01234567";
const README = "# R\n\n[out](https://out.test/)";
const tarball = gzipSync(
  await packTar([{ header: { name: "o-r-0123/README.md", size: README.length }, body: README }]),
);

type Kind = {
  kind: string;
  path: string;
  routes: Routes;
  links: string[];
  settings?: object;
};

/** Each kind with an answer of its program, and the links that a run with the usual settings finds. */
const KINDS: Kind[] = [
  {
    kind: "site",
    path: "/",
    routes: { "/": as("text/html", CONTENT), "/robots.txt": 404, "/sitemap.xml": 404 },
    links: ["https://cdn.test/i.png", "https://out.test/a"],
  },
  {
    kind: "sitemap",
    path: "/sitemap.xml",
    routes: {
      "/sitemap.xml": as(
        "application/xml",
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://s.test/</loc></url></urlset>',
      ),
    },
    links: ["https://s.test/"],
  },
  {
    kind: "feed",
    path: "/feed/",
    routes: { "/feed/": as("application/rss+xml; charset=UTF-8", WORDPRESS_FEED) },
    links: [
      "https://blog.test/about/",
      "https://blog.test/hello-world/",
      "https://cdn.test/i.png",
      "https://out.test/a",
    ],
  },
  {
    kind: "list",
    path: "/links.txt",
    routes: { "/links.txt": as("text/plain", "https://l.test/a\nhttps://l.test/b.\n") },
    links: ["https://l.test/a", "https://l.test/b."],
  },
  {
    kind: "git",
    path: "/o/r",
    settings: { host: "gitea" },
    routes: {
      "/api/v1/repos/o/r": json({ default_branch: "main" }),
      "/api/v1/repos/o/r/commits": json([{ sha: SHA }]),
      [`/api/v1/repos/o/r/archive/${SHA}.tar.gz`]: () => new Response(tarball),
    },
    links: ["https://out.test/"],
  },
  {
    kind: "linkding",
    path: "/api/bookmarks/",
    routes: {
      "/api/bookmarks/": json({
        count: 1,
        results: [{ id: 1, url: "https://b.test/", title: "B" }],
      }),
    },
    links: ["https://b.test/"],
  },
  {
    kind: "karakeep",
    path: "/api/v1/bookmarks",
    routes: {
      "/api/v1/bookmarks": json({
        bookmarks: [
          { id: "1", title: null, tags: [], content: { type: "link", url: "https://b.test/" } },
        ],
        nextCursor: null,
      }),
    },
    links: ["https://b.test/"],
  },
  {
    kind: "linkace",
    path: "/api/v2/links",
    routes: {
      "/api/v2/links": json({
        current_page: 1,
        per_page: 24,
        total: 1,
        last_page: 1,
        data: [{ id: 1, url: "https://b.test/", title: "B" }],
      }),
    },
    links: ["https://b.test/"],
  },
  {
    kind: "wordpress",
    path: "/wp-json/",
    routes: {
      "/wp-json/wp/v2/posts": json(
        [
          {
            id: 1,
            link: "https://blog.test/1/",
            title: { rendered: "One" },
            content: { rendered: CONTENT },
          },
        ],
        { "X-WP-Total": "1", "X-WP-TotalPages": "1" },
      ),
      "/wp-json/wp/v2/pages": json([], { "X-WP-Total": "0", "X-WP-TotalPages": "0" }),
    },
    links: ["https://cdn.test/i.png", "https://out.test/a"],
  },
];

let server: TestServer;
let reading: ReturnType<typeof startReading>;
const sites: Site[] = [];
beforeAll(async () => {
  server = await startServer("sqlite");
  reading = startReading(server);
});
afterAll(async () => {
  await reading.stop();
  await Promise.all(sites.map((site) => site.stop()));
  await server.stop();
});

test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
  "A source of the kind %s is previewed and read with its usual settings",
  async (_, { kind, path, routes, links, settings = {} }) => {
    const site = startSite(routes);
    sites.push(site);
    const me = await server.account();
    const given = { kind, url: site.url + path, settings };
    const { data: preview } = (await me.post(`${SOURCES}/preview`, given)).body;

    const { run } = await reading.add(me, given);

    expect(preview).toMatchObject({ kind, links: links.length, errors: [], notes: [] });
    expect([run.status, run.message, run.errors]).toEqual(["complete", null, []]);
    const urls = (await allOf(me, "/api/v1/links")).map(({ url }) => url);
    expect(urls.sort()).toEqual(links);
  },
);

test("Each kind but the one that is pushed is among them", () => {
  const others = SOURCE_KINDS.filter((kind) => kind !== "push");
  expect(KINDS.map(({ kind }) => kind).sort()).toEqual(others.sort());
});
