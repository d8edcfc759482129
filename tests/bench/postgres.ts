import { readdirSync, readFileSync } from "node:fs";
import { SQL } from "bun";
import { startOwnPostgres } from "../own-postgres.ts";
import { cpuSeconds } from "./program.ts";

/** A PostgreSQL that is as durable as one in earnest, and tells what it took. */
export type MeasuredPostgres = {
  /** An empty database, a new one each time. */
  newDatabase(): Promise<string>;
  /** Processor time of all its processes so far, in seconds. */
  cpu(): Promise<number>;
  /** What it wrote ahead so far, in bytes. */
  written(): Promise<number>;
  stop(): Promise<void>;
};

export async function startMeasuredPostgres(): Promise<MeasuredPostgres> {
  const server = await startOwnPostgres();
  const admin = new SQL(server.urlOf("postgres"), { max: 1 });
  const [{ pid }] = await admin`select pg_backend_pid() as pid`;
  const parent = parentOf(pid);
  let databases = 0;
  return {
    async newDatabase() {
      const name = `bench_${++databases}`;
      await admin.unsafe(`create database ${name}`).simple();
      return server.urlOf(name);
    },
    cpu: () => cpuOfAll(parent),
    async written() {
      const [{ n }] = await admin`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as n`;
      return Number(n);
    },
    async stop() {
      await admin.close();
      await server.remove();
    },
  };
}

/** A server is a process for each connection and some more, all of one parent, which counts those that ended. */
async function cpuOfAll(parent: number): Promise<number> {
  const pids = readdirSync("/proc").map(Number).filter(Boolean);
  const children = pids.filter((pid) => isThere(pid) && parentOf(pid) === parent);
  const parts = [parent, ...children].map((pid) => cpuSeconds(pid).catch(() => 0));
  const sum = (await Promise.all(parts)).reduce((all, part) => all + part, 0);
  return sum + endedCpu(parent);
}

const fieldsOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

const parentOf = (pid: number) => Number(fieldsOf(pid)[1]);

const endedCpu = (pid: number) => (Number(fieldsOf(pid)[13]) + Number(fieldsOf(pid)[14])) / 100;

function isThere(pid: number): boolean {
  try {
    return fieldsOf(pid).length > 0;
  } catch {
    return false;
  }
}
