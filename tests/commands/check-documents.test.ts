import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "./program.ts";

describe("stillup check, given documents,", () => {
  const { run } = createProgram({
    STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    STILLUP_CONFIRM_DELAYS_MS: "0",
    STILLUP_HOST_GAP_MS: "0",
  });
  let site: ReturnType<typeof Bun.serve>;
  let base: string;
  const asked: string[] = [];
  beforeAll(() => {
    site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        const { pathname } = new URL(url);
        asked.push(pathname);
        if (!["/here", "/here(1)/a", "/once"].includes(pathname))
          return new Response("gone", { status: 410 });
        return new Response("<!doctype html><title>Here</title><p>A page with words.", {
          headers: { "content-type": "text/html" },
        });
      },
    });
    base = `http://127.0.0.1:${site.port}`;
  });
  afterAll(() => site.stop(true));

  test("says where each dead link stands, in the order of files and lines", async () => {
    const folder = folderWith({
      "b.md": `# See [a](${base}/gone)\n\n\`${base}/code\` [b](${base}/here(1)/a)`,
      "a.html": `<p>\n<a href="${base}/gone/2">b &amp; c</a> <a href="${base}/gone">d</a>`,
    });
    const file = (name: string) => join(folder, name);

    const { code, out, err } = await run(["check", file("b.md"), file("a.html")]);

    const gone = "The server returned 410: the page is gone for good.";
    expect([code, err]).toEqual([1, ""]);
    expect(out.trimEnd().split("\n")).toEqual([
      `${file("a.html")}:2:10  dead  ${base}/gone/2  "b & c"  ${gone}`,
      `${file("a.html")}:2:${42 + base.length}  dead  ${base}/gone  "d"  ${gone}`,
      `${file("b.md")}:1:11  dead  ${base}/gone  "a"  ${gone}`,
      "2 dead, 0 unknown, 1 active.",
    ]);
    expect(asked).toContain("/here(1)/a");
    expect(asked).not.toContain("/code");
  });

  test("reads a document that is named as a list, or comes from standard input", async () => {
    const text = `# Title\n\nNo link here.\n\nSee [a](${base}/here).\n`;
    const file = join(folderWith({ "README.md": text }), "README.md");

    const named = await run(["check", "-f", file]);
    const piped = await run(["check", "-f", "-"], {}, text);
    const called = await run(
      ["check", "-f", "-", "--stdin-name", "docs/a.html"],
      {},
      `<a href="${base}/gone">a</a>`,
    );

    expect(named).toEqual({ code: 0, out: "0 dead, 0 unknown, 1 active.\n", err: "" });
    expect(piped).toEqual(named);
    expect(called.out).toStartWith(`docs/a.html:1:10  dead  ${base}/gone  "a"`);
  });

  test("asks for each URL once, and says what it leaves out", async () => {
    const file = join(
      folderWith({
        "a.md": [
          `[a](${base}/once) [b](${base}/once) <${base}/once>`,
          "[c](b.md) [d](mailto:a@example.org) [e]({{ site.url }}/x) <!-- stillup-disable-line -->",
          "[c](b.md) [d](mailto:a@example.org) [e]({{site.url}}/x)",
        ].join("\n"),
        "b.md": "",
      }),
      "a.md",
    );

    const { code, out } = await run(["check", file]);

    expect([code, out]).toEqual([
      0,
      "0 dead, 0 unknown, 1 active, 1 local, 2 left out, 2 disabled by comments.\n",
    ]);
    expect(asked.filter((path) => path === "/once")).toHaveLength(1);
  });

  test("finds addresses that are no URL dead, where they stand", async () => {
    const file = join(folderWith({ "a.md": "[a](http://) and [b](<https://exa mple/>)" }), "a.md");

    const { code, out } = await run(["check", "--json", file]);

    expect(code).toBe(1);
    const [first, second] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      ...{ url: "http://", status: "dead", reason: "bad_url", via: "document", evidence: null },
      places: [{ file, line: 1, column: 5, end_column: 12, text: "a", element: "link" }],
    });
    expect(second).toMatchObject({ url: "https://exa mple/", reason: "bad_url" });
  });

  test("writes a JUnit report with a suite for each file", async () => {
    const folder = folderWith({
      "a.md": `[x](${base}/gone)\n\n[y](${base}/here)`,
      "b&c.md": `[x](${base}/gone)`,
    });
    const junit = join(folder, "report.xml");

    await run(["check", join(folder, "a.md"), join(folder, "b&c.md"), "--junit", junit]);

    const report = readFileSync(junit, "utf8");
    expect(report).toContain('<testsuites tests="3" failures="2" errors="0" skipped="0">');
    expect(report).toContain(`<testsuite name="${folder}/a.md" tests="2" failures="1"`);
    expect(report).toContain(
      `<testcase classname="${folder}/b&amp;c.md" name="1:5 ${base}/gone" file="${folder}/b&amp;c.md" line="1"><failure`,
    );
  });

  test.each([
    ["that is not there", "none.md", "does not exist."],
    [
      "of another format",
      "a.pdf",
      "is not a URL with a scheme, nor a document in a format that is read.",
    ],
    ["that is not text", "zero.md", "is not a text file"],
    ["in another encoding", "latin.md", "is not in UTF-8 or UTF-16."],
    ["that is too long", "long.md", "cannot be read: it is larger than 2 MiB."],
  ])("refuses one %s before it checks anything", async (_, name, problem) => {
    const folder = folderWith({
      "a.pdf": "%PDF-1.7",
      "zero.md": "a\0b",
      "latin.md": new Uint8Array([0x61, 0xe4, 0x62]),
      "long.md": "a".repeat(2 * 1024 * 1024 + 1),
    });

    const { code, out, err } = await run(["check", join(folder, name), `${base}/unasked`]);

    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(problem);
    expect(asked).not.toContain("/unasked");
  });

  test("names the cell of a notebook", async () => {
    const cells = [
      { cell_type: "code", source: "1", outputs: [] },
      { cell_type: "markdown", source: "[a](none.md)" },
    ];
    const folder = folderWith({ "a.ipynb": JSON.stringify({ cells, metadata: {} }, null, 1) });
    const reported = async (output: string) =>
      (await run(["check", "--offline", "--output", output, folder])).out;

    const { out } = await run(["check", "--offline", folder]);

    expect(out).toContain('dead  none.md  "a"  Cell 2: There is no file “none.md”.');
    expect(JSON.parse(await reported("json")).places[0].cell).toBe(2);
    for (const output of ["sarif", "github", "junit", "markdown"]) {
      expect(await reported(output)).toContain("Cell 2: There is no file “none");
    }
  });

  test("may be started twice at once in a process", async () => {
    const folder = folderWith({ "a.md": "[a](none.md)" });
    const runs = await Promise.all([1, 2].map(() => run(["check", "--offline", folder])));
    expect(runs.map(({ out }) => out.split("\n").length)).toEqual([3, 3]);
  });

  test("reads UTF-16", async () => {
    const text = Buffer.from(`\uFEFF[ä](${base}/here)`, "utf16le");

    const { code, out } = await run(["check", join(folderWith({ "a.md": text }), "a.md")]);

    expect([code, out]).toEqual([0, "0 dead, 0 unknown, 1 active.\n"]);
  });
});

test("Our own documents have no wrong address, and nothing that check takes for a list", async () => {
  const { run } = createProgram();
  const files = ["README.md", "CHANGELOG.md", ...new Bun.Glob("docs/*.md").scanSync()];

  const { code, out, err } = await run(["check", "--offline", ...files]);

  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^0 dead, 0 unknown, 0 active, \d{2,} local, \d+ not requested/);
});
