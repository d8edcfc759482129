import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listeningUrl } from "../listening.ts";
import { emptyPostgres } from "../postgres.ts";

/** A server in a process of its own. `output` is what it prints after the line that tells where it listens. */
type Program = {
  url: string;
  startMs: number;
  pid: number;
  stop(): Promise<void>;
};

/** Starts it and waits for the line that tells where it listens. */
export async function startProgram(
  command: string[],
  env: Record<string, string> = {},
): Promise<Program> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdout: "pipe",
    stderr: process.env.SHOW ? "inherit" : "ignore",
  });
  const url = await listeningUrl(child.stdout);
  const startMs = performance.now() - startedAt;
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { url, startMs, pid: child.pid, stop };
}

const IS_POSTGRES = process.argv.includes("--postgres");

export const EXECUTABLE = "dist/stillup";

/** The program, from the executable when it was built. */
export const command = existsSync(EXECUTABLE) ? [EXECUTABLE] : [process.execPath, "server/main.ts"];

/** Settings that say where a server keeps what it knows. */
export type Home = { STILLUP_DATA_DIR: string; STILLUP_DATABASE_URL: string };

/** A home with nothing in it: SQLite, or with `--postgres` a database of a PostgreSQL of its own. */
export const newHome = async (): Promise<Home> =>
  IS_POSTGRES ? homeAt(await emptyPostgres()) : sqliteHome();

export const homeAt = (url: string): Home => ({
  STILLUP_DATA_DIR: newFolder(),
  STILLUP_DATABASE_URL: url,
});

export function sqliteHome(): Home {
  const folder = newFolder();
  return { STILLUP_DATA_DIR: folder, STILLUP_DATABASE_URL: `sqlite:${folder}/stillup.db` };
}

/** A server without limits of requests. */
export const serve = (home: Home, env: Record<string, string> = {}): Promise<Program> =>
  startProgram([...command, "serve"], {
    ...home,
    STILLUP_PORT: "0",
    STILLUP_RATE_LIMIT_PER_MINUTE: "1000000",
    STILLUP_RATE_LIMIT_PER_HOUR: "1000000",
    STILLUP_SENTINELS: "",
    STILLUP_TIER_LIMITS: '{"enterprise":{"links":2000000}}',
    ...env,
  });

export const newFolder = () => mkdtempSync(join(tmpdir(), "stillup-bench-"));

/** Resident memory in megabytes, as the system counts it: now, and at most so far. */
export async function memoryMb(pid: number): Promise<{ now: number; peak: number }> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024;
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

/** Processor time that a process has taken so far, its own and the system's for it. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text();
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
