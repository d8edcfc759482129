import { expect, test } from "bun:test";
import { join } from "node:path";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";
import { IS_LONG } from "../long.ts";

const PRELOADED = join(import.meta.dir, "throwing.ts");

/** The program, which throws so on a signal. */
async function startThrowing(way: string) {
  const { start } = createProgram({ STILLUP_PORT: "0", STILLUP_LOG_FORMAT: "json" });
  const child = start(["serve"], { BUN_OPTIONS: `--preload ${PRELOADED}`, TEST_THROWS: way });
  const log = new Response(child.stderr).text();
  return { child, log, url: await listeningUrl(child.stdout) };
}

const WAYS = IS_LONG
  ? ["signal", "timer", "emitter", "socket", "rejections"]
  : ["timer", "rejections"];

test.each(WAYS)(
  "An uncaught error (%s) is logged and ends the program in order, with a failure",
  async (way) => {
    const { child, log } = await startThrowing(way);

    child.kill("SIGUSR2");

    expect(await child.exited).toBe(1);
    const lines = await log;
    expect(lines).toContain(way === "socket" ? "ECONNREFUSED" : "uncaught on purpose");
    expect(lines).toContain('"stack":"');
    expect(lines).toContain('"message":"stopped"');
  },
);

test("One unhandled rejection is logged, and the program goes on", async () => {
  const { child, log, url } = await startThrowing("rejection");

  child.kill("SIGUSR2");
  expect((await fetch(`${url}/health`)).status).toBe(200);
  child.kill("SIGTERM");

  expect(await child.exited).toBe(0);
  expect(await log).toContain("unhandled promise rejection");
});

const FATAL = join(import.meta.dir, "../../server/ops/start/fatal.ts");
const LIB = join(import.meta.dir, "../../server/ground/lib");

/** A program with work that never ends, in which an error is not caught. */
const STUCK = `
  const { watchFaults } = await import("${FATAL}");
  const { createTroubles } = await import("${LIB}/troubles.ts");
  const { systemClock } = await import("${LIB}/clock.ts");
  const troubles = createTroubles(systemClock);
  const { fatal } = watchFaults({ troubles, clock: systemClock });
  setInterval(() => {}, 1000);
  let at = 0;
  void fatal.then(() => { at = performance.now(); });
  process.on("exit", () => console.log(JSON.stringify([troubles.failHealth(), performance.now() - at])));
  setTimeout(() => { throw new Error("uncaught on purpose"); });
`;

test("Work that does not end is cut off five seconds after an uncaught error", async () => {
  const child = Bun.spawn([process.execPath, "-e", STUCK], { stderr: "ignore" });

  expect(await child.exited).toBe(1);
  const [isHealthFailing, ms] = JSON.parse(await new Response(child.stdout).text());
  expect(isHealthFailing).toBe(true);
  expect(ms).toBeGreaterThan(4900);
});
