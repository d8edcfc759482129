import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { createProgram } from "../../tests/commands/program.ts";

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
      code: 64,
      out: shown,
      err: "Use --yes to do this without a terminal.\n",
    });
    expect(await apply(FILE, "--yes")).toEqual({ code: 0, out: `${shown}Done.\n`, err: "" });
    const same = { code: 0, out: "Everything matches the file.\n", err: "" };
    expect(await apply(FILE, "--dry-run")).toEqual(same);
    expect(await apply("links:\n- url: ftp://x", "--yes")).toEqual({
      code: 1,
      out: "",
      err: "Standard input: Line 2: The URL must be an http or https URL.\n",
    });
  });

  test("reads the credentials of hosts from the environment or its file, and shows none", async () => {
    const hosts = "hosts: [{ host: a.example, auth: { type: bearer, token_env: DOCS_TOKEN } }]";
    const said = (code: number, out: string, err = "") => ({ code, out, err });
    const missing = "Standard input: Line 1: The variable DOCS_TOKEN is not set.\n";
    const folder = mkdtempSync(join(tmpdir(), "stillup-apply-"));
    const envFile = join(folder, "env");
    writeFileSync(envFile, "DOCS_TOKEN=token-9876543210");

    expect(await apply(hosts, "--yes")).toEqual(said(1, "", missing));
    const made =
      "+ host a.example  with DOCS_TOKEN\n1 to create, 0 to change, 0 to delete.\nDone.\n";
    const token = { DOCS_TOKEN: "token-0123456789" };
    expect(await run(["apply", "-f", "-", "--yes"], token, hosts)).toEqual(said(0, made));
    const changed = "~ host a.example  auth\n0 to create, 1 to change, 0 to delete.\n";
    const fromFile = ["--env-file", envFile, "apply", "-f", "-", "--dry-run"];
    expect(await run(fromFile, {}, hosts)).toEqual(said(2, changed));
    const same = said(0, "Everything matches the file.\n");
    expect(await run(fromFile, token, hosts)).toEqual(same);
    rmSync(folder, { recursive: true });
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
