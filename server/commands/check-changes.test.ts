import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { createProgram, folderWith } from "../../tests/commands/program.ts";

const { run } = createProgram();

/** A repository with a commit on main, on a branch that has left it. */
async function repositoryWith(files: Record<string, string>): Promise<string> {
  const folder = folderWith(files);
  await $`git init -q -b main`.cwd(folder).quiet();
  await commit(folder);
  await $`git checkout -q -b change`.cwd(folder).quiet();
  return folder;
}

async function commit(folder: string): Promise<void> {
  const by = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  await $`git add -A && git ${by} commit -q -m x`.cwd(folder).quiet();
}

const WRONG = "[a](http://)\n";

/** The places of dead links below a folder, and the counts. */
async function deadSince(folder: string, ref = "main") {
  const { code, out, err } = await run(["check", "--offline", "--changed-since", ref, folder]);
  const lines = out.trim().split("\n");
  const places = lines.slice(0, -1).map((line) => line.slice(folder.length + 1).split("  ")[0]!);
  return { code, err, places, summary: lines.at(-1) };
}

describe("stillup check --changed-since", () => {
  test("fails for one new dead link on a page with forty old ones", async () => {
    const old = WRONG.repeat(40);
    const folder = await repositoryWith({ "a.md": `${old}\nend\n`, "b.md": WRONG });
    writeFileSync(join(folder, "a.md"), `New line.\n\n${old}[new](http://)\n\nend\n`);
    await commit(folder);

    expect(await deadSince(folder)).toEqual({
      code: 1,
      err: "",
      places: ["a.md:43:7"],
      summary: "1 dead, 0 unknown, 0 active, 41 on old lines.",
    });
  });

  test("sees the work tree, new files, odd names and lines that look like a diff", async () => {
    const folder = await repositoryWith({ "ä b.md": "one\n", "c.md": `++ b/x.md\n${WRONG}` });
    writeFileSync(join(folder, "ä b.md"), `one\n${WRONG}`);
    await commit(folder);
    writeFileSync(join(folder, "c.md"), `++ b/x.md\n++ b/ä b.md\n@@ -1 +1 @@\n${WRONG}${WRONG}`);
    writeFileSync(join(folder, "new.md"), WRONG.trimEnd());

    const { places } = await deadSince(folder);

    expect(places.sort()).toEqual(["c.md:4:5", "new.md:1:5", "ä b.md:2:5"]);
  });

  test("sees files whose names Git writes with escapes", async () => {
    const names = ['say "hi".md', "back\\slash.md", "tab\tbed.md", "été\u0001 🎉.md"];
    const folder = await repositoryWith(Object.fromEntries(names.map((name) => [name, "one\n"])));
    for (const name of names) writeFileSync(join(folder, name), `one\n${WRONG}`);
    await commit(folder);

    expect((await deadSince(folder)).summary).toBe("4 dead, 0 unknown, 0 active.");
  });

  test("looks at all links between files, since a rename breaks those that did not change", async () => {
    const folder = await repositoryWith({ "a.md": "# A", "b.md": `[a](a.md)\n${WRONG}` });
    renameSync(join(folder, "a.md"), join(folder, "c.md"));
    await commit(folder);

    expect((await deadSince(folder)).places).toEqual(["b.md:1:5"]);
  });

  test("counts from where the branch left, not from what came to the other one since", async () => {
    const folder = await repositoryWith({ "a.md": "one\n" });
    await $`git checkout -q main`.cwd(folder).quiet();
    writeFileSync(join(folder, "other.md"), WRONG);
    await commit(folder);
    await $`git checkout -q change`.cwd(folder).quiet();

    expect((await deadSince(folder)).code).toBe(0);
  });

  test.each(["nowhere", "--upload-pack=x", "main..change"])(
    "says what to do where Git does not know %s",
    async (ref) => {
      const folder = await repositoryWith({ "a.md": "" });

      const { code, err } = await deadSince(folder, ref);

      expect(code).toBe(64);
      expect(err).toContain("fetch-depth: 0");
    },
  );

  test("says that there is no repository, and no Git", async () => {
    const folder = await repositoryWith({ "a.md": "" });
    const args = ["check", "--offline", "--changed-since", "main"];

    expect((await run([...args, folderWith({ "a.md": "" })])).err).toContain("repository of Git");
    expect((await run([...args, folder], { PATH: "/nowhere" })).err).toBe(
      "--changed-since needs Git, which is not installed.\n",
    );
  });
});

describe("stillup check --baseline", () => {
  test("knows files and addresses with tabs and line ends in them", async () => {
    const folder = folderWith({
      "a\tb\nc.md": "[a](none.md)",
      "d.html": '<a href="e\nf.md">e</a><a href="g\th.md">g</a>',
    });
    const baseline = join(folder, "known.txt");
    const args = ["check", "--offline", "--root", folder, "--baseline", baseline, folder];
    await run([...args, "--write-baseline"]);
    writeFileSync(baseline, `\uFEFF${readFileSync(baseline, "utf8")}`);

    expect(await run(args)).toMatchObject({ code: 0, err: "" });
  });

  test("passes what is known when lines move, and fails for a second link of the kind", async () => {
    const folder = folderWith({ "docs/a.md": "[a](none.md) [x](ok.md)", "docs/ok.md": "" });
    const [baseline, page] = [join(folder, "known.txt"), join(folder, "docs/a.md")];
    const args = ["check", "--offline", "--root", folder, "--baseline", baseline, folder];

    const written = await run([...args, "--write-baseline"]);
    writeFileSync(page, "New.\n\n[b](none.md) [x](ok.md)");
    const moved = await run(args);
    writeFileSync(page, "[b](none.md) [c](none.md)");
    const second = await run(args);
    writeFileSync(page, "Nothing.");
    const gone = await run(args);

    expect(readFileSync(baseline, "utf8")).toBe("docs/a.md\tnone.md\n");
    expect([written.code, written.out]).toEqual([
      ...[0, "0 dead, 0 unknown, 0 active, 1 local, 1 known.\n"],
    ]);
    expect(moved).toEqual({ ...written, code: 0 });
    expect(second.code).toBe(1);
    expect(second.out).toBe(
      `${page}:1:18  dead  none.md  "c"  There is no file “none.md”.\n1 dead, 0 unknown, 0 active, 1 known.\n`,
    );
    expect([gone.code, gone.err]).toEqual([
      0,
      "In the baseline, but not found: docs/a.md none.md\n",
    ]);
  });

  test("is sorted, has each of equal links, and marks them in reports", async () => {
    const folder = folderWith({ "b.md": "[a](x.md) [b](x.md)", "a.md": "[a](y.md)" });
    const baseline = join(folder, "known.txt");
    const args = ["check", "--offline", "--root", folder, "--baseline", baseline, folder];
    await run([...args, "--write-baseline"]);

    const sarif = JSON.parse((await run([...args, "--output", "sarif"])).out);
    const json = (await run([...args, "--json"])).out;
    const github = await run([...args, "--output", "github"]);

    expect(readFileSync(baseline, "utf8")).toBe("a.md\ty.md\nb.md\tx.md\nb.md\tx.md\t2\n");
    const levels = sarif.runs[0].results.map(({ level }: { level: string }) => level);
    expect(levels).toEqual(["note", "note", "note"]);
    expect(json.match(/"known":true/g)).toHaveLength(3);
    expect(github.out).not.toContain("::error");
  });

  test.each([
    [["--baseline", "/nowhere/known.txt"], "The baseline cannot be read"],
    [["--write-baseline"], "--write-baseline needs --baseline FILE."],
  ])("is refused: %j", async (args, problem) => {
    const { code, err } = await run(["check", "--offline", "README.md", ...args]);

    expect(code).toBe(64);
    expect(err).toContain(problem);
  });

  test("is refused with the line of a mistake", async () => {
    const folder = folderWith({ "known.txt": "a.md\tx.md\n\nb.md x.md\n", "a.md": "" });

    const { code, err } = await run([
      ...["check", "--offline", "--baseline", join(folder, "known.txt"), folder],
    ]);

    expect([code, err]).toEqual([
      64,
      `${folder}/known.txt, line 3: a file and an address must stand there, with a tab between them.\n`,
    ]);
  });

  test("that cannot be written leaves the old one", async () => {
    const folder = folderWith({ "a.md": "[a](x.md)" });
    mkdirSync(join(folder, "known.txt"));

    const { code, err } = await run([
      ...[
        "check",
        "--offline",
        "--baseline",
        join(folder, "known.txt"),
        "--write-baseline",
        folder,
      ],
    ]);

    expect(code).not.toBe(0);
    expect(err).toContain("The baseline cannot be written");
    expect(existsSync(join(folder, "known.txt"))).toBe(true);
  });
});
