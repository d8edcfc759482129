import { afterAll, describe, expect, onTestFinished, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { type Parsed, startServer } from "../../tests/harness.ts";
import { outputOf } from "../../tests/output.ts";
import { startSite } from "../../tests/site.ts";
import { waitFor } from "../../tests/waits.ts";

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
    const { run, start } = createProgram({
      STILLUP_API_KEY: me.key,
      STILLUP_CHECK_BLOCKED_HOSTS: "*.test",
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
    });
    const known = ["x", "y", "z"].map((name) => ({ url: `https://${name}.test/` }));
    const command = (...more: string[]) => [
      ...["check", folder, "--root", folder, "--server", server.url, "--allow-unknown"],
      ...["--watch-new", "Docs", ...more],
    ];
    const check = (...more: string[]) => run(command(...more));
    const startCheck = (...more: string[]) => start(command(...more));
    const pages = async () =>
      (await me.get(`/api/v1/sources/${id}/pages`)).body.data.items.map(({ url }: Parsed) => url);
    return { me, folder, check, startCheck, pages, id, known };
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

  test("pushes nothing when Ctrl-C ends it before all is checked", async () => {
    const requested = Promise.withResolvers<void>();
    const silent = () => new Promise<Response>(() => requested.resolve());
    const site = startSite({ "/silent": silent });
    onTestFinished(site.stop);
    const { folder, startCheck, pages } = await withSource();
    writeFileSync(join(folder, "a.md"), `[silent](${site.url}/silent)\n`);
    const checking = startCheck(...AT);
    const output = outputOf(checking);
    await waitFor(requested.promise, () => `a request; seen: ${output.text()}`);

    checking.kill("SIGINT");

    await output.has(/^Stopped before all was checked\.$/m);
    expect(await checking.exited).toBe(130);
    expect(await pages()).toEqual([]);
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
