import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Registry } from "prom-client";
import { lazily } from "../../lib/concurrency.ts";

const LAG_RESOLUTION_MS = 50;
/** Where Linux lists the open files of a process, and its limits. */
const [OPEN_FILES, LIMITS] = ["/proc/self/fd", "/proc/self/limits"];
/** Worked out once: it must stay the same to the last digit, since each other value looks like a restart. */
const STARTED_AT_SECONDS = Date.now() / 1000 - process.uptime();

/** The process metrics of Prometheus' own libraries, under the same names. */
export function processText(): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const { user, system } = process.cpuUsage();
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time that the process has taken, its own and the system's for it.",
    registers,
  }).inc((user + system) / 1e6);
  const tell = (name: string, help: string, value: number) =>
    new Gauge({ name, help, registers }).set(value);
  tell(
    "process_resident_memory_bytes",
    "Memory that the process takes up.",
    process.memoryUsage.rss(),
  );
  tell(
    "process_start_time_seconds",
    "When the process began, in seconds since 1970.",
    STARTED_AT_SECONDS,
  );
  const open = openFiles();
  if (open !== null) tell("process_open_fds", "Files and connections that are open.", open);
  const most = mostFiles();
  const help = "How many files and connections may be open at once (LimitNOFILE, ulimit -n).";
  if (most !== null) tell("process_max_fds", help, most);
  return registry.metrics();
}

function openFiles(): number | null {
  try {
    return readdirSync(OPEN_FILES).length;
  } catch {
    return null;
  }
}

/** The soft limit; null where it is not known. */
function mostFiles(): number | null {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1];
    return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return null;
  }
}

/** Returns the worst event-loop lag since the last call; measured from the first call on. */
export function createLagReading(): () => number {
  const histogram = lazily(startHistogram);
  return () => {
    const delays = histogram();
    const seconds = delays.max / 1e9;
    delays.reset();
    return Number.isFinite(seconds) ? seconds : 0;
  };
}

function startHistogram() {
  const histogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  histogram.enable();
  return histogram;
}
