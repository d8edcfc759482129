import { afterAll, describe, expect, test } from "bun:test";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../../server/documents/formats.ts";
import { createDocumentReader } from "../../server/documents/reader.ts";

/** Longer than any text of this size needs, were it not made for it. */
const SIZE = 100_000;
const repeated = (text: string) => text.repeat(Math.ceil(SIZE / text.length));

const PIECES = [
  "[a](",
  "[a]: ",
  "![",
  "[",
  "]",
  "[a][",
  "[x]",
  "[[",
  "![](",
  "<",
  "<a ",
  "<a href=",
  "<!--",
  "<!-- stillup-disable -->",
  "<template>",
  "</a>",
  "<svg><a>",
  '<img srcset="a 1x,',
  "<a href='",
  "&",
  "&#",
  "*",
  "_a",
  "**a",
  "~~",
  "`",
  "``a`",
  "> ",
  "- ",
  "1. a\n",
  "# ",
  "|",
  "| a |\n|---|\n",
  "\\",
  "(",
  "https://",
  "https://a.b/(",
  "https://a.b/)",
  "www.",
  "www.a_",
  "a@b.",
  "\0",
  "\uD800",
  "\r",
  "\n",
  "\t",
  "$$",
  "---\n",
  "[^1]: ",
  "a ",
];

/** Beginnings of markup that is read line by line. */
const OF_LINES = [
  ...[
    "`a ",
    "*a ",
    "|a ",
    "a_ ",
    "a:",
    ":a:`",
    "`a <b",
    ".. _a: b\n",
    ".. a::\n",
    "::\n\n",
    "+-",
    "+--+\n| a |\n",
  ],
  ...[
    "=== ===\na b\n",
    ">>> \n",
    '.. csv-table::\n\n   "a',
    ".. |a| image:: b\n",
    "http://a[",
    "link:a[",
  ],
  ...[
    "link:",
    "image:a[",
    "xref:",
    "<<a,",
    "{a}",
    "pass:[",
    "+a ",
    "stem:[",
    "#a ",
    "[[a,",
    "----\n",
    "|===\n|",
  ],
  ...[
    "a:: ",
    "= a\n",
    "= a     ",
    "a\n----\n",
    "ifdef::a[x]\n",
    ":a: {a}{a}\n",
    "x;http://",
    "////\n",
  ],
];

describe("Text that is made to keep a reader busy", () => {
  // Far more than the next document takes on a busy machine, and far less than the first one.
  const reader = createDocumentReader(3000);
  afterAll(() => reader.close());

  test("is given up after a time, and the next document is read", async () => {
    const name = "a.md";
    const slow = reader.read({ text: repeated("[a](").repeat(10), name, format: "markdown" });
    const next = reader.read({ text: "[a](/b)", name, format: "markdown" });

    await expect(slow).rejects.toThrow("Reading it takes longer than 3 s.");
    expect((await next).links.map(({ href }) => href)).toEqual(["/b"]);
  });

  test("is read by lines in a time that grows with its length only", async () => {
    const patient = createDocumentReader();
    for (const piece of [...PIECES, ...OF_LINES]) {
      for (const format of ["rst", "asciidoc"] as const) {
        const text = `${repeated(piece)}\n\nhttps://example.org/]`;
        expect(await patient.read({ text, name: piece, format })).toHaveProperty("links");
      }
    }
    await patient.close();
  });

  test("is not a run of spaces", async () => {
    const patient = createDocumentReader();
    const text = `a${" ".repeat(SIZE)}b [c](/d)${" ".repeat(SIZE)}`;

    const { links } = await patient.read({ text, name: "a.md", format: "markdown" });

    expect(links.map(({ href }) => href)).toEqual(["/d"]);
    await patient.close();
  });

  const hasty = createDocumentReader(300);
  afterAll(() => hasty.close());

  // MDX has the parser of Markdown, and is tried with texts of its own.
  const formats = Object.keys(DOCUMENT_FORMATS).filter((format) => format !== "mdx");
  for (const format of formats as DocumentFormat[]) {
    test(`does not end the program, as ${format}`, async () => {
      for (const piece of PIECES) {
        const read = hasty.read({ text: repeated(piece), name: "a", format });
        const end = await read.then(() => "read").catch(({ message }) => message);
        expect(end).toMatch(/^(?:read|Reading it takes longer than 0\.3 s\.)$/);
      }
    });
  }
});
