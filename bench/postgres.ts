import { SQL } from "bun";
import { startOwnPostgres } from "../tests/own-postgres.ts";
import { cpuSeconds, parentOf } from "./program.ts";

/** A PostgreSQL server whose costs are measured. */
export type MeasuredPostgres = {
  /** Returns the URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Returns the processor time of all its processes so far, in seconds. */
  cpu(): number;
  /** Returns the size of the write-ahead log so far, in bytes. */
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
    cpu: () => cpuSeconds(parent),
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
