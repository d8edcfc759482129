import { describe, expect, test } from "bun:test";
import { shown } from "../../../tests/documents/reading.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { readNotebook } from "./notebook.ts";

const about = { name: "a.ipynb" };

const notebook = (cells: unknown[]) =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1);

const markdown = (...source: string[]) => ({ cell_type: "markdown", metadata: {}, source });

describe("A notebook", () => {
  test("has the links of its Markdown cells at their places in the file", () => {
    const text = notebook([
      markdown('# Über 😀 "x"\n', "[a\\_b](https://example.org/a) and\n", "https://example.org/b"),
      { cell_type: "code", source: ["get('https://example.org/no')"], outputs: [] },
      { cell_type: "markdown", source: "![c](c.png)\n\n[d]\n\n[d]: /d" },
    ]);
    const { links, title, headings } = readNotebook(text, about);
    const lines = text.split("\n");

    expect(links.map(({ href, text, element }) => [href, text, element])).toEqual([
      ["https://example.org/a", "a_b", "link"],
      ["https://example.org/b", "", "link"],
      ["c.png", "c", "image"],
      ["/d", "d", "link"],
      ["/d", "d", "definition"],
    ]);
    expect(
      links.map((link) => lines[link.line - 1]!.slice(link.column - 1, link.endColumn - 1)),
    ).toEqual(["https://example.org/a", "https://example.org/b", "c.png", "d", "/d"]);
    expect(links.every(({ from, to, href }) => href.endsWith(text.slice(from, to)))).toBe(true);
    expect([title, headings]).toEqual(['Über 😀 "x"', ['Über 😀 "x"']]);
  });

  test("has places after escapes, whatever ends its lines", () => {
    const text =
      '\uFEFF{"cells":[{"cell_type":"markdown",\r\n"source":"\\u00e9\\ud83d\\ude00\\t\\"\\/ <https:\\/\\/example.org\\/a>"}]}';

    expect(readNotebook(text, about).links.map(shown)).toEqual([
      "2:37-61 link https://example.org/a",
    ]);
    expect(readNotebook(text.replace("\\u00e9", "é"), about).links.map(shown)).toEqual([
      "2:32-56 link https://example.org/a",
    ]);
  });

  test("leaves out what is attached to it, and what a comment disables", () => {
    const { links, disabled } = readNotebook(
      notebook([
        markdown("![a](attachment:a.png) <!-- stillup-disable-line -->\n", "[b](/b)"),
        markdown("<!-- stillup-disable -->\n", "\n", "[c](/c)"),
        markdown("[d](/d)"),
      ]),
      about,
    );

    expect(links.map(({ href }) => href)).toEqual(["/b", "/d"]);
    expect(disabled).toBe(2);
  });

  test("that is cut is read as far as it goes", () => {
    const whole = notebook([markdown("[a](/a)"), markdown("[b](/b)"), markdown("[c](/c)")]);
    const { links, notes } = readNotebook(whole.slice(0, whole.indexOf("[c]") + 4), about);

    expect(links.map(({ href }) => href)).toEqual(["/a", "/b"]);
    expect(notes).toEqual(["Line 21 is not valid JSON; cells after it may be missing."]);
  });

  eachRow(["", "[]", "{}", '{"cells":{}}', "# Markdown", "[".repeat(200_000)])(
    "is not anything without cells",
    (text) => {
      expect(readNotebook(text, about)).toMatchObject({
        links: [],
        unreadable: "The file is not a notebook: it has no cells.",
      });
    },
  );
});
