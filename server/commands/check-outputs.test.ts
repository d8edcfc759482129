import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  definitions,
  properties,
  required,
} from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { VERSION } from "../ground/lib/runtime.ts";

const { run } = createProgram();

const ROOT = process.cwd();

const check = (folder: string, args: string[], env: Record<string, string> = {}) =>
  run(["check", "--offline", "--root", folder, ...args, folder], env);

const FOLDER = {
  "docs/ä b.md": "🎉 [a | `b`](none.md)\n\n[c](#x) [d](../../out.md)",
  "a.md": "[e](a.md)",
};

describe("A report of check", () => {
  test("in SARIF has each place, dead ones first", async () => {
    const folder = folderWith(FOLDER);

    const { code, out } = await check(folder, ["--output", "sarif"]);

    const { version, runs } = JSON.parse(out);
    expect([code, version, runs.length, runs[0].columnKind]).toEqual([
      1,
      "2.1.0",
      1,
      "utf16CodeUnits",
    ]);
    const { tool, results } = runs[0];
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([
      ...["file_missing", "anchor_missing", "outside_tree"],
    ]);
    expect(results).toMatchObject([
      {
        ruleId: "file_missing",
        ruleIndex: 0,
        level: "error",
        message: { text: "none.md: There is no file “none.md”." },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "docs/%C3%A4%20b.md", uriBaseId: "%SRCROOT%" },
              region: { startLine: 1, startColumn: 14, endColumn: 21 },
            },
          },
        ],
      },
      { ruleId: "anchor_missing", ruleIndex: 1, level: "error" },
      { ruleId: "outside_tree", ruleIndex: 2, level: "warning" },
    ]);
  });

  test("in SARIF has a rule for each reason, which says what it means and where to read more", async () => {
    const folder = folderWith({
      ...FOLDER,
      "c.md": "[f](other.md#b) [g](<http://>)",
      "other.md": "",
    });
    const job = {
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_ACTION_REPOSITORY: "owner/stillup",
    };

    const { out } = await check(folder, ["--output", "sarif"], job);
    const elsewhere = await check(folder, ["--output", "sarif"], {
      ...job,
      GITHUB_ACTION_REPOSITORY: "owner/other",
    });

    const { rules } = JSON.parse(out).runs[0].tool.driver;
    const docs = `https://git.example/owner/stillup/blob/v${VERSION}/docs/check.md`;
    expect(rules).toContainEqual({
      id: "anchor_missing",
      shortDescription: { text: "anchor missing" },
      fullDescription: { text: "The file or page has no such anchor." },
      helpUri: `${docs}#links-between-files`,
    });
    expect(rules.map(({ helpUri }: { helpUri: string }) => helpUri)).toEqual(
      Array(rules.length).fill(`${docs}#links-between-files`),
    );
    expect(elsewhere.out).not.toContain("helpUri");
  });

  test("in SARIF is what the standard says, whatever is found", async () => {
    // Of an old version of JSON Schema, of which it uses only what has not changed.
    const schema = {
      type: "object",
      additionalProperties: false,
      definitions,
      properties,
      required,
    };
    const validate = addFormats(
      new Ajv({ strict: false, allErrors: true, unicodeRegExp: false }),
    ).compile(schema);
    const folder = folderWith({ ...FOLDER, "many.md": "[a](<b\n|:%,.md>)\n".repeat(5001) });
    const refused = "http://127.0.0.1/";
    const reports = [
      await check(folder, ["--output", "sarif"]),
      await check(folder, ["--output", "sarif", "--exclude", "."]),
      await check(folder, ["--output", "sarif"], {
        GITHUB_SERVER_URL: "https://git.example",
        GITHUB_ACTION_REPOSITORY: "owner/stillup",
      }),
      await run(["check", "--output", "sarif", refused]),
    ];

    for (const { out } of reports) {
      validate(JSON.parse(out));
      expect(validate.errors).toBeNull();
    }
    expect(reports.at(-1)!.out).toContain(refused);
  });

  test("in SARIF keeps the fingerprints when lines move, and tells equal links apart", async () => {
    const folder = folderWith({ "a.md": "[a](none.md) [b](none.md)" });
    const moved = folderWith({ "a.md": "New.\n\n[a](none.md) and [b](none.md)" });
    const printsOf = async (of: string) =>
      JSON.parse((await check(of, ["--output", "sarif"])).out).runs[0].results.map(
        (result: { partialFingerprints: Record<string, string> }) =>
          result.partialFingerprints["stillupLink/v1"],
      );

    const [before, after] = [await printsOf(folder), await printsOf(moved)];

    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(2);
  });

  test("in SARIF has so many results as GitHub takes, and says how many more there are", async () => {
    const folder = folderWith({ "a.md": "[a](b.md)\n".repeat(5001) });

    const { out } = await check(folder, ["--output", "sarif"]);

    const { results, invocations } = JSON.parse(out).runs[0];
    expect(results.length).toBe(5000);
    expect(invocations[0].toolExecutionNotifications[0].message.text).toBe("1 more were left out.");
  });

  test("for GitHub has annotations that run no commands, ten of a kind, and a summary", async () => {
    const folder = folderWith({
      "a,b:c.md": `[x](<100%,::error::\\:.md>)\n\n${"[y](none.md)\n\n".repeat(11)}`,
      "summary.md.out": "before\n",
    });
    const summary = join(folder, "summary.md.out");

    const { out } = await check(folder, ["--output", "github"], { GITHUB_STEP_SUMMARY: summary });

    const commands = out.split("\n").filter((line) => line.startsWith("::"));
    expect(commands.length).toBe(10);
    expect(commands[0]).toBe(
      "::error file=a%2Cb%3Ac.md,line=1,col=6,endColumn=25,title=Dead link::100%25,::error:::.md: There is no file “100%,::error:::.md”.".replace(
        "“100%,",
        "“100%25,",
      ),
    );
    expect(commands[9]).toBe("::error title=Dead link::3 more, see the summary.");
    expect(out).toContain("12 dead, 0 unknown");
    const written = readFileSync(summary, "utf8");
    expect(written).toStartWith("before\n<!-- stillup -->\n**12 dead, 0 unknown, 0 active.**\n");
    expect(written.match(/none\.md/g)!.length).toBe(22);
  });

  test("in Markdown is a comment that no document writes into, folded if it is long", async () => {
    const folder = folderWith({
      "a.md": "[@all \\<b\\>](<x`|y.md>)",
      "b.md": "[x](none.md)\n".repeat(900),
    });
    const env = {
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_REPOSITORY: "o/r",
      GITHUB_SHA: "abc",
    };

    const { out } = await check(folder, ["--output", "markdown"], env);

    const lines = out.split("\n");
    expect(lines[0]).toBe("<!-- stillup -->");
    expect(lines[1]).toMatch(/^\*\*\d+ dead, 0 unknown, 0 active\.\*\*$/);
    expect(lines).toContain("<details><summary>All places</summary>");
    expect(lines.find((line) => line.includes("a.md:1"))).toBe(
      "| [`a.md:1`](https://github.example/o/r/blob/abc/a.md?plain=1#L1) | `x'\\|y.md` `@all <b>` | dead: There is no file “x\\`\\|y.md”. |",
    );
    expect(out.length).toBeLessThanOrEqual(65_000);
    expect(lines.filter((line) => /^\d+ more are not shown\.$/.test(line))).toHaveLength(1);
  });

  test.each(["", "json", "junit", "sarif", "github", "markdown"])(
    "has nothing that a terminal or a CI system obeys: %p",
    async (format) => {
      const bad =
        "\x1b]0;t\x07\x9b2J\x7f \u202Eabc\u2066\u200F\u2028 ##[set-output name=a;]b ##vso[task.x]";
      const commands = "::set-output name=a::b%0A::add-mask::c\r";
      const text = `[${bad}${commands}](<${commands}${bad}>) [x](<${bad}.md>)\n`;
      const folder = folderWith({
        [`\x1b ${commands.trim()}.md`]: text,
        "a.md": `${text}<a href="::error::${bad}">${bad}</a>`,
        "\x07::stop-commands::x.md": new Uint8Array([0xe4]),
      });
      process.chdir(folder);

      const { code, out, err } = await check(".", format ? ["--output", format] : []);
      process.chdir(ROOT);

      expect(code).toBe(1);
      expect(out).toContain("set-output name=a;]b");
      for (const line of [...out.split("\n"), ...err.split("\n")]) {
        expect(line).not.toMatch(/[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]|##\w*\[/u);
        expect(line).not.toMatch(/^\s*::(?!error (?:file|title)=|warning (?:file|title)=)/);
      }
      if (format === "json" || format === "sarif")
        expect(out).toContain("\\u001b]0;t\\u0007\\u009b");
    },
  );

  test("may be several at once, each in a file of its own", async () => {
    const folder = folderWith(FOLDER);
    const [sarif, junit, json] = ["r.sarif", "r.xml", "r.ndjson"].map((name) => join(folder, name));

    const { code, out } = await check(folder, [
      ...["--output", `sarif:${sarif}`, "--output", `json:${json}`, "--junit", junit!],
      "--exit-zero",
    ]);

    expect([code, out.trim().split("\n").at(-1)]).toEqual([
      ...[0, "2 dead, 1 unknown, 0 active, 1 local."],
    ]);
    expect(JSON.parse(readFileSync(sarif!, "utf8")).runs[0].results.length).toBe(3);
    expect(readFileSync(json!, "utf8").trim().split("\n").length).toBe(4);
    expect(readFileSync(junit!, "utf8")).toContain('tests="4" failures="2" errors="1"');
  });

  test.each([
    [
      ["--output", "pdf"],
      '--output "pdf" must begin with one of json, junit, sarif, github, markdown.',
    ],
    [["--output", "sarif", "--json"], "Only one report can be on standard output"],
    [["--output", "sarif", "--output", "junit"], "Only one report can be on standard output"],
    [["--output", "sarif:x/../r", "--junit", "r"], "Two reports cannot be in the same file"],
  ])("is refused: %j", async (args, problem) => {
    const { code, out, err } = await run(["check", "--offline", ...args, "README.md"]);

    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(problem);
  });

  test("in a file that cannot be written is refused before anything is checked", async () => {
    const { code, err } = await run([
      ...["check", "--offline", "--output", "sarif:/nowhere/r.sarif", "README.md"],
    ]);

    expect(code).toBe(64);
    expect(err).toContain("The report cannot be written");
  });

  test("is written although the summary of the job cannot be", async () => {
    const folder = folderWith({ "a.md": "[a](a.md)" });

    const { code, err } = await check(folder, ["--output", "github"], {
      GITHUB_STEP_SUMMARY: folder,
    });

    expect([code, err]).toEqual([0, expect.stringContaining("The summary cannot be written")]);
  });
});
