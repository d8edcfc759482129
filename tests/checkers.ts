import { readdirSync, readFileSync } from "node:fs";

/** The ids of the checker processes of a server. */
export const checkersOf = (server: number): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => isChecker(pid) && parentOf(pid) === server);

export function isChecker(pid: number): boolean {
  return read(pid, "cmdline").includes("checker-process");
}

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(read(pid, "status"))?.[1]);

/** Empty once the process has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
