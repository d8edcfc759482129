import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { run as runCommand } from "../../server/commands/program.ts";
import { closeAtEnd } from "../shared.ts";

const MAIN = join(import.meta.dir, "../../server/main.ts");

/** The executable starts in a quarter of the time that the source takes. */
const { STILLUP_BINARY } = process.env;
const COMMAND = STILLUP_BINARY ? [resolve(STILLUP_BINARY)] : [process.execPath, MAIN];

export type Outcome = { code: number; out: string; err: string };

/** The program with a data folder of its own and without the environment of the tests. */
export function createProgram(settings: Record<string, string> = {}) {
  const processes = createProcesses(settings, COMMAND);
  return {
    ...processes,
    /** Runs a command in this process, but `serve`, which holds its folder until its process ends. */
    run: (args: string[], more: Record<string, string> = {}, input = "") =>
      args.includes("serve")
        ? processes.run(args, more, input)
        : runHere(args, { ...processes.env, ...more }, input),
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

async function runHere(
  args: string[],
  env: Record<string, string>,
  input: string,
): Promise<Outcome> {
  const [stdout, stderr] = [collect(), collect()];
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
  const code = await runCommand(args, env, { stdin, stdout, stderr });
  return { code, out: stdout.text(), err: stderr.text() };
}

/** A stream that keeps what is written to it. */
function collect() {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: string, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  return Object.assign(new Writable({ write }), { text: () => Buffer.concat(chunks).toString() });
}
