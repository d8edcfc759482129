import type { SQL } from "bun";
import { oldestAllowed } from "./migrate.ts";
import { rowsOf } from "./postgres-connection.ts";
import {
  type Applied,
  type HistoryPartitions,
  LIVE_MS,
  type LiveNode,
  MIGRATIONS_TABLE,
  type Rows,
  type Upgrade,
} from "./store.ts";

/**
 * Numbers that no other program uses in the same database. The locks in postgres-locks.ts have two numbers, which
 * PostgreSQL distinguishes from these.
 */
const UPGRADE_LOCK = 7_814_201_811;
const PARTITIONS_LOCK = 7_814_201_812;

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

type Partition = { name: string; from: number; until: number };

/** Shorter than the deadlock timeout, so that a deadlock never fails a request. */
const PARTITION_WAIT_MS = 500;
/** The columns of checks, to move rows between partitions. */
const COLUMNS =
  "account_no, checked_at, link_no, kind_no, response_time_ms, group_no, final_url, evidence";

/** Creates and drops the monthly partitions of checks. Several processes may do so at the same time. */
export function createHistoryPartitions(
  inTransaction: <T>(work: (connection: SQL) => Promise<T>) => Promise<T>,
): HistoryPartitions {
  const alone = <T>(work: (run: Run, partitions: Partition[]) => Promise<T>) =>
    inTransaction(async (connection) => {
      const run = runnerOf(connection);
      await run(`select pg_advisory_xact_lock(${PARTITIONS_LOCK})`);
      await run(`set local lock_timeout = ${PARTITION_WAIT_MS}`);
      await run("set local statement_timeout = 0");
      return work(run, await currentPartitions(run));
    });

  return {
    create: async (from, until) => {
      const created: string[] = [];
      // In one transaction each, so that reads and writes never wait long.
      for (const month of monthsOf(from, until)) {
        if (await alone((run, partitions) => create(run, partitions, month)))
          created.push(month.name);
      }
      return created;
    },
    drop: (before) =>
      alone(async (run, partitions) => {
        const dropped: string[] = [];
        for (const { name, until } of partitions) {
          if (until > before || (await isNeeded(run, name))) continue;
          await run(`drop table ${name}`);
          dropped.push(name);
        }
        return dropped;
      }),
  };
}

/** Without the default partition. */
async function currentPartitions(run: Run): Promise<Partition[]> {
  const rows = await run(`select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i
    join pg_class c on c.oid = i.inhrelid where i.inhparent = cast('checks' as regclass)`);
  return rows.flatMap(([name, bound]) => {
    const bounds = /FROM \('(-?\d+)'\) TO \('(-?\d+)'\)/.exec(`${bound}`);
    return bounds ? { name: `${name}`, from: Number(bounds[1]), until: Number(bounds[2]) } : [];
  });
}

/** @returns whether it was created: not if another partition covers its time */
async function create(
  run: Run,
  partitions: Partition[],
  { name, from, until }: Partition,
): Promise<boolean> {
  if (partitions.some((partition) => partition.from < until && from < partition.until))
    return false;
  await run(`create table ${name} (like checks including all)`);
  // Otherwise a check of that time that arrives meanwhile would make the attachment fail.
  await run("lock table checks_rest in access exclusive mode");
  await run(
    `with moved as (delete from checks_rest where checked_at >= ? and checked_at < ? returning *)
    insert into ${name} (${COLUMNS}) select ${COLUMNS} from moved`,
    [from, until],
  );
  const bounds = `from (${from}) to (${until})`;
  await run(`alter table checks attach partition ${name} for values ${bounds}`);
  return true;
}

/** Whether it has a check whose hours are not retained yet. */
async function isNeeded(run: Run, name: string): Promise<boolean> {
  const [row] = await run(`select exists (
    select 1 from accounts a left join written_down w on w.account_no = a.no
    where exists (
      select 1 from ${name} c where c.account_no = a.no and c.checked_at >= coalesce(w.checked_at, 0)
        and (w.account_no is null or (c.checked_at, c.link_no) > (w.checked_at, w.link_no))))`);
  return row![0] === true;
}

/** Lists the months (UTC) from that of `from` to that of `until`. */
function monthsOf(from: number, until: number): Partition[] {
  const months: Partition[] = [];
  const date = new Date(from);
  for (let month = date.getUTCMonth(); ; month++) {
    const begins = new Date(Date.UTC(date.getUTCFullYear(), month));
    if (begins.getTime() > until) return months;
    const name = `checks_${begins.toISOString().slice(0, 7).replace("-", "_")}`;
    const ends = Date.UTC(date.getUTCFullYear(), month + 1);
    months.push({ name, from: begins.getTime(), until: ends });
  }
}
