import { afterAll, describe, expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { sized } from "../../../tests/long.ts";
import { DOCUMENT_FORMATS, type DocumentFormat } from "./formats.ts";
import { createDocumentReader } from "./reader.ts";

/** Longer than any text of this size needs, were it not made for it. */
const SIZE = sized(20_000, 100_000);
const repeated = (text: string) => text.repeat(Math.ceil(SIZE / text.length));

/** Beginnings of text that some readers may take long for. */
const { anywhere: PIECES, in_lines: OF_LINES } = yamlIn<{
  anywhere: string[];
  in_lines: string[];
}>(import.meta.dir, "hostile.yaml");

describe("Text that is made to keep a reader busy", () => {
  test("is given up after a time, and the next document is read", async () => {
    const clock = movableClock(0);
    const reader = createDocumentReader(5000, clock);
    const name = "a.md";
    const endless = "[a](".repeat(250_000);
    const slow = reader.read({ text: endless, name, format: "markdown" }).catch((error) => error);
    const next = reader.read({ text: "[a](/b)", name, format: "markdown" });
    // It begins in its turn.
    await Promise.resolve();

    clock.moveBy(5000);

    expect((await slow).message).toBe("Reading it takes longer than 5 s.");
    expect((await next).links.map(({ href }) => href)).toEqual(["/b"]);
    await reader.close();
  });

  const patient = createDocumentReader();
  // Markdown, of which some take longer for each letter, is given up where that is too long.
  const hasty = createDocumentReader(sized(5000, 300));
  afterAll(() => Promise.all([patient.close(), hasty.close()]));

  const LINEAR = Object.keys(DOCUMENT_FORMATS).filter((format) => !/^(markdown|mdx)$/.test(format));

  eachRow(LINEAR as DocumentFormat[])(
    "is read in a time that grows with its length only",
    async (format) => {
      for (const piece of [...PIECES, ...OF_LINES]) {
        const text = `${repeated(piece)}\n\nhttps://example.org/]`;
        expect(await patient.read({ text, name: piece, format })).toHaveProperty("links");
      }
    },
  );

  test("does not end the program, as Markdown", async () => {
    for (const piece of PIECES) {
      const read = hasty.read({ text: repeated(piece), name: "a", format: "markdown" });
      const end = await read.then(() => "read").catch(({ message }) => message);
      expect(end).toMatch(/^(?:read|Reading it takes longer than .* s\.)$/);
    }
  });

  test("is not a run of spaces", async () => {
    const text = `a${" ".repeat(SIZE)}b [c](/d)${" ".repeat(SIZE)}`;

    const { links } = await patient.read({ text, name: "a.md", format: "markdown" });

    expect(links.map(({ href }) => href)).toEqual(["/d"]);
  });
});
