import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

const { run } = createProgram();

type Row = { url: string; status: string; reason: string; message: string };

/** What is found of the local links of documents in a folder, by their addresses. */
async function foundIn(folder: string, args: string[] = [], given = [folder]) {
  const { out, err } = await run([
    "check",
    "--offline",
    "--json",
    "--root",
    folder,
    ...args,
    ...given,
  ]);
  const rows = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  return { rows, err, reasons: Object.fromEntries(rows.map(({ url, reason }) => [url, reason])) };
}

/** A document that links to each address, by its outcome. */
const linksTo = (outcomes: Record<string, string>) =>
  Object.keys(outcomes)
    .map((address) => `[a](<${address}>)`)
    .join("\n");

describe("Links within a tree", () => {
  const FILES = {
    "README.md": "# Top\n\n## Maximum likelihood estimator (MLE)\n\n## Twice\n\n## Twice\n",
    "docs/b.md":
      '# B & more\n\n<a id="by-hand"></a><a id="user-content-own"></a>\n\nSetext\n------\n',
    "docs/c d.md": "",
    "docs/page.html": '<h1 id="Top">x</h1><a name=named>',
    "docs/list.txt": "",
    "docs/sub/index.md": "# Index",
    "src/code.ts": "1\n2\n3\n",
    "img/ä.png": "",
  };

  test("lead to files, folders, anchors and lines, or are dead", async () => {
    const outcomes = {
      "b.md": "ok",
      "./b.md": "ok",
      "../README.md": "ok",
      "../docs/./b.md": "ok",
      "/README.md": "ok",
      "/docs/b.md?raw=1": "ok",
      "c%20d.md": "ok",
      "c d.md": "ok",
      "../img/%C3%A4.png": "ok",
      "../img/ä.png": "ok",
      sub: "ok",
      "sub/": "ok",
      "sub/#index": "ok",
      "/": "ok",
      "none.md": "file_missing",
      b: "file_missing",
      "b.md/": "ok",
      "b.md/x": "file_missing",
      "/b.md": "file_missing",
      "100%": "file_missing",
      "../sub/": "file_missing",
      "B.md": "case_mismatch",
      "../readme.md": "case_mismatch",
      "../Docs/b.md": "case_mismatch",
      "../../x.md": "outside_tree",
      "/../x.md": "outside_tree",
      "#self": "ok",
      "#Self": "ok",
      "#none": "anchor_missing",
      "#": "ok",
      "#top": "ok",
      "../README.md#maximum-likelihood-estimator-mle": "ok",
      "../README.md#twice-1": "ok",
      "../README.md#twice-2": "anchor_missing",
      "b.md#b--more": "ok",
      "b.md#by-hand": "ok",
      "b.md#setext": "ok",
      "b.md#user-content-setext": "ok",
      "b.md#user-content-own": "ok",
      "b.md#b-more": "anchor_missing",
      "page.html#Top": "ok",
      "page.html#named": "ok",
      "page.html#x": "anchor_missing",
      "list.txt#anything": "ok",
      "../src/code.ts#L3": "ok",
      "../src/code.ts#L1-L4": "ok",
      "../src/code.ts#L1-L5": "line_missing",
      "../src/code.ts#anything": "ok",
      "../src/code.ts#:~:text=1": "ok",
    };
    const folder = folderWith({ ...FILES, "docs/a.md": `# Self\n\n${linksTo(outcomes)}` });

    const { reasons, rows } = await foundIn(folder);

    expect(reasons).toEqual(outcomes);
    const messageOf = (address: string) => rows.find(({ url }) => url === address)!.message;
    expect(messageOf("none.md")).toBe("There is no file “none.md”.");
    expect(messageOf("../readme.md")).toBe("The file has other letters in its name: “README.md”.");
    expect(messageOf("b.md#b-more")).toBe("“docs/b.md” has no anchor “b-more”.");
    expect(messageOf("../src/code.ts#L1-L5")).toBe("“src/code.ts” has only 4 lines.");
    expect(new Set(rows.map(({ status, reason }) => `${status} ${reason}`))).toEqual(
      new Set([
        ...["active ok", "dead file_missing", "dead anchor_missing", "dead case_mismatch"],
        ...["dead line_missing", "unknown outside_tree"],
      ]),
    );
  });

  test("are relative to the base of a page", async () => {
    const folder = folderWith({
      ...FILES,
      "a.html":
        '<base href="/docs/"><a href="b.md">b</a><a href="README.md">r</a><a href="#x">x</a>',
      "sub/b.html": '<base href="../docs/x"><a href="page.html#Top">b</a>',
      "c.html": '<base href="/docs/sub/"><a href="../none.html">c</a>',
    });

    const { reasons } = await foundIn(folder);

    expect(reasons).toEqual({
      "b.md": "ok",
      "README.md": "file_missing",
      "#x": "anchor_missing",
      "page.html#Top": "ok",
      "../none.html": "file_missing",
    });
  });

  test("may omit endings where that is said, or where a site is made of the tree", async () => {
    const files = {
      "docs/a.md": "[b](b) [c](c.html) [s](sub) [n](none) [p](../b/) [i](/img.png) [x](/made/)",
      "docs/b.md": "",
      "docs/c.mdx": "",
      "docs/sub/index.md": "",
      "static/img.png": "",
    };
    const plain = folderWith(files);
    const site = folderWith({ ...files, "mkdocs.yml": "" });

    const strict = await foundIn(plain, [], [join(plain, "docs/a.md")]);
    const report = await foundIn(plain, ["--extensions", "md, .mdx"], [join(plain, "docs/a.md")]);
    const made = await foundIn(site, [], [join(site, "docs/a.md")]);

    expect(strict.reasons).toEqual({
      b: "file_missing",
      "c.html": "file_missing",
      sub: "ok",
      none: "file_missing",
      "../b/": "file_missing",
      "/img.png": "file_missing",
      "/made/": "file_missing",
    });
    expect(report.reasons).toEqual({
      b: "ok",
      "c.html": "ok",
      sub: "ok",
      none: "file_missing",
      "../b/": "ok",
      "/img.png": "ok",
      "/made/": "file_missing",
    });
    expect(made.reasons).toEqual({
      ...report.reasons,
      "/made/": "outside_tree",
      none: "outside_tree",
    });
  });

  test("have the anchors of the program that shows them", async () => {
    const page = "# What's new?\n\n# What's new?\n\n# Own {#id}\n\n";
    const links = "[1](#whats-new-1) [2](#whats-new_1) [3](#what-s-new-1) [4](#id)";
    const folder = folderWith({ "a.md": page + links });
    const site = folderWith({ "a.md": page + links, "docusaurus.config.js": "" });
    const deadWith = async (...args: string[]) =>
      (await foundIn(folder, args)).rows
        .filter(({ status }) => status === "dead")
        .map(({ url }) => url);

    expect(await deadWith()).toEqual(["#whats-new_1", "#what-s-new-1"]);
    expect(await deadWith("--anchors", "github")).toEqual([
      ...["#whats-new_1", "#what-s-new-1", "#id"],
    ]);
    expect(await deadWith("--anchors", "mkdocs")).toEqual(["#whats-new-1", "#what-s-new-1"]);
    expect(await deadWith("--anchors", "vitepress")).toEqual(["#whats-new-1", "#whats-new_1"]);
    expect(await deadWith("--anchors", "none")).toHaveLength(3);
    expect((await foundIn(site)).reasons["#id"]).toBe("ok");
    const mintlify = folderWith({ "docs/docs.json": "{}", "docs/a.mdx": page + links });
    expect((await foundIn(mintlify)).reasons).toMatchObject({ "#what-s-new-1": "anchor_missing" });
    expect((await foundIn(mintlify)).reasons).toMatchObject({ "#whats-new-1": "ok" });
  });

  test("may be URLs of the site that the root is", async () => {
    const folder = folderWith({
      "a.md":
        "<https://docs.example.org/en/b.md#x> <https://docs.example.org/en/c> <https://docs.example.org/d>",
      "b.md": "# X",
    });

    const { reasons } = await foundIn(folder, ["--base-url", "https://docs.example.org/en/"]);

    expect(reasons).toEqual({
      "https://docs.example.org/en/b.md#x": "ok",
      "https://docs.example.org/en/c": "file_missing",
    });
  });

  test("fail in unchanged documents when another is renamed", async () => {
    const folder = folderWith({ "a.md": "[b](new.md#heading)", "new.md": "# Heading" });
    expect((await run(["check", "--offline", folder])).code).toBe(0);

    writeFileSync(join(folder, "new.md"), "# Renamed");

    const { code, out } = await run(["check", "--offline", folder]);
    expect([code, out]).toEqual([
      1,
      `${folder}/a.md:1:5  dead  new.md#heading  "b"  “new.md” has no anchor “heading”.\n1 dead, 0 unknown, 0 active.\n`,
    ]);
  });

  test("of a text from standard input are relative to its name", async () => {
    const { code } = await run(
      ["check", "--offline", "-f", "-", "--stdin-name", "docs/new.md"],
      {},
      "[a](commands.md#check) [b](../README.md)",
    );

    expect(code).toBe(0);
  });
});

describe("Which documents are read", () => {
  /** The files in which links were found, each of which has one link. */
  async function filesRead(folder: string, args: string[], given?: string[]) {
    const { out } = await run(["check", "--offline", "--json", ...args, ...(given ?? [folder])]);
    const lines = out.split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line).places[0].file.slice(folder.length + 1)).sort();
  }
  const page = "[a](#a)";
  const FILES = {
    "a.md": page,
    "b.HTML": "<a href=#a>",
    "c.markdown": page,
    "d.txt": "",
    "e.ts": page,
    LICENSE: page,
    ".github/f.md": page,
    "docs/g.md": page,
    "docs/deep/h.md": page,
    "docs/draft/i.md": page,
    "node_modules/x/j.md": page,
    ".git/k.md": page,
    "out/l.md": page,
  };

  test("in a folder: all of a known ending, but nothing that is ignored", async () => {
    const folder = folderWith({
      ...FILES,
      ".gitignore": "/out/\n*.markdown\n",
      "docs/.gitignore": "deep/*\n!deep/h.md\n",
      ".stillupignore": "draft\n",
      ".git/info/exclude": "b.HTML\n",
    });

    expect(await filesRead(folder, [])).toEqual([
      ...[".github/f.md", "a.md", "docs/deep/h.md", "docs/g.md"],
    ]);
    expect(await filesRead(folder, ["--include-ignored"])).toEqual([
      ...[".github/f.md", "a.md", "b.HTML", "c.markdown", "docs/deep/h.md", "docs/draft/i.md"],
      ...["docs/g.md", "out/l.md"],
    ]);
    expect(await filesRead(folder, [], [join(folder, "out/l.md")])).toEqual(["out/l.md"]);
    expect(await filesRead(folder, [], [join(folder, "docs")])).toEqual([
      ...["docs/deep/h.md", "docs/g.md"],
    ]);
  });

  test("by globs, and not those that are left out", async () => {
    const folder = folderWith(FILES);
    const glob = (pattern: string) => [join(folder, pattern)];

    expect(await filesRead(folder, [], glob("**/*.md"))).toEqual(
      ["a.md", "docs/deep/h.md", "docs/draft/i.md", "docs/g.md", "out/l.md", ".github/f.md"].sort(),
    );
    expect(await filesRead(folder, [], glob("docs/*.{md,html}"))).toEqual(["docs/g.md"]);
    const paths = ["--exclude-path", join(folder, "docs/d*"), "--exclude-path", "l.md"];
    expect(await filesRead(folder, paths, glob("{docs,out}/**"))).toEqual(["docs/g.md"]);
  });

  test("once each, also by links to files, and none by links to folders", async () => {
    const folder = folderWith({ "a.md": page, "docs/b.md": page });
    symlinkSync(join(folder, "a.md"), join(folder, "same.md"));
    symlinkSync(join(folder, "docs"), join(folder, "more"));
    symlinkSync(folder, join(folder, "docs/around"));
    symlinkSync(join(folder, "nowhere.md"), join(folder, "broken.md"));

    expect(await filesRead(folder, [], [folder, join(folder, "a.md")])).toEqual([
      ...["a.md", "docs/b.md"],
    ]);
  });

  test("is an error if there are none, unless that is allowed", async () => {
    const folder = folderWith({ "a.ts": "" });
    mkdirSync(join(folder, "empty"));

    for (const given of [join(folder, "empty"), join(folder, "*.md"), folder]) {
      const { code, err } = await run(["check", "--offline", given]);
      expect([code, err]).toEqual([64, `No documents found in "${given}"; see --allow-empty.\n`]);
      expect((await run(["check", "--offline", "--allow-empty", given])).code).toBe(0);
    }
  });

  // Other systems have no such names.
  test.skipIf(process.platform !== "linux")(
    "passes by files and folders that cannot be opened, with a note",
    async () => {
      const folder = folderWith({ "a.md": "[a](a.md)" });
      const named = (name: string) =>
        Buffer.concat([Buffer.from(join(folder, name)), Buffer.from([0xe9])]);
      mkdirSync(named("folder"));
      writeFileSync(Buffer.concat([named("b"), Buffer.from(".md")]), "[b](b.md)");
      await $`mkfifo ${join(folder, "pipe.md")}`;
      symlinkSync("/dev/zero", join(folder, "endless.md"));
      writeFileSync(join(folder, "c.md"), "[c](endless.md#c) [d](pipe.md#d)");

      const { code, out, err } = await run(["check", "--offline", folder]);

      expect(out).toStartWith(`${folder}/c.md:1:5  unknown  endless.md#c`);
      expect([code, out.split("\n").at(-2)]).toEqual([
        ...[2, "0 dead, 1 unknown, 0 active, 2 local, 2 not read."],
      ]);
      expect(err.split("\n").filter((line) => line.includes("cannot be read: "))).toHaveLength(3);
      const named64 = await run(["check", "--offline", join(folder, "pipe.md")]);
      expect([named64.code, named64.err]).toEqual([64, expect.stringContaining("is not a file")]);
    },
  );

  test("skips what is not text, with a note", async () => {
    const folder = folderWith({
      "a.md": "[a](a.md)",
      "b.md": new Uint8Array([0x61, 0xe4]),
      "c.md": "x\0",
      "d.md": "x".repeat(2 * 1024 * 1024 + 1),
    });

    const { code, out, err } = await run(["check", "--offline", folder]);

    expect([code, out]).toEqual([0, "0 dead, 0 unknown, 0 active, 1 local, 3 not read.\n"]);
    expect((await run(["check", "--offline", "--strict", folder])).code).toBe(1);
    expect(err.split("\n")).toHaveLength(4);
    expect(err).toContain("b.md” is not in UTF-8 or UTF-16.");
    expect(err).toContain("d.md” cannot be read: it is larger than 2 MiB.");
  });
});

describe("A symbolic link", () => {
  /** A link that the change of someone else may have made. */
  const link = (folder: string, name: string, target: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(target, join(folder, name));
  };
  const secret = folderWith({
    "secret.md": "# Key\n\n[s3cret](s3cret.md)\n",
    "known.txt": "s3cret\n",
  });

  test("to a document is that document, in whatever order the folder lists them", async () => {
    for (const names of [
      ["A.md", "z/b.md"],
      ["z.md", "A/b.md"],
    ]) {
      const [alias, real] = names as [string, string];
      const folder = folderWith({ [real]: "[near](near.md) [gone](gone.md)" });
      writeFileSync(join(folder, dirname(real), "near.md"), "");
      link(folder, alias, real);

      const { out } = await run(["check", "--offline", "--root", folder, folder]);
      const named = await run(["check", "--offline", "--root", folder, join(folder, alias)]);

      expect(out).toStartWith(`${folder}/${real}:1:24  dead  gone.md`);
      expect(out).toEndWith("1 dead, 0 unknown, 0 active, 1 local.\n");
      expect(named.out).toBe(out);
    }
  });

  test("to a document that is not checked itself may have links relative to either", async () => {
    const folder = folderWith({
      ".stillupignore": "parts\n",
      "parts/a.md": "[near](near.md) [far](far.md) [gone](gone.md)",
      "parts/near.md": "",
      "far.md": "",
    });
    link(folder, "README.md", "parts/a.md");

    const { out } = await run(["check", "--offline", "--root", folder, folder]);

    expect(out.split("\n").slice(0, -1)).toEqual([
      expect.stringContaining("dead  gone.md"),
      "1 dead, 0 unknown, 0 active, 2 local.",
    ]);
  });

  test("out of the tree leads to no document, and says nothing of what is there", async () => {
    const folder = folderWith({
      "a.md":
        "[a](out.md#key) [b](out.md#no) [c](out.md#L99) [d](dir/secret.md) [e](none.md) [f](gone.md)",
      ".git/config": "[x](https://token.example/)",
    });
    link(folder, "out.md", join(secret, "secret.md"));
    link(folder, "dir", secret);
    link(folder, "none.md", join(secret, "none.md"));
    link(folder, "git.md", ".git/config");
    link(folder, "circle.md", "circle.md");

    const { out, err } = await run(["check", "--offline", "--json", folder]);
    const named = await run(["check", "--offline", join(folder, "out.md")]);
    const listed = await run(["check", "--offline", "-f", join(folder, "out.md")]);
    const allowed = await run(["check", "--offline", "--root", "/", join(folder, "out.md")]);

    const rows = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ url, reason }) => [url, reason])).toEqual([
      ...["out.md#key", "out.md#no", "out.md#L99", "dir/secret.md", "none.md"].map((url) => [
        url,
        "outside_tree",
      ]),
      ["gone.md", "file_missing"],
    ]);
    expect(err.match(/is not read: a symbolic link leads out of the tree/g)).toHaveLength(2);
    expect(`${out}${err}`).not.toContain("s3cret");
    for (const refused of [named, listed]) {
      expect([refused.code, refused.out]).toEqual([64, ""]);
      expect(refused.err).toContain("a symbolic link leads out of the tree; see --root.");
    }
    expect(allowed.out).toContain("dead  s3cret.md");
  });

  test("cannot be used to read or write other files by options", async () => {
    const folder = folderWith({ "a.md": "[a](gone.md)", ".git/x": "", "keys.txt": "a key\n" });
    link(folder, "known.txt", join(secret, "known.txt"));
    link(folder, "new.xml", join(secret, "new.xml"));
    link(folder, "key", join(secret, "known.txt"));
    const at = (name: string) => join(folder, name);
    const server = ["--server", "https://links.example.org", "--key-file", at("key")];

    for (const args of [
      ["--baseline", at("known.txt")],
      ["--baseline", at("known.txt"), "--write-baseline"],
      ["--junit", at("new.xml")],
      ["--cache", at("known.txt"), "--exclude", "."],
      server,
    ]) {
      const offline = args.includes("--cache") || args === server ? [] : ["--offline"];
      const { code, err } = await run(["check", ...offline, ...args, at("a.md")]);
      expect([code, err]).toEqual([64, expect.stringContaining("leads out of the tree")]);
    }
    expect(readFileSync(join(secret, "known.txt"), "utf8")).toBe("s3cret\n");
    expect(existsSync(join(secret, "new.xml"))).toBe(false);
  });

  test("to ignore files out of the tree is not followed, nor one to the options", async () => {
    const folder = folderWith({ "a.md": "[a](gone.md)", ".git/x": "" });
    link(folder, ".stillupignore", "/dev/zero");
    const before = await run(["check", "--offline", folder]);
    link(folder, ".stillup.yaml", join(secret, "known.txt"));
    const args = ["check", "--offline", "--root", folder, folder];

    const { code, err } = await run(args);
    const without = await run([...args, "--no-config"]);

    expect([before.code, before.err]).toEqual([1, ""]);
    expect([code, err]).toEqual([64, expect.stringContaining("a symbolic link leads out")]);
    expect(err).toContain("--no-config");
    expect(err).not.toContain("s3cret");
    expect(without.code).toBe(1);
  });
});

describe("The options of check", () => {
  test("have a root that counts for documents outside of it, whose other links are their own", async () => {
    const folder = folderWith({
      "README.md":
        "# T\n\n[a](/guide.md#a) [b](docs/guide.md) [c](/README.md) [d](https://x.example/guide.md)",
      "docs/guide.md": "# A\n\n[e](/guide.md) [f](../README.md)",
      ".git/x": "",
    });
    const args = ["--root", join(folder, "docs"), "--base-url", "https://x.example/"];

    const { out } = await run(["check", "--offline", "--json", ...args, folder]);

    const rows = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ url, reason }) => [url, reason])).toEqual([
      ["/guide.md#a", "ok"],
      ["docs/guide.md", "ok"],
      ["/README.md", "file_missing"],
      ["https://x.example/guide.md", "ok"],
      ["/guide.md", "ok"],
      ["../README.md", "outside_tree"],
    ]);
  });

  test("leave out URLs", async () => {
    const folder = folderWith({ "a.md": "[a](none.md) [b](old/x.md) <https://x.example/>" });

    const { out } = await run([
      ...["check", "--offline", folder, "--exclude", "^old/", "--exclude", "x\\.example"],
    ]);

    expect(out).toContain("a.md:1:5  dead  none.md");
    expect(out).toEndWith("\n1 dead, 0 unknown, 0 active, 2 left out.\n");
  });

  test("in .stillup.yaml may not lead out of the tree, but on the command line", async () => {
    const outside = folderWith({ "known.txt": "a.md\tgone.md\n" });
    const tree = folderWith({
      "a.md": "[a](gone.md)",
      "known.txt": "a.md\tgone.md\n",
      ".git/x": "",
    });
    const withConfig = async (text: string, args: string[] = []) => {
      writeFileSync(join(tree, ".stillup.yaml"), `check:\n  ${text}\n`);
      return await run(["check", "--offline", "--root", tree, ...args, tree]);
    };
    symlinkSync(outside, join(tree, "out"));

    for (const text of [
      `baseline: ${outside}/known.txt`,
      `baseline: ${tree}/out/known.txt`,
      `baseline: ${tree}/../x.txt`,
      `root: ${outside}`,
      "root: ..",
    ]) {
      const { code, err } = await withConfig(text);
      expect([code, err]).toEqual([
        64,
        `.stillup.yaml, line 2: “${text.split(":")[0]}” leads out of the tree.\n`,
      ]);
    }
    expect((await withConfig(`baseline: ${tree}/known.txt`)).code).toBe(0);
    expect((await withConfig("exit-zero: true")).code).toBe(0);
    expect((await withConfig("exit-zero: true", ["--no-config"])).code).toBe(1);
    expect((await withConfig("no-config: true")).err).toContain("can only be on the command line");
    const named = ["--no-config", "--baseline", join(outside, "known.txt")];
    expect((await withConfig("exit-zero: true", named)).code).toBe(0);
  });

  test("stand in .stillup.yaml, and the command line wins", async () => {
    const folder = folderWith({
      ".stillup.yaml": "check:\n  exclude: [^none, '^old/']\n  anchors: mkdocs\n  offline: true\n",
      "a.md": "[a](none.md) [b](old/x.md) [c](#a_1)\n\n# A\n\n# A",
    });

    const inFile = await run(["check", "--root", folder, folder]);
    const won = await run(["check", "--root", folder, folder, "--anchors", "github"]);

    expect([inFile.code, inFile.out]).toEqual([
      0,
      "0 dead, 0 unknown, 0 active, 1 local, 2 left out.\n",
    ]);
    expect(won.code).toBe(1);
  });

  test.each([
    ["check:\n  anchor: github\n", "line 2: “anchor” is not an option of check."],
    ["check:\n  offline: true\n  anchors: other\n", "line 3: “anchors” must be one of github,"],
    ["check:\n\n  offline: 1\n", "line 3: “offline” must be true or false."],
    ["check:\n  file: a.md\n", "line 2: “file” can only be on the command line."],
    ["check:\n  server: https://a.example\n", "“server” can only be on the command line."],
    ["check:\n  output: sarif:/etc/x\n", "“output” can only be on the command line."],
    ["check:\n  key-file: a\n", "“key-file” can only be on the command line."],
    ["check:\n  exclude: {a: b}\n", "line 2: “exclude” must be a text."],
    ["check: [a]\n", "line 1: here must be names with values."],
    ["checks: {}\n", "line 1: “checks” is not known, only “check” is."],
    ["check:\n  a: b: c\n", "line 2: "],
    ["check:\n  exclude: '('\n", '--exclude "(" is not a regular expression.'],
  ])("with a mistake in .stillup.yaml are refused with its line: %j", async (text, problem) => {
    const folder = folderWith({ ".stillup.yaml": text, "a.md": "" });

    const { code, out, err } = await run(["check", "--root", folder, folder]);

    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(problem);
  });

  test.each([
    [["--root", "nowhere"], '--root "nowhere" is not a folder.'],
    [["--base-url", "docs.example.org"], "--base-url must be an http or https URL"],
    [["--base-url", "https://docs.example.org/a"], "that ends in a slash."],
    [["--exclude", "["], '--exclude "[" is not a regular expression.'],
  ])("refuse %j", async (args, problem) => {
    const { code, err } = await run(["check", "--offline", "README.md", ...args]);

    expect(code).toBe(64);
    expect(err).toContain(problem);
  });
});

describe("Links within a tree of other formats", () => {
  const folder = folderWith({
    "a.rst":
      "Title\n=====\n\n`b <b.html>`_ `c <c.rst>`_ `d <none.html>`_ `e <none.rst>`_ `f <e.adoc#_part>`_",
    "b.rst": "",
    "c.rst": "",
    "e.adoc":
      "= E\n\n== Part\n\nxref:a.rst[] <<Part>> <<none>> xref:a.rst#title[] xref:a.rst#titel[] link:f.mdx#here[]",
    "f.mdx": '<Card href="g.ipynb#top-it">\n\n# Here\n\n</Card> <Card href="none.png" />',
    "g.ipynb": JSON.stringify({
      cells: [{ cell_type: "markdown", source: ["# Top it\n", "[a](none.md)"] }],
    }),
    "h.ipynb": "no JSON",
  });

  test("are found, and lead to the anchors of each", async () => {
    const { rows, err } = await foundIn(folder);
    const found = rows.map(({ url, reason }) => `${url} ${reason}`);

    expect(err).toBe("");
    expect(found.sort()).toEqual(
      [
        `#_part ok`,
        `#none anchor_missing`,
        `a.rst ok`,
        `a.rst#titel anchor_missing`,
        `a.rst#title ok`,
        `b.html ok`,
        `c.rst ok`,
        `e.adoc#_part ok`,
        `f.mdx#here ok`,
        `g.ipynb#top-it ok`,
        `${join(folder, "h.ipynb")} unreadable`,
        `none.html outside_tree`,
        `none.md file_missing`,
        `none.png file_missing`,
        `none.rst file_missing`,
      ].sort(),
    );
  });
});
