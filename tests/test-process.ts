import { join } from "node:path";

/** What one test file printed. */
export type FileRun = { file: string; lines: string[]; seconds: number };

let cpuMicroseconds = 0;

/** What all processes that have ended took of the processors, with what they started. */
export const cpuSeconds = (): number => cpuMicroseconds / 1_000_000;

/** Ends a test that hangs. There is no other limit: how long a test takes depends on the machine. */
const HANGS_AFTER_MS = 300_000;
/** Bun cannot end a loop that never awaits, so this ends the whole process. */
const SILENT_AFTER_MS = HANGS_AFTER_MS + 30_000;

/** Where the summary of a process begins, which repeats the failures of its files. */
const isSummary = (line: string) => /^( *\d+ pass|\d+ tests? (skipped|failed):)$/.test(line);

/** Runs the files in one process, in this order. Those after a file that ends the process run in another one. */
export async function runFiles(
  files: string[],
  args: string[],
  env: Record<string, string>,
  report: (run: FileRun) => void,
): Promise<void> {
  const run = startTests(files, args, env);
  let index = 0;
  let lines: string[] = [];
  let startedAt = performance.now();
  const finish = () => {
    const end = lines.findIndex(isSummary);
    const seconds = (performance.now() - startedAt) / 1000;
    report({ file: files[index]!, lines: end < 0 ? lines : lines.slice(0, end), seconds });
  };
  for await (const line of linesOf(run)) {
    const next = files.indexOf(line.replace(/:$/, ""));
    if (next <= index) lines.push(line);
    else {
      finish();
      [index, lines, startedAt] = [next, [], performance.now()];
    }
  }
  killGroup(run);
  await run.exited;
  cpuMicroseconds += Number(run.resourceUsage()?.cpuTime.total ?? 0);
  if (!lines.some(isSummary)) lines.push(`(fail) ended with ${await endOf(run)}`);
  finish();
  const left = files.slice(index + 1);
  if (left.length > 0) await runFiles(left, args, env, report);
}

/** Memory stays with a process: giving it back and asking for it again took a fifth of the processors' time. */
const ENV = { FORCE_COLOR: "0", MIMALLOC_PURGE_DELAY: "-1" };

type TestProcess = Bun.Subprocess<"ignore", "pipe", "inherit">;

function startTests(files: string[], args: string[], env: Record<string, string>): TestProcess {
  const paths = files.map((file) => `./${file}`);
  const command = [process.execPath, "test", `--timeout=${HANGS_AFTER_MS}`, ...args, ...paths];
  // One pipe for both outputs keeps their order.
  return Bun.spawn(["sh", "-c", 'exec "$@" 2>&1', "sh", ...command], {
    cwd: join(import.meta.dir, ".."),
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    env: { ...process.env, ...ENV, ...env },
  });
}

/** Yields what the process prints, line by line, and kills it with all it started when it is silent for too long. */
async function* linesOf(run: TestProcess): AsyncGenerator<string> {
  const reader = run.stdout.pipeThrough(new TextDecoderStream()).getReader();
  // A process that a test left behind may hold the pipe open.
  run.exited.then(() => setTimeout(() => reader.cancel(), 1000));
  let rest = "";
  for (;;) {
    const watchdog = setTimeout(() => killGroup(run), SILENT_AFTER_MS);
    const { value, done } = await reader.read();
    clearTimeout(watchdog);
    if (done) break;
    const lines = `${rest}${value}`.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Kills the process, if it still runs, and all that its tests started. */
function killGroup({ pid }: TestProcess): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left of the group.
  }
}

async function endOf(run: TestProcess): Promise<string> {
  const code = await run.exited;
  return run.signalCode === "SIGKILL" ? "SIGKILL: it may have hung" : `code ${code}`;
}
