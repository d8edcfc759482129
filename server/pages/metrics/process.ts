import { readdirSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Registry } from "prom-client";
import { backupFolder, type Config, sqlitePath } from "../../ground/config/config.ts";
import { ROLES } from "../../ground/config/settings.ts";
import { lazily } from "../../ground/lib/concurrency.ts";
import { WORKS } from "../../ground/lib/vocabulary.ts";
import { leastRoom, type RoomAt } from "../../ops/upkeep/disk.ts";
import type { Deps } from "../../work/deps.ts";
import type { Readings } from "./readings.ts";

const LAG_RESOLUTION_MS = 50;
/** Where Linux lists the open files of a process, and its limits. */
const [OPEN_FILES, LIMITS] = ["/proc/self/fd", "/proc/self/limits"];
/** Computed once: it must stay the same to the last digit, since any other value looks like a restart. */
const STARTED_AT_SECONDS = Date.now() / 1000 - process.uptime();

/** Returns the process metrics of Prometheus' own client libraries, under the same names. */
export function processText(): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const { user, system } = process.cpuUsage();
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, user and system.",
    registers,
  }).inc((user + system) / 1e6);
  const gauges: [name: string, help: string, value: number | null][] = [
    ["process_resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()],
    [
      "process_start_time_seconds",
      "When the process started, in seconds since 1970.",
      STARTED_AT_SECONDS,
    ],
    ["process_open_fds", "Open files and connections.", openFiles()],
    [
      "process_max_fds",
      "Most files and connections that may be open at once (LimitNOFILE, ulimit -n).",
      mostFiles(),
    ],
  ];
  for (const [name, help, value] of gauges) {
    if (value !== null) new Gauge({ name, help, registers }).set(value);
  }
  return registry.metrics();
}

function openFiles(): number | null {
  try {
    return readdirSync(OPEN_FILES).length;
  } catch {
    return null;
  }
}

/** The soft limit. */
function mostFiles(): number | null {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1];
    return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return null;
  }
}

/** Returns the longest event-loop delay since the last call, in seconds; measured from the first call on. */
export function createLagReading(): () => number {
  const histogram = lazily(() => {
    const histogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
    histogram.enable();
    return histogram;
  });
  return () => {
    const delays = histogram();
    const seconds = delays.max / 1e9;
    delays.reset();
    return Number.isFinite(seconds) ? seconds : 0;
  };
}

/** Reads the sizes of SQLite's files, and the free space where the server writes. */
export async function readDisk(config: Config, roomAt?: RoomAt): Promise<Readings> {
  const { free, floor } = await leastRoom(config, roomAt);
  const path = sqlitePath(config);
  const ofSqlite = path !== null && {
    database_wal_bytes: await sizeOf(`${path}-wal`),
    backup_last_bytes: await newestBackup(backupFolder(config)),
  };
  return { disk_free_bytes: free, disk_floor_bytes: floor, ...ofSqlite };
}

/** Null if there is no such file. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** The names of backups end with their time. */
async function newestBackup(folder: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const newest = names
    .filter((name) => /^stillup-\d.*\.db$/.test(name))
    .sort()
    .at(-1);
  return newest ? sizeOf(join(folder, newest)) : null;
}

/** Returns what this node knows of the others, and its own share, as of its latest heartbeat. */
export function nodeReadings({ nodes }: Deps): Readings {
  const all = nodes.all();
  const live = all.filter(({ isLive }) => isLive);
  const present = new Set(live.map(({ name }) => name));
  const gone = new Set(all.map(({ name }) => name)).difference(present);
  const { buckets, clockOffMs, lagMs } = all[0]!.state;
  return {
    nodes: ROLES.map((role) => [{ role }, live.filter(({ roles }) => roles.includes(role)).length]),
    nodes_gone: gone.size,
    node_buckets: WORKS.map((work) => [{ work }, buckets[work]]),
    node_lag_seconds: WORKS.flatMap((work) => {
      const ms = lagMs[work];
      return ms === null ? [] : [[{ work }, ms / 1000]];
    }),
    node_clock_off_seconds: clockOffMs / 1000,
  };
}
