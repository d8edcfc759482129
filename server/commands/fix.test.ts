import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

const SETTINGS = {
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_CONFIRM_DELAYS_MS: "0",
  STILLUP_HOST_GAP_MS: "0",
};

describe("stillup fix", () => {
  const { begin, command, env, run } = createProgram(SETTINGS);
  let site: ReturnType<typeof Bun.serve>;
  let base: string;
  let meanwhile = () => {};
  beforeAll(() => {
    site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        const { pathname, search } = new URL(url);
        meanwhile();
        if (/^\/was\/\w$/.test(pathname)) {
          return Response.redirect(`${base}${pathname}/${search}`, 301);
        }
        if (!/^\/here$|^\/was\/\w\/$/.test(pathname)) return new Response("gone", { status: 410 });
        return new Response(
          '<!doctype html><title>Here</title><h1 id="part">A part</h1><p>A page with words.',
          { headers: { "content-type": "text/html" } },
        );
      },
    });
    base = `http://127.0.0.1:${site.port}`;
  });
  afterAll(() => site.stop(true));

  /** A work tree of Git with these files. */
  function treeWith(files: Record<string, string | Uint8Array>): string {
    const folder = folderWith(files);
    git(folder, "init", "--quiet");
    return folder;
  }
  function git(folder: string, ...args: string[]) {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: folder });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  }
  function apply(folder: string, patch: string, command = ["git", "apply", "-"]) {
    const { exitCode, stderr } = Bun.spawnSync(command, {
      cwd: folder,
      stdin: Buffer.from(patch),
    });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  }

  test("prints one diff of all files, which git applies, and names dead links that nothing is known for", async () => {
    const folder = treeWith({
      "a.md": `# Title\n\nSee [a](${base}/was/a) and\n${base}/gone.\n\n\`${base}/was/code\`\n`,
      "docs/b c.html": `<p>\n<a href="${base}/was/b?x=1&amp;y=2">b</a> <a href='${base}/here'>c</a>`,
      "docs/same.md": `[a](${base}/here)`,
    });

    const { code, out, err } = await run(["fix", folder, "--redirects"]);

    expect([code, err]).toEqual([
      1,
      `${folder}/a.md:4:1  ${base}/gone  no suggestion: The server returned 410: the page is gone for good.\n`,
    ]);
    apply(folder, out);
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    expect(read("a.md")).toBe(
      `# Title\n\nSee [a](${base}/was/a/) and\n${base}/gone.\n\n\`${base}/was/code\`\n`,
    );
    expect(read("docs/b c.html")).toBe(
      `<p>\n<a href="${base}/was/b/?x=1&amp;y=2">b</a> <a href='${base}/here'>c</a>`,
    );
    expect(await run(["fix", folder, "--redirects"])).toEqual({ code: 0, out: "", err });
  });

  test.each<[how: string, command: string[]]>([
    ["git apply", ["git", "apply", "--whitespace=nowarn", "-"]],
    ["patch -p1", ["patch", "-p1", "--binary", "--quiet"]],
  ])("changes each format, which %s takes, and nothing the second time", async (_, command) => {
    const files = (to: string) => {
      const link = `${base}/was/a${to}`;
      return {
        "a b.md": `\uFEFFx\t😀 [é](${link}) ${link}\r\n\r\n| a |\r\n|---|\r\n| [a](<${link}>) |\r\n[b]\r\n\r\n[b]: ${link}`,
        "ä.mdx": `<Card href="${link}" />\n\n<a href='${link}'>a</a> {"${base}/was/a"}\n`,
        "c.html": `<p title="${base}/was/a"><!-- ${base}/was/a --><a href=${link}>a</a>\r<img src="${link}">`,
        "d.rst": `See \`a <${link}>\`_, b_ and ${link}.\n\n.. _b: ${link}\n\n::\n\n   ${base}/was/a\n`,
        "e.adoc": `${link}[a] <${link}>\n\n----\n${base}/was/a\n----\n`,
        "f.ipynb": JSON.stringify({ cells: [{ cell_type: "markdown", source: `"é"\n${link}` }] }),
        "g.txt": `(${link})`,
        "h.md": `{{ link("${base}/was/a") }} [a](${base}/was/{id}) ${link}\n`,
      };
    };
    const folder = treeWith(files(""));

    const { code, out, err } = await run(["fix", folder, "--redirects"]);

    const template = `${folder}/h.md:1:10  ${base}/was/a  left alone: It stands there in a form that is not changed, such as a template.\n`;
    expect([code, err]).toEqual([2, template]);
    apply(folder, out, command);
    for (const [name, text] of Object.entries(files("/"))) {
      expect(readFileSync(join(folder, name), "utf8")).toBe(text);
    }
    const again = await run(["fix", folder, "--redirects"]);
    expect(again).toEqual({ code: 2, out: "", err: template });
  });

  const GONE = "The server returned 410: the page is gone for good.";

  test("carries a fragment over only if the new page has it", async () => {
    const folder = treeWith({
      "a.md": `[a](${base}/was/a#part) [b](${base}/was/b#other) [c](${base}/was/c)`,
    });

    const { code, out, err } = await run(["fix", folder, "--redirects"]);

    expect([code, err]).toEqual([
      2,
      `${folder}/a.md:1:${base.length + 22}  ${base}/was/b#other  left alone: ${base}/was/b/ has no place #other.\n`,
    ]);
    apply(folder, out);
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe(
      `[a](${base}/was/a/#part) [b](${base}/was/b#other) [c](${base}/was/c/)`,
    );
  });

  test("writes the files with --write, through symbolic links and with their modes", async () => {
    const utf16 = (address: string) => Buffer.from(`\uFEFF[a](${address})\r\n`, "utf16le");
    const folder = treeWith({
      "a.md": `[a](${base}/was/a)\r\n[b](${base}/gone)`,
      "b.md": utf16(`${base}/was/b`),
    });
    const [a, b, link] = ["a.md", "b.md", "link.md"].map((name) => join(folder, name));
    chmodSync(a!, 0o640);
    symlinkSync("a.md", link!);

    const printed = await run(["fix", folder, "--redirects"]);
    const { code, out, err } = await run(["fix", link!, b!, "--redirects", "--write"]);

    expect(printed.code).toBe(2);
    expect(printed.err).toContain(
      `${b}:1:5  ${base}/was/b  left alone: A diff cannot show UTF-16;`,
    );
    expect([code, out, err]).toEqual([
      0,
      `${a}:1:5  ${base}/was/a  changed to ${base}/was/a/\n${b}:1:5  ${base}/was/b  changed to ${base}/was/b/\n`,
      `${a}:2:5  ${base}/gone  no suggestion: ${GONE}\n`,
    ]);
    expect(readFileSync(a!, "utf8")).toBe(`[a](${base}/was/a/)\r\n[b](${base}/gone)`);
    expect(statSync(a!).mode & 0o777).toBe(0o640);
    expect(lstatSync(link!).isSymbolicLink()).toBe(true);
    expect(readFileSync(b!)).toEqual(utf16(`${base}/was/b/`));
  });

  test("leaves a file alone that changes meanwhile", async () => {
    const folder = treeWith({ "a.md": `[a](${base}/was/a)`, "b.md": `[b](${base}/was/b)` });
    meanwhile = () => appendFileSync(join(folder, "a.md"), "\nMore.");

    const { code, out, err } = await run(["fix", folder, "--redirects", "--write"]);
    meanwhile = () => {};

    expect(code).toBe(2);
    expect(out).toBe(`${folder}/b.md:1:5  ${base}/was/b  changed to ${base}/was/b/\n`);
    expect(err).toBe(
      `${folder}/a.md:1:5  ${base}/was/a  left alone: The file changed meanwhile.\n`,
    );
    expect(readFileSync(join(folder, "a.md"), "utf8")).toStartWith(`[a](${base}/was/a)\nMore.`);
  });

  test("says how many links it has left out", async () => {
    const folder = treeWith({ "a.md": `[a](${base}/was/a) [b](${base}/was/b)` });

    const { code, out, err } = await run(["fix", folder, "--redirects", "--exclude", "/was/"]);

    expect([code, out, err]).toEqual([0, "", "2 left out.\n"]);
  });

  test("changes nothing if it is stopped", async () => {
    const folder = treeWith({ "a.md": `[a](${base}/was/a)` });
    const running = begin(["fix", folder, "--redirects", "--write"]);
    meanwhile = () => void running.stop();

    const { code, out, err } = await running.outcome;
    meanwhile = () => {};

    expect([code, out, err]).toEqual([130, "", "Stopped before all was checked.\n"]);
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe(`[a](${base}/was/a)`);
  });

  test("says all of it as JSON", async () => {
    const folder = treeWith({ "a.md": `[a](${base}/was/a) [b](${base}/gone)` });

    const { code, out } = await run(["fix", folder, "--redirects", "--json"]);

    const place = { file: `${folder}/a.md`, line: 1 };
    expect(code).toBe(1);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        ...place,
        column: 5,
        url: `${base}/was/a`,
        new_url: `${base}/was/a/`,
        kind: "moved",
        confidence: "safe",
        captured_at: null,
        state: "suggested",
        message: null,
      },
      {
        ...place,
        column: base.length + 17,
        url: `${base}/gone`,
        new_url: null,
        kind: null,
        confidence: null,
        captured_at: null,
        state: "dead",
        message: GONE,
      },
    ]);
  });

  test("reads the files that check reads, and leaves out the same URLs", async () => {
    const link = (name: string) => `[a](${base}/was/${name})`;
    const folder = treeWith({
      ".gitignore": "c.md",
      "a.md": link("a"),
      "b.md": `${link("b")} <!-- stillup-disable-line -->`,
      "c.md": link("c"),
      "d/e.md": link("d"),
    });

    const { out } = await run([
      ...["fix", folder, "--redirects", "--json"],
      ...["--exclude", "/was/e", "--exclude-path", "e.md"],
    ]);

    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).file),
    ).toEqual([`${folder}/a.md`]);
  });

  test("names files from the working folder on, whose .stillup.yaml counts", async () => {
    const folder = treeWith({
      ".stillup.yaml": "check:\n  exclude: /was/b\n  cache-age: 2d\n",
      "docs/a.md": `[a](${base}/was/a) [b](${base}/was/b)\n`,
    });
    const child = Bun.spawn([...command, "fix", ".", "--redirects"], {
      cwd: join(folder, "docs"),
      env,
      stdout: "pipe",
    });

    expect(await new Response(child.stdout).text()).toBe(
      [
        "--- a/a.md",
        "+++ b/a.md",
        "@@ -1,1 +1,1 @@",
        `-[a](${base}/was/a) [b](${base}/was/b)`,
        `+[a](${base}/was/a/) [b](${base}/was/b)`,
        "",
      ].join("\n"),
    );
    expect(await child.exited).toBe(1);
  });

  test.each<[args: string[], problem: string]>([
    [["."], "Say where other addresses are from: --server URL, --archive or --redirects."],
    [["https://example.org/", "--redirects"], '"https://example.org/" is not a file.'],
    [["none.md", "--redirects"], '"none.md" does not exist.'],
    [[".", "--kinds", "moved,better"], '--kinds "better" must be one of moved, pattern,'],
  ])("refuses %p", async (args, problem) => {
    const { code, err } = await run(["fix", ...args]);

    expect(code).toBe(64);
    expect(err).toContain(problem);
  });
});
