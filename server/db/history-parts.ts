import type { SQL } from "bun";
import { rowsOf } from "./postgres-rows.ts";
import type { HistoryParts, Query, Rows } from "./store.ts";

type Ask = (query: Query) => Promise<Rows>;
type Part = { name: string; from: number; until: number };

/**
 * Any number that no other program uses in the same database. The other lock with one number is in
 * postgres-upgrade.ts; those of postgres-locks.ts have two, which PostgreSQL keeps apart from these.
 */
const PARTS_LOCK = 7_814_201_812;
/** Shorter than a deadlock takes to be found, so that it is never a request that gives way. */
const PATIENCE_MS = 500;
/** The columns of checks, by which rows move from one part to another. */
const COLUMNS =
  "account_no, checked_at, link_no, kind_no, response_time_ms, group_no, final_url, evidence";

/** Checks by month of PostgreSQL. Whoever is second to make or drop a part finds that done. */
export function createHistoryParts(
  inTransaction: <T>(work: (connection: SQL) => Promise<T>) => Promise<T>,
): HistoryParts {
  const alone = <T>(work: (ask: Ask, parts: Part[]) => Promise<T>) =>
    inTransaction(async (connection) => {
      const ask: Ask = (query) => rowsOf(connection, query);
      await ask({ sql: `select pg_advisory_xact_lock(${PARTS_LOCK})`, params: [] });
      await ask({ sql: `set local lock_timeout = ${PATIENCE_MS}`, params: [] });
      await ask({ sql: "set local statement_timeout = 0", params: [] });
      return work(ask, await partsNow(ask));
    });

  return {
    make: async (from, until) => {
      const made: string[] = [];
      // One after another, so that what reads and writes meanwhile waits for none of them long.
      for (const month of monthsOf(from, until)) {
        if (await alone((ask, parts) => make(ask, parts, month))) made.push(month.name);
      }
      return made;
    },
    drop: (before) =>
      alone(async (ask, parts) => {
        const dropped: string[] = [];
        for (const { name, until } of parts) {
          if (until > before || (await isNeeded(ask, name))) continue;
          await ask({ sql: `drop table ${name}`, params: [] });
          dropped.push(name);
        }
        return dropped;
      }),
  };
}

/** The part of all other moments is none of them. */
async function partsNow(ask: Ask): Promise<Part[]> {
  const rows = await ask({
    sql: `select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i
      join pg_class c on c.oid = i.inhrelid where i.inhparent = cast('checks' as regclass)`,
    params: [],
  });
  return rows.flatMap(([name, bound]) => {
    const bounds = /FROM \('(-?\d+)'\) TO \('(-?\d+)'\)/.exec(`${bound}`);
    return bounds ? { name: `${name}`, from: Number(bounds[1]), until: Number(bounds[2]) } : [];
  });
}

/** @returns whether it was made: not where another part has its time */
async function make(ask: Ask, parts: Part[], { name, from, until }: Part): Promise<boolean> {
  if (parts.some((part) => part.from < until && from < part.until)) return false;
  await ask({ sql: `create table ${name} (like checks including all)`, params: [] });
  // Else a check of that time that comes meanwhile would be in the way.
  await ask({ sql: "lock table checks_rest in access exclusive mode", params: [] });
  await ask({
    sql: `with moved as (delete from checks_rest where checked_at >= ? and checked_at < ? returning *)
      insert into ${name} (${COLUMNS}) select ${COLUMNS} from moved`,
    params: [from, until],
  });
  const bounds = `from (${from}) to (${until})`;
  await ask({
    sql: `alter table checks attach partition ${name} for values ${bounds}`,
    params: [],
  });
  return true;
}

/** Whether a check is in it whose hours are not written down yet. */
async function isNeeded(ask: Ask, name: string): Promise<boolean> {
  const [row] = await ask({
    sql: `select exists (
      select 1 from accounts a left join written_down w on w.account_no = a.no
      where exists (
        select 1 from ${name} c where c.account_no = a.no and c.checked_at >= coalesce(w.checked_at, 0)
          and (w.account_no is null or (c.checked_at, c.link_no) > (w.checked_at, w.link_no))))`,
    params: [],
  });
  return row![0] === true;
}

/** The months (UTC) from that of the one moment to that of the other. */
function monthsOf(from: number, until: number): Part[] {
  const months: Part[] = [];
  const date = new Date(from);
  for (let month = date.getUTCMonth(); ; month++) {
    const begins = new Date(Date.UTC(date.getUTCFullYear(), month));
    if (begins.getTime() > until) return months;
    const name = `checks_${begins.toISOString().slice(0, 7).replace("-", "_")}`;
    const ends = Date.UTC(date.getUTCFullYear(), month + 1);
    months.push({ name, from: begins.getTime(), until: ends });
  }
}
