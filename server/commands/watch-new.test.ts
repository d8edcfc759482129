import { afterAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { type Parsed, startServer } from "../../tests/harness.ts";

const server = await startServer("sqlite");
afterAll(() => server.stop());

describe("stillup check --watch-new", () => {
  async function withSource() {
    const me = await server.account();
    const { id } = (await me.post("/api/v1/sources", { kind: "push", name: "Docs" })).body.data;
    const folder = folderWith({
      "a.md": "# A\n\n[x](https://x.test/) [y](https://y.test/)\n",
      "b b.md": "[x](https://x.test/#top)\n",
    });
    const { run } = createProgram();
    const known = ["x", "y", "z"].map((name) => ({ url: `https://${name}.test/` }));
    const check = (...more: string[]) =>
      run(
        [
          ...["check", folder, "--root", folder, "--server", server.url, "--allow-unknown"],
          ...["--watch-new", "Docs", ...more],
        ],
        { STILLUP_API_KEY: me.key, STILLUP_CHECK_BLOCKED_HOSTS: "*.test" },
      );
    const pages = async () =>
      (await me.get(`/api/v1/sources/${id}/pages`)).body.data.items.map(({ url }: Parsed) => url);
    return { me, folder, check, pages, id, known };
  }
  const AT = ["--page-url", "https://git.test/docs/blob/main/{path}"];

  test("pushes what stands in the documents, and nothing the second time", async () => {
    const { me, check, pages, id } = await withSource();

    const first = await check(...AT);
    const second = await check(...AT);

    expect(first.err).toContain("Pages in Docs: 2 stored, 0 unchanged.");
    expect(second.err).toContain("Pages in Docs: 0 stored, 2 unchanged.");
    expect(await pages()).toEqual([
      "https://git.test/docs/blob/main/a.md",
      "https://git.test/docs/blob/main/b%20b.md",
    ]);
    const { counts } = (await me.get(`/api/v1/sources/${id}`)).body.data;
    expect(counts).toMatchObject({ links: 2, places: 3 });
  });

  test("removes the pages of documents that are gone, if it is to", async () => {
    const { folder, check, pages } = await withSource();
    await check(...AT);
    rmSync(join(folder, "b b.md"));
    writeFileSync(join(folder, "a.md"), "[z](https://z.test/)\n");

    expect((await check(...AT)).err).toContain("1 stored, 0 unchanged.");
    expect(await pages()).toHaveLength(2);
    expect((await check(...AT, "--prune")).err).toContain("0 stored, 1 unchanged, 1 removed.");
    expect(await pages()).toEqual(["https://git.test/docs/blob/main/a.md"]);
  });

  test("sends in several requests what is too long for one", async () => {
    const { folder, check, pages } = await withSource();
    const words = "word ".repeat(38);
    for (let i = 0; i < 8; i++) {
      const lines = Array.from({ length: 2500 }, (_, n) => `[${words}](https://x.test/${n})`);
      writeFileSync(join(folder, `long-${i}.md`), lines.join("\n"));
    }

    const { err } = await check(...AT);

    expect(err).toContain("Pages in Docs: 10 stored, 0 unchanged.");
    expect(await pages()).toHaveLength(10);
  });

  test("says what is missing", async () => {
    const { check } = await withSource();
    const unsaid = await check();
    expect(unsaid).toMatchObject({ code: 64, err: expect.stringContaining("--page-url") });
    const wrong = await check("--page-url", "https://git.test/docs");
    expect(wrong).toMatchObject({ code: 64, err: expect.stringContaining("{path}") });
    const offline = await check(...AT, "--offline");
    expect(offline).toMatchObject({ code: 64, err: expect.stringContaining("--offline") });
    const { run } = createProgram();
    const alone = await run(["check", "README.md", "--watch-new", "Docs"]);
    expect(alone).toMatchObject({ code: 64, err: expect.stringContaining("--server") });
  });
});
