import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { run as runCommand } from "../../server/commands/program.ts";
import { RESTARTED } from "../installed.ts";
import { type Output, outputOf } from "../output.ts";
import { closeAtEnd } from "../shared.ts";

const MAIN = join(import.meta.dir, "../../server/main.ts");

/** The executable starts in a quarter of the time that the source takes. */
const { STILLUP_BINARY } = process.env;
const COMMAND = STILLUP_BINARY ? [resolve(STILLUP_BINARY)] : [process.execPath, MAIN];

export type Outcome = { code: number; out: string; err: string };

/** The program with a data folder of its own and without the environment of the tests. */
export function createProgram(settings: Record<string, string> = {}) {
  const processes = createProcesses(settings, COMMAND);
  const begin = (args: string[], more: Record<string, string> = {}, input = "") =>
    beginHere(args, { ...processes.env, ...more }, input);
  return {
    ...processes,
    /** Runs a command in this process; `serve` only where it is refused. */
    run: (...given: Parameters<typeof begin>) => begin(...given).outcome,
    /** Begins a command in this process that goes on until it is stopped, such as `serve`. */
    begin,
    /** Runs a command in a process of its own. */
    runProcess: processes.run,
  };
}

/** A folder with these files, until the tests end. */
export function folderWith(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), "stillup-test-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** @param command starts the program, such as another version of it */
export function createProcesses(settings: Record<string, string>, command: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "stillup-cli-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const env = {
    PATH: process.env.PATH!,
    STILLUP_DATA_DIR: dataDir,
    STILLUP_SENTINELS: "",
    // Hashing passwords would take most of the time of some tests.
    STILLUP_PASSWORD_MEMORY_MB: "19",
    ...RESTARTED,
    ...settings,
  };

  function start(args: string[], more: Record<string, string> = {}, input = "") {
    return Bun.spawn([...command, ...args], {
      env: { ...env, ...more },
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async function run(
    args: string[],
    more?: Record<string, string>,
    input?: string,
  ): Promise<Outcome> {
    const child = start(args, more, input);
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code, out, err };
  }

  return { dataDir, start, run, env, command };
}

/** A command that runs in this process. */
export type Running = {
  output: Output;
  outcome: Promise<Outcome>;
  /** As SIGTERM does. Resolves with the exit code. */
  stop(): Promise<number>;
};

function beginHere(args: string[], env: Record<string, string>, input: string): Running {
  const [stdout, stderr] = [collect(), collect()];
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  const stopped = new AbortController();
  const catchSignals = () => stopped.signal;
  const forget = rememberListeners();
  const outcome = runCommand(args, env, { stdin, stdout, stderr, catchSignals })
    .then((code) => ({ code, out: stdout.text(), err: stderr.text() }))
    .finally(() => {
      forget();
      // A server's log goes on in what it has opened.
      stderr.end();
    });
  return {
    output: outputOf({ stdout: stdout.copy, stderr: stderr.copy }),
    outcome,
    async stop() {
      stopped.abort();
      return (await outcome).code;
    },
  };
}

/** @returns what takes the listeners away that a server adds for the errors of its process */
function rememberListeners(): () => void {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = events.map((event) => process.rawListeners(event));
  return () => {
    for (const [i, event] of events.entries()) {
      process.removeAllListeners(event);
      for (const each of before[i]!) process.on(event, each as () => void);
    }
  };
}

/** A stream that keeps what is written to it. */
function collect() {
  const chunks: Buffer[] = [];
  let copying!: ReadableStreamDefaultController<Uint8Array>;
  const copy = new ReadableStream<Uint8Array>({
    start(controller) {
      copying = controller;
    },
  });
  const write = (chunk: Buffer, _: string, done: () => void) => {
    chunks.push(chunk);
    copying.enqueue(chunk);
    done();
  };
  const final = (done: () => void) => {
    copying.close();
    done();
  };
  const text = () => Buffer.concat(chunks).toString();
  return Object.assign(new Writable({ write, final }), { copy, text });
}
