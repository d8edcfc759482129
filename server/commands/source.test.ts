import { afterAll, describe, expect, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";
import { startSite } from "../../tests/site.ts";

describe("stillup source", () => {
  const site = startSite({
    "/robots.txt": () => new Response("", { status: 404 }),
    "/sitemap.xml": () => new Response("", { status: 404 }),
    "/list.txt": () => new Response("https://a.test/\nhttps://b.test/\n"),
  });
  afterAll(() => site.stop());

  async function withAccount() {
    const program = createProgram({ STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback" });
    await program.run(["user", "create", "--email", "me@example.org"]);
    return program.run;
  }
  const add = ["source", "add", `${site.url}/list.txt`];

  test("says what a source would bring, and keeps nothing", async () => {
    const run = await withAccount();
    const dry = await run([...add, "--dry-run"], { STILLUP_CHECK_PROCESSES: "0" });
    expect(dry).toEqual({
      code: 0,
      out: "Kind: list, first pages: 1, links: 2, new links: 2, left out: 0\n",
      err: "",
    });
    expect((await run(["source", "list"])).out).not.toContain("list.txt");
  });

  test("adds a source of the kind that its address is of, shows, cancels and removes it", async () => {
    const run = await withAccount();
    const added = await run([...add, "--name", "Docs"], { STILLUP_CHECK_PROCESSES: "0" });
    expect(added).toMatchObject({ code: 0, err: "" });
    expect((await run(["source", "list"])).out).toMatch(/^Docs +list +running +0 +0 /m);
    expect((await run(["source", "show", "Docs"])).out).toContain("Latest run: queued");
    expect((await run(["source", "run", "Docs"])).out).toBe("A run is already under way.\n");
    expect((await run(["source", "cancel", "Docs"])).out).toBe("Run cancelled.\n");
    expect(await run(["source", "cancel", "Docs"])).toMatchObject({ code: 1, out: "" });
    expect((await run(["source", "remove", "Docs"])).out).toBe("Source deleted.\n");
    expect(await run(["source", "show", "Docs"])).toMatchObject({ code: 64 });
  });

  test("refuses what is not right with what to do", async () => {
    const run = await withAccount();
    const missing = await run([...add, "--credential-env", "NONE"]);
    expect(missing).toMatchObject({ code: 64, err: expect.stringContaining("NONE") });
    const group = await run([...add, "--group", "None"]);
    expect(group).toMatchObject({ code: 64, err: expect.stringContaining('no group "None"') });
    const ftp = await run(["source", "add", "ftp://docs.test/", "--kind", "list"]);
    expect(ftp).toMatchObject({ code: 64 });
    const garbage = await run(["source", "add", "garbage", "--kind", "list"]);
    expect(garbage).toMatchObject({ code: 64 });
    const schedule = await run([...add, "--kind", "list", "--schedule", "often"]);
    expect(schedule).toMatchObject({ code: 64, err: expect.stringMatching(/^Schedule /) });
  });

  test("adds a source without an address, which a program pushes to", async () => {
    const run = await withAccount();
    expect((await run(["source", "add", "--kind", "push", "--name", "Blog"])).code).toBe(0);
    expect((await run(["source", "list"])).out).toMatch(/^Blog +push /m);
  });
});
