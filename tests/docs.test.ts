import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { DEAD_REASONS, UNKNOWN_REASONS } from "../server/checker/reasons.ts";

const docs = readFileSync("docs/verdicts.md", "utf8");

const code = [...new Bun.Glob("server/checker/**/*.ts").scanSync()]
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** The rules that the code names where it makes a signal; some of them have their name from a table. */
const named = [...code.matchAll(/\brule: "([a-z0-9_]+)"/g)].map(([, rule]) => rule!);

describe("The page about verdicts", () => {
  test("explains every reason", () => {
    const missing = [...DEAD_REASONS, ...UNKNOWN_REASONS].filter(
      (reason) => !docs.includes(`\`${reason}\``),
    );

    expect(missing).toEqual([]);
  });

  test("explains every rule that evidence may name, once, and no other", () => {
    const section = docs.slice(docs.indexOf("## Rules"));
    const explained = [...section.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, rule]) => rule!);

    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((rule) => !explained.includes(rule))).toEqual([]);
    expect(explained.filter((rule) => !code.includes(`"${rule}"`))).toEqual([]);
    expect(new Set(explained).size).toBe(explained.length);
  });
});
