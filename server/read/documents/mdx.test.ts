import { describe, expect, test } from "bun:test";
import { shown } from "../../../tests/documents/reading.ts";
import { readMdx } from "./mdx.ts";

const read = (...lines: string[]) => readMdx(lines.join("\n"), { name: "a.mdx" });
const linksIn = (...lines: string[]) => read(...lines).links.map(shown);

describe("A link in MDX", () => {
  test("may be of Markdown, also in a component", () => {
    expect(linksIn("<Note>", "", "    [a](/a) and https://example.org/b", "", "</Note>")).toEqual([
      "3:9-11 link /a (a)",
      "3:17-38 link https://example.org/b",
    ]);
    expect(linksIn("[a](<b c>) <https://example.org/d>")).toEqual([
      "1:6-9 link b c (a)",
      "1:13-34 link https://example.org/d",
    ]);
  });

  test("may be an attribute of a component or of an element", () => {
    expect(
      linksIn(
        '<Card title={t} href="/a" />',
        "<Link to='/b' className=\"x\">words</Link>",
        "",
        '<Image src="/c.png" alt="d" /> 😀 <a href="/e">e</a>',
        "<Card",
        '  href="/f"',
        "  icon={<Icon />}",
        ">inner</Card>",
      ),
    ).toEqual([
      "1:23-25 link /a",
      "2:11-13 link /b (words)",
      "4:13-19 image /c.png (d)",
      "4:44-46 link /e (e)",
      "6:9-11 link /f (inner)",
    ]);
  });

  test("is not one whose address is an expression", () => {
    expect(linksIn("<Card href={url} /> [a](/a) <a href={`https://example.org/`}>b</a>")).toEqual([
      "1:25-27 link /a (a)",
    ]);
  });

  test("is not in JavaScript", () => {
    expect(
      linksIn(
        "import Card from 'https://example.org/card.js'",
        "export const meta = {",
        "  url: 'https://example.org/no',",
        "",
        "  other: 'https://example.org/no',",
        "}",
        "",
        '{/* https://example.org/no */} {list.map((x) => <a href="/no">{x}</a>)}',
        "A {`brace } https://example.org/no`} and https://example.org/yes",
        "import is a word, https://example.org/too",
      ),
    ).toEqual(["9:42-65 link https://example.org/yes", "10:19-42 link https://example.org/too"]);
  });

  test("is not in code, whose braces are not expressions", () => {
    expect(
      linksIn(
        "```js",
        "const a = {",
        "```",
        "",
        '[a](/a) `{` [b](/b) `<Card href="/no">` [c](/c) \\{ [d](/d)',
      ),
    ).toEqual([
      "5:5-7 link /a (a)",
      "5:17-19 link /b (b)",
      "5:45-47 link /c (c)",
      "5:56-58 link /d (d)",
    ]);
  });

  test("is not in code that a component indents, and is after it", () => {
    const text = [
      '<Tabs>\n  <Tab title="A">\n    ```js\n    open("<a href=\'/no\'>", {\n    ```\n  </Tab>\n</Tabs>',
      "## One",
      "[a](/a) {b}",
      "- Item\n\n      ~~~\n      [no](/no)\n- [c](/c)",
    ].join("\n\n");

    expect(linksIn(text)).toEqual(["11:5-7 link /a (a)", "17:7-9 link /c (c)"]);
    expect(readMdx(text, { name: "a.mdx" }).headings).toEqual(["One"]);
  });

  test("may be left out by a comment", () => {
    const { links, disabled } = read("[a](/a) {/* stillup-disable-line */}", "[b](/b)");

    expect([links.map(({ href }) => href), disabled]).toEqual([["/b"], 1]);
  });
});

describe("A document of MDX", () => {
  test("has the same places, whatever ends its lines", () => {
    const text =
      "---\ntitle: {x}\n---\nimport a from 'b'\n\n# T\n\n<Card\n  href=\"/a\"\n/>\n\n[b](/b) {c}\n";
    const places = (given: string) => readMdx(given, { name: "a.mdx" }).links.map(shown);

    expect(places(text)).toEqual(["9:9-11 link /a", "12:5-7 link /b (b)"]);
    expect(places(text.replaceAll("\n", "\r\n"))).toEqual(places(text));
    expect(places(`\uFEFF${text}`)).toEqual(places(text));
  });

  test("may be hostile", () => {
    const texts = [
      "{",
      "{`",
      "<A ",
      "<A href=",
      "export {\n\n",
      "import\n\n",
      "{'",
      "{/*",
      "}{",
      "\\{",
    ];
    for (const each of texts) {
      expect(() => read(each.repeat(20_000))).not.toThrow();
    }
  });
});

test("Ids that authors wrote are read, and those of headings stay with them", () => {
  const { headings, ids } = read(
    "## One {#one}",
    "",
    "### Two {/* #two */}",
    "",
    "## Three {props.name}",
    "",
    "Words {/* four */} {#five} {six} `{#code}`",
  );

  expect(headings).toEqual(["One {#one}", "Two {#two}", "Three"]);
  expect(ids).toEqual(["one", "two", "four", "five"]);
});
