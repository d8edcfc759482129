import { SQL } from "bun";
import { liveNodesOf } from "../../ground/db/postgres-schema.ts";
import { CAME, type Coming, IN, NOTES, progressOf } from "./notes.ts";
import { conditionOf, createSum, type Page, type Sum, type Table } from "./source.ts";

/** The rows of a table that are copied, up to the one with the key `after`. */
export type Progress = { rows: number; after: Page["last"] | null };

/** The target database: what a move needs beyond `Engine`. */
export type Target = {
  tables(): Promise<string[]>;
  columns(table: string): Promise<string[]>;
  /** The first of the tables that has rows; null if all are empty. */
  filled(tables: string[]): Promise<string | null>;
  /** The name of a node that serves the database; null if none does. */
  servedBy(): Promise<string | null>;
  /** The move that is running, and the one that was completed. */
  notes(): Promise<{ under: Coming | null; cameBy: Coming | null }>;
  /** Deletes the rows that every new database has, and records that the move has begun. */
  begin(coming: Coming, tables: Table[]): Promise<void>;
  /** Waits for a transaction of a killed move. */
  progress(table: Table): Promise<Progress>;
  /** Adds the page, if the progress is still `from`. */
  add(table: Table, page: Page, from: Progress): Promise<Progress>;
  /** @param onRows is called with the number of rows read since its last call */
  sum(table: Table, onRows: (rows: number) => void): Promise<Sum>;
  /** Makes it a database like any other. */
  finish(coming: Coming, tables: Table[]): Promise<void>;
  close(): Promise<void>;
};

const NEW_LINE = 10;

/** Tables that are empty until someone uses the installation. */
export const CONTENT = [
  "accounts",
  "users",
  "groups",
  "links",
  "checks",
  "webhooks",
  "events",
  "audit",
];

/** Their triggers keep counts. */
const COUNTED = ["links", "link_tags"];

export function openTarget(url: string): Target {
  const pool = new SQL(url, { max: 1, bigint: true });
  const query = (text: string, params: unknown[] = []): Promise<unknown[][]> =>
    pool.unsafe(text, params).values();
  /** Without a time limit, since a table may be long. */
  const inTransaction = <T>(work: (connection: SQL) => Promise<T>): Promise<T> =>
    pool.begin(async (connection) => {
      await connection.unsafe("set local statement_timeout = 0");
      return work(connection);
    });
  return {
    tables: async () => (await query(TABLES)).map(([name]) => name as string),
    columns: async (table) => (await query(COLUMNS, [table])).map(([name]) => name as string),
    async filled(tables) {
      for (const name of tables) {
        if ((await query(`select 1 from ${name} limit 1`)).length > 0) return name;
      }
      return null;
    },
    servedBy: async () => (await liveNodesOf(pool))[0]?.name ?? null,
    async notes() {
      const rows = (await query(
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
  // First, so that only one of two concurrent moves begins.
  await note(IN, coming);
  for (const { name } of tables.toReversed()) {
    if (CONTENT.includes(name)) continue;
    await connection.unsafe(`delete from ${name}${conditionOf(name)}`);
  }
  // The counts that the triggers keep are moved too.
  for (const table of COUNTED) await connection.unsafe(`alter table ${table} disable trigger user`);
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

/** Reads the rows as a stream and keeps only an unfinished row in memory. */
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
  // Otherwise the first queries would be planned for empty tables.
  await connection.unsafe(`analyze ${tables.map(({ name }) => name)}`);
  for (const table of COUNTED) await connection.unsafe(`alter table ${table} enable trigger user`);
  await connection.unsafe(`delete from facts where name like '${NOTES}%'`);
  await connection.unsafe("insert into facts (name, value) values ($1, $2)", [
    CAME,
    JSON.stringify(coming),
  ]);
}
