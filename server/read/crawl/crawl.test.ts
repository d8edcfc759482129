import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { expectWhole, pathOf } from "../../../tests/reading/crawl.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { type Kept, runSource } from "../../../tests/reading/run.ts";
import { startPlayedSite } from "../../../tests/reading/site.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import { type JobOf, jobOf, type PageReading } from "./job.ts";
import { readPage } from "./page.ts";
import { placesOf } from "./places.ts";
import { SETTINGS_OF, type SettingsOf } from "./settings.ts";
import { createSiteReader } from "./site.ts";

const fetching = labFetching();
const readSite = createSiteReader();

const runSite = (url: string, settings: Partial<SettingsOf<"site">> = {}, before?: Kept) =>
  runSource((job, emit, signal) => readSite(fetching, job, emit, signal), {
    kind: "site",
    url,
    before,
    settings: { scope: "host", ...settings },
  });

const read = (pages: Map<string, PageReading>) =>
  [...pages.values()].filter(({ outcome }) => outcome === "read");

describe("A site that is crawled", () => {
  const site = startPlayedSite(1000);
  afterAll(() => site.stop());
  let first: Awaited<ReturnType<typeof runSite>>;

  test("is read whole, each page once, and no more than two at once", async () => {
    first = await runSite(site.url);

    expect(first.end).toEqual({ kind: "done" });
    const pages = read(first.pages).map(({ key }) => pathOf(key));
    expectWhole(site, {
      pages: pages.filter((path) => path !== "/file.pdf"),
      tries: first.pages.size,
    });
    expect(site.most).toBeLessThanOrEqual(2);
    const asked = [...site.requests];
    expect(asked.filter(([, times]) => times > 1)).toEqual([]);
    expect(asked.filter(([path]) => site.isForbidden(path))).toEqual([]);
    const unasked = /unfollowed|img|png|mp4|logout|post|from-a|in-a-/;
    expect(asked.filter(([path]) => unasked.test(path))).toEqual([]);
  });

  test("has the places of its pages, with lines and words, in every charset", () => {
    const wrong = read(first.pages).flatMap(({ key, title, places }): unknown[] => {
      const page = site.pageAt(pathOf(key));
      if (!page || !places) return pathOf(key) === "/file.pdf" ? [] : [[key, places]];
      if (title !== page.title) return [[key, title]];
      if (places.length !== page.places.length) return [[key, places.length, page.places.length]];
      return places.flatMap(({ url, fragment, line, text, element }, i) => {
        const { isNofollow, ...wanted } = page.places[i]!;
        const target = fragment === null ? url : `${url}#${fragment}`;
        const found = { target, line, text, element };
        return Bun.deepEquals(found, wanted) ? [] : [[key, found, wanted]];
      });
    });

    expect(wrong).toEqual([]);
  });

  test("names the pages that its links lead to", () => {
    const home = first.pages.get(site.url)!.places!;
    const pageOf = (text: string) => home.find((place) => place.text === text)!.page;

    expect(pageOf("Items")).toEqual({
      url: `${site.url}item/1`,
      key: `${site.url}item/1`,
      depth: 1,
      skipped: null,
    });
    expect(pageOf("/canonical/twin?ref=home")?.key).toBe(`${site.url}canonical/twin?ref=home`);
    expect(pageOf("/logout")?.skipped).toBe("action");
    expect(pageOf("Unfollowed")?.skipped).toBe("nofollow");
  });

  test("says what became of the rest", () => {
    const about = (path: string) => {
      const { outcome, statusCode, reason } = first.pages.get(site.url + path.slice(1))!;
      return [outcome, statusCode, reason];
    };

    expect([...site.unreadable.keys()].map(about)).toEqual([
      ["failed", 500, "http_500"],
      ["gone", 404, null],
      ["gone", 410, null],
      ["failed", 401, "http_401"],
      ["moved", 302, "redirect"],
      ["failed", 200, "cut_off"],
      ["moved", 302, "outside"],
      ["moved", 302, "redirect"],
      ["read", 200, null],
    ]);
    expect(about("/private/secret-page")).toEqual(["skipped", null, "robots"]);
    expect(about("/private/behind-a-redirect")).toEqual(["skipped", null, "robots"]);
    expect(about("/canonical/twin?ref=home")).toEqual(["moved", 200, "canonical"]);
    expect(about("/old/aaap")).toEqual(["moved", 301, "redirect"]);
    expect(
      [...first.pages.values()].filter(({ reason }) => reason === "trap").length,
    ).toBeGreaterThan(20);
    expect(first.notes.filter((note) => note.includes("nothing new"))).toHaveLength(2);
  });

  test("is not transferred again where it has not changed, and tells nothing twice", async () => {
    site.requests.clear();
    const again = await runSite(site.url, {}, first);

    expect(again.end).toEqual({ kind: "done" });
    expect(read(again.pages).filter(({ places }) => places !== null)).toEqual([]);
    const unchanged = [...again.pages.values()].filter(({ outcome }) => outcome === "unchanged");
    expect(unchanged.length).toBe(site.unchanged);
    expect(unchanged.length).toBeGreaterThanOrEqual(site.readable.size);
  });

  test("goes on after a stop where it was", async () => {
    let steps = 0;
    let reader = createSiteReader();
    const stopped = await runSource(
      (job, emit, signal) => {
        if (++steps === 25) reader = createSiteReader();
        return reader(fetching, job, emit, signal);
      },
      { kind: "site", url: site.url, settings: { scope: "host" } },
    );

    const pages = read(stopped.pages).map(({ key }) => pathOf(key));
    expect([...site.readable].filter((path) => !pages.includes(path))).toEqual([]);
    expect(pages.filter(site.isTrap).length).toBeLessThanOrEqual(300);
  });
});

describe("Settings of a site", () => {
  const site = startPlayedSite(500);
  afterAll(() => site.stop());
  const pathsWith = async (settings: Partial<SettingsOf<"site">>, path = "") =>
    read((await runSite(site.url + path, settings)).pages).map(({ key }) => pathOf(key));

  test("limit its depth, its scope and its pages", async () => {
    const shallow = await pathsWith({ depth: 1, sitemaps: false });
    expect(shallow).toContain("/docs/aaab/");
    expect(shallow.filter((path) => path.startsWith("/docs/"))).toHaveLength(8);
    expect(await pathsWith({ depth: 0, sitemaps: false })).toEqual(["/"]);
    const docs = await pathsWith({ scope: "path", sitemaps: false }, "docs/aaab/");
    expect(docs.every((path) => path.startsWith("/docs/aaab/"))).toBe(true);
    const excluded = await pathsWith({ exclude: ["/docs/", "/calendar/", "/shop", "/grow"] });
    expect(excluded.some((path) => path.startsWith("/docs/"))).toBe(false);
    expect(excluded).toContain("/item/1");
    const included = await pathsWith({ include: ["/item/"], sitemaps: false });
    expect(included.filter((path) => !path.startsWith("/item/"))).toEqual(["/"]);
  });

  test("let it consist of what its sitemaps name", async () => {
    expect((await pathsWith({ sitemaps: "only" })).sort()).toEqual([
      "/",
      "/calendar/2099/12/",
      "/docs/aaab/",
      "/orphan",
    ]);
    expect(await pathsWith({ depth: 1, sitemaps: false })).not.toContain("/orphan");
  });

  test("choose elements and links that are not to be followed", async () => {
    const placesOf = async (settings: Partial<SettingsOf<"site">>) =>
      (await runSite(site.url, { depth: 0, sitemaps: false, ...settings })).pages.get(site.url)!
        .places!;

    const texts = (places: { text: string }[]) => places.map(({ text }) => text);
    expect(texts(await placesOf({}))).toContain("Unfollowed");
    expect(texts(await placesOf({ watch_nofollow: false }))).not.toContain("Unfollowed");
    expect(await placesOf({ elements: ["images"] })).toEqual([]);
  });
});

describe("A pause that robots.txt asks for", () => {
  test("is kept from its own request on, between all requests, of sitemaps too, and after a stop", async () => {
    const starts: number[] = [];
    const page = (body: string) => () =>
      new Response(body, { headers: { "Content-Type": "text/html" } });
    const site = startSite({
      "/robots.txt": page("User-agent: *\nCrawl-delay: 2"),
      "/sitemap.xml": page("<urlset></urlset>"),
      "/": page("<a href=/a>a</a><a href=/b>b</a>"),
      "/a": page("A"),
      "/b": page("B"),
    });
    const sleep = async (ms: number) => void starts.push(ms);
    const paused = { ...fetching, now: () => 0, sleep };
    const url = `${site.url}/`;
    const read = createSiteReader();
    await runSource((job, emit, signal) => read(paused, job, emit, signal), { kind: "site", url });
    const first = starts.splice(0);

    // Another process goes on.
    const resumed = createSiteReader();
    const target = { url: `${url}a`, key: `${url}a`, depth: 1, skipped: null };
    const known = { isSecond: false, etag: null, lastModified: null, hashes: {} };
    const job = jobOf("site", SETTINGS_OF.site.parse({}), {
      url,
      credential: null,
      runId: "resumed",
      mark: null,
      targets: [{ ...target, ...known }],
      cursor: { end: url, families: [] },
    }) as JobOf<"site">;
    await resumed(paused, job, async () => {}, new AbortController().signal);
    await site.stop();

    expect(site.requests.map(({ url: asked }) => pathOf(asked)).sort()).toEqual([
      ...["/", "/a", "/a", "/b", "/robots.txt", "/robots.txt", "/sitemap.xml"],
    ]);
    expect([first, starts]).toEqual([[2000, 4000, 6000, 8000], [2000]]);
  });
});

describe("A site cannot be read", () => {
  const running: Site[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((site) => site.stop()));
  });
  const start = (...given: Parameters<typeof startSite>) => {
    const site = startSite(...given);
    running.push(site);
    return site;
  };
  const html = "<title>x</title>";

  eachRow<[what: string, routes: Parameters<typeof startSite>[0], reason: string]>([
    ["whose start is missing", {}, "not_found"],
    ["whose start is refused", { "/": 403 }, "unauthorized"],
    ["whose start fails", { "/": 500 }, "unreachable"],
    ["whose start is a file", { "/": () => new Response("x") }, "unreadable"],
    ["whose robots.txt fails", { "/": html, "/robots.txt": 503 }, "robots_unreachable"],
    [
      "whose robots.txt forbids it",
      { "/": html, "/robots.txt": () => new Response("User-agent: *\nDisallow: /") },
      "robots_refused",
    ],
    ["that leads in circles", { "/": () => Response.redirect("/", 302) }, "unreachable"],
    [
      "that leads to the inside",
      { "/": () => Response.redirect("http://169.254.169.254/", 302) },
      "forbidden_target",
    ],
    [
      "that leads to another scheme",
      { "/": () => new Response(null, { status: 302, headers: { Location: "ftp://x/" } }) },
      "unreachable",
    ],
  ])("that cannot be had", async (_, routes, reason) => {
    expect(await reasonOf(runSite(`${start(routes).url}/`))).toBe(reason);
  });

  test("that has moved to another domain, of which nothing is asked", async () => {
    const other = start({ "/": html });
    const site = start({ "/": () => Response.redirect(`http://other.test:${other.port}/`, 301) });

    expect(await reasonOf(runSite(`http://site.test:${site.port}/`))).toBe("moved_away");
    expect(other.requests).toEqual([]);
  });

  test("while it wants no requests, and goes on later", async () => {
    let isHeld = false;
    const site = start({
      "/": '<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>',
      "/a": () => {
        isHeld = true;
        return new Response(null, { status: 429, headers: { "Retry-After": "120" } });
      },
      "/b": html,
      "/c": html,
    });
    const { end, pages } = await runSite(`${site.url}/`, { sitemaps: false });

    expect(isHeld).toBe(true);
    expect(end.kind).toBe("held");
    expect([...pages.keys()].map(pathOf)).not.toContain("/c");
  });
});

describe("A page", () => {
  const site = startPlayedSite(500);
  afterAll(() => site.stop());
  const readAt = (path: string) =>
    readPage(labFetching(), { url: site.url + path, etag: null, lastModified: null });

  eachRow<[header: string, isNofollow: boolean]>([
    ["nofollow", true],
    ["noindex, NOFOLLOW", true],
    ["none", true],
    ["noindex", false],
    ["otherbot: nofollow", false],
    ["otherbot: noindex, nofollow", false],
    ["stillup: nofollow", true],
    ["nofollow, otherbot: noindex", true],
    ["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", true],
  ])("says by a header that its links are not to be followed", async (header, isNofollow) => {
    site.say(
      "/x",
      () =>
        new Response("<p>x", { headers: { "Content-Type": "text/html", "X-Robots-Tag": header } }),
    );

    expect(await readAt("x")).toMatchObject({ kind: "page", isNofollow });
  });

  eachRow<[type: string, kind: string]>([
    ["text/html", "page"],
    ["TEXT/HTML ; charset=utf-8", "page"],
    ["application/xhtml+xml", "page"],
    ["text/htmlx", "no_page"],
    ["text/plain", "no_page"],
    ["application/octet-stream", "no_page"],
    ["image/svg+xml", "no_page"],
  ])("is recognized by its type", async (type, kind) => {
    site.say("/x", () => new Response(Buffer.from("<p>x"), { headers: { "Content-Type": type } }));

    expect(await readAt("x")).toMatchObject({ kind });
  });

  eachRow<[refresh: string, to: string | null]>([
    ["0; url=/y", "y"],
    ["0;URL='y?z'#", "y?z"],
    ["5; /y", "y"],
    ["300; url=/y", null],
    ["0; url=/x#y", null],
    ["0", null],
    ["0; url=javascript:x", null],
  ])("may send its visitors on", async (refresh, to) => {
    const html = { "Content-Type": "text/html" };
    const expected =
      to === null ? { kind: "page" } : { kind: "redirect", to: new URL(to, site.url) };
    site.say(
      "/x",
      () => new Response(`<meta http-equiv=refresh content="${refresh}">`, { headers: html }),
    );
    expect(await readAt("x")).toMatchObject(expected);
    site.say("/x", () => new Response("<p>", { headers: { ...html, Refresh: refresh } }));
    expect(await readAt("x")).toMatchObject(expected);
  });

  test("in an older encoding has the queries of its addresses in this encoding, as browsers do", async () => {
    const sayIn = (charset: string, html: string, more: Record<string, string> = {}) =>
      site.say("/x", () => {
        const headers = { "Content-Type": `text/html; charset=${charset}`, ...more };
        return new Response(Buffer.from(html, "latin1"), { headers });
      });
    const linksOf = async () => {
      const answer = await readAt("x");
      if (answer.kind !== "page") throw new Error(answer.kind);
      const { links, base, canonical } = answer.read;
      return {
        urls: placesOf(links, `${site.url}x`, []).places.map(({ url }) => url),
        base,
        canonical,
      };
    };
    const html = `<base href="/?b=\xcf"><link rel=canonical href="/x?c=\xcf">
      <a href="/\xcf?q=\xcf&amp;a=%CF+1#\xcf">1</a><a href="https://a.test/?\xcf">2</a><img src="?i=\xcf">`;

    sayIn("windows-1251", html);
    expect(await linksOf()).toEqual({
      urls: [
        `${site.url}x?c=%CF`,
        `${site.url}%D0%9F?q=%CF&a=%CF+1`,
        "https://a.test/?%CF",
        `${site.url}x?i=%CF`,
      ],
      base: "/?b=%CF",
      canonical: "/x?c=%CF",
    });
    sayIn("utf-8", html.replaceAll("\xcf", "\xd0\x9f"));
    expect((await linksOf()).urls).toContain("https://a.test/?%D0%9F");

    sayIn("windows-1251", '<meta http-equiv=refresh content="0; url=/y?q=\xcf">');
    expect(await readAt("x")).toMatchObject({ to: new URL("/y?q=%CF", site.url) });
    // The bytes of a header stay as they were sent.
    sayIn("windows-1251", "<p>", { Refresh: "0; url=/y?q=\xd0\x9f" });
    expect(await readAt("x")).toMatchObject({ to: new URL("/y?q=%D0%9F", site.url) });
  });

  test("is read up to 5 MB", async () => {
    const line = `<a href="/y">y</a>${" ".repeat(82)}\n`;
    site.say(
      "/x",
      () => new Response(line.repeat(60_000), { headers: { "Content-Type": "text/html" } }),
    );
    const answer = await readAt("x");

    expect(answer).toMatchObject({ kind: "page", isCut: true });
    if (answer.kind !== "page") return;
    const { places, ignored } = placesOf(answer.read.links, site.url, []);
    expect(places).toHaveLength(5000);
    expect(ignored).toBeGreaterThan(45_000);
  });
});
