import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READER_MEMORY } from "../server/work/processes/pool.ts";
import { listeningUrl } from "../tests/listening.ts";
import { emptyPostgres } from "../tests/postgres.ts";
import { closeAtEnd } from "../tests/shared.ts";

/** A server in a process of its own. */
type Program = {
  url: string;
  startMs: number;
  pid: number;
  stop(): Promise<void>;
};

/** Starts a server and waits until it prints its URL. */
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

export const IS_POSTGRES = process.argv.includes("--postgres");

export const EXECUTABLE = "dist/stillup";

/** Runs the executable if it was built. */
export const command = existsSync(EXECUTABLE) ? [EXECUTABLE] : [process.execPath, "server/main.ts"];

/** Settings for where a server stores its data. */
export type Home = { STILLUP_DATA_DIR: string; STILLUP_DATABASE_URL: string };

/** Returns an empty home: SQLite, or with `--postgres` a database on a PostgreSQL server of its own. */
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

/** Starts a server without rate limits. */
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

/** Its files are deleted at the end of the run. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stillup-bench-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Returns the memory of a process and its children in megabytes. Pages that they share, such as those of the executable,
 * count once (PSS); a sum of their resident sizes would count them for each process.
 */
export const memoryMb = (pid: number): number => sumOf(treeOf(pid), pssMb);

const SAMPLE_MS = 100;
/** Finding the children is slower than reading their memory, and they rarely change. */
const SAMPLES_PER_TREE = 10;

/** Samples the memory of a process and its children. `stop` returns the peak in megabytes. */
export function watchMemory(pid: number): { stop(): number } {
  let [peak, samples, pids] = [0, 0, [pid]];
  const sample = () => {
    if (samples++ % SAMPLES_PER_TREE === 0) pids = treeOf(pid);
    peak = Math.max(peak, sumOf(pids, pssMb));
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const stop = () => {
    clearInterval(timer);
    return peak;
  };
  return { stop };
}

/**
 * Samples the memory of the process that reads sources for a server. `stop` returns its peak in megabytes: its own pages,
 * and its share of those of files. Sampling all of its PSS takes 20 ms each time, which would delay what is measured.
 */
export function peakOfReader(server: number): { stop(): number } {
  let [reader, peak] = [0, 0];
  const timer = setInterval(() => {
    reader ||= treeOf(server).find(isReader) ?? 0;
    peak = Math.max(peak, sumOf([reader], ownMb));
  }, READER_SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak + sumOf([reader], ofFilesMb);
    },
  };
}

const [READER_VARIABLE] = Object.entries(READER_MEMORY).map((entry) => entry.join("="));
const isReader = (pid: number) =>
  readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(READER_VARIABLE!);

const READER_SAMPLE_MS = 500;

/** Returns the processor time of a process and its children so far, including children that have exited. */
export const cpuSeconds = (pid: number): number => sumOf(treeOf(pid), ownCpuSeconds);

/** As `cpuSeconds`, of the process alone and its children that have exited. */
export function ownCpuSeconds(pid: number): number {
  const [user, system, ofExited, systemOfExited] = statOf(pid).slice(11, 15).map(Number);
  return (user! + system! + ofExited! + systemOfExited!) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;

const pssMb = (pid: number) => megabytes(`/proc/${pid}/smaps_rollup`, "Pss");

const ofFilesMb = (pid: number) => megabytes(`/proc/${pid}/smaps_rollup`, "Pss_File");

const ownMb = (pid: number) => megabytes(`/proc/${pid}/status`, "RssAnon");

/** Returns the largest resident size of a process so far in megabytes, 0 for one that has exited. */
export const peakMb = (pid: number): number =>
  sumOf([pid], (each) => megabytes(`/proc/${each}/status`, "VmHWM"));

/** A field of proc(5), which is in kilobytes; 0 if it is not there. */
const megabytes = (path: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0) / 1024;

/** Processes that have exited meanwhile count as 0. */
function sumOf(pids: number[], measure: (pid: number) => number): number {
  let sum = 0;
  for (const pid of pids) {
    try {
      sum += measure(pid);
    } catch {}
  }
  return sum;
}

/** Returns the process and all below it. */
function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const each of readdirSync("/proc").map(Number).filter(Boolean)) {
    try {
      parents.set(each, parentOf(each));
    } catch {}
  }
  const found = [pid];
  for (const parent of found) {
    for (const [child, of] of parents) if (of === parent) found.push(child);
  }
  return found;
}

/** Returns the parent of a process. */
export const parentOf = (pid: number) => Number(statOf(pid)[1]);

/** Returns the fields of proc_pid_stat(5) after the name, which may contain spaces. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
