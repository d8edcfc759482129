import { afterEach, describe, expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { type Routes, replies, startRawSite, startSite } from "../../../tests/site.ts";
import { readCrawlRobots, rulesIn } from "./crawl-robots.ts";
import { headersWith } from "./credentials.ts";
import { fetchContent } from "./fetching.ts";

const TABLES = yamlIn<{
  rules: [what: string, robots: string, path: string, isAllowed: boolean][];
}>(import.meta.dir, "robots.yaml");

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const fetching = labFetching();

function start(routes: Routes) {
  const site = startSite(routes);
  running.push(site);
  return site;
}

const robotsAt = (site: { url: string }) => readCrawlRobots(fetching, new URL(site.url));
const rules = (text: string) => rulesIn({ text, isCut: false });
const page = (path: string) => new URL(path, "https://site.test");

describe("The rules for a crawl", () => {
  eachRow(TABLES.rules)("say what may be read", (_, robots, path, isAllowed) => {
    expect(rules(robots).isAllowed(page(path))).toBe(isAllowed);
  });

  test("tell gap and sitemaps, of our own group or that for all", () => {
    const robots = `Sitemap: https://site.test/a.xml
User-agent: *
Crawl-delay: 3
Disallow: /x
 sitemap : https://cdn.test/b.xml # more
Sitemap: /relative.xml
Sitemap: https://site.test/a.xml

User-agent: stillup
Crawl-delay: 0.5`;

    expect(rules(robots)).toMatchObject({
      gapMs: 500,
      sitemaps: ["https://site.test/a.xml", "https://cdn.test/b.xml"],
      notes: [],
    });
    expect(rules("User-agent: *\nCrawl-delay: soon")).toMatchObject({ gapMs: 0, notes: [] });
    expect(rules("User-agent: *\nCrawl-delay: -5")).toMatchObject({ gapMs: 0, notes: [] });
  });

  test("ask for no more than ten seconds", () => {
    const { gapMs, notes } = rules("User-agent: *\nCrawl-delay: 3600");

    expect(gapMs).toBe(10_000);
    expect(notes).toEqual([
      "The robots.txt asks for 3600 seconds between requests. The crawl waits 10 seconds.",
    ]);
  });

  test("are no more than 5,000", () => {
    const many = Array.from({ length: 5001 }, (_, i) => `Disallow: /${i}-`).join("\n");
    const { isAllowed, notes } = rules(`User-agent: *\n${many}`);

    expect([isAllowed(page("/4999-x")), isAllowed(page("/5000-x"))]).toEqual([false, true]);
    expect(notes).toEqual(["The robots.txt has more than 5000 rules. The last 1 were ignored."]);
  });
});

describe("A robots.txt", () => {
  const CLOSED = "User-agent: *\nDisallow: /";

  eachRow<[what: string, routes: Routes, isAllowed: boolean]>([
    ["is missing", {}, true],
    ["is gone", { "/robots.txt": 410 }, true],
    ["is not for us", { "/robots.txt": 403 }, true],
    ["is there", { "/robots.txt": () => new Response(CLOSED) }, false],
    [
      "is elsewhere",
      {
        "/robots.txt": () => Response.redirect("/r", 301),
        "/r": () => new Response(CLOSED),
      },
      false,
    ],
  ])("opens or closes a site by how it answers", async (_, routes, isAllowed) => {
    expect((await robotsAt(start(routes))).isAllowed(page("/"))).toBe(isAllowed);
  });

  test("that a server fails to send ends the crawl", async () => {
    const cut = await startRawSite(
      replies(`HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${CLOSED}`),
    );
    running.push(cut);

    expect(await reasonOf(robotsAt(start({ "/robots.txt": 503 })))).toBe("robots_unreachable");
    expect(await reasonOf(robotsAt(cut))).toBe("robots_unreachable");
    expect(await reasonOf(robotsAt({ url: "http://missing.test/" }))).toBe("robots_unreachable");
    expect(await reasonOf(robotsAt({ url: "http://169.254.169.254/" }))).toBe("forbidden_target");
  });

  test("that is too long is read up to the last whole line", async () => {
    const long = `User-agent: *\n${"# words\n".repeat(63_996)}Disallow: /ab`;
    const { isAllowed, notes } = await robotsAt(
      start({ "/robots.txt": () => new Response(`${long}${"c".repeat(500)}\nDisallow: /x\n`) }),
    );

    expect(["/", "/abc", "/x"].map((path) => isAllowed(page(path)))).toEqual([true, true, true]);
    expect(notes).toEqual(["The robots.txt is longer than 500 KiB. The rest was ignored."]);
  });
});

describe("A credential", () => {
  const origin = new URL("https://site.test/list");
  const of = (type: "bearer" | "token" | "basic" | "header", more = {}) => ({
    type,
    name: null,
    user: null,
    value: "s3cret",
    ...more,
  });

  eachRow<[ReturnType<typeof of>, "gitlab" | "other", Record<string, string>]>([
    [of("bearer"), "other", { Authorization: "Bearer s3cret" }],
    [of("token"), "other", { Authorization: "Token s3cret" }],
    [of("token"), "gitlab", { "PRIVATE-TOKEN": "s3cret" }],
    [of("bearer"), "gitlab", { Authorization: "Bearer s3cret" }],
    [of("basic", { user: "jö" }), "other", { Authorization: "Basic asO2OnMzY3JldA==" }],
    [of("header", { name: "X-Key" }), "other", { "X-Key": "s3cret" }],
  ])("is sent as its kind", (credential, program, headers) => {
    const sent = headersWith(credential, origin, { Accept: "x" }, program);

    expect(sent(new URL("https://site.test/other"))).toEqual({ Accept: "x", ...headers });
  });

  eachRow([
    "http://site.test/",
    "https://site.test:8443/",
    "https://a.site.test/",
    "https://site.test.evil.test/",
  ])("is not sent anywhere else", (other) => {
    expect(headersWith(of("bearer"), origin)(new URL(other))).toEqual({});
  });

  test("does not follow a redirect to another host", async () => {
    const other = start({ "/file": "content" });
    const first = start({ "/": () => Response.redirect(`${other.url}/file`, 302) });
    const url = new URL(first.url);
    const found = await fetchContent(fetching, url, headersWith(of("bearer"), url));
    await found.body.cancel();

    expect(first.requests.map(({ headers }) => headers.get("Authorization"))).toEqual([
      "Bearer s3cret",
    ]);
    expect(other.requests.map(({ headers }) => headers.get("Authorization"))).toEqual([null]);
  });
});
