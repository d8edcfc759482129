import { describe, expect, test } from "bun:test";
import { tests as examples } from "commonmark-spec";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { BARE_URLS, GITHUB_TEXTS } from "../../../tests/documents/github.ts";
import { addressesIn, addressesOfHtml, shown } from "../../../tests/documents/reading.ts";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import type { FoundLink } from "./document.ts";
import { readMarkdown } from "./markdown.ts";

const TABLES = yamlIn<{
  front_matter: [text: string, headings: string[], hrefs: string[]][];
  indented: [text: string, hrefs: string[]][];
  indented_code: string[];
  bare_urls: [text: string, hrefs: string[]][];
  placeholders: string[];
  addresses: [front: string, addresses: string[]][];
}>(import.meta.dir, "markdown.yaml");

const read = (text: string) => readMarkdown(text, { name: "a.md" });
const linksIn = (text: string) => read(text).links.map(shown);

const renderedByGitHub = (text: string) =>
  micromark(text, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });

/** GitHub links bare URLs, which CommonMark leaves as words. */
const isBare = (text: string, { href, from, to }: FoundLink) =>
  /^https?:/i.test(href) &&
  text.slice(from, to) === href &&
  !/[("'=]$/.test(text.slice(0, from)) &&
  !(text[from - 1] === "<" && text[to] === ">");

/** Texts whose addresses differ from those of the HTML that the reference makes of them. */
const differing = (texts: { text: string; ours: string[]; html: string }[]) =>
  texts
    .map(({ text, ours, html }) => ({ text, ours, theirs: addressesOfHtml(html) }))
    .filter(({ ours, theirs }) => !Bun.deepEquals(ours, theirs));

describe("Markdown has the links of the reference", () => {
  test("in every example of CommonMark", () => {
    const texts = examples.map(({ markdown, html }) => {
      const text = markdown.replaceAll("→", "\t");
      const found = read(text);
      const links = found.links.filter((link) => !isBare(text, link));
      return { text, ours: addressesIn({ ...found, links }), html };
    });

    expect(texts.length).toBe(652);
    expect(differing(texts)).toEqual([]);
  });

  test("in bare URLs as GitHub reads them", () => {
    const texts = BARE_URLS.map((text) => ({
      text,
      ours: addressesIn(read(text)),
      html: renderedByGitHub(text),
    }));

    expect(texts.length).toBeGreaterThanOrEqual(100);
    expect(differing(texts)).toEqual([]);
  });

  test("in tables, task lists, footnotes and nested blocks of GitHub", () => {
    const texts = GITHUB_TEXTS.map((text) => ({
      text,
      ours: addressesIn(read(text)),
      html: renderedByGitHub(text).replace(/<a href="#user-content-fn[^>]*>/g, ""),
    }));

    expect(differing(texts)).toEqual([]);
  });
});

test("Markdown has bare URLs in brackets too, and those of footnotes that nothing refers to", () => {
  expect(linksIn("[https://example.org/a]")).toEqual(["1:2-23 link https://example.org/a"]);
  expect(linksIn("[^1]: https://example.org/a")).toEqual(["1:7-28 link https://example.org/a"]);
});

/** Each form of a link once. The second word of a row says where it is: line, column and end. */
const ALL_FORMS = `---
link: https://front.example/
---
# 🎉 [Title](/title "t") and \`https://code.example/\`

\tindented https://code.example/

🎉🎉\tSee [a *b* \`c\`](<a b.md> 'x'), ![alt & more](i.png) and <https://auto.example/>.
Bare https://bare.example/(v2)/a), www.bare.example and <me@example.org>.
[![in](badge.svg)](https://outer.example/)
[full][ref], [collapsed][] and [REF], not [undefined][none] nor [x].

| a | b |
|---|---|
| [cell](cell.md) | https://cell.example/|

<p id="here"><a href="/html&amp;x" rel="nofollow">html <b>words</b></a> <img src='i2.png' alt=A></p>

Inline <a name="there" href=in.html>in</a>[^1]

<!-- [no](/comment) <a href="/comment">no</a> -->
$$
[no](/math)
$$

\`\`\`md
[no](/fence)
\`\`\`

[ref]: https://ref.example/ "Ref"
[collapsed]:
  <c.md>
[unused]: /unused
[ref]: /again
[^1]: https://foot.example/
`;

const FORMS = [
  "4:14-20 link /title (Title)",
  "8:23-29 link a b.md (a b c)",
  "8:51-56 image i.png (alt & more)",
  "8:63-84 link https://auto.example/",
  "9:6-33 link https://bare.example/(v2)/a",
  "9:36-52 link http://www.bare.example",
  "9:58-72 link mailto:me@example.org",
  "10:8-17 image badge.svg (in)",
  "10:20-42 link https://outer.example/ (in)",
  "11:8-11 link https://ref.example/ (full)",
  "11:15-24 link c.md (collapsed)",
  "11:33-36 link https://ref.example/ (REF)",
  "15:10-17 link cell.md (cell)",
  "15:21-42 link https://cell.example/",
  "17:23-34 link /html&x (html words)",
  "17:83-89 image i2.png (A)",
  "19:29-36 link in.html (in)",
  "30:8-28 definition https://ref.example/ (ref)",
  "32:4-8 definition c.md (collapsed)",
  "33:11-18 definition /unused (unused)",
  "35:7-28 link https://foot.example/",
];

/** The addresses of the forms as written; of references, their labels. */
const WRITTEN = [
  ...["/title", "a b.md", "i.png", "https://auto.example/", "https://bare.example/(v2)/a"],
  ...["www.bare.example", "me@example.org", "badge.svg", "https://outer.example/"],
  ...["ref", "collapsed", "REF", "cell.md", "https://cell.example/", "/html&amp;x", "i2.png"],
  ...["in.html", "https://ref.example/", "c.md", "/unused", "https://foot.example/"],
];

describe("Markdown tells where each form of a link stands", () => {
  const forms: [string, string][] = [
    ["as it is", ALL_FORMS],
    ["with CRLF", ALL_FORMS.replaceAll("\n", "\r\n")],
    ["with CR", ALL_FORMS.replaceAll("\n", "\r")],
    ["with a byte order mark", `\uFEFF${ALL_FORMS}`],
    ["with a byte order mark and CRLF", `\uFEFF${ALL_FORMS.replaceAll("\n", "\r\n")}`],
    ["without a last line end", ALL_FORMS.trimEnd()],
  ];
  for (const [how, text] of forms) {
    test(how, () => {
      const { links } = read(text);

      expect(links.map(shown)).toEqual(FORMS);
      expect(links.map(({ from, to }) => text.slice(from, to))).toEqual(WRITTEN);
      const rows = text.replace("\uFEFF", "").split(/\r\n|\r|\n/);
      const placed = links.map(({ line, column, endColumn }) =>
        rows[line - 1]!.slice(column - 1, endColumn - 1),
      );
      expect(placed).toEqual(WRITTEN);
    });
  }

  test("and whether search engines are asked not to follow it", () => {
    const isNofollow = read(ALL_FORMS).links.filter((link) => link.isNofollow);

    expect(isNofollow.map(({ href }) => href)).toEqual(["/html&x"]);
  });
});

describe("Markdown", () => {
  test("has the words of headings without markup, and the anchors of tags", () => {
    const { headings, anchors, title } = read(
      [
        "# The *first* `code()` [link](/a) &amp; ![no](/b) \\* #",
        "Second\n------",
        '<h3 align="center">Of <b>tags</b> <img alt="no"></h3>',
        "> ## In a quote 🎉 <a id=x></a>",
        "### ",
        "```\n# code\n```",
      ].join("\n\n"),
    );

    expect(headings).toEqual([
      "The first code() link &  *",
      "Second",
      "Of tags",
      "In a quote 🎉 ",
      "",
    ]);
    expect(anchors).toEqual(["x"]);
    expect(title).toStartWith("The first code()");
  });

  eachRow(TABLES.front_matter)(
    "has front matter only at its top, before its end",
    (text, headings, hrefs) => {
      const read = readMarkdown(text, { name: "a.md" });

      expect([read.headings, read.links.map(({ href }) => href)]).toEqual([headings, hrefs]);
    },
  );

  test("keeps brackets in words that are not a reference", () => {
    const text = "## fetch(url[, options])\n\n[see [1] [a]](/b)\n\n![c [d]](e.png)";
    const { headings, links } = readMarkdown(text, { name: "a.md" });

    expect(headings).toEqual(["fetch(url[, options])"]);
    expect(links.map((link) => link.text)).toEqual(["see [1] [a]", "c [d]"]);
  });

  test("leaves out what comments say, and counts it", () => {
    const { links, disabled } = read(
      [
        "[a](/a) <!-- stillup-disable-line -->",
        "<!-- stillup-disable-next-line -->\n[b](/b)\n[c](/c)",
        "<!-- stillup-disable -->\n\n[d](/d)\n\nhttps://e.org/\n\n<!-- stillup-enable -->",
        "[f](/f)",
        "`<!-- stillup-disable -->`",
        "<a href=/g>g</a>",
        "<!-- stillup-disable -->\n[h](/h)",
      ].join("\n\n"),
    );

    expect(links.map(({ href }) => href)).toEqual(["/c", "/f", "/g"]);
    expect(disabled).toBe(5);
  });

  test("takes the line of a use for a link by reference, and that of each of equal links", () => {
    expect(linksIn("[a]\n[a]\n\n[a]: /x\n\n[b](/x) [b](/x)")).toEqual([
      "1:2-3 link /x (a)",
      "2:2-3 link /x (a)",
      "4:6-8 definition /x (a)",
      "6:5-7 link /x (b)",
      "6:13-15 link /x (b)",
    ]);
  });
});

const hrefsIn = (text: string) => read(text).links.map(({ href }) => href);

describe("Markdown has links in blocks whose lines are indented", () => {
  eachRow(TABLES.indented)("of every kind", (text, hrefs) => {
    expect(hrefsIn(text)).toEqual(hrefs);
  });

  eachRow(TABLES.indented_code)("and none in code", (text) => {
    expect(hrefsIn(text)).toEqual([]);
  });

  test("and headings there, at the places that the file has", () => {
    const { headings, links } = read("!!! note\r\n\r\n    ## Inner\r\n\r\n    [a](/a)\r\n");

    expect(headings).toEqual(["Inner"]);
    expect(links.map(shown)).toEqual(["5:9-11 link /a (a)"]);
  });
});

describe("A bare URL", () => {
  eachRow(TABLES.bare_urls)("ends where its sentence goes on", (text, hrefs) => {
    expect(hrefsIn(text)).toEqual(hrefs);
  });

  eachRow(TABLES.placeholders)("has no placeholder for its host", (text) =>
    expect(hrefsIn(text)).toEqual([]),
  );
});

test("Markdown has backslashes in addresses as CommonMark has them", () => {
  expect(
    hrefsIn(
      "[a](https://a.org/x\\y\\_z) <https://a.org/\\[> [b](c\\d.md) <a href='https://a.org/x\\y'>e</a>",
    ),
  ).toEqual(["https://a.org/x%5Cy_z", "https://a.org/%5C[", "c\\d.md", "https://a.org/x\\y"]);
});
describe("What authors write for programs alone", () => {
  test("is read as ids, but not in code", () => {
    const { ids } = read(
      [
        "# Title {#title}",
        "{: #kramdown .x}",
        '![a](b.png){ #image } [](){ #span } [words]{#pandoc .y} {id="quoted"} { id=bare }',
        "(label)=",
        "$$\na\n$$ (formula)",
        "::: {#div .note}",
        "`{#no}`\n\n```\n{#no}\n(no)=\n```",
        "```{figure} a.png\n:name: figure\n```",
        "```{.python #fence}\n{#no\n```",
        "{not-an-id} {# } {{#if}} $(call)",
      ].join("\n\n"),
    );

    expect(ids).toEqual([
      ...["title", "kramdown", "image", "span", "pandoc", "quoted", "bare", "div", "if"],
      ...["label", "formula", "figure", "fence"],
    ]);
  });

  eachRow(TABLES.addresses)("is read as addresses", (front, addresses) => {
    expect(read(`---\n${front}\n---\ntext`).front).toEqual({ addresses });
  });

  test("is nothing without front matter", () => {
    expect(read("# A").front).toBeUndefined();
  });
});
