import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listeningUrl } from "../listening.ts";

/** A server in a process of its own. */
type Program = { url: string; startMs: number; pid: number; stop(): Promise<void> };

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

export const newFolder = () => mkdtempSync(join(tmpdir(), "stillup-bench-"));

/** Resident memory in megabytes, as the system counts it. */
export async function memoryMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}
