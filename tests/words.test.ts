import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./imports.ts";

const READ_BY_PEOPLE = [
  "*.md",
  "docs/**/*.{md,yaml}",
  "install.sh",
  "server/**/*.{ts,sql,yaml}",
  "drizzle/*.sql",
  "web/index.html",
  "web/src/**/*.{ts,tsx,css}",
  "{tests,bench}/**/*.{ts,js,yaml,json}",
];

/** Texts that come from elsewhere, the responses of real services among them, and the list of words itself. */
const NOT_OURS = /public-suffixes|^tests\/checker\/services\/rows\/|^tests\/words\.test\.ts$/;

/** Bookish words, each with a plain one that says the same: anyone who, again, next to, sent, no one, fix, failed, so. */
const BOOKISH =
  /\b(whoever|whom|anew|beside|told|tells? of|nobody|somebody|goes by|go by|has it be|lets? in|the way there|mend(s|ed|ing)?|in vain|thus|at work|by itself)\b/gi;
/** "is no file" for "is not a file"; "there is no file" and "is no longer" are plain. */
const IS_NO = /(?<!there )(?<!there's )\b(is|are|was|were) no (?!longer\b|more\b|one\b)[a-z]+/gi;

test("The product and its tests speak plain English", () => {
  const found = READ_BY_PEOPLE.flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: ROOT }),
  ])
    .filter((file) => !NOT_OURS.test(file))
    .flatMap((file) =>
      bookishIn(readFileSync(join(ROOT, file), "utf8")).map((words) => `${file}: ${words}`),
    );

  expect(found).toEqual([]);
});

test("Bookish words are found in names and across the lines of a comment", () => {
  const source =
    "const toldOnce = 1;\n/** A file that is\n * no text. */\n// There is no\n// file.";

  expect(bookishIn(source)).toEqual(["told", "is no text"]);
});

/** Finds words in names as well, of which each capital begins one. */
function bookishIn(text: string): string[] {
  const words = text
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .replace(/\n\s*(\*(?!\/)|\/\/)?/g, " ")
    .replace(/\s+/g, " ");
  return [BOOKISH, IS_NO].flatMap((pattern) => words.match(pattern) ?? []);
}
