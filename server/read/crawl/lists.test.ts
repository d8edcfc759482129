import { afterEach, describe, expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { labOutbound } from "../../../tests/outbound/lab.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import { systemClock } from "../../ground/lib/clock.ts";
import { createPoliteness } from "../../judge/politeness/politeness.ts";
import { type Batch, jobOf, type PageReading, type Target } from "./job.ts";
import { createReadSource } from "./read.ts";
import { SETTINGS_OF } from "./settings.ts";

const running: Site[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const read = createReadSource({
  clock: systemClock,
  outbound: labOutbound(),
  politeness: createPoliteness({ clock: systemClock, hostConcurrency: 2, hostGapMs: 0 }),
  userAgent: "stillup-test",
  timeoutMs: 5000,
});

const targetOf = (url: string, known: Partial<Target> = {}): Target => ({
  url,
  key: url,
  depth: 0,
  isSecond: false,
  etag: null,
  lastModified: null,
  hashes: {},
  ...known,
});

/** Reads one document as a step does. */
async function readAt(kind: "list" | "sitemap", target: Target, settings = {}) {
  const batches: Batch[] = [];
  const job = jobOf(kind, SETTINGS_OF[kind].parse(settings), {
    url: target.url,
    credential: null,
    runId: "r",
    targets: [target],
    cursor: null,
    mark: null,
  });
  const emit = async (batch: Batch) => void batches.push(batch);
  const end = await read(job, emit, new AbortController().signal);
  const pages = batches.flatMap((batch) => batch.pages);
  return { end, batches, pages };
}

function serve(path: string, say: (request: Request) => Response): string {
  const site = startSite({ [path]: say });
  running.push(site);
  return site.url + path;
}

/** What a list has, as lines and URLs. */
const placesIn = (pages: PageReading[]) =>
  pages.flatMap(({ lineOffset, places }) =>
    (places ?? []).map(({ line, url }) => [line! + lineOffset, url]),
  );

const hashesOf = (pages: PageReading[]) =>
  Object.fromEntries(pages.map(({ part, hash }) => [part, hash!]));

const lineAt = (n: number) => `https://site.test/${n}`;
const textOf = (lines: string[]) => new Response(lines.join("\n"));

describe("A list", () => {
  test("that is short is one page with its lines and fragments", async () => {
    const url = serve("/list.txt", () =>
      textOf(["# mine", "https://a.test/#top", "", "see https://b.test/x"]),
    );
    const { end, pages } = await readAt("list", targetOf(url));
    expect(end).toEqual({ kind: "done" });
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatchObject({ key: url, part: "", outcome: "read", statusCode: 200 });
    expect(pages[0]!.places).toEqual([
      { url: "https://a.test/", fragment: "top", line: 2, column: null, element: "link", text: "" },
      { url: "https://b.test/x", fragment: null, line: 4, column: null, element: "link", text: "" },
    ]);
  });

  test("that is a page in an older encoding has queries in this encoding, as browsers do", async () => {
    const url = serve("/list.html", () => {
      const html = '<a href="https://a.test/?q=\xcf">1</a> <a href="/\xcf?\xcf#\xcf">2</a>';
      const headers = { "Content-Type": "text/html; charset=windows-1251" };
      return new Response(Buffer.from(html, "latin1"), { headers });
    });
    const { pages } = await readAt("list", targetOf(url));
    expect(placesIn(pages)).toEqual([
      [1, "https://a.test/?q=%CF"],
      [1, new URL("/%D0%9F?%CF", url).href],
    ]);
  });

  test("that is long has parts, of which a change touches only one", async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => lineAt(n));
    let shown = lines;
    const url = serve("/list.txt", () => textOf(shown));
    const first = await readAt("list", targetOf(url));
    expect(placesIn(first.pages)).toEqual(lines.map((line, i) => [i + 1, line]));
    expect(first.pages.length).toBeGreaterThan(5);
    expect(first.pages.at(-1)).toMatchObject({ part: "", places: [] });
    for (const { places } of first.pages) expect(places!.length).toBeLessThanOrEqual(500);

    const hashes = hashesOf(first.pages);
    shown = ["https://site.test/new", ...lines];
    const second = await readAt("list", targetOf(url, { hashes }));
    const changed = second.pages.filter(({ places }) => places !== null);
    expect(changed).toHaveLength(1);
    expect(placesIn(changed)[0]).toEqual([1, "https://site.test/new"]);
    // The others have only moved down by a line.
    const offsets = new Map(first.pages.map(({ part, lineOffset }) => [part, lineOffset]));
    for (const { part, lineOffset } of second.pages.slice(1, -1)) {
      expect(lineOffset).toBe(offsets.get(part)! + 1);
    }
  });

  test("that repeats a URL keeps its parts apart", async () => {
    const lines = Array.from({ length: 2000 }, (_, n) => lineAt(n % 700));
    const url = serve("/list.txt", () => textOf(lines));
    const { pages } = await readAt("list", targetOf(url));
    expect(new Set(pages.map(({ part }) => part)).size).toBe(pages.length);
    expect(placesIn(pages)).toHaveLength(2000);
  });

  test("is asked for what is new, and not read when there is nothing", async () => {
    const url = serve("/list.txt", (request) =>
      request.headers.get("if-none-match") === '"v1"'
        ? new Response(null, { status: 304 })
        : new Response("https://a.test/", { headers: { etag: '"v1"' } }),
    );
    const first = await readAt("list", targetOf(url));
    expect(first.pages[0]!.etag).toBe('"v1"');
    const second = await readAt("list", targetOf(url, { etag: '"v1"' }));
    expect(second.pages).toHaveLength(1);
    expect(second.pages[0]).toMatchObject({ outcome: "unchanged", places: null });
  });

  const refused: [what: string, kind: "list" | "sitemap", body: string, reason: string][] = [
    ["empty list", "list", " \n", "cut_off"],
    ["cut JSON", "list", '["https://a.test/", "https://b.te', "cut_off"],
    ["cut JSON", "list", '["https://a.test/",', "cut_off"],
    ["cut JSON", "list", '[{"url":"https://a.test/"}', "cut_off"],
    ["broken JSON", "list", '["https://a.test/" nonsense]', "unreadable"],
    ["cut sitemap", "list", "<urlset><url><loc>https://a.test/</loc></url>", "cut_off"],
    ["cut sitemap", "sitemap", "<urlset><url><loc>https://a.test/</loc></url>", "cut_off"],
    ["page", "sitemap", "<!doctype html><title>Log in</title>", "not_a_sitemap"],
  ];
  eachRow(refused)("is not what another kind is", async (_, kind, body, reason) => {
    const url = serve("/list", () => new Response(body));
    const { end, pages } = await readAt(kind, targetOf(url));
    expect(end).toMatchObject({ kind: "failed", reason });
    expect(pages).toEqual([]);
  });
});

describe("A sitemap", () => {
  test("has the entries that its patterns choose, and an index the sitemaps to read", async () => {
    const loc = (path: string) => `<url><loc>https://site.test${path}</loc></url>`;
    const map = serve(
      "/map.xml",
      () => new Response(`<urlset>${loc("/a")}${loc("/b")}${loc("/b/c")}</urlset>`),
    );
    const chosen = await readAt("sitemap", targetOf(map), { exclude: ["/b/"] });
    expect(placesIn(chosen.pages)).toEqual([
      [1, "https://site.test/a"],
      [1, "https://site.test/b"],
    ]);
    const index = serve(
      "/index.xml",
      () => new Response("<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>"),
    );
    const { batches, pages } = await readAt("sitemap", targetOf(index));
    expect(pages).toHaveLength(1);
    expect(batches.flatMap(({ found }) => found)).toEqual([
      {
        url: index.replace("index", "map"),
        key: index.replace("index", "map"),
        depth: 1,
        skipped: null,
      },
    ]);
  });

  test("of an index may fail without the others", async () => {
    const { end, pages } = await readAt("sitemap", {
      ...targetOf(serve("/other", () => new Response(""))),
      url: serve("/there.xml", () => new Response("no", { status: 500 })),
      depth: 1,
    });
    expect(end).toEqual({ kind: "done" });
    expect(pages).toMatchObject([{ outcome: "failed", reason: "unreachable" }]);
  });
});

test("A site that wants no requests for a while holds the step", async () => {
  const url = serve(
    "/list.txt",
    () => new Response("", { status: 503, headers: { "retry-after": "600" } }),
  );
  const { end } = await readAt("list", targetOf(url));
  expect(end).toEqual({ kind: "held", forMs: 600_000 });
});
