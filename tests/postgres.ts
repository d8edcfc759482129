import { SQL } from "bun";
import { migrateToHead } from "../server/ground/db/open.ts";
import { openPostgres } from "../server/ground/db/postgres.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { closeAtEnd } from "./shared.ts";
import { waitFor } from "./waits.ts";

const TEMPLATE = "stillup_template";

type Server = { urlOf: (name: string) => string; admin: SQL };
let running: Promise<Server> | undefined;
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

/** Resolves once a session of the database waits for a lock, which PostgreSQL says only when it is asked. */
export async function lockIsAwaited(url: string): Promise<void> {
  const watcher = new SQL(url, { max: 1 });
  const waiting = () => watcher`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const isWaiting = async () => {
    while ((await waiting()).length === 0);
  };
  await waitFor(isWaiting(), () => "a session that waits for a lock");
  await watcher.close();
}

async function createDatabase(template: string): Promise<string> {
  running ??= connectOrStart();
  const { urlOf, admin } = await running;
  const name = `stillup_${process.pid}_${++databases}`;
  await admin.unsafe(`create database ${name} template ${template}`).simple();
  return urlOf(name);
}

/** Deletes a database of `freshPostgres` or `emptyPostgres`. */
export async function dropPostgres(url: string): Promise<void> {
  const { admin } = await running!;
  await admin.unsafe(`drop database ${new URL(url).pathname.slice(1)} with (force)`).simple();
}

/** Starts a server for the processes that get the result as STILLUP_TEST_POSTGRES. */
export async function shareServer(): Promise<string> {
  running = startServer();
  return (await running).urlOf("postgres");
}

const connectOrStart = async (): Promise<Server> => {
  const shared = process.env.STILLUP_TEST_POSTGRES;
  return shared ? connect((name) => new URL(name, shared).href) : startServer();
};

function connect(urlOf: Server["urlOf"]): Server {
  const admin = new SQL(urlOf("postgres"), { max: 1 });
  closeAtEnd(() => admin.close());
  return { urlOf, admin };
}

async function startServer(): Promise<Server> {
  const { urlOf, remove } = await startOwnPostgres();
  const server = connect(urlOf);
  await server.admin.unsafe(`create database ${TEMPLATE}`).simple();
  const engine = openPostgres(urlOf(TEMPLATE));
  await migrateToHead(engine, 0);
  await engine.close();
  closeAtEnd(remove);
  return server;
}
