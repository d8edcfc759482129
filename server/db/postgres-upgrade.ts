import type { SQL } from "bun";
import { oldestBeside } from "./beside-versions.ts";
import { rowsOf } from "./postgres-rows.ts";
import {
  type Applied,
  LIVE_MS,
  type LiveNode,
  MIGRATIONS_TABLE,
  type Rows,
  type Upgrade,
} from "./store.ts";

/**
 * Any number that no other program uses in the same database. The other lock with one number is in
 * history-parts.ts; those of postgres-locks.ts have two, which PostgreSQL keeps apart from these.
 */
const UPGRADE_LOCK = 7_814_201_811;

/** Beside nodes that serve, a table that is in use is not waited for longer: the upgrade is tried again. */
const LOCK_WAIT_MS = 1000;

type Ask = (sql: string, params?: unknown[]) => Promise<Rows>;

const askerOf =
  (connection: SQL): Ask =>
  (sql, params = []) =>
    rowsOf(connection, { sql, params });

export const appliedTo = (connection: SQL): Promise<Applied[]> => readApplied(askerOf(connection));

/** Those that serve the database, as far as their signs of life tell; none in a new one. */
export const liveNodesOf = (connection: SQL): Promise<LiveNode[]> => liveNodes(askerOf(connection));

/** Within a transaction of its own. */
export async function runUpgrade(
  connection: SQL,
  { at, choose, onStep }: Upgrade,
): Promise<string[]> {
  const ask = askerOf(connection);
  await ask("set local statement_timeout = 0");
  // Until the transaction ends. Without, two would meet at the table that both of them make.
  await ask(`select pg_advisory_xact_lock(${UPGRADE_LOCK})`);
  await ask(MIGRATIONS_TABLE);
  // Not "if not exists", which would have everyone who looks wait until the upgrade is done.
  const isNew = (await ask(FIND_OLDEST)).length === 0;
  if (isNew) await ask("alter table migrations add column oldest text");
  const nodes = await liveNodes(ask);
  const pending = choose(await readApplied(ask), nodes);
  // Else all that they ask of a table would wait behind an upgrade that waits for it itself.
  if (nodes.length > 0) await ask(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  for (const [i, { name, statements }] of pending.entries()) {
    onStep({ n: i + 1, of: pending.length, name });
    const row = [name, at, oldestBeside(statements)];
    await ask("insert into migrations (name, applied_at, oldest) values (?, ?, ?)", row);
    await connection.unsafe(statements).simple();
  }
  return pending.map(({ name }) => name);
}

const FIND_OLDEST = `select 1 from information_schema.columns
  where table_schema = current_schema() and table_name = 'migrations' and column_name = 'oldest'`;

/** The column is not there before the first upgrade by a version that knows of it. */
const APPLIED = "select name, to_jsonb(migrations) ->> 'oldest' from migrations";

async function readApplied(ask: Ask): Promise<Applied[]> {
  const [found] = await ask("select to_regclass('migrations')");
  if (found![0] === null) return [];
  const rows = await ask(APPLIED);
  return rows.map(([name, oldest]) => ({ name: name as string, oldest: oldest as string | null }));
}

async function liveNodes(ask: Ask): Promise<LiveNode[]> {
  const [found] = await ask("select to_regclass('nodes')");
  if (found![0] === null) return [];
  const rows = await ask(LIVE_NODES, [LIVE_MS]);
  return rows.map(([name, version]) => ({ name: name as string, version: version as string }));
}

const LIVE_NODES = `select name, version from nodes
  where seen_at > cast(extract(epoch from clock_timestamp()) * 1000 as bigint) - ? order by name, id`;
