import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { $ } from "bun";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { run as runCommand } from "./program.ts";

const SETTINGS = {
  STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
  STILLUP_CONFIRM_DELAYS_MS: "0",
  STILLUP_HOST_GAP_MS: "0",
};

let site: ReturnType<typeof Bun.serve>;
let base: string;
let asked: string[] = [];
let meets = (_: string) => {};
beforeAll(() => {
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      meets(pathname);
      if (pathname === "/slow") await new Promise(() => {});
      if (pathname !== "/here") return new Response("gone", { status: 410 });
      return new Response("<!doctype html><title>Here</title><p>A page with words.", {
        headers: { "content-type": "text/html" },
      });
    },
  });
  base = `http://127.0.0.1:${site.port}`;
});
afterAll(() => site.stop(true));

describe("stillup check --cache", () => {
  const { run } = createProgram(SETTINGS);

  test("requests again what was not active, what is too old, and what another version saw", async () => {
    const cache = join(folderWith({}), "sub/check.ndjson");
    const check = async (...args: string[]) => {
      asked = [];
      const given = [`${base}/here`, `${base}/gone`];
      const { code, out } = await run(["check", "--json", "--cache", cache, ...args, ...given]);
      const via = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).via);
      return { code, via, isAsked: asked.includes("/here"), gone: asked.includes("/gone") };
    };
    const aged = (change: object) => {
      const entry = JSON.parse(readFileSync(cache, "utf8"));
      writeFileSync(cache, `no entry\n${JSON.stringify({ ...entry, ...change })}\n`);
    };

    const first = await check();
    const second = await check();
    aged({ at: Date.now() - 23 * 3_600_000 });
    const [old, oldWithin] = [await check("--cache-age", "12h"), await check("--cache-age", "7d")];
    aged({ version: "0.0.1" });
    const foreign = await check();

    expect(first).toEqual({ code: 1, via: ["check", "check"], isAsked: true, gone: true });
    expect(second).toEqual({ code: 1, via: ["cache", "check"], isAsked: false, gone: true });
    expect([old.isAsked, oldWithin.isAsked, foreign.isAsked]).toEqual([true, false, true]);
    expect(readFileSync(cache, "utf8")).not.toContain("gone");
  });

  test("does not fail where the file cannot be written, and refuses an age that is none", async () => {
    const { code, err } = await run(["check", "--cache", "/dev/null/x", `${base}/here`]);

    expect(code).toBe(0);
    expect(err).toContain("The cache cannot be written");
    expect((await run(["check", "--cache-age", "soon", "README.md"])).code).toBe(64);
  });
});

test("The cache and the baseline of a check replace no pipe and no link", async () => {
  const { run } = createProgram(SETTINGS);
  const folder = folderWith({ "a.md": "[a](none.md)", "kept.txt": "" });
  const [pipe, link] = [join(folder, "pipe"), join(folder, "link")];
  await $`mkfifo ${pipe}`;
  symlinkSync("kept.txt", link);

  const cached = await run(["check", "--cache", pipe, join(folder, "a.md")]);
  const writing = ["check", "--offline", "--root", folder, "--write-baseline", folder];
  const piped = await run([...writing, "--baseline", pipe]);
  const linked = await run([...writing, "--baseline", link]);

  expect([cached.code, cached.err]).toEqual([1, expect.stringContaining("it is not a file")]);
  expect([piped.code, piped.err]).toEqual([64, expect.stringContaining("it is not a file")]);
  expect(statSync(pipe).isFIFO()).toBe(true);
  expect([linked.code, readlinkSync(link)]).toEqual([0, "kept.txt"]);
  expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("a.md\tnone.md\n");
  expect(readdirSync(folder).sort()).toEqual(["a.md", "kept.txt", "link", "pipe"]);
});

test("stillup check that is interrupted writes whole reports, and exits with 130", async () => {
  const folder = folderWith({ "a.md": `[a](none.md) <${base}/here> <${base}/slow>` });
  const [junit, cache] = [join(folder, "r.xml"), join(folder, "cache")];
  const stop = new AbortController();
  meets = (path) => path === "/slow" && stop.abort();
  let out = "";
  const sink = () =>
    new Writable({
      write(chunk, _, done) {
        out += chunk;
        done();
      },
    });

  const code = await runCommand(
    ["check", "--junit", junit, "--cache", cache, folder],
    { ...SETTINGS, STILLUP_SENTINELS: "", STILLUP_CHECK_CONCURRENCY: "1", PATH: process.env.PATH! },
    { stdin: Readable.from([]), stdout: sink(), stderr: sink(), catchSignals: () => stop.signal },
  );

  expect(code).toBe(130);
  expect(out).toContain("Stopped before all was checked.");
  expect(out).toContain("dead  none.md");
  expect(readFileSync(junit, "utf8")).toEndWith("</testsuites>\n");
  expect(readFileSync(cache, "utf8")).toContain("/here");
});
