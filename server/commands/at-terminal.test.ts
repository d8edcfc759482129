import { describe, expect, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";
import { CLEAR_LINE } from "./io.ts";

const LINK = "http://127.0.0.1:PORT/setup#token=TOKEN";

describe.skipIf(process.platform === "win32")("A server that a person starts at a terminal", () => {
  test("prints where it runs, where its data is and how to set it up, and nothing else", async () => {
    const { command, env, dataDir } = createProgram({ STILLUP_PORT: "0" });

    expect(await startAtTerminal(command, env)).toEqual([
      "Stillup is running: http://127.0.0.1:PORT",
      `Data: ${dataDir}`,
      `Next, create the first administrator: ${LINK}`,
    ]);
  });

  test("prints how to stop it once there is an account", async () => {
    const { command, env, run } = createProgram({ STILLUP_PORT: "0" });
    await run(["user", "create", "--email", "me@example.org"]);

    const lines = await startAtTerminal(command, env);

    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toBe("Press Ctrl+C to stop.");
  });

  test("prints lines of the log where STILLUP_LOG_FORMAT is set", async () => {
    const { command, env } = createProgram({ STILLUP_PORT: "0", STILLUP_LOG_FORMAT: "json" });

    const lines = (await startAtTerminal(command, env)).map((line) => JSON.parse(line).message);

    expect(lines).toContain("listening on http://127.0.0.1:PORT");
    expect(lines).toContain(`set up at ${LINK}`);
    expect(lines).toContain("started");
  });
});

const IS_UP = /Ctrl\+C to|administrator: [^\n]*\n|set up at [^\n]*\n/;

/** Starts the server with a terminal, stops it when it is up, and returns the lines that stay on the screen. */
async function startAtTerminal(command: string[], env: Record<string, string>): Promise<string[]> {
  let screen = "";
  let isUp = false;
  const decoder = new TextDecoder();
  const server = Bun.spawn([...command, "serve"], {
    env: { ...env, TERM: "xterm" },
    terminal: {
      cols: 300,
      data(_, bytes) {
        screen += decoder.decode(bytes, { stream: true });
        if (!isUp && IS_UP.test(screen)) server.kill("SIGINT");
        isUp ||= IS_UP.test(screen);
      },
    },
  });
  expect(await server.exited).toBe(0);
  return screen
    .split(/\r?\n/)
    .map((line) => line.split(CLEAR_LINE).at(-1)!)
    .filter((line) => line !== "")
    .map((line) => line.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:PORT"))
    .map((line) => line.replace(/token=[A-Z2-7-]+/, "token=TOKEN"));
}
