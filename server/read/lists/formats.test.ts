import { describe, expect, test } from "bun:test";
import { stepsOf } from "../../../tests/checker/steps.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { LISTS } from "../../../tests/imports/lists.ts";
import { itemsAsText, readIn } from "../../../tests/imports/reading.ts";
import { FORMATS, recognise } from "./formats.ts";
import { type Notes, withoutRefused } from "./noted.ts";
import { newReading, type OpenReader } from "./reading.ts";

const ITEM = { url: "https://example.org/a", line: 2, group: "", frequency: "" };
const FULL = {
  noted: {
    title: "=1+1",
    note: "two\nlines, 🎉",
    tags: ["docs", "press"],
    external_id: "p-17",
    metadata: { a: "b" },
    check_schedule: { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" },
  },
  decided: { handling: "muted", muted_until: "2031-01-01", assignee: "a@example.org" },
};

describe("A list of links", () => {
  eachRow(LISTS)("is known by what is in it, and read: %s", async (_, text, format, found) => {
    expect(recognise(text)).toBe(format as ReturnType<typeof recognise>);
    expect(itemsAsText(await readIn(text))).toEqual(found);
  });

  eachRow(LISTS)("is read alike wherever it is cut: %s", async (_, text, __, found) => {
    for (const pieces of [1, 2, 3, 7, 64]) {
      expect(itemsAsText(await readIn(text, { pieces }))).toEqual(found);
    }
  });

  test("reports comments, paused monitors and short intervals", async () => {
    const notes = async (what: string) =>
      (await readIn(LISTS.find(([name]) => name.includes(what))![1])).notes;

    expect(await notes("comments")).toEqual(["2 lines begin with # and were read as comments."]);
    expect(await notes("Kuma")).toEqual([
      "Pages that were checked every few minutes are checked every hour: links change slowly.",
      "1 of its monitors are paused; they are imported as well.",
    ]);
    expect(await notes("table of UptimeRobot")).toHaveLength(1);
  });

  eachRow([
    ["a tag", "https://example.org/?q=<script>alert(1)</script>", '"<"'],
    [
      "a tag that has a URL",
      "https://a.example/<script src=https://b.example/x.js></script>",
      '"<"',
    ],
    ["three dots", "https://example.org/a-long-way...", "is cut off"],
    ["an ellipsis", "https://example.org/a-long-way…", "is cut off"],
  ])("refuses a URL that ends with %s, and does not shorten it", async (_, url, problem) => {
    const { items } = await readIn(`\n${url}\n`, { format: "text" });

    expect(items).toMatchObject([{ line: 2, url: url.split(" ")[0]! }]);
    expect(items[0]!.problem).toContain(problem);
  });

  test("reads a URL before a line break or a closing tag of a page", async () => {
    const { items } = await readIn("https://example.org/a<br>\n<loc>https://example.org/b</loc>");

    expect(items.map(({ url, problem }) => [url, problem])).toEqual([
      ["https://example.org/a", undefined],
      ["https://example.org/b", undefined],
    ]);
  });

  eachRow([
    [
      "columns",
      "url,tags,group,owner,id\nhttps://example.org/a,x,Docs,me,\n",
      "Columns not used: owner, id.",
    ],
    [
      "columns without a heading",
      "A\thttps://example.org/a\nB\thttps://example.org/b\n",
      "Without a heading, only the column of URLs is used.",
    ],
    [
      "fields",
      '[{"url":"https://example.org/a","owner":"me","empty":[]},"https://example.org/b"]',
      "Field not used: owner.",
    ],
    [
      "fields of Uptime Kuma",
      '{"version":"1","notificationList":[{}],"proxyList":[],"monitorList":[{"id":1,"type":"http","url":"https://example.org/a","keyword":"","method":"POST","maxretries":0}]}',
      "Fields not used: notificationList, method.",
    ],
    [
      "fields of UptimeRobot",
      '{"monitors":[{"friendly_name":"A","url":"https://example.org/a","type":1,"httpMethodType":2}]}',
      "Field not used: http_method_type.",
    ],
    [
      "bookmarks that are not pages",
      '<dl><dt><a href="javascript:alert(1)">A</a><dt><a href="javascript:b()">B</a></dl>',
      "2 bookmarks were passed over: of the scheme javascript.",
    ],
    [
      "bookmarks without a host",
      '<dl><dt><a href="/shaare/x">A</a></dl>',
      "1 bookmark was passed over: without a host.",
    ],
    [
      "notes of Karakeep",
      '{"bookmarks":[{"content":{"type":"text","text":"see https://example.org/no"}}]}',
      "1 entry was passed over: of the type text, without an address.",
    ],
    [
      "links of a page that lead to no host",
      '<a href="/a">A</a> <a href="mailto:a@b.example">B</a> <a href="c">C</a>',
      "2 relative links were left out, since they name no host.",
    ],
  ])("names what is not read: %s", async (_, text, note) => {
    expect((await readIn(text)).notes.slice(0, 1)).toEqual([note]);
  });

  test("takes the column whose name is ours before one that is only like it", async () => {
    const text = "url,name,title\nhttps://example.org/a,Name,Title\n";

    const { items, notes } = await readIn(text);

    expect([items[0]!.noted, notes]).toEqual([{ title: "Title" }, ["Column not used: name."]]);
  });

  eachRow([
    ["title,note,tags,external_id,metadata,check_schedule,time_zone,handling,muted_until,assignee"],
    [
      "Label,Description,Labels,Ref,Metadata,Check schedule,Time zone,Handling,Muted until,Assignee",
    ],
    ["name,notes,labels,ref,metadata,check_schedule,time_zone,handling,muted_until,assignee"],
  ])("has what is known of its links, as %s", async (names) => {
    const cells = `'=1+1,"two\r\nlines, 🎉","docs; press ,",p-17,"{""a"":""b""}",0 6 * * 1-5,Europe/Berlin,Muted,2031-01-01,a@example.org`;

    const { items, notes } = await readIn(`url,${names}\nhttps://example.org/a,${cells}\n`);

    expect([items[0], notes]).toEqual([{ ...ITEM, ...FULL }, []]);
  });

  test("reads JSON as the API and the export have it, and a schedule of a group as none", async () => {
    const { noted, decided } = FULL;
    const { tags, metadata, check_schedule, ...texts } = noted;
    const { assignee, ...others } = decided;
    const asReply = { ...noted, ...others, assignee: { id: "1", email: assignee } };
    const asExport = {
      ...texts,
      ...decided,
      tags: tags.join(";"),
      metadata: JSON.stringify(metadata),
      check_schedule: check_schedule.cron,
      time_zone: check_schedule.time_zone,
    };
    const ofGroup = {
      title: "A",
      metadata: {},
      tags: [],
      note: null,
      check_schedule: { ...check_schedule, from: "group" },
    };
    const records = [asReply, asExport, ofGroup].map((each) => ({ url: ITEM.url, ...each }));

    const { items } = await readIn(records.map((each) => JSON.stringify(each)).join("\n"));

    expect(items).toEqual([
      { ...ITEM, ...FULL, line: 1 },
      { ...ITEM, ...FULL },
      { ...ITEM, line: 3, noted: { title: "A" } },
    ]);
  });

  test("says of a line what of it cannot be kept", async () => {
    const text = `url,group,metadata,title,time_zone\nhttps://example.org/a,${"g".repeat(101)},[1],${"x".repeat(60_000)},UTC,more\n`;

    const { items } = await readIn(text);

    expect(items[0]).not.toHaveProperty("noted");
    expect(items[0]!.notKept).toEqual([
      { field: "title", why: "is too long" },
      { field: "metadata", why: "is not a JSON object" },
      { field: "time_zone", why: "has no check_schedule" },
      { field: "group", why: "was cut to 100 characters" },
      { field: "row", why: "has more cells than the heading" },
    ]);
  });

  test("loses only the parts that the server refuses", () => {
    const item: Notes = {
      noted: { title: "A", tags: ["a", "b,", "c", "d;"], metadata: { "x.y": "1", z: "2" } },
    };
    const refused = {
      "tags[1]": ["has a comma"],
      "tags[3]": ["too"],
      "metadata.x.y": ["is bad"],
      title: ["is bad"],
    };

    expect(withoutRefused(item, refused)).toEqual({
      noted: { tags: ["a", "c"], metadata: { z: "2" } },
      notKept: [
        { field: "tags", why: '"b," has a comma' },
        { field: "tags", why: '"d;" too' },
        { field: "metadata", why: '"x.y" is bad' },
        { field: "title", why: "is bad" },
      ],
    });
    expect(withoutRefused(item, { url: ["is required"], title: ["is bad"] })).toBeNull();
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

    expect(itemsAsText(reading)).toEqual(["1 https://example.org/a"]);
    expect(reading.notes).toEqual(["The sitemap has no end. It was probably cut off."]);
  });

  eachRow([
    ["broken JSON", '["https://example.org/a", ', "json", "This could not be read as JSON"],
    ["JSON that goes on", '["https://example.org/a"] x', "json", "This could not be read as JSON"],
    ["no sitemap", "<html></html>", "sitemap", "This is not a sitemap"],
    ["no backup", "{}", "uptime-kuma", "This is not a backup of Uptime Kuma"],
    ["no monitors", "{}", "uptimerobot", "This is not an export of UptimeRobot"],
  ] as const)("is refused with what to do: %s", async (_, text, format, said) => {
    expect(readIn(text, { format })).rejects.toThrow(said);
  });

  eachRow([
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

  eachRow([
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

  eachRow([
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
