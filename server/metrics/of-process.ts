import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Registry } from "prom-client";
import { lazily } from "../lib/lazily.ts";

const LAG_RESOLUTION_MS = 50;
/** Where Linux lists the open files of a process. */
const OPEN_FILES = "/proc/self/fd";

/** What Prometheus' own libraries tell of a process, by the same names. */
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
    Date.now() / 1000 - process.uptime(),
  );
  const open = openFiles();
  if (open !== null) tell("process_open_fds", "Files and connections that are open.", open);
  return registry.metrics();
}

function openFiles(): number | null {
  try {
    return readdirSync(OPEN_FILES).length;
  } catch {
    return null;
  }
}

/** Gives how late the event loop was at most since it was last asked; measured once somebody has. */
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
