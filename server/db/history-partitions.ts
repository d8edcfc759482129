import type { SQL } from "bun";
import { rowsOf } from "./postgres-connection.ts";
import type { HistoryPartitions, Query, Rows } from "./store.ts";

type Run = (query: Query) => Promise<Rows>;
type Partition = { name: string; from: number; until: number };

/**
 * A number that no other program uses in the same database. The other lock with one number is in
 * postgres-upgrade.ts; those in postgres-locks.ts have two numbers, which PostgreSQL distinguishes from these.
 */
const PARTITIONS_LOCK = 7_814_201_812;
/** Shorter than the deadlock timeout, so that a deadlock never fails a request. */
const LOCK_WAIT_MS = 500;
/** The columns of checks, to move rows between partitions. */
const COLUMNS =
  "account_no, checked_at, link_no, kind_no, response_time_ms, group_no, final_url, evidence";

/** Creates and drops the monthly partitions of checks. Several processes may do so at the same time. */
export function createHistoryPartitions(
  inTransaction: <T>(work: (connection: SQL) => Promise<T>) => Promise<T>,
): HistoryPartitions {
  const alone = <T>(work: (run: Run, partitions: Partition[]) => Promise<T>) =>
    inTransaction(async (connection) => {
      const run: Run = (query) => rowsOf(connection, query);
      await run({ sql: `select pg_advisory_xact_lock(${PARTITIONS_LOCK})`, params: [] });
      await run({ sql: `set local lock_timeout = ${LOCK_WAIT_MS}`, params: [] });
      await run({ sql: "set local statement_timeout = 0", params: [] });
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
          await run({ sql: `drop table ${name}`, params: [] });
          dropped.push(name);
        }
        return dropped;
      }),
  };
}

/** Without the default partition. */
async function currentPartitions(run: Run): Promise<Partition[]> {
  const rows = await run({
    sql: `select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i
      join pg_class c on c.oid = i.inhrelid where i.inhparent = cast('checks' as regclass)`,
    params: [],
  });
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
  await run({ sql: `create table ${name} (like checks including all)`, params: [] });
  // Otherwise a check of that time that arrives meanwhile would make the attachment fail.
  await run({ sql: "lock table checks_rest in access exclusive mode", params: [] });
  await run({
    sql: `with moved as (delete from checks_rest where checked_at >= ? and checked_at < ? returning *)
      insert into ${name} (${COLUMNS}) select ${COLUMNS} from moved`,
    params: [from, until],
  });
  const bounds = `from (${from}) to (${until})`;
  await run({
    sql: `alter table checks attach partition ${name} for values ${bounds}`,
    params: [],
  });
  return true;
}

/** Whether it has a check whose hours are not retained yet. */
async function isNeeded(run: Run, name: string): Promise<boolean> {
  const [row] = await run({
    sql: `select exists (
      select 1 from accounts a left join written_down w on w.account_no = a.no
      where exists (
        select 1 from ${name} c where c.account_no = a.no and c.checked_at >= coalesce(w.checked_at, 0)
          and (w.account_no is null or (c.checked_at, c.link_no) > (w.checked_at, w.link_no))))`,
    params: [],
  });
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
