import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeHTML } from "entities";
import { eachRow } from "../../../tests/each-row.ts";
import { readAsciidoc } from "./asciidoc.ts";
import type { FoundLink, ReadDocument } from "./document.ts";
import { readRst } from "./rst.ts";

/** What docutils 0.19 and Asciidoctor 2.0.23 made of each document. Links without `mailto:`; ids of sections and targets. */
type Recorded = Record<string, { links: string[]; ids: string[] }>;

const FORMATS: [folder: string, ending: string, read: ReadDocument][] = [
  ["rst", ".rst", readRst],
  ["asciidoc", ".adoc", readAsciidoc],
];

const hrefOf = ({ element, href }: FoundLink) => (element === "link" ? href : `${element} ${href}`);

describe.each(FORMATS)("The recorded documents of %s", (folder, ending, read) => {
  const path = join(import.meta.dir, "../../../tests/documents", folder);
  const recorded: Recorded = JSON.parse(readFileSync(join(path, "links.json"), "utf8"));
  const files = readdirSync(path).filter((file) => file.endsWith(ending));
  const textOf = (file: string) => readFileSync(join(path, file), "utf8");
  const linksIn = (text: string, name: string) =>
    read(text, { name }).links.filter(({ element }) => element !== "definition");

  test("are thirty", () => {
    expect(files.sort()).toEqual(Object.keys(recorded).sort());
    expect(files.length).toBe(30);
  });

  eachRow(files)("have the links that were recorded", (file) => {
    const found = linksIn(textOf(file), file)
      .map(hrefOf)
      .filter((href) => !href.startsWith("mailto:"));

    expect(found.sort()).toEqual(recorded[file]!.links);
  });

  eachRow(files)("have the anchors that were recorded", (file) => {
    const { anchors } = read(textOf(file), { name: file });

    expect(recorded[file]!.ids.filter((id) => !anchors.includes(id))).toEqual([]);
  });

  eachRow(files)("have them at their places, whatever ends their lines", (file) => {
    const text = textOf(file);
    const places = (given: string) => linksIn(given, file).map(({ from, to, ...link }) => link);
    const expected = places(text);

    expect(places(text.replaceAll("\n", "\r\n"))).toEqual(expected);
    expect(places(text.replaceAll("\n", "\r"))).toEqual(expected);
    expect(places(`\uFEFF${text}`)).toEqual(expected);
  });

  eachRow(files)("have each address where its link says", (file) => {
    const text = textOf(file);
    const lines = text.split("\n");
    const elsewhere = linksIn(text, file).filter((link) => {
      const written = text.slice(link.from, link.to);
      const inLine = lines[link.line - 1]!.slice(link.column - 1, link.endColumn - 1);
      return inLine === "" || !written.startsWith(inLine) || !isWritten(link.href, written);
    });

    expect(elsewhere).toEqual([]);
  });
});

/** Whether an address may be written so: with escapes, over lines, or as the name of what has it. */
function isWritten(href: string, written: string): boolean {
  const isName = !/[/.]/.test(written) || /[{<|]/.test(written);
  const start = /^[\w:/.%-]+/.exec(decodeHTML(written).replace(/\s+|^pass:\[/g, ""))?.[0] ?? "";
  return isName || href.includes(start.slice(0, 8));
}
