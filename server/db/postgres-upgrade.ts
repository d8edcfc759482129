import type { SQL } from "bun";
import { oldestAllowed } from "./migrate.ts";
import { rowsOf } from "./postgres-connection.ts";
import {
  type Applied,
  LIVE_MS,
  type LiveNode,
  MIGRATIONS_TABLE,
  type Rows,
  type Upgrade,
} from "./store.ts";

/**
 * A number that no other program uses in the same database. The other lock with one number is in
 * history-partitions.ts; those in postgres-locks.ts have two numbers, which PostgreSQL distinguishes from these.
 */
const UPGRADE_LOCK = 7_814_201_811;

/** The longest wait for a table while other nodes serve: queries on it would queue behind the upgrade. */
const LOCK_WAIT_MS = 1000;

type Run = (sql: string, params?: unknown[]) => Promise<Rows>;

const runnerOf =
  (connection: SQL): Run =>
  (sql, params = []) =>
    rowsOf(connection, { sql, params });

export const appliedTo = (connection: SQL): Promise<Applied[]> => readApplied(runnerOf(connection));

/** Returns the nodes with a recent heartbeat; none for a new database. */
export const liveNodesOf = (connection: SQL): Promise<LiveNode[]> =>
  liveNodes(runnerOf(connection));

/** Runs inside the transaction of the connection. */
export async function runUpgrade(
  connection: SQL,
  { at, choose, onStep }: Upgrade,
): Promise<string[]> {
  const run = runnerOf(connection);
  await run("set local statement_timeout = 0");
  // Held until the transaction ends. Without it, two processes would create the same table.
  await run(`select pg_advisory_xact_lock(${UPGRADE_LOCK})`);
  await run(MIGRATIONS_TABLE);
  // Not "if not exists", which would block everyone who reads the table until the upgrade is done.
  const isNew = (await run(FIND_OLDEST)).length === 0;
  if (isNew) await run("alter table migrations add column oldest text");
  const nodes = await liveNodes(run);
  const pending = choose(await readApplied(run), nodes);
  // Otherwise their queries on a table would queue behind an upgrade that waits for that table.
  if (nodes.length > 0) await run(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  for (const [i, { name, statements }] of pending.entries()) {
    onStep({ n: i + 1, of: pending.length, name });
    const row = [name, at, oldestAllowed(statements)];
    await run("insert into migrations (name, applied_at, oldest) values (?, ?, ?)", row);
    await connection.unsafe(statements).simple();
  }
  return pending.map(({ name }) => name);
}

const FIND_OLDEST = `select 1 from information_schema.columns
  where table_schema = current_schema() and table_name = 'migrations' and column_name = 'oldest'`;

/** Works without the column, which the first upgrade adds. */
const APPLIED = "select name, to_jsonb(migrations) ->> 'oldest' from migrations";

async function readApplied(run: Run): Promise<Applied[]> {
  const [found] = await run("select to_regclass('migrations')");
  if (found![0] === null) return [];
  const rows = await run(APPLIED);
  return rows.map(([name, oldest]) => ({ name: name as string, oldest: oldest as string | null }));
}

async function liveNodes(run: Run): Promise<LiveNode[]> {
  const [found] = await run("select to_regclass('nodes')");
  if (found![0] === null) return [];
  const rows = await run(LIVE_NODES, [LIVE_MS]);
  return rows.map(([name, version]) => ({ name: name as string, version: version as string }));
}

const LIVE_NODES = `select name, version from nodes
  where seen_at > cast(extract(epoch from clock_timestamp()) * 1000 as bigint) - ? order by name, id`;
