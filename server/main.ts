import type { Io } from "./commands/io.ts";
import { CHECKER_COMMAND } from "./ground/lib/runtime.ts";

// All files that the program writes are for its own user only.
process.umask(0o077);
const io: Io = {
  // Opened only when a command reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  catchSignals,
  restart,
};
// Exits although connections or timers may still be open.
process.exit(await main(process.argv.slice(2)));

/** Loads only what the process needs, since checker processes come in addition to the server. */
async function main(args: string[]): Promise<number> {
  if (args[0] === CHECKER_COMMAND) {
    const { runChecker } = await import("./work/processes/process.ts");
    return runChecker(args[1] ?? "", Number(args[2]));
  }
  const { run } = await import("./commands/program.ts");
  return run(args, process.env, io);
}

function catchSignals(exitCode: number): AbortSignal {
  const first = new AbortController();
  const onSignal = () => {
    if (first.signal.aborted) process.exit(exitCode);
    first.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return first.signal;
}

/** Does nothing on Windows, which has no `execve`. */
function restart(env: NodeJS.ProcessEnv): void {
  // The executable contains its script, which is not an argument then.
  const isExecutable = process.argv[1]?.startsWith("/$bunfs/");
  const args = process.argv.slice(isExecutable ? 2 : 1);
  process.execve?.(process.execPath, [process.execPath, ...args], env);
}
