import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";
import { sized } from "../long.ts";
import { SETTINGS, stopRounds } from "./stops.ts";

const STOPS = sized(1, 5);

test("a stop while clients ask cuts no request and leaves the database whole, each time", async () => {
  for (const stop of await stopRounds(STOPS))
    expect(stop).toEqual({ exitCode: 0, requestsCut: 0, errorsLogged: false, journalBytes: 0 });
});

test("A second signal ends the program at once", async () => {
  const { start } = createProgram(SETTINGS);
  const server = start(["serve"]);
  await listeningUrl(server.stdout);
  const log = server.stderr.getReader();

  server.kill("SIGTERM");
  for (let text = ""; !text.includes("stopping"); ) {
    text += new TextDecoder().decode((await log.read()).value);
  }
  server.kill("SIGTERM");

  expect(await server.exited).toBe(1);
});

const UNSHARE = ["unshare", "--pid", "--fork"];
const mayUnshare =
  Bun.which("unshare") !== null && Bun.spawnSync([...UNSHARE, "true"]).exitCode === 0;
if (!mayUnshare) console.warn("no process can be the first here: stopping one is not tried");

test.skipIf(!mayUnshare)(
  "As the first process of a container it stops as well",
  async () => {
    const { env, command } = createProgram(SETTINGS);
    const outer = Bun.spawn([...UNSHARE, ...command, "serve"], {
      env,
      stdout: "pipe",
      stderr: "ignore",
    });
    await listeningUrl(outer.stdout);
    const [first] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8").split(
      " ",
    );

    process.kill(Number(first), "SIGTERM");

    expect(await outer.exited).toBe(0);
  },
  20_000,
);
