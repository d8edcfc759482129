import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createProgram } from "../../tests/commands/program.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** What bash offers for a line that is being typed: its last word is completed. */
async function offeredFor(script: string, line: string[]): Promise<string[]> {
  const words = ["stillup", ...line].map((word) => `'${word}'`).join(" ");
  const ask = `${script}
COMP_WORDS=(${words}); COMP_CWORD=${line.length}
_stillup
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = Bun.spawn(["bash", "--norc", "-c", ask], { stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).split("\n").filter(Boolean);
}

describe("stillup completion", () => {
  const { run } = createProgram();

  test("makes bash complete commands, options and what these may be", async () => {
    const { out: script } = await run(["completion", "bash"]);
    const offered = (...line: string[]) => offeredFor(script, line);

    expect(await offered("imp")).toEqual(["import"]);
    expect(await offered("user", "re")).toEqual(["reset-password", "remove-2fa"]);
    expect(await offered("export", "links", "--format", "")).toEqual(["csv", "ndjson", "yaml"]);
    expect(await offered("import", "x", "--fre")).toEqual(["--frequency"]);
    expect(await offered("import", "x", "--frequency", "w")).toEqual(["weekly"]);
    expect(await offered("completion", "")).toEqual(expect.arrayContaining(SHELLS));
    expect(await offered("help", "exp")).toEqual(["export"]);
    expect(await offered("import", "--group", "")).toEqual([]);
    expect(await offered("$(touch /tmp/stillup-ran)", "")).toContain("serve");
  });

  test("knows all commands in every shell, and no other shell", async () => {
    for (const shell of SHELLS) {
      const { out } = await run(["completion", shell]);
      for (const word of ["serve", "remove-2fa", "apply", "frequency", "uptime-kuma"]) {
        expect(out).toContain(word);
      }
    }
    expect((await run(["completion", "cmd"])).code).toBe(64);
  });

  test("is a bash script without faults", async () => {
    const { out } = await run(["completion", "bash"]);
    const check = Bun.spawn(["bash", "-n"], { stdin: Buffer.from(out), stderr: "pipe" });

    expect(await new Response(check.stderr).text()).toBe("");
    expect(await check.exited).toBe(0);
    expect(out).not.toContain(join("server", "main.ts"));
  });
});
