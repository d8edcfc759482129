import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "./imports.ts";

/**
 * A sentence of a document, by its beginning: a promise with the tests that prove it, or an explanation that promises
 * nothing. A test is named by the beginning of its title, after those of the `describe`s around it if it needs them:
 * "Two accounts > neither can put anything".
 */
type Entry = { promise: string; tests: string[] } | { explains: string };

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const list: Record<string, Entry[]> = parse(read("tests/promises.yaml"));
const beginningOf = (entry: Entry) => ("promise" in entry ? entry.promise : entry.explains);
const promises = Object.values(list).flatMap((entries) =>
  entries.flatMap((entry) => ("promise" in entry ? [entry] : [])),
);

describe.each(Object.keys(list))("Of %s", (page) => {
  const sentences = sentencesIn(read(page));
  const beginnings = list[page]!.map(beginningOf);

  test("every sentence is a promise with tests, or an explanation", () => {
    const undecided = sentences.filter(
      (sentence) => beginnings.filter((each) => sentence.startsWith(each)).length !== 1,
    );

    expect(undecided).toEqual([]);
  });

  test("everything in the list is a sentence", () => {
    const missing = beginnings.filter(
      (each) => sentences.filter((sentence) => sentence.startsWith(each)).length !== 1,
    );

    expect(missing).toEqual([]);
  });
});

test("Every promise has tests, each of which is in one file", () => {
  const sources = ["tests", "server", "web/src"].flatMap((folder) =>
    [...new Bun.Glob(`${folder}/**/*.{test.ts,yaml}`).scanSync({ cwd: ROOT })]
      .filter((path) => path !== "tests/promises.yaml")
      .map((path) => ({ path, titles: titlesIn(path, read(path)) })),
  );
  const lost = promises.flatMap(({ promise, tests }) => {
    const wrong = tests.flatMap((name) => {
      const files = sources.filter(({ titles }) => hasTest(titles, name.split(" > ")));
      const places = files.map(({ path }) => path).join(", ");
      return files.length === 1 ? [] : [`${name}: in ${places || "no file"}`];
    });
    return tests.length > 0 && wrong.length === 0 ? [] : [{ promise, tests: wrong }];
  });

  expect(lost).toEqual([]);
});

test("Sentences are found in paragraphs, lists and tables", () => {
  const page =
    "# Head\n\nOne sentence, see v0.1. `two` is\nanother.\n\n- item one\n  goes on\n- item two\n\n| a | b |\n|---|---|\n| c | d. E |\n";

  expect(sentencesIn(page)).toEqual([
    "One sentence, see v0.1.",
    "`two` is another.",
    "item one goes on",
    "item two",
    "c | d. E",
  ]);
});

test("Titles are found in calls and in YAML, unless their tests are skipped", () => {
  const code = `describe("A", () => {
    test.each([["x", 1]])("b %s", () => {});
    test.skip("c", () => {});
    story(\n"d", async () => {});
    // test("e")
  });`;

  expect(titlesIn("a.test.ts", code)).toEqual(["A", "x", "b %s", "d"]);
  expect(titlesIn("a.yaml", '- name: "f"\n  rows:\n  - g: 1')).toEqual(["f", "1"]);
  expect(hasTest(["A", "b %s", "d"], ["A", "b"])).toBeTrue();
  expect(hasTest(["A", "b %s", "d"], ["d", "b"])).toBeFalse();
});

/** Each row of a table is one. */
function sentencesIn(page: string): string[] {
  const blocks = page
    .replace(/^(#.*|\|.*\n\|--.*|)$/gm, "\n")
    .split(/\n(?=- |\|)|\n\s*\n/)
    .map((block) => block.replace(/\s+/g, " ").trim())
    .filter((block) => block !== "");
  return blocks.flatMap((block) =>
    block.startsWith("|")
      ? [block.replace(/^\| | \|$/g, "")]
      : block.replace(/^- /, "").split(/(?<=[.!?]) (?=\S)/),
  );
}

/** The texts that calls begin with, in the order of the file; of YAML the texts of all fields and items. */
function titlesIn(path: string, source: string): string[] {
  if (path.endsWith(".yaml"))
    return [...source.matchAll(/(?:: |- )["']?([^"'\n:]+)["']?$/gm)].map(([, title]) => title!);
  const calls = source
    .replace(/^\s*(\/\/|\*).*$/gm, "")
    .matchAll(/(\.skip|\.todo)?[([]\s*(["'`])((?:(?!\2)[^\\\n]|\\.)*)\2/g);
  return [...calls].filter(([, skipped]) => !skipped).map(([, , , title]) => title!);
}

/** Whether there are titles that begin so, one after the other. */
function hasTest(titles: string[], path: string[]): boolean {
  let found = 0;
  for (const title of titles) if (found < path.length && title.startsWith(path[found]!)) found++;
  return found === path.length;
}
