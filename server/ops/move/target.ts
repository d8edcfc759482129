import { SQL } from "bun";
import { liveNodesOf } from "../../db/postgres-schema.ts";
import { CONTENT } from "./move.ts";
import { CAME, type Coming, IN, NOTES, progressOf } from "./notes.ts";
import { conditionOf, createSum, type Page, type Sum, type Table } from "./source.ts";

/** How far a table has come: so many rows, up to the one with this key. */
export type Progress = { rows: number; after: Page["last"] | null };

/** The target database: what a move needs beyond `Engine`. */
export type Target = {
  /** The names of all tables that are there. */
  tables(): Promise<string[]>;
  columns(table: string): Promise<string[]>;
  /** A table of these that has rows; null when none does. */
  filled(tables: string[]): Promise<string | null>;
  /** A process that serves the database; null when none does. */
  servedBy(): Promise<string | null>;
  /** The move that is under way into it, and that it came by. */
  notes(): Promise<{ under: Coming | null; cameBy: Coming | null }>;
  /** Empties tables of what every new database has, and notes that the move has begun. */
  begin(coming: Coming, tables: Table[]): Promise<void>;
  /** After what a killed move had under way is done or undone. */
  progress(table: Table): Promise<Progress>;
  /** Adds the page, if the table has come as far as said. */
  add(table: Table, page: Page, from: Progress): Promise<Progress>;
  /** @param onRows is called with the number of rows read since the last call */
  sum(table: Table, onRows: (rows: number) => void): Promise<Sum>;
  /** From then on it is as any other database. */
  finish(coming: Coming, tables: Table[]): Promise<void>;
  close(): Promise<void>;
};

const NEW_LINE = 10;

export function openTarget(url: string): Target {
  const pool = new SQL(url, { max: 1, bigint: true });
  const ask = (text: string, params: unknown[] = []): Promise<unknown[][]> =>
    pool.unsafe(text, params).values();
  /** However long a table is, it is read or written to its end. */
  const inTransaction = <T>(work: (connection: SQL) => Promise<T>): Promise<T> =>
    pool.begin(async (connection) => {
      await connection.unsafe("set local statement_timeout = 0");
      return work(connection);
    });
  return {
    tables: async () => (await ask(TABLES)).map(([name]) => name as string),
    columns: async (table) => (await ask(COLUMNS, [table])).map(([name]) => name as string),
    async filled(tables) {
      for (const name of tables) {
        if ((await ask(`select 1 from ${name} limit 1`)).length > 0) return name;
      }
      return null;
    },
    servedBy: async () => (await liveNodesOf(pool))[0]?.name ?? null,
    async notes() {
      const rows = (await ask(
        `select name, value from facts where name in ('${IN}', '${CAME}')`,
      )) as string[][];
      const noted = (wanted: string) => rows.find(([name]) => name === wanted)?.[1];
      return { under: comingOf(noted(IN)), cameBy: comingOf(noted(CAME)) };
    },
    begin: (coming, tables) => inTransaction((connection) => begin(connection, coming, tables)),
    progress: (table) =>
      inTransaction(async (connection) => {
        const known = "select value from facts where name = $1 for update";
        const [row] = await connection.unsafe(known, [progressOf(table.name)]).values();
        return JSON.parse(row![0] as string) as Progress;
      }),
    add: (table, page, from) =>
      inTransaction((connection) => add(connection, { table, page, from })),
    sum: (table, onRows) => inTransaction((connection) => sumOf(connection, table, onRows)),
    finish: (coming, tables) => inTransaction((connection) => finish(connection, coming, tables)),
    close: () => pool.close(),
  };
}

const TABLES =
  "select table_name from information_schema.tables where table_schema = current_schema() order by table_name";
const COLUMNS =
  "select column_name from information_schema.columns where table_schema = current_schema() and table_name = $1";

const comingOf = (text: string | undefined) =>
  text === undefined ? null : (JSON.parse(text) as Coming);

async function begin(connection: SQL, coming: Coming, tables: Table[]): Promise<void> {
  const note = (name: string, value: object) =>
    connection.unsafe("insert into facts (name, value) values ($1, $2)", [
      name,
      JSON.stringify(value),
    ]);
  // First, so that of two that begin at once one is refused.
  await note(IN, coming);
  for (const { name } of tables.toReversed()) {
    if (CONTENT.includes(name)) continue;
    await connection.unsafe(`delete from ${name}${conditionOf(name)}`);
  }
  // What they count is moved as it is.
  await connection.unsafe("alter table links disable trigger user");
  const nothing: Progress = { rows: 0, after: null };
  for (const { name } of tables) await note(progressOf(name), nothing);
}

type Addition = { table: Table; page: Page; from: Progress };

async function add(connection: SQL, { table, page, from }: Addition): Promise<Progress> {
  const to: Progress = { rows: from.rows + page.lines.length, after: page.last };
  const noted = await connection.unsafe(
    "update facts set value = $1 where name = $2 and value = $3 returning name",
    [JSON.stringify(to), progressOf(table.name), JSON.stringify(from)],
  );
  if (noted.length === 0) throw new Error("Another process is moving the same installation.");
  const copy = `copy ${table.name} (${table.columns}) from stdin`;
  const writer = connection.unsafe(copy).writable().getWriter();
  await writer.write(`${page.lines.join("\n")}\n`);
  await writer.close();
  return to;
}

/** Bytes as they come: nothing of them is kept but the beginning of a row whose end is still to come. */
async function sumOf(
  connection: SQL,
  { name, columns }: Table,
  onRows: (rows: number) => void,
): Promise<Sum> {
  const sum = createSum();
  const copy = `copy (select ${columns} from ${name}${conditionOf(name)}) to stdout`;
  let rest = Buffer.alloc(0);
  for await (const chunk of connection.unsafe(copy).readable()) {
    const bytes = Buffer.concat([rest, chunk]);
    const before = sum.value().rows;
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
      sum.add(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    onRows(sum.value().rows - before);
  }
  return sum.value();
}

async function finish(connection: SQL, coming: Coming, tables: Table[]): Promise<void> {
  // Else the first queries would be planned as if every table were empty.
  await connection.unsafe(`analyze ${tables.map(({ name }) => name)}`);
  await connection.unsafe("alter table links enable trigger user");
  await connection.unsafe(`delete from facts where name like '${NOTES}%'`);
  await connection.unsafe("insert into facts (name, value) values ($1, $2)", [
    CAME,
    JSON.stringify(coming),
  ]);
}
