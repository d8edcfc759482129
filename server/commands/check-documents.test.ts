import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

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

  test("reports invalid URLs as dead, with their place", async () => {
    const file = join(folderWith({ "a.md": "[a](http://) and [b](<https://exa mple/>)" }), "a.md");

    const { code, out } = await run(["check", "--json", file]);

    expect(code).toBe(1);
    const [first, second] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      url: "http://",
      status: "dead",
      reason: "bad_url",
      via: "document",
      evidence: null,
      places: [{ file, line: 1, column: 5, end_column: 12, text: "a", element: "link" }],
    });
    expect(second).toMatchObject({ url: "https://exa mple/", reason: "bad_url" });
  });

  test("leaves out placeholders, and the machine of its reader unless that may be checked", async () => {
    const hosts = [
      "https://$HOST/",
      "https://*.a.example/",
      "http://{host}/",
      "//{host}/a",
      "https://[host]/",
    ];
    const text = hosts.map((host) => `[a](<${host}>)`).join(" ");
    const own = `http://localhost:${site.port}/here ${base}/here http://[::1]/`;
    const folder = folderWith({ "a.md": text, "b.md": `${own} [c](${base}/here)` });

    const placeholders = await run(["check", join(folder, "a.md")]);
    const forbidden = await run(["check", join(folder, "b.md")], {
      STILLUP_CHECK_ALLOWED_HOSTS: "external",
    });
    const allowed = await run(["check", join(folder, "b.md")]);

    expect(placeholders.out).toBe("0 dead, 0 unknown, 0 active, 5 left out.\n");
    expect([forbidden.code, forbidden.out]).toEqual([
      0,
      "0 dead, 0 unknown, 0 active, 3 left out.\n",
    ]);
    expect(allowed.out).toEndWith("0 dead, 0 unknown, 2 active.\n");
  });

  test("takes the scheme of its base for //host, and https without one", async () => {
    const host = base.slice("http:".length);
    const link = `<a href="${host}/here">a</a><a href="//exa mple/">b</a>`;
    const folder = folderWith({
      "a.html": `<base href="${base}/docs/">${link}`,
      "b.html": `<base href="/docs/">${link}`,
      "c.html": link,
    });
    const urlsOf = async (name: string, args: string[] = []) =>
      (await run(["check", "--json", join(folder, name), ...args])).out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).url);

    expect(await urlsOf("a.html")).toEqual(["//exa mple/", `${base}/here`]);
    expect(await urlsOf("b.html")).toEqual(["//exa mple/", `https:${host}/here`]);
    expect(await urlsOf("c.html", ["--base-url", "http://docs.example.org/"])).toContain(
      `${base}/here`,
    );
  });

  test("shows no name and no password of a URL, and does not request it", async () => {
    const secret = base.replace("//", "//me:s3cret@");
    const folder = folderWith({
      "a.md": `[a](${secret}/a)`,
      "list.txt": `${base}/here\n${secret}/b\n`,
    });

    const document = await run(["check", join(folder, "a.md")]);
    const list = await run(["check", "-f", join(folder, "list.txt")]);
    const named = await run(["check", `${secret}/c`]);

    const shown = base.replace("//", "//***@");
    expect([document.code, document.out]).toEqual([
      2,
      expect.stringContaining(`unknown  ${shown}/a  "a"`),
    ]);
    expect([list.code, list.err]).toEqual([2, ""]);
    expect(list.out).toStartWith(
      `unknown  ${shown}/b\n         A URL with a user name or a password`,
    );
    expect(list.out).toEndWith("1 active, 0 dead, 1 unknown.\n");
    expect([named.code, named.err]).toEqual([64, expect.stringContaining(`"${shown}/c" must not`)]);
    for (const path of ["/a", "/b", "/c"]) expect(asked).not.toContain(path);
    for (const { out, err } of [document, list, named])
      expect(`${out}${err}`).not.toContain("s3cret");
  });

  test("reads standard input for -, with other documents and lists", async () => {
    const folder = folderWith({ "a.md": `[a](${base}/gone)`, "list.txt": `${base}/here\n` });
    const page = `<a href="${base}/gone/2">a</a>`;

    const piped = await run(["check", "-"], {}, `[a](${base}/gone)`);
    const all = await run(
      [
        "check",
        "-",
        join(folder, "a.md"),
        "-f",
        join(folder, "list.txt"),
        "--stdin-name",
        "b.html",
      ],
      {},
      page,
    );
    const list = await run(["check", "-", "-f", "-"], {}, `${base}/here\n${base}/here\n`);

    expect(piped.out).toStartWith(`-:1:5  dead  ${base}/gone`);
    expect(all.out).toContain(`b.html:1:10  dead  ${base}/gone/2`);
    expect(all.out).toContain(`a.md:1:5  dead  ${base}/gone`);
    expect(all.out).toEndWith("2 dead, 0 unknown, 1 active.\n");
    expect(list.out).toEndWith("1 active, 0 dead, 0 unknown.\n");
  });

  test("requests the queries of a page in its encoding, as browsers do", async () => {
    const page = (charset: string) =>
      Buffer.from(`<meta charset=${charset}><a href="${base}/gone?q=\xEF">a</a>`, "latin1");
    const folder = folderWith({
      "cyrillic.html": page("windows-1251"),
      "utf8.html": `<meta charset=utf-8><a href="${base}/gone?q=\u043F">a</a>`,
    });

    const { out } = await run(["check", "--json", folder]);

    const urls = out.trim().split("\n");
    expect(urls.map((line) => JSON.parse(line).url).sort()).toEqual([
      `${base}/gone?q=%D0%BF`,
      `${base}/gone?q=%EF`,
    ]);
  });

  test("reads a page in the encoding that it declares, or as browsers do", async () => {
    const bytes = (text: string) => Buffer.from(text, "latin1");
    const folder = folderWith({
      "latin.html": bytes(`<meta charset=iso-8859-1><p>F\xFCr <a href="gone-1.html">\xFC</a>`),
      "japanese.html": bytes(
        `<?xml version="1.0" encoding="EUC-JP"?><a href="gone-2.html">\xA4\xA2</a>`,
      ),
      "cyrillic.htm": bytes(
        `<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><a href="gone-3.html">\xD2</a>`,
      ),
      "silent.html": bytes(`<a href="gone-4.html">\x93\xE4</a>`),
      "wrong.html": bytes(`<meta charset=utf-8><a href="gone-5.html">\xE4</a>`),
      "utf8.html": `<a href="gone-6.html">äあ</a>`,
      "latin.md": bytes("[\xFC](gone-7.md)"),
    });

    const { out } = await run(["check", "--offline", "--json", folder]);
    const listed = await run(["check", "--offline", "-f", join(folder, "latin.html")]);

    const rows = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ url, places }) => [url, places[0].text]).sort()).toEqual([
      ["gone-1.html", "ü"],
      ["gone-2.html", "あ"],
      ["gone-3.html", "р"],
      ["gone-4.html", "“ä"],
      ["gone-5.html", "ä"],
      ["gone-6.html", "äあ"],
    ]);
    expect(listed.out).toStartWith(`${folder}/latin.html:1:42  dead  gone-1.html  "ü"`);
  });

  test("counts what it did not read, which fails with --strict and removes nothing from a source", async () => {
    const folder = folderWith({ "a.md": `[a](${base}/here)`, "b.md": new Uint8Array([0xe4]) });

    const lenient = await run(["check", folder]);
    const strict = await run(["check", folder, "--strict"]);
    const reported = await run(["check", folder, "--strict", "--exit-zero"]);

    expect([lenient.code, lenient.out]).toEqual([0, "0 dead, 0 unknown, 1 active, 1 not read.\n"]);
    expect([strict.code, strict.out]).toEqual([1, lenient.out]);
    expect(reported.code).toBe(0);
  });

  test("reads a notebook whose outputs are long, and none whose Markdown is", async () => {
    const notebook = (output: string, source: string) =>
      JSON.stringify({
        cells: [
          { cell_type: "code", source: "1", outputs: [{ data: { "image/png": output } }] },
          { cell_type: "markdown", source: ["[a](gone.md)\n", source] },
        ],
      });
    const folder = folderWith({
      "long.ipynb": notebook("iVBORw0KGgo".repeat(250_000), ""),
      "words.ipynb": notebook("", "word ".repeat(450_000)),
    });

    const { out, err } = await run(["check", "--offline", folder]);

    expect(out).toStartWith(`${folder}/long.ipynb:1:`);
    expect(out).toEndWith("1 dead, 0 unknown, 0 active, 1 not read.\n");
    expect(err).toContain("words.ipynb: It cannot be read: its Markdown is longer than 2 MiB.");
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

test("Our own README passes as it is", async () => {
  const { run } = createProgram();

  const { code, out, err } = await run(["check", "README.md"]);

  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^0 dead, 0 unknown, 0 active, \d{2,} local, 1 left out\.$/m);
});

test("Our own documents have no wrong address, and nothing that check takes for a list", async () => {
  const { run } = createProgram();
  const files = ["README.md", "CHANGELOG.md", ...new Bun.Glob("docs/*.md").scanSync()];

  const { code, out, err } = await run(["check", "--offline", ...files]);

  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^0 dead, 0 unknown, 0 active, \d{2,} local, \d+ not requested/);
});
