import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { createProgram } from "./program.ts";

const FILE = "links: [https://example.org/a]";

describe("stillup apply", () => {
  const { run, command, env } = createProgram();
  const apply = (file: string, ...options: string[]) =>
    run(["apply", "-f", "-", ...options], {}, file);

  test("shows what it would do, asks, and tells by its exit code whether all is as it should be", async () => {
    await run(["user", "create", "--email", "me@example.org"]);
    const shown =
      "+ https://example.org/a  in no group, daily\n1 to create, 0 to change, 0 to delete.\n";

    expect(await apply(FILE, "--dry-run")).toEqual({ code: 2, out: shown, err: "" });
    expect(await apply(FILE)).toEqual({
      ...{ code: 64, out: shown },
      err: "Use --yes to do this without a terminal.\n",
    });
    expect(await apply(FILE, "--yes")).toEqual({ code: 0, out: `${shown}Done.\n`, err: "" });
    const same = { code: 0, out: "Everything matches the file.\n", err: "" };
    expect(await apply(FILE, "--dry-run")).toEqual(same);
    expect(await apply("links:\n- url: ftp://x", "--yes")).toEqual({
      ...{ code: 1, out: "" },
      err: "Standard input: Line 2: The URL must be an http or https URL.\n",
    });
  });

  test.each(["links.yaml", "my  links", "émigré.yaml"])(
    "calls the file %j as it was typed",
    async (name) => {
      const folder = mkdtempSync(join(tmpdir(), "stillup-apply-"));
      writeFileSync(join(folder, name), "links:\n- url: ftp://x");

      const applied = await $`${command} apply -f ${name} --yes`
        .env(env)
        .cwd(folder)
        .nothrow()
        .quiet();

      rmSync(folder, { recursive: true });
      expect(applied.exitCode).toBe(1);
      expect(applied.stderr.toString()).toStartWith(`${name}: Line 2: The URL must be`);
    },
  );
});
