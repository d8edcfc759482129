import { describe, expect, test } from "bun:test";
import { readPage } from "../../tests/checker/read-page.ts";
import { eachRow, yamlIn } from "../../tests/each-row.ts";
import { parseRefresh } from "./page/elements.ts";
import { createPageReader, type Page } from "./page/page.ts";
import { encodeQuery } from "./page/query-encoding.ts";

const TABLES = yamlIn<{
  odd_markup: [string, string, string][];
  headings: [what: string, html: string, headings: string[]][];
}>(import.meta.dir, "page.yaml");

const HTML = "text/html; charset=utf-8";
const read = (html: string | Uint8Array, type: string | null = HTML): Page => readPage(html, type);

/** ASCII text with raw bytes in between. */
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );

describe("of a page is known", () => {
  test("its title and its first heading with text, as a person reads them", () => {
    const page = read(`<title>\n P&aacute;gina   no\nencontrada &#8211; Uno</title>
      <h1><img src="logo.png"></h1><h1>No <em>hay</em> nada</h1><h1>Otra</h1>`);

    expect(page).toMatchObject({ title: "Página no encontrada – Uno", heading: "No hay nada" });
  });

  test("its own title, not one of a picture in it", () => {
    expect(read("<title>Mine</title><svg><title>Icon</title></svg>")).toMatchObject({
      title: "Mine",
    });
  });

  test("what is seen, without scripts, styles, comments and what only others see", () => {
    const page = read(`<title>T</title><style>p { color: red }</style><p>One</p>
      <script>document.write("<p>no</p>")</script><noscript>Please enable scripts</noscript>
      <!-- hidden > even here --><template><p>no</p></template><p>a < b, a > b</p>`);

    expect(page.text).toBe("One a < b, a > b");
  });

  test("its markup as it came, scripts included", () => {
    const html = '<html data-adblockkey="x"><script>window.park = "eyJ"</script>';

    expect(read(html).markup).toBe(html);
  });

  test("where it says that it belongs", () => {
    const page = read(`<link rel="Canonical" href="/a"><link rel="canonical" href="/b">
      <meta property="og:url" content="/c"><meta property="og:type" content="article">`);

    expect(page).toMatchObject({ canonical: "/a", ogUrl: "/c", ogType: "article" });
  });

  eachRow([
    ['<meta name="robots" content="noindex, follow">', true],
    ['<META NAME="ROBOTS" CONTENT="NONE">', true],
    ['<meta name="googlebot" content="noindex">', true],
    ['<meta name="robots" content="index, follow">', false],
    ['<meta name="description" content="about noindex">', false],
  ])("whether it is kept out of search engines", (html, isNoindex) => {
    expect(read(html).isNoindex).toBe(isNoindex);
  });

  test("what it holds", () => {
    const page = read(`<article>A</article><form><input type="Password"></form><form></form>
      <script type="application/ld+json">{"@type": "NewsArticle"}</script>`);

    expect(page).toMatchObject({
      hasArticle: true,
      hasMainEntity: true,
      forms: 2,
      passwordFields: 1,
    });
  });

  test("nothing more when it describes only its site", () => {
    const page = read('<script type="application/ld+json">{"@type":"WebSite"}</script>');

    expect(page).toMatchObject({ hasArticle: false, hasMainEntity: false });
  });

  test("no more than is looked at", () => {
    const page = read(`<title>${"t".repeat(999)}</title>${"<p>word</p>".repeat(100_000)}`);

    expect(page.title).toHaveLength(300);
    expect(page.text).toHaveLength(16_384);
    expect(page.markup).toHaveLength(65_536);
  });
});

describe("a page's letters", () => {
  const russian = [0xd1, 0xf2, 0xf0];
  const japanese = [0x83, 0x79, 0x81, 0x5b, 0x83, 0x57];
  const chinese = [0xd2, 0xb3, 0xc3, 0xe6];

  eachRow([
    ["its header", "text/html; charset=windows-1251", bytes("<title>", russian, "</title>"), "Стр"],
    [
      "its own word",
      "text/html",
      bytes('<meta charset="Shift_JIS"><title>', japanese, "</title>"),
      "ページ",
    ],
    [
      "its own longer word",
      null,
      bytes(
        '<meta http-equiv="Content-Type" content="text/html; charset=gbk"><title>',
        chinese,
        "</title>",
      ),
      "页面",
    ],
    [
      "its XML declaration",
      "application/xhtml+xml",
      bytes('<?xml version="1.0" encoding="windows-1251"?><title>', russian, "</title>"),
      "Стр",
    ],
    [
      "its byte order mark, against its header",
      "text/html; charset=windows-1251",
      bytes([0xef, 0xbb, 0xbf], "<title>é</title>"),
      "é",
    ],
    ["an unknown name, as UTF-8", "text/html; charset=klingon", bytes("<title>é</title>"), "é"],
    ["nothing, as UTF-8", "text/html", bytes("<title>é</title>"), "é"],
    [
      "UTF-16 in letters that are not",
      "text/html",
      bytes('<meta charset="utf-16"><title>é</title>'),
      "é",
    ],
  ])(
    "are determined by the first source that says so: its header, its mark, its own words",
    (_, type, body, title) => {
      expect(read(body, type).title).toBe(title);
    },
  );

  test("may be cut anywhere on their way", () => {
    const body = bytes(
      '<meta charset="gbk"><p>',
      ...Array(700).fill(chinese),
      "</p><h1>",
      chinese,
      "</h1>",
    );
    const reader = createPageReader("text/html");

    for (let at = 0; at < body.length; at += 7) reader.take(body.subarray(at, at + 7));

    const page = reader.end();
    expect(page.text).toBe(`${"页面".repeat(700)} 页面`);
    expect(page.heading).toBe("页面");
  });
});

describe("a page in pieces", () => {
  eachRow([1, 2, 3, 5, 8, 13])("of any size reads as if it came at once", (size) => {
    const html = Buffer.from(
      `<title>Töst &amp; more</title><p class="a>b">One</p><!-- no > no --><p>Two</p><script>"<p>"</script>`,
    );
    const reader = createPageReader(HTML);

    for (let at = 0; at < html.length; at += size) reader.take(html.subarray(at, at + size));

    expect(reader.end()).toEqual(read(html));
  });

  test("that never comes is an empty page", () => {
    expect(createPageReader(HTML).end()).toMatchObject({ title: "", text: "", markup: "" });
  });

  eachRow(["<", "<!--", "<p", "<title", "<script>", "</", '<a href="'])(
    "that breaks off inside markup is read up to there",
    (end) => {
      expect(read(`<title>T</title><p>One</p>${end}`)).toMatchObject({ title: "T" });
    },
  );
});

describe("a page whose markup is odd", () => {
  eachRow(TABLES.odd_markup)("is read as browsers read it", (_, html, text) => {
    expect(read(html).text).toBe(text);
  });

  test("keeps its title, wherever a picture has one", () => {
    const page = read("<title>A <b> title</title><h1>Big<br> <svg><title>x</title></svg>news</h1>");

    expect(page).toMatchObject({ title: "A <b> title", heading: "Big xnews" });
  });

  test("in pieces of any size reads as if it came at once", () => {
    const html = Buffer.from(
      `<title>T</title>${'<p class="a > b">Wörds<!-- x --><script>"</p>"</script></p></i>'.repeat(2000)}`,
    );
    const whole = read(html);

    for (const size of [1, 7, 1000, 16_383, 16_385, 65_537]) {
      const reader = createPageReader(HTML);
      for (let at = 0; at < html.length; at += size) reader.take(html.subarray(at, at + size));
      expect(reader.end()).toEqual(whole);
    }
  });
});

describe("a page that sends its reader on", () => {
  eachRow([
    ["0; url=/next", { delayS: 0, url: "/next" }],
    ["5;URL='https://a.test/?x=1;y=2'", { delayS: 5, url: "https://a.test/?x=1;y=2" }],
    ['3; url="/a b"', { delayS: 3, url: "/a b" }],
    [" 10 , url = /x", { delayS: 10, url: "/x" }],
    ["0.5; /bare", { delayS: 0, url: "/bare" }],
    ["0;url=/x;y", { delayS: 0, url: "/x;y" }],
    ["300", null],
    ["5; url=", null],
    ["", null],
    ["soon; url=/x", null],
  ])("says so in many ways of writing", (value, refresh) =>
    expect(parseRefresh(value)).toEqual(refresh),
  );

  test("means everyone, not only those without scripts", () => {
    const everyone = read('<meta http-equiv="Refresh" content="0; url=/a?b&amp;c">');
    const few = read('<noscript><meta http-equiv="refresh" content="0; url=/a"></noscript>');

    expect(everyone.refresh).toEqual({ delayS: 0, url: "/a?b&c" });
    expect(few.refresh).toBeNull();
  });
});

describe("The query of a page's address is in the page's own encoding", () => {
  const refreshIn = (charset: string, bytes: number[]) => {
    const reader = createPageReader(`text/html; charset=${charset}`);
    const [start, end] = ['<meta http-equiv=refresh content="0;url=/', '">'];
    reader.take(Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]));
    return URL.parse(reader.end().refresh?.url ?? "", "http://site.test/")?.href;
  };
  const q = [0x3f, 0x71, 0x3d];

  eachRow<[string, number[], string]>([
    ["windows-1251", [...q, 0xcf, 0xf0], "/?q=%CF%F0"],
    ["windows-1251", [0xcf, 0xf0], "/%D0%9F%D1%80"],
    ["iso-8859-1", [...q, 0xe9, 0x26, 0x61, 0x23, 0xe9], "/?q=%E9&a#%C3%A9"],
    ["shift_jis", [...q, 0x93, 0xfa], "/?q=%93%FA"],
    ["euc-kr", [...q, 0xb0, 0xa1], "/?q=%B0%A1"],
    ["gbk", [...q, 0xd6, 0xd0], "/?q=%D6%D0"],
    ["utf-8", [...q, 0xc3, 0xa9], "/?q=%C3%A9"],
  ])("or in UTF-8 where that is not ASCII's like", (charset, bytes, address) => {
    expect(refreshIn(charset, bytes)).toBe(`http://site.test${address}`);
  });

  test("and a sign that the encoding lacks is a reference", () => {
    expect(encodeQuery("/?q=\u0416", "windows-1252")).toBe("/?q=%26%231046%3B");
  });
});

eachRow(TABLES.headings)(
  "the headings of a page leave out those of its site",
  (_, html, headings) => {
    expect(readPage(html, "text/html").headings).toEqual([...headings]);
  },
);
