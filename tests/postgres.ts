import { SQL } from "bun";
import { migrateToHead } from "../server/db/open.ts";
import { openPostgres } from "../server/db/postgres.ts";
import { startOwnPostgres } from "./own-postgres.ts";
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
  const { urlOf, remove } = await startOwnPostgres(["-c", "fsync=off"]);
  const admin = new SQL(urlOf("postgres"), { max: 1 });
  await admin.unsafe(`create database ${TEMPLATE}`).simple();
  const engine = openPostgres(urlOf(TEMPLATE));
  await migrateToHead(engine, 0);
  await engine.close();
  closeAtEnd(async () => {
    await admin.close();
    await remove();
  });
  return { urlOf, admin };
}
