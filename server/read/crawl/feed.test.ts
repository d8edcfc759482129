import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { eachRow } from "../../../tests/each-row.ts";
import { labFetching, reasonOf } from "../../../tests/reading/lab.ts";
import { startSite } from "../../../tests/site.ts";
import { type Feed, MOST_FEED_BYTES, readFeed } from "./feed.ts";
import { fetchContent, textOf } from "./fetching.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((site) => site.stop()));
});

const AT = "https://blog.test/feeds/all.xml";
const read = (text: string) => readFeed(text, AT);

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Blog &amp; more</title><link>https://blog.test/</link>
<item>
  <title>First
    post</title><link>https://blog.test/1?a=1&amp;b=2</link>
  <description>&lt;a href="/short"&gt;short&lt;/a&gt;</description>
  <content:encoded><![CDATA[<p><a href="https://other.test/?a=1&amp;b=2">x</a>]]></content:encoded>
  <enclosure url="https://cdn.test/1.mp3" length="1" type="audio/mpeg"/>
</item>
<item><title>By its id</title><guid>https://blog.test/2</guid><description>words</description></item>
<item><title>Nowhere</title><guid isPermaLink="false">https://blog.test/3</guid></item>
</channel></rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.test/en/">
<title type="html">Blog</title><link rel="self" href="feed.xml"/>
<entry xml:base="posts/"><title>One</title><id>urn:1</id>
  <link rel="edit" href="edit/1"/><link rel="alternate" href="1"/>
  <link rel="enclosure" href="1.mp3"/><link rel="related" href="https://other.test/"/>
  <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="2">two &amp; more</a></div></content>
  <summary type="text">1 &lt; 2</summary></entry>
<entry><title>Two</title><link href="/two"/><content type="html">&lt;a href="x"&gt;x&lt;/a&gt;</content></entry>
<entry><title>Far</title><link href="3"/><content src="https://cdn.test/3.html" type="text/html"/></entry>
</feed>`;

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://c.test/"><title>Old</title><link>https://c.test/</link></channel>
<item rdf:about="https://c.test/1"><title>x</title><link>https://c.test/1</link><description>&lt;b&gt;</description></item>
<item rdf:about="https://c.test/2"><title>y</title></item>
</rdf:RDF>`;

const JSON_FEED = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "J",
  items: [
    {
      id: "1",
      url: "/1",
      external_url: "https://other.test/",
      title: "One",
      content_html: '<a href="2">2</a>',
      attachments: [{ url: "https://cdn.test/1.mp3", mime_type: "audio/mpeg" }],
    },
    { id: "2", content_text: "https://text.test/" },
  ],
});

const OPML = `<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
<outline text="Folder">
  <outline type="rss" text="A" xmlUrl="https://a.test/feed" htmlUrl="https://a.test/"/>
</outline>
<outline type="link" text="L" url="https://l.test/"/>
</body></opml>`;

const FEEDS: [name: string, text: string][] = [
  ["RSS", RSS],
  ["Atom", ATOM],
  ["RDF", RDF],
  ["JSON Feed", JSON_FEED],
  ["OPML", OPML],
];

const linksOf = ({ items }: Feed) => items.map(({ link, related }) => [link, ...related]);
const linesOf = ({ items }: Feed) => items.map(({ line }) => line);

describe("A feed", () => {
  test("of RSS has items, files and contents", async () => {
    const feed = await read(RSS);

    expect([feed.kind, feed.title]).toEqual(["feed", "Blog & more"]);
    expect(linksOf(feed)).toEqual([
      ["https://blog.test/1?a=1&b=2", "https://cdn.test/1.mp3"],
      ["https://blog.test/2"],
      [null],
    ]);
    expect(linesOf(feed)).toEqual([4, 11, 12]);
    expect(feed.items[0]).toMatchObject({
      title: "First post",
      contents: [
        '<p><a href="https://other.test/?a=1&amp;b=2">x</a>',
        '<a href="/short">short</a>',
      ].map((markup) => ({ markup, base: "https://blog.test/1?a=1&b=2" })),
    });
    expect(feed.items[1]!.contents).toEqual([]);
  });

  test("says what the links of its contents are relative to, wherever it says so", async () => {
    const link = '<a href="x">x</a>';
    const markup = link.replaceAll("<", "&lt;");
    const rss = (base: string, item: string, own = "<link>https://blog.test/p/1</link>") =>
      `<rss version="2.0" ${base}><channel><title>F</title><item ${item}>${own}<description>${markup}</description></item></channel></rss>`;
    const atom = (base: string, entry: string, content: string) =>
      `<feed xmlns="http://www.w3.org/2005/Atom" ${base}><title>F</title><entry ${entry}><title>E</title><link href="/p/1"/><content type="html" ${content}>${markup}</content></entry></feed>`;
    const xml = (base: string) => `xml:base="${base}"`;
    const bases = async (text: string) =>
      (await read(text)).items.flatMap(({ contents }) => contents.map(({ base }) => base));

    expect(await bases(rss("", ""))).toEqual(["https://blog.test/p/1"]);
    expect(await bases(rss("", "", ""))).toEqual([AT]);
    expect(await bases(rss(xml("https://d.test/"), ""))).toEqual(["https://d.test/"]);
    expect(await bases(rss(xml("https://d.test/"), xml("en/")))).toEqual(["https://d.test/en/"]);
    expect(await bases(atom("", "", ""))).toEqual(["https://blog.test/p/1"]);
    expect(await bases(atom(xml("/en/"), "", ""))).toEqual(["https://blog.test/en/"]);
    expect(await bases(atom(xml("/en/"), xml("a/"), ""))).toEqual(["https://blog.test/en/a/"]);
    expect(await bases(atom("", "", xml("https://o.test/b/")))).toEqual(["https://o.test/b/"]);
  });

  test("of Atom resolves links against its bases, and leaves those of programs out", async () => {
    const feed = await read(ATOM);

    expect(linksOf(feed)).toEqual([
      ["https://blog.test/en/posts/1", "https://blog.test/en/posts/1.mp3", "https://other.test/"],
      ["https://blog.test/two"],
      ["https://blog.test/en/3", "https://cdn.test/3.html"],
    ]);
    expect(linesOf(feed)).toEqual([3, 8, 9]);
    expect(feed.items.map(({ contents }) => contents)).toEqual([
      [
        {
          markup: '<a href="2">two &amp; more</a>',
          base: "https://blog.test/en/posts/",
        },
      ],
      [{ markup: '<a href="x">x</a>', base: "https://blog.test/en/" }],
      [],
    ]);
  });

  test("of RDF has items", async () => {
    const feed = await read(RDF);

    expect(linksOf(feed)).toEqual([["https://c.test/1"], ["https://c.test/2"]]);
    expect(linesOf(feed)).toEqual([3, 4]);
  });

  test("of JSON has items, without lines", async () => {
    const feed = await read(JSON_FEED);

    expect(linksOf(feed)).toEqual([
      ["https://blog.test/1", "https://other.test/", "https://cdn.test/1.mp3"],
      [null],
    ]);
    expect(linesOf(feed)).toEqual([null, null]);
    expect(feed.items[0]!.contents).toEqual([
      { markup: '<a href="2">2</a>', base: "https://blog.test/1" },
    ]);
  });

  test("list has feeds and pages, in all its folders", async () => {
    const list = await read(OPML);

    expect(list.kind).toBe("opml");
    expect(list.items.map(({ link, feed, title, line }) => [line, title, link, feed])).toEqual([
      [2, "Folder", null, null],
      [3, "A", "https://a.test/", "https://a.test/feed"],
      [5, "L", "https://l.test/", null],
    ]);
    expect(list.items[1]!.related).toEqual(["https://a.test/feed"]);
  });

  eachRow(FEEDS)("of every format may be empty", async (_, text) => {
    const empty = text
      .replace(/<item[\s>].*<\/item>/s, "")
      .replace(/<entry[\s>].*<\/entry>/s, "")
      .replace(/<outline[\s>].*<outline.*?>/s, "")
      .replace(/"items":\[.*\]/s, '"items":[]');

    expect((await read(empty)).items).toEqual([]);
  });

  eachRow(FEEDS)(
    "of every format that ends early is cut off, wherever that is",
    async (_, text) => {
      for (let length = 0; length < text.length - 1; length += 37) {
        const reason = await reasonOf(read(text.slice(0, length)));

        expect([length, reason]).toEqual([length, "cut_off"]);
      }
      expect(await reasonOf(read(text.slice(0, -1)))).toBe("cut_off");
    },
  );

  eachRow([
    ["HTML", "<!doctype html><html><body>Log in</body></html>"],
    ["a sitemap", "<urlset><url><loc>https://a.test/</loc></url></urlset>"],
    ["words", "Not found"],
    ["other JSON", '{"error":"no"}'],
    ["broken JSON", '{"a":}'],
    ["a list", "[1]"],
    ["an end without a beginning", "<rss><channel></item></channel></rss>"],
  ])("that is something else is unreadable", async (_, text) => {
    expect(await reasonOf(read(text))).toBe("unreadable");
  });

  eachRow([
    ["items", `<rss><channel>${"<item/>".repeat(50_001)}</channel></rss>`],
    ["elements", `<rss><channel>${"<a/>".repeat(300_000)}</channel></rss>`],
    ["attributes", `<rss a${' b="c"'.repeat(300_000)}><channel/></rss>`],
    ["items of JSON", JSON_FEED.replace('"items":[', `"items":[${'{"id":"1"},'.repeat(50_000)}`)],
  ])("with too many parts is too large", async (_, text) => {
    expect(await reasonOf(read(text))).toBe("too_large");
  });

  eachRow([
    [
      "nested outlines",
      `<opml><body>${'<outline text="x">'.repeat(50_000)}${"</outline>".repeat(50_000)}</body></opml>`,
    ],
    [
      "nested elements",
      `<rss><channel>${"<a>".repeat(50_000)}${"</a>".repeat(50_000)}</channel></rss>`,
    ],
    ["unclosed items", `<rss><channel>${"<item>".repeat(50_000)}</channel></rss>`],
    [
      "entities of entities",
      `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>`,
    ],
    [
      "names of prototypes",
      "<rss><channel><item><__proto__>x</__proto__><constructor>y</constructor></item></channel></rss>",
    ],
  ])("made to do harm does none", async (_, text) => {
    expect(["none", "unreadable"]).toContain(await reasonOf(read(text)));
  });
});

describe("The text of a feed", () => {
  async function textFrom(body: string | Uint8Array<ArrayBuffer>, type = "application/rss+xml") {
    const site = startSite({
      "/": () => new Response(body, { headers: { "Content-Type": type } }),
    });
    running.push(site);
    return textOf(
      await fetchContent(labFetching(), new URL(site.url), () => ({})),
      MOST_FEED_BYTES,
    );
  }

  test("may be packed, and in another encoding", async () => {
    const latin = '<?xml version="1.0" encoding="windows-1252"?><rss>\u00e9</rss>';

    expect(await textFrom(gzipSync(RSS))).toBe(RSS);
    expect(await textFrom(Buffer.from(latin, "latin1"))).toBe(latin);
    expect(await textFrom(JSON_FEED, "application/feed+json")).toBe(JSON_FEED);
  });

  test("is at most 10 MB long, also unpacked", async () => {
    expect(await reasonOf(textFrom("x".repeat(MOST_FEED_BYTES)))).toBe("none");
    expect(await reasonOf(textFrom("x".repeat(MOST_FEED_BYTES + 1)))).toBe("too_large");
    expect(await reasonOf(textFrom(gzipSync("x".repeat(MOST_FEED_BYTES + 1))))).toBe("too_large");
    expect(await reasonOf(textFrom(gzipSync(RSS).subarray(0, 100)))).toBe("cut_off");
  });
});
