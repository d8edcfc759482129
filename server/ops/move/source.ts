import { Database } from "bun:sqlite";
import { valuesOf } from "../../ground/db/sqlite-file.ts";
import { NOTES } from "./notes.ts";

/** A table to move, sorted by its primary key. */
export type Table = { name: string; columns: string[]; key: string[] };

/** Consecutive rows in the format of COPY, and the key of the last one. */
export type Page = { lines: string[]; last: Cell[] };

/** A snapshot of the old database. */
export type Source = {
  /** All tables to move, each after the tables that it references. */
  tables: Table[];
  count(table: Table): number;
  /** When the oldest stored check was made; null without checks. */
  oldestCheck(): number | null;
  /** @param after the key of the row before the first; null starts at the first row */
  pages(table: Table, after: Cell[] | null): Generator<Page>;
  close(): void;
};

/** Tables that belong to a process, to SQLite or to the database file. */
export const LEFT_BEHIND = ["migrations", "nodes"];

/** Columns of leases, whose holders do not exist in the new installation. */
const EMPTIED: Record<string, string[]> = {
  links: ["lease", "checking_until"],
  sources: ["lease"],
  imports: ["lease"],
};

/** Characters of one page, which is one transaction in the new database. */
const PAGE_LENGTH = 2_000_000;

export function openSource(path: string): Source {
  const database = new Database(path, { readonly: true, strict: true });
  // One snapshot, from the first read.
  database.run("PRAGMA busy_timeout = 5000; BEGIN");
  // Counting a long table takes a while.
  const counts = new Map<string, number>();
  return {
    tables: inOrder(database),
    count: ({ name }) => {
      const count = counts.get(name) ?? countOf(database, name);
      counts.set(name, count);
      return count;
    },
    oldestCheck: () => valuesOf(database, OLDEST_CHECK)[0]![0] as number | null,
    pages: (table, after) => pagesOf(database, table, after),
    close: () => database.close(true),
  };
}

const OLDEST_CHECK = `select min(oldest) from (
  select (select min(checked_at) from checks where account_no = accounts.no) as oldest from accounts
)`;

const countOf = (database: Database, name: string) =>
  valuesOf(database, `select count(*) from ${name}${conditionOf(name)}`)[0]![0] as number;

/** Leaves out the facts about the move. */
export const conditionOf = (table: string) =>
  table === "facts" ? ` where name not like '${NOTES}%'` : "";

function inOrder(database: Database): Table[] {
  // Not those of the search, which the new database makes itself.
  const sql = "select name from pragma_table_list where type = 'table' and name not like 'sqlite%'";
  const names = valuesOf(database, `${sql} order by name`).map(([name]) => name as string);
  const ordered = new Set<string>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    const parents = valuesOf(database, `select "table" from pragma_foreign_key_list('${name}')`);
    for (const [parent] of parents) if (parent !== name) add(parent as string);
    ordered.add(name);
  };
  for (const name of names) if (!LEFT_BEHIND.includes(name)) add(name);
  return [...ordered].map((name) => describe(database, name));
}

function describe(database: Database, name: string): Table {
  const rows = valuesOf(database, `select name, pk from pragma_table_info('${name}')`);
  const columns = rows as [name: string, place: number][];
  const key = columns.filter(([, place]) => place > 0).sort(([, a], [, b]) => a - b);
  return { name, columns: columns.map(([each]) => each), key: key.map(([each]) => each) };
}

function* pagesOf(database: Database, table: Table, after: Cell[] | null): Generator<Page> {
  const statement = database.prepare(selectOf(table, after));
  let page: Page = { lines: [], last: [] };
  let length = 0;
  try {
    for (const row of statement.iterate(...(after ?? [])) as Iterable<Record<string, Cell>>) {
      const line = lineOf(table.columns.map((column) => row[column]!));
      page.lines.push(line);
      page.last = table.key.map((column) => row[column]!);
      length += line.length;
      if (length < PAGE_LENGTH) continue;
      yield page;
      page = { lines: [], last: [] };
      length = 0;
    }
    if (page.lines.length > 0) yield page;
  } finally {
    statement.finalize();
  }
}

function selectOf({ name, columns, key }: Table, after: Cell[] | null): string {
  const emptied = EMPTIED[name] ?? [];
  const wanted = columns.map((each) => (emptied.includes(each) ? `null as ${each}` : each));
  const isLater = `(${key}) > (${key.map(() => "?")})`;
  const own = conditionOf(name);
  const condition = after ? `${own ? `${own} and` : " where"} ${isLater}` : own;
  return `select ${wanted} from ${name}${condition} order by ${key}`;
}

/** A value of a column. */
type Cell = string | number | bigint | null;

/** A row in the text format of COPY, in which both databases are compared. */
const lineOf = (cells: Cell[]): string => cells.map(textOf).join("\t");

function textOf(cell: Cell): string {
  if (cell === null) return "\\N";
  return typeof cell === "string" ? escaped(cell) : String(cell);
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  // PostgreSQL cannot store it.
  "\0": "\uFFFD",
};

const escaped = (text: string) =>
  text.toWellFormed().replace(/[\\\b\f\n\r\t\v\0]/g, (each) => ESCAPES[each]!);

/** How many rows a table has, and a checksum that does not depend on their order. */
export type Sum = { rows: number; sum: bigint };

/** Sums lines, each as bytes without the line break. */
export function createSum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(line: Uint8Array) {
      rows++;
      sum = BigInt.asUintN(64, sum + BigInt(Bun.hash(line)));
    },
    value: (): Sum => ({ rows, sum }),
  };
}
