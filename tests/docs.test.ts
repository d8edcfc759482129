import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { printConfig } from "../server/ground/config/config.ts";
import { DEAD_REASONS, UNKNOWN_REASONS } from "../server/judge/reasons/reasons.ts";
import { productFiles, testFiles } from "./imports.ts";

const docs = readFileSync("docs/verdicts.md", "utf8");

const code = productFiles()
  .filter((file) => file.startsWith("server/judge/"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** The rules that the code names where it makes a signal; some of them have their name from a table. */
const named = [
  ...code.matchAll(
    /(?:\brule: |\b(?:challenge|consent|login|maintenance|[a-z]+Block)\(\s*)"([a-z0-9_]+)"/g,
  ),
].map(([, rule]) => rule!);

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

test("The page about the dashboard has every key that its help has", () => {
  const page = readFileSync("docs/dashboard.md", "utf8");
  const places = readFileSync("web/src/frame/places.ts", "utf8");
  const help = readFileSync("web/src/frame/help.tsx", "utf8");
  const keys = [
    ...[...help.matchAll(/^ {2}"?([^":.]+)"?: "/gm)].flatMap(([, keys]) => keys!.split(" ")),
    ...[...places.matchAll(/\bkey: "(.)"/g)].map(([, key]) => `g ${key}`),
  ];

  expect(keys.length).toBeGreaterThan(25);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

/** What `install.sh`, the build of a release and the examples call so. */
const NO_SETTINGS = [
  "STILLUP_KEY",
  "STILLUP_RELEASE_KEY",
  "STILLUP_RELEASE_URL",
  "STILLUP_SIGNING_KEY",
  "STILLUP_SERVER",
  "STILLUP_API_KEY",
];

describe("The pages for people", () => {
  const pages = ["*.md", "docs/*.md"].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync()]);

  test("lead to headings that are there", () => {
    const headings = (page: string) =>
      [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
        text!
          .toLowerCase()
          .replace(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
      );
    const broken = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)]
        .map(
          ([, target, anchor]) => [target ? join(dirname(page), target) : page, anchor!] as const,
        )
        .filter(([target, anchor]) => target.endsWith(".md") && !headings(target).includes(anchor))
        .map(([target, anchor]) => `${page}: ${target}#${anchor}`),
    );

    expect(broken).toEqual([]);
  });

  test("name tests that are there", () => {
    const files = testFiles();
    const named = pages.flatMap(
      (page) => readFileSync(page, "utf8").match(/[\w./-]+\.test\.ts/g) ?? [],
    );

    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !files.some((file) => file.endsWith(name)))).toEqual([]);
  });

  test("link to nothing that is not there", () => {
    const broken = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/(?:\]\(|src(?:set)?=")([^)#"\s]+)[^)"]*[)"]/g)]
        .map(([, target]) => target!)
        .filter((target) => !target.includes(":") && !existsSync(join(dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );

    expect(pages).toContain("README.md");
    expect(broken).toEqual([]);
  });

  test("tell every setting", () => {
    const page = readFileSync("docs/settings.md", "utf8");
    const settings = printConfig({}, {}).matchAll(/^STILLUP_[A-Z_]+/gm);
    const untold = [...settings].map(([name]) => name).filter((name) => !page.includes(name));

    expect(untold).toEqual([]);
  });

  test("name no setting that is not there", () => {
    const known = [...printConfig({}, {}).matchAll(/^STILLUP_[A-Z_]+/gm)].map(([name]) => name);
    const ours = [...known, ...NO_SETTINGS];
    const unknown = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/STILLUP_[A-Z_]+/g)]
        .map(([name]) => name)
        .filter((name) => !ours.includes(name))
        .map((name) => `${page}: ${name}`),
    );

    expect(unknown).toEqual([]);
  });

  test("tell every command", async () => {
    const page = readFileSync("docs/commands.md", "utf8");
    const help = await $`bun server/main.ts help`.text();
    const commands = [...help.slice(help.indexOf("Commands:")).matchAll(/^ {2}([a-z-]+)/gm)];
    const untold = commands
      .map(([, name]) => name!)
      .filter((name) => !page.includes(`stillup ${name}`));

    expect(commands.length).toBeGreaterThan(8);
    expect(untold).toEqual([]);
  });
});
