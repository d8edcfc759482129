import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../tests/imports.ts";

const WEB = join(ROOT, "web/src");

/** What all pages share; each feature's own file stands in its folder. */
const SHARED = "styles";

type Sheet = { file: string; folder: string; selectors: string[] };

const filesOf = (pattern: string) => [...new Bun.Glob(pattern).scanSync(WEB)].sort();
const folderOf = (file: string) => file.split("/")[0]!;
const textOf = (file: string) => readFileSync(join(WEB, file), "utf8");

const sheets: Sheet[] = filesOf("**/*.css").map((file) => ({
  file,
  folder: folderOf(file),
  selectors: selectorsOf(textOf(file)),
}));

function selectorsOf(text: string): string[] {
  const rules = text.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{};]+)\{/g);
  return [...rules]
    .map(([, selector]) => selector!.trim())
    .filter((selector) => !selector.startsWith("@"))
    .flatMap(partsOf);
}

/** Selectors apart, but not what stands in the parentheses of one. */
function partsOf(selectors: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const letter of selectors) {
    depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

/** The classes that a selector begins with; what follows is styled inside them only. */
function leadsOf(selector: string): string[] {
  const [, choices] = /^:is\(([^()]*)\)/.exec(selector) ?? [];
  if (choices !== undefined) return partsOf(choices).flatMap(leadsOf);
  const [, lead] = /^[\w-]*\.(-?[a-z][\w-]*)/i.exec(selector) ?? [];
  return lead ? [lead] : [];
}

const leadsIn = (folder: string) =>
  new Set(
    sheets
      .filter((sheet) => sheet.folder === folder)
      .flatMap(({ selectors }) => selectors.flatMap(leadsOf)),
  );

const sharedNames = leadsIn(SHARED);
const features = [...new Set(sheets.map(({ folder }) => folder))].filter((f) => f !== SHARED);
const owned = new Map(features.map((feature) => [feature, leadsIn(feature)]));

/** The classes that only the feature's own sheets know. */
const ownedBy = (feature: string) =>
  [...owned.get(feature)!].filter((name) => !sharedNames.has(name));

/** The words of what is written as a class; expressions are searched for their strings. */
function classesIn(text: string): string[] {
  const given = text.matchAll(/\bclass(?:Name)?=(?:"([^"]*)"|\{([^}]*)\})/g);
  return [...given].flatMap(([, plain, expression = ""]) =>
    plain !== undefined
      ? plain.split(/\s+/)
      : [...expression.matchAll(/["`]([^"`]*)["`]/g)].flatMap(([, words]) => words!.split(/\s+/)),
  );
}

/** All classes of a selector. */
const namesIn = (selector: string) =>
  [...selector.replace(/"[^"]*"/g, "").matchAll(/\.(-?[a-z][\w-]*)/gi)].map(([, name]) => name!);

/** Classes by which scripts and tests find an element. */
function lookedFor(): Set<string> {
  const tests = [...new Bun.Glob("tests/{,web/}*.ts").scanSync(ROOT)];
  const texts = [
    ...filesOf("**/*.{ts,tsx}").map(textOf),
    ...tests.map((file) => readFileSync(join(ROOT, file), "utf8")),
  ];
  const strings = texts.flatMap((text) => [...text.matchAll(/["'`]([^"'`\n]*)["'`]/g)]);
  return new Set(strings.flatMap(([, string]) => namesIn(string!)));
}

/** Words in a class's expression that are not classes. */
const PARTS_OF_CODE = ["in", "expired", "exhausted"];

const usedIn = (feature: string) =>
  new Set(filesOf(`${feature}/*.tsx`).flatMap((file) => classesIn(textOf(file))));

describe("Of the dashboard's styles", () => {
  test("selectors and classes are found at all", () => {
    expect(sheets.flatMap(({ selectors }) => selectors).length).toBeGreaterThan(500);
    expect(usedIn("ui")).toContain("btn");
  });

  test("no feature's class is styled by another feature", () => {
    const taken = features.flatMap((feature) =>
      ownedBy(feature).flatMap((name) =>
        features
          .filter((other) => other > feature && owned.get(other)!.has(name))
          .map((other) => `.${name} of ${feature} is in ${other} as well`),
      ),
    );

    expect(taken).toEqual([]);
  });

  test("no feature's class is used by another folder", () => {
    const folders = [...new Set(filesOf("*/*.tsx").map(folderOf))];
    const borrowed = features.flatMap((feature) =>
      folders
        .filter((folder) => folder !== feature)
        .flatMap((folder) => {
          const used = usedIn(folder);
          return ownedBy(feature)
            .filter((name) => used.has(name) && !owned.get(folder)?.has(name))
            .map((name) => `${folder} uses .${name} of ${feature}`);
        }),
    );

    expect(borrowed).toEqual([]);
  });

  test("each class that is used has a rule, unless scripts look for it, and each rule is used", () => {
    const styled = new Set(sheets.flatMap(({ selectors }) => selectors.flatMap(namesIn)));
    const code = filesOf("**/*.{ts,tsx}").map(textOf).join("\n");
    const words = new Set(code.split(/[^\w-]+/));
    const isBuilt = (name: string) =>
      name
        .split("-")
        .some((_, n, parts) => n > 0 && code.includes(`${parts.slice(0, n).join("-")}-\${`));
    const looked = lookedFor();
    const used = filesOf("**/*.tsx").flatMap((file) =>
      classesIn(textOf(file)).map((name) => ({ name, file })),
    );

    expect([...styled].filter((name) => !words.has(name) && !isBuilt(name))).toEqual([]);
    expect(
      used
        .filter(({ name }) => /^[a-z][a-z0-9-]+$/.test(name) && !PARTS_OF_CODE.includes(name))
        .filter(({ name }) => !styled.has(name) && !looked.has(name) && !isBuilt(name))
        .map(({ name, file }) => `${name} in ${file}`),
    ).toEqual([]);
  });

  test("rules for other screens come last, so that they apply", () => {
    const hidden = sheets.filter(({ file }) => {
      const text = textOf(file).replace(/\/\*.*?\*\//gs, "");
      const [first = "", ...rest] = text.split(/^@media/m);
      return first.trim() === "" && rest.length > 0;
    });

    expect(hidden.map(({ file }) => file)).toEqual([]);
  });

  test("colors stand in the tokens only", () => {
    // What cameras read is dark on light in both themes, and the mark keeps its own color.
    const own = /\.qr\b[^}]*\}|\.mark\b[^}]*\}/g;
    const raw = sheets
      .filter(({ file }) => file !== "styles/tokens.css")
      .flatMap(({ file }) =>
        [
          ...textOf(file)
            .replace(own, "")
            .matchAll(/#[0-9a-f]{3,8}\b|\bhsla?\(/gi),
        ].map(([color]) => `${file}: ${color}`),
      );

    expect(raw).toEqual([]);
  });
});
