import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { eachRow } from "../../../tests/each-row.ts";
import { labOutbound } from "../../../tests/outbound/lab.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { runSource } from "../../../tests/reading/run.ts";
import { type Routes, type Site, startSite } from "../../../tests/site.ts";
import { systemClock } from "../../ground/lib/clock.ts";
import { createPoliteness } from "../../judge/politeness/politeness.ts";
import { createDocumentReader } from "../documents/reader.ts";
import { readApis } from "./apis.ts";
import { readFeeds } from "./feeds.ts";
import { readRepository } from "./git.ts";
import type { PageReading, ReadKind } from "./job.ts";
import { createReadSource } from "./read.ts";

const fetching = labFetching();
const running: Site[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

function start(routes: Routes): Site {
  const site = startSite(routes);
  running.push(site);
  return site;
}

type Given<Kind extends ReadKind> = Omit<Parameters<typeof runSource<Kind>>[1], "kind">;

const readFeed = (given: Given<"feed">) =>
  runSource((job, emit, signal) => readFeeds(fetching, job, emit, signal), {
    kind: "feed",
    ...given,
  });

/** Of a page: line, words and target of each place. */
const shown = (page: PageReading | undefined) =>
  page?.places?.map(({ url, fragment, line, text }) => [
    line,
    text,
    fragment === null ? url : `${url}#${fragment}`,
  ]);

describe("A feed", () => {
  const RSS = `<rss version="2.0"><channel><title>Blog</title>
<item><title>One</title><link>https://blog.test/1</link>
<description>&lt;a href="/a#b"&gt;A&lt;/a&gt;</description><enclosure url="https://cdn.test/1.mp3" length="1" type="audio/mpeg"/></item>
<item><title>Two</title><description>&lt;a href="two"&gt;T&lt;/a&gt;</description></item>
<item><title>One again</title><link>https://blog.test/1#c</link></item>
</channel></rss>`;
  const says = (text: string) => (request: Request) =>
    request.headers.get("If-None-Match") === '"1"'
      ? new Response(null, { status: 304 })
      : new Response(text, { headers: { ETag: '"1"' } });

  test("has a page for each item, and is one for items without", async () => {
    const site = start({ "/feed": says(RSS) });
    const { end, pages } = await readFeed({ url: `${site.url}/feed` });

    expect(end).toEqual({ kind: "done" });
    expect([...pages.keys()]).toEqual(["https://blog.test/1", `${site.url}/feed`]);
    expect(pages.get("https://blog.test/1")?.title).toBe("One");
    expect(shown(pages.get("https://blog.test/1"))).toEqual([
      [2, "One", "https://blog.test/1"],
      [2, "One", "https://cdn.test/1.mp3"],
      [null, "A", "https://blog.test/a#b"],
      [5, "One again", "https://blog.test/1#c"],
    ]);
    expect(shown(pages.get(`${site.url}/feed`))).toEqual([[null, "T", `${site.url}/two`]]);
  });

  test("may be read without its contents", async () => {
    const site = start({ "/feed": says(RSS) });
    const { pages } = await readFeed({ url: `${site.url}/feed`, settings: { content: false } });

    expect(shown(pages.get("https://blog.test/1"))).toHaveLength(3);
    expect(shown(pages.get(`${site.url}/feed`))).toEqual([]);
  });

  test("that has not changed is not transferred, unless its items leave after some time", async () => {
    const site = start({ "/feed": says(RSS) });
    const url = `${site.url}/feed`;
    const first = await readFeed({ url });

    expect((await readFeed({ url, before: first })).pages.get(url)?.outcome).toBe("unchanged");
    const aged = await readFeed({ url, before: first, settings: { keep_days: 7 } });
    expect(aged.pages.get("https://blog.test/1")?.outcome).toBe("read");
  });

  eachRow<[what: string, routes: Routes, reason: string]>([
    ["is missing", {}, "not_found"],
    ["is refused", { "/feed": 401 }, "unauthorized"],
    ["fails", { "/feed": 500 }, "unreachable"],
    ["is a page", { "/feed": "<html><body>Log in</body></html>" }, "unreadable"],
    ["ends early", { "/feed": RSS.slice(0, 300) }, "cut_off"],
  ])("that cannot be had fails as such", async (_, routes, reason) => {
    expect(await reasonOf(readFeed({ url: `${start(routes).url}/feed` }))).toBe(reason);
  });

  test("list has the places of its outlines, and its feeds if they are to be followed", async () => {
    const site = start({
      "/feed": says(RSS),
      "/gone": 404,
      "/opml": (request) =>
        new Response(`<opml version="2.0"><body>
<outline text="A" xmlUrl="/feed" htmlUrl="https://blog.test/"/>
<outline text="B" xmlUrl="${new URL("/gone", request.url)}"/></body></opml>`),
    });
    const url = `${site.url}/opml`;
    const alone = await readFeed({ url });
    const followed = await readFeed({ url, settings: { follow: true } });

    expect([...alone.pages.keys()]).toEqual([url]);
    expect(shown(alone.pages.get(url))).toEqual([
      [2, "A", "https://blog.test/"],
      [2, "A", `${site.url}/feed`],
      [3, "B", `${site.url}/gone`],
    ]);
    expect([...followed.pages].map(([key, { outcome }]) => [key, outcome])).toEqual([
      [url, "read"],
      ["https://blog.test/1", "read"],
      [`${site.url}/feed`, "read"],
      [`${site.url}/gone`, "gone"],
    ]);
  });
});

describe("A repository", () => {
  const documents = createDocumentReader();
  afterAll(() => documents.close());
  const SHA = "0123456789abcdef0123456789abcdef01234567";
  const readGit = (given: Given<"git">) =>
    runSource((job, emit) => readRepository(fetching, job, emit, documents), {
      kind: "git",
      ...given,
    });

  const FILES: Record<string, string> = {
    "README.md":
      "# R\n\n[docs](docs/a.md) [gone](docs/gone.md#x) [out](https://out.test/) [code](src) [self](#r)\n",
    "docs/a.md": "[up](../README.md)\n[root](/docs/b.html)\n[later](z/last.md) [above](../../x)\n",
    "docs/b.html": '<a href="a.md">a</a><a href="missing.html">m</a>',
    "docs/z/last.md": "Nothing.",
    "src/code.ts": "[no](https://no.test/)",
  };
  const tarball = async (files = FILES) =>
    gzipSync(
      await packTar(
        Object.entries(files).map(([name, body]) => ({
          header: { name: `o-r-0123/${name}`, size: Buffer.byteLength(body) },
          body,
        })),
      ),
    );
  const packed = async (files?: Record<string, string>) => {
    const body = await tarball(files);
    return () => new Response(body, { headers: { "Content-Type": "application/x-gzip" } });
  };

  /** GitHub, which has its tarballs elsewhere. */
  async function startGitHub(files?: Record<string, string>) {
    const storage = start({ "/o/r": await packed(files) });
    const site = start({
      "/api/v3/repos/o/r/commits/HEAD": () => new Response(SHA),
      "/api/v3/repos/o/r/commits/v1": () => new Response(SHA.replace("0", "f")),
      [`/api/v3/repos/o/r/tarball/${SHA}`]: () => Response.redirect(`${storage.url}/o/r`, 302),
    });
    return { site, storage, url: `${site.url}/o/r` };
  }

  test("of GitHub has the links of its documents, and those to files that are missing", async () => {
    const { url } = await startGitHub();
    const { pages, mark } = await readGit({ url, settings: { host: "github" } });

    expect(mark).toBe(SHA);
    expect([...pages.keys()].sort()).toEqual([
      "README.md",
      "docs/a.md",
      "docs/b.html",
      "docs/z/last.md",
    ]);
    expect(pages.get("docs/a.md")?.url).toBe(`${url}/blob/HEAD/docs/a.md`);
    expect(shown(pages.get("README.md"))).toEqual([
      [3, "gone", `${url}/blob/HEAD/docs/gone.md#x`],
      [3, "out", "https://out.test/"],
    ]);
    expect(shown(pages.get("docs/a.md"))).toEqual([[3, "above", `${url}/blob/HEAD/x`]]);
    expect(shown(pages.get("docs/b.html"))).toEqual([
      [1, "m", `${url}/blob/HEAD/docs/missing.html`],
    ]);
  });

  test("is asked once while it has the same commit, and sends no credential along a redirect", async () => {
    const { site, storage, url } = await startGitHub();
    const settings = { host: "github" as const };
    const credential = { type: "bearer", name: null, user: null, value: "s3cret" } as const;
    const first = await readGit({ url, settings, credential });
    const sent = site.requests.map(({ headers }) => headers.get("Authorization"));
    site.requests.length = 0;
    const second = await readGit({ url, settings, before: first });

    expect(sent).toEqual(["Bearer s3cret", "Bearer s3cret"]);
    expect(storage.requests.map(({ headers }) => headers.get("Authorization"))).toEqual([null]);
    expect(second).toMatchObject({
      end: { kind: "done", isUnchanged: true },
      pages: { size: 0 },
      mark: SHA,
    });
    expect(site.requests.map(({ url: asked }) => new URL(asked).pathname)).toEqual([
      "/api/v3/repos/o/r/commits/HEAD",
    ]);
  });

  test("has only the files that were chosen, and links relative to where they are published", async () => {
    const { url } = await startGitHub();
    const settings = {
      host: "github" as const,
      include: ["/docs/"],
      exclude: ["/*.html$"],
      base_url: "https://site.test/en/",
    };
    const { pages } = await readGit({ url, settings });

    expect([...pages.keys()].sort()).toEqual(["docs/a.md", "docs/z/last.md"]);
    expect(shown(pages.get("docs/a.md"))).toEqual([
      [1, "up", "https://site.test/en/README.md"],
      [2, "root", "https://site.test/docs/b.html"],
      [3, "later", "https://site.test/en/docs/z/last.md"],
      [3, "above", "https://site.test/x"],
    ]);
  });

  test("of Gitea and GitLab has pages that stay the same", async () => {
    const site = start({
      "/api/v1/repos/o/r/commits": () => Response.json([{ sha: SHA }]),
      "/api/v1/repos/o/r": () => Response.json({ default_branch: "trunk" }),
      [`/api/v1/repos/o/r/archive/${SHA}.tar.gz`]: await packed(),
      "/api/v4/projects/g%2Fo%2Fr/repository/commits/main": () => Response.json({ id: SHA }),
      "/api/v4/projects/g%2Fo%2Fr/repository/archive.tar.gz": await packed(),
    });
    const gitea = await readGit({ url: `${site.url}/o/r`, settings: { host: "gitea" } });
    const gitlab = await readGit({
      url: `${site.url}/g/o/r/-/tree/main/docs`,
      settings: { host: "gitlab" },
      credential: { type: "token", name: null, user: null, value: "s3cret" },
    });

    expect(gitea.pages.get("README.md")?.url).toBe(`${site.url}/o/r/src/branch/trunk/README.md`);
    expect(gitlab.pages.get("docs/a.md")?.url).toBe(`${site.url}/g/o/r/-/blob/main/docs/a.md`);
    expect(gitlab.pages.has("README.md")).toBe(false);
    expect(site.requests.at(-1)?.headers.get("PRIVATE-TOKEN")).toBe("s3cret");
  });

  test("names documents that cannot be read", async () => {
    const { url } = await startGitHub({
      "a.md": "x".repeat(2 * 1024 * 1024 + 1),
      "b.md": "[x](https://x.test/)",
    });
    const { pages, notes } = await readGit({ url, settings: { host: "github" } });

    expect(pages.get("a.md")).toMatchObject({ outcome: "skipped", reason: "too_large" });
    expect(shown(pages.get("b.md"))).toEqual([[1, "x", "https://x.test/"]]);
    expect(notes).toEqual(["1 documents are larger than 2 MiB and were not read."]);
  });

  eachRow<[what: string, routes: Routes, reason: string]>([
    ["is missing", {}, "not_found"],
    ["is refused", { "/api/v3/repos/o/r/commits/HEAD": 401 }, "unauthorized"],
    ["names no commit", { "/api/v3/repos/o/r/commits/HEAD": "<html>" }, "unreadable"],
    [
      "has a damaged tarball",
      {
        "/api/v3/repos/o/r/commits/HEAD": () => new Response(SHA),
        [`/api/v3/repos/o/r/tarball/${SHA}`]: "<html>",
      },
      "unreadable",
    ],
    [
      "leads inside",
      {
        "/api/v3/repos/o/r/commits/HEAD": () => new Response(SHA),
        [`/api/v3/repos/o/r/tarball/${SHA}`]: () =>
          Response.redirect("http://169.254.169.254/", 302),
      },
      "forbidden_target",
    ],
  ])("that cannot be had fails as such", async (_, routes, reason) => {
    const url = `${start(routes).url}/o/r`;

    expect(await reasonOf(readGit({ url, settings: { host: "github" } }))).toBe(reason);
  });

  test("that exceeds the limit of its host is read later", async () => {
    const resets = Math.ceil(Date.now() / 1000) + 600;
    const headers = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${resets}` };
    const site = start({
      "/api/v3/repos/o/r/commits/HEAD": () => new Response(null, { status: 403, headers }),
    });
    const reading = readGit({ url: `${site.url}/o/r`, settings: { host: "github" } });

    expect(await reading.catch((error) => error.forMs)).toBeGreaterThan(500_000);
  });
});

describe("A source of any kind", () => {
  const outbound = labOutbound();
  const read = createReadSource({
    clock: systemClock,
    outbound,
    userAgent: "stillup-test",
    timeoutMs: 20_000,
    politeness: createPoliteness({ clock: systemClock, hostConcurrency: 2, hostGapMs: 0 }),
  });

  test("ends as its server answers", async () => {
    const site = start({
      "/": "<a href=/a>a</a>",
      "/a": "<title>A</title>",
      "/later": () => new Response(null, { status: 503, headers: { "Retry-After": "3600" } }),
    });
    const url = `${site.url}/`;
    const unreadable = { kind: "failed", reason: "unreadable" };
    const missing = { kind: "failed", reason: "not_found" };

    expect((await runSource(read, { kind: "site", url })).end).toEqual({ kind: "done" });
    expect((await runSource(read, { kind: "feed", url })).end).toMatchObject(unreadable);
    expect((await runSource(read, { kind: "git", url })).end).toMatchObject(unreadable);
    expect((await runSource(read, { kind: "linkace", url })).end).toMatchObject(missing);
    expect((await runSource(read, { kind: "sitemap", url: `${url}later` })).end).toEqual({
      kind: "held",
      forMs: 3_600_000,
    });
  });
});

describe("A site of the operator", () => {
  test("is read whatever its robots.txt says, or if it cannot be read", async () => {
    const routes = { "/": "<a href=/a>a</a><a href=/b>b</a>", "/a": "A", "/b": "B" };
    const robots = ["User-agent: *\nDisallow: /\nCrawl-delay: 10", 503, 404];
    for (const rules of robots) {
      const says = typeof rules === "number" ? rules : () => new Response(rules);
      const site = start({ ...routes, "/robots.txt": says });
      const ownSites = { [`127.0.0.1:${site.port}`]: 1000 };
      const read = createReadSource({
        clock: systemClock,
        outbound: labOutbound(),
        timeoutMs: 20_000,
        userAgent: "stillup-test",
        politeness: createPoliteness({
          clock: systemClock,
          hostConcurrency: 2,
          hostGapMs: 0,
          ownSites,
        }),
      });
      const { end, pages } = await runSource(read, { kind: "site", url: `${site.url}/` });

      expect(end).toEqual({ kind: "done" });
      expect([...pages.keys()].map((url) => new URL(url).pathname)).toContain("/b");
    }
  });
});

describe("A program", () => {
  test("is read page by page, each entry as a page", async () => {
    const entries = Array.from({ length: 150 }, (_, i) => ({
      id: i + 1,
      url: `https://a.test/${i + 1}`,
      title: `No ${i + 1}`,
    }));
    const site = start({
      "/api/bookmarks/": ({ url }) => {
        const offset = Number(new URL(url).searchParams.get("offset"));
        return Response.json({ count: 150, results: entries.slice(offset, offset + 100) });
      },
    });
    const { end, pages, batches } = await runSource((job, emit) => readApis(fetching, job, emit), {
      kind: "linkding",
      url: site.url,
    });

    expect(end).toEqual({ kind: "done", isMismatch: false });
    expect(pages.size).toBe(150);
    expect(shown(pages.get(`${site.url}/bookmarks?details=7`))).toEqual([
      [null, "No 7", "https://a.test/7"],
    ]);
    expect(Math.max(...batches.map((batch) => batch.pages.length))).toBe(20);
  });

  test("of posts has the links inside them", async () => {
    const post = {
      id: 1,
      link: "https://blog.test/1/",
      title: { rendered: "One" },
      content: { rendered: '<p>\n<a href="../2/#x">two</a> <img src="/i.png" alt="I">' },
    };
    const site = start({
      "/wp-json/wp/v2/posts": () => Response.json([post], { headers: { "X-WP-Total": "1" } }),
    });
    const { pages } = await runSource((job, emit) => readApis(fetching, job, emit), {
      kind: "wordpress",
      url: `${site.url}/wp-json/`,
      settings: { types: ["posts"], elements: ["links"] },
    });

    expect(shown(pages.get("https://blog.test/1/"))).toEqual([
      [2, "two", "https://blog.test/2/#x"],
    ]);
  });
});
