import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What all pages share, and may refine; every other file styles its own thing. */
const SHARED = ["ground", "controls", "words", "frame", "lists", "charts"];

const FOLDER = join(import.meta.dir, "../../web/src/styles");

/** The selectors of each file, one by one. */
const sheets = [...new Bun.Glob("*.css").scanSync(FOLDER)].sort().map((file) => ({
  name: file.slice(0, -".css".length),
  selectors: selectorsOf(readFileSync(join(FOLDER, file), "utf8")),
}));

function selectorsOf(text: string): string[] {
  const rules = text.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{};]+)\{/g);
  return [...rules]
    .map(([, selector]) => selector!.trim())
    .filter((selector) => !selector.startsWith("@"))
    .flatMap((selector) => selector.split(/,\s*/));
}

const namesIn = (selector: string) =>
  [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!);

/** What a file styles wherever it stands: no other may give the name another meaning. */
const ownedBy = (selectors: string[]) =>
  new Set(selectors.filter((selector) => /^\.[\w-]+$/.test(selector)).map((one) => one.slice(1)));

describe("Of the dashboard's styles", () => {
  test("selectors are found at all", () => {
    expect(sheets.flatMap(({ selectors }) => selectors).length).toBeGreaterThan(500);
  });

  test("no page's file takes a name that another one uses", () => {
    const pages = sheets.filter(({ name }) => !SHARED.includes(name));
    const taken = pages.flatMap((page) =>
      [...ownedBy(page.selectors)].flatMap((name) =>
        sheets
          .filter((other) => other !== page && other.selectors.flatMap(namesIn).includes(name))
          .map((other) => `.${name} of ${page.name} is in ${other.name}`),
      ),
    );

    expect(taken).toEqual([]);
  });
});
