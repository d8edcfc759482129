import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

const SETTINGS = {
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_CONFIRM_DELAYS_MS: "0",
  STILLUP_HOST_GAP_MS: "0",
};

describe("stillup fix", () => {
  const { run } = createProgram(SETTINGS);
  let site: ReturnType<typeof Bun.serve>;
  let base: string;
  beforeAll(() => {
    site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        const { pathname, search } = new URL(url);
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
  function apply(folder: string, patch: string) {
    const { exitCode, stderr } = Bun.spawnSync(["git", "apply", "--whitespace=nowarn", "-"], {
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
});
