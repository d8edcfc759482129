import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { createProgram } from "../../tests/commands/program.ts";
import { listeningUrl } from "../../tests/listening.ts";

const EMAIL = "me@example.org";
const FULL = "/dev/full";

describe.skipIf(!existsSync(FULL))("Standard output on a full device", () => {
  const { run, command, env } = createProgram();
  const intoFull = async (...args: string[]) => {
    const { exitCode, stderr } = await $`${command} ${args} > ${FULL}`.env(env).nothrow().quiet();
    return { code: exitCode, err: stderr.toString() };
  };

  test("ends every command that prints with one sentence", async () => {
    await run(["user", "create", "--email", EMAIL]);
    await run(["key", "create", "--email", EMAIL, "--name", "Schlüssel"]);
    const commands = [
      ["key", "list", "--email", EMAIL],
      ["version"],
      ["key", "create", "--help"],
      ["completion", "bash"],
      ["serve", "--print-config"],
      ["user", "list"],
      ["export", "links"],
    ];

    for (const args of commands) {
      expect([args, await intoFull(...args)]).toEqual([
        args,
        { code: 1, err: "Standard output cannot be written: no space left on device.\n" },
      ]);
    }
  });

  test("leaves no key that was never shown", async () => {
    const { code, err } = await intoFull("key", "create", "--email", EMAIL, "--name", "unseen");

    expect([code, err]).toEqual([
      1,
      "The key could not be printed, so it was revoked. Create another one.\n",
    ]);
    expect((await run(["key", "list", "--email", EMAIL])).out).not.toContain("unseen");
  });
});

test("a reader that closes the pipe ends a command quietly", async () => {
  const { run, command, env } = createProgram();
  await run(["user", "create", "--email", EMAIL]);
  const list = Array.from({ length: 5000 }, (_, i) => `https://example.org/${i}`).join("\n");
  await run(["import", "-", "--quiet"], {}, list);

  const { stdout, stderr } =
    await $`${command} export links | head -n 2; ${command} user list | true`.env(env).quiet();

  expect(stdout.toString().split("\n")).toHaveLength(3);
  expect(stderr.toString()).toBe("");
});

describe("A server with JSON logs", () => {
  const settings = { STILLUP_PORT: "0", STILLUP_LOG_FORMAT: "json", STILLUP_LOG_LEVEL: "error" };

  test("writes nothing but JSON lines, the set-up link included", async () => {
    const { start } = createProgram({ ...settings, STILLUP_LOG_LEVEL: "info" });
    const server = start(["serve"]);
    const log = new Response(server.stderr).text();
    let shown = "";
    for await (const chunk of server.stdout) {
      shown += new TextDecoder().decode(chunk);
      if (shown.includes("set up at")) server.kill("SIGTERM");
    }
    expect(await server.exited).toBe(0);
    const out = shown.trim().split("\n");
    const err = (await log).trim().split("\n");

    const lines = [...out, ...err].map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.every((line) => line.time && line.level && line.message)).toBe(true);
    expect(JSON.parse(out[0]!).message).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    expect(JSON.parse(out[1]!).message).toMatch(
      /^set up at http:\/\/127\.0\.0\.1:\d+\/setup#token=([A-Z2-7]{5}-){5}[A-Z2-7]{5}$/,
    );
  });

  test.each([
    [{ STILLUP_DATA_DIR: "/dev/null/x" }, "The data folder cannot be made: "],
    [{ STILLUP_PORT: "many" }, 'STILLUP_PORT must be a whole number from 0 to 65535; got "many".'],
    [{ STILLUP_LOG_LEVEL: "loud" }, "STILLUP_LOG_LEVEL must be one of "],
  ])("ends with a JSON line for %j", async (spoilt, sentence) => {
    const { run } = createProgram(settings);

    const { code, out, err } = await run([], spoilt);

    expect([code, out]).toEqual([1, ""]);
    const line = JSON.parse(err.trim());
    expect(line).toMatchObject({ level: "error" });
    expect(line.message).toStartWith(sentence);
  });

  test("says so about a wrong option as well", async () => {
    const { run } = createProgram(settings);

    const { code, err } = await run(["serve", "--fast"]);

    expect([code, JSON.parse(err).message]).toEqual([64, "Unknown option '--fast'."]);
  });

  test("leaves the errors of other commands as sentences", async () => {
    const { run } = createProgram(settings);

    expect((await run(["key", "revoke", "none"])).err).toBe("No such API key.\n");
  });
});

describe("A setting that does not exist", () => {
  const settings = { STILLUP_PROT: "s3cret", STILLUP_FOO: "x", STILLUP_PORT: "0" };
  const near = "STILLUP_PROT is not a setting; did you mean STILLUP_PORT?";
  const far = "STILLUP_FOO is not a setting; `stillup serve --print-config` lists all settings.";

  test("is logged once with the nearest name, and without its value", async () => {
    const { run, start } = createProgram(settings);
    // It starts for a second time, with room for more requests.
    const server = start(["serve"], { BUN_CONFIG_MAX_HTTP_REQUESTS: "256" });
    await listeningUrl(server.stdout);
    server.kill("SIGTERM");
    const served = await new Response(server.stderr).text();
    const { code, err } = await run(["migrate"]);

    expect(code).toBe(0);
    for (const text of [served, err]) {
      const warnings = text
        .split("\n")
        .filter((line) => line.includes("not a setting"))
        .map((line) => JSON.parse(line));
      expect(warnings.map(({ level, message }) => [level, message])).toEqual([
        ["warning", near],
        ["warning", far],
      ]);
      expect(text).not.toContain("s3cret");
    }
  });

  test("is printed with all settings, also from --env-file", async () => {
    const { run, dataDir } = createProgram({ STILLUP_PROT: "s3cret" });
    await run(["migrate"]);
    const file = join(dataDir, "settings.env");
    await Bun.write(file, "STILLUP_CHECK_TIMEOUT=5\nstillup_log_level=debug\nOTHER=1\n");

    const { code, out } = await run(["--env-file", file, "serve", "--print-config"]);

    expect(code).toBe(0);
    expect(out.split("\n").filter((line) => line.startsWith("#"))).toEqual([
      "# STILLUP_CHECK_TIMEOUT is not a setting; did you mean STILLUP_CHECK_TIMEOUT_MS?",
      "# stillup_log_level is not a setting; did you mean STILLUP_LOG_LEVEL?",
      `# ${near}`,
    ]);
    expect(out).not.toContain("s3cret");
  });
});
