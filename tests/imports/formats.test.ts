import { describe, expect, test } from "bun:test";
import { FORMATS, recognise } from "../../server/links/imports/formats.ts";
import { newReading, type OpenReader } from "../../server/links/imports/reading.ts";
import { stepsOf } from "../checker/steps.ts";
import { LISTS } from "./lists.ts";
import { readIn, toldOf } from "./reading.ts";

describe("A list of links", () => {
  test.each(LISTS)("is known by what is in it, and read: %s", async (_, text, format, found) => {
    expect(recognise(text)).toBe(format as ReturnType<typeof recognise>);
    expect(toldOf(await readIn(text))).toEqual(found);
  });

  test.each(LISTS)("is read alike wherever it is cut: %s", async (_, text, __, found) => {
    for (const pieces of [1, 2, 3, 7, 64]) {
      expect(toldOf(await readIn(text, { pieces }))).toEqual(found);
    }
  });

  test("tells of comments, paused monitors and short intervals", async () => {
    const notes = async (what: string) =>
      (await readIn(LISTS.find(([name]) => name.includes(what))![1])).notes;

    expect(await notes("comments")).toEqual(["2 lines begin with # and were read as comments."]);
    expect(await notes("Kuma")).toEqual([
      "Pages that were checked every few minutes are checked every hour: links change slowly.",
      "1 of its monitors are paused; they are imported as well.",
    ]);
    expect(await notes("table of UptimeRobot")).toHaveLength(1);
  });

  test.each([
    ["a tag", "https://example.org/?q=<script>alert(1)</script>", '"<"'],
    [
      "a tag that has a URL",
      "https://a.example/<script src=https://b.example/x.js></script>",
      '"<"',
    ],
    ["three dots", "https://example.org/a-long-way...", "is cut off"],
    ["an ellipsis", "https://example.org/a-long-way…", "is cut off"],
  ])("refuses a URL that ends with %s, and does not shorten it", async (_, url, problem) => {
    for (const format of ["text", "csv"] as const) {
      const { items } = await readIn(`${format === "csv" ? "url\n" : "\n"}${url}\n`, { format });

      expect(items).toMatchObject([{ line: 2, url: url.split(" ")[0]! }]);
      expect(items[0]!.problem).toContain(problem);
    }
  });

  test("reads a URL before a line break or a closing tag of a page", async () => {
    const { items } = await readIn("https://example.org/a<br>\n<loc>https://example.org/b</loc>");

    expect(items.map(({ url, problem }) => [url, problem])).toEqual([
      ["https://example.org/a", undefined],
      ["https://example.org/b", undefined],
    ]);
  });

  test("names the columns of a table that are not read", async () => {
    const { notes } = await readIn("url,tags,group,owner\nhttps://example.org/a,x,Docs,me\n");

    expect(notes).toEqual(["Columns not used: tags, owner."]);
  });

  test("that is an index of sitemaps has none, but the way to them", async () => {
    const text = `<sitemapindex><sitemap><loc>https://example.org/1.xml</loc></sitemap></sitemapindex>`;

    const { items, sitemaps } = await readIn(text, { pieces: 5 });

    expect(items).toEqual([]);
    expect(sitemaps).toEqual(["https://example.org/1.xml"]);
  });

  test("that is cut off is read as far as it goes, without the half of a URL", async () => {
    const text = "<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://exam";

    const reading = await readIn(text);

    expect(toldOf(reading)).toEqual(["1 https://example.org/a"]);
    expect(reading.notes).toEqual(["The sitemap has no end. It was probably cut off."]);
  });

  test.each([
    ["broken JSON", '["https://example.org/a", ', "json", "This could not be read as JSON"],
    ["JSON that goes on", '["https://example.org/a"] x', "json", "This could not be read as JSON"],
    ["no sitemap", "<html></html>", "sitemap", "This is not a sitemap"],
    ["no backup", "{}", "uptime-kuma", "This is not a backup of Uptime Kuma"],
    ["no monitors", "{}", "uptimerobot", "This is not an export of UptimeRobot"],
  ] as const)("is refused with what to do: %s", async (_, text, format, said) => {
    expect(readIn(text, { format })).rejects.toThrow(said);
  });

  test.each([
    ["a row", 'url,note\nhttps://example.org/a,"', "csv"],
    ["a word", "https://example.org/a\n", "text"],
    ["a record of a list", '["https://example.org/a", "', "json"],
    ["a record on its line", '{"url":"https://example.org/a"}\n{"url":"', "json"],
    ["an attribute", '<a href="', "bookmarks"],
    ["a comment of a page", "<!-- ", "bookmarks"],
    ["a tag", "<urlset><url", "sitemap"],
    ["a comment of a sitemap", "<urlset><!-- ", "sitemap"],
  ] as const)(
    "is not kept to wait for the end of %s that never comes",
    async (_, begin, format) => {
      const text = begin + "x".repeat(17 << 20);

      expect(readIn(text, { pieces: 1 << 20, format })).rejects.toThrow("has no end");
    },
  );

  test.each([
    ["elements", "bookmarks", "<dl>", "<div></b>"],
    ["elements of pictures", "bookmarks", "<dl>", "<svg></b>"],
    ["elements", "sitemap", "<urlset>", "<url></b>"],
  ] as const)(
    "of many %s without end is read in proportion: %s",
    async (_, format, start, piece) => {
      const stepsFor = async (count: number) => {
        const open: OpenReader = FORMATS[format].open;
        const reader = await open(newReading(), "");
        return stepsOf(() => reader.write(start + piece.repeat(count)));
      };

      expect((await stepsFor(4000)) / (await stepsFor(2000))).toBeLessThan(2.5);
    },
  );

  test.each([
    ["folders", "<dl>", "bookmarks", "More than 200 <dl> elements are nested"],
    ["locations", "<loc>", "sitemap", "More than 200 <loc> elements are nested"],
  ] as const)("of %s nested without end is refused", async (_, piece, format, said) => {
    const text = `<urlset>${piece.repeat(100_000)}`;

    expect(readIn(text, { format })).rejects.toThrow(said);
  });

  test("names a sitemap that is too long for a URL by its beginning", async () => {
    const url = `https://example.org/${"x".repeat(5000)}`;

    const { sitemaps } = await readIn(`<sitemapindex><loc>\n${url}\n</loc></sitemapindex>`);

    expect(sitemaps).toHaveLength(1);
    expect(url).toStartWith(sitemaps[0]!);
    expect(sitemaps[0]!.length).toBeLessThan(2500);
  });
});
