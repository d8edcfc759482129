import { SQL } from "bun";
import { closeAtEnd } from "../shared.ts";
import { until } from "../until.ts";
import type { Dump } from "../upgrades/dump.ts";
import { sorted } from "../upgrades/dump.ts";

/** Looks at a PostgreSQL database as anybody may. */
export function lookAt(url: string) {
  const sql = new SQL(url, { max: 1, bigint: true });
  closeAtEnd(() => sql.close());
  const ask = async (text: string) => {
    const rows: Record<string, unknown>[] = await sql.unsafe(text);
    return rows.map(
      (row) => Object.fromEntries(Object.entries(row).map(toPlain)) as Dump[string][number],
    );
  };
  const change = (text: string) => sql.unsafe(text).simple();
  return {
    ask,
    change,
    rows: async (table: string) => sorted(await ask(`select * from ${table}`)),
  };
}

const toPlain = ([name, value]: [string, unknown]) => [
  name,
  typeof value === "bigint" ? Number(value) : value,
];

/** Blocks transactions that write a certain row. */
export type Obstacle = {
  /** Resolves once a transaction waits. */
  reached(): Promise<void>;
  /** Lets the transaction go on. The trigger stays, since dropping it would wait for that transaction. */
  open(): Promise<void>;
  /** Lets the transaction go on, waits for its end and drops the trigger. */
  remove(): Promise<void>;
};

/** @param row as a trigger may name it, such as `new.id = 'x'` */
export async function obstruct(url: string, event: string, row: string): Promise<Obstacle> {
  const sql = new SQL(url, { max: 1 });
  const result = event.startsWith("delete") ? "old" : "new";
  await sql
    .unsafe(
      `create function wait_here() returns trigger language plpgsql as
       'begin perform pg_advisory_xact_lock(4711); return ${result}; end';
       create trigger wait_here before ${event} for each row when (${row}) execute function wait_here();
       select pg_advisory_lock(4711);`,
    )
    .simple();
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  const inTransaction = `select 1 from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()
    and backend_type = 'client backend' and datname = current_database()`;
  return {
    async reached() {
      const isReached = async () => (await sql.unsafe(waiting)).length > 0;
      await until("a transaction that waits", isReached, { everyMs: 20 });
    },
    async open() {
      await sql.unsafe("select pg_advisory_unlock_all()");
    },
    async remove() {
      await sql.unsafe("select pg_advisory_unlock_all()");
      // The statement of a killed client runs to its end; dropping the trigger meanwhile could be a deadlock.
      const isOver = async () => (await sql.unsafe(inTransaction)).length === 0;
      await until("the end of the transaction", isOver, { everyMs: 20 });
      await sql.unsafe("drop function wait_here cascade");
      await sql.close();
    },
  };
}
