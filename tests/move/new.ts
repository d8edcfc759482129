import { SQL } from "bun";
import { closeAtEnd } from "../shared.ts";
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
  return { ask, rows: async (table: string) => sorted(await ask(`select * from ${table}`)) };
}

const toPlain = ([name, value]: [string, unknown]) => [
  name,
  typeof value === "bigint" ? Number(value) : value,
];

/** Holds up whatever writes a certain row, until it is let go. */
export type Obstacle = {
  /** Resolves once somebody waits here. */
  reached(): Promise<void>;
  /** Lets whoever waits go on. What is there for it stays: to take it away would be in the way of them. */
  open(): Promise<void>;
  /** Once nobody is at work any more. */
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
  return {
    async reached() {
      while ((await sql.unsafe(waiting)).length === 0);
    },
    async open() {
      await sql.unsafe("select pg_advisory_unlock_all()");
    },
    async remove() {
      await sql.unsafe("select pg_advisory_unlock_all()");
      await sql.unsafe("drop function wait_here cascade");
      await sql.close();
    },
  };
}
