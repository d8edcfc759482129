import { Database } from "bun:sqlite";

type Row = Record<string, string | number | null>;
export type Dump = Record<string, Row[]>;

/** Every statement by which the schema could be made again. */
export function schemaOf(path: string): unknown[][] {
  return reading(path, (database) =>
    database
      .query("select type, name, tbl_name, sql from sqlite_master order by type, name")
      .values(),
  );
}

/** Every row of every table, in an order that does not depend on where it lies. */
export function rowsOf(path: string): Dump {
  return reading(path, (database) => {
    const names = database
      .query("select name from pragma_table_list where type = 'table' and name not like 'sqlite%'")
      .values() as [string][];
    return Object.fromEntries(
      names.map(([name]) => [name, sorted(database.query(`select * from ${name}`).all() as Row[])]),
    );
  });
}

/** How each of these names of columns and values would be written is of no interest. */
export const sorted = (rows: Row[]): Row[] =>
  rows
    .map((row) => ({ key: JSON.stringify(Object.entries(row).sort()), row }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);

export function orphansIn(path: string): unknown[][] {
  return reading(path, (database) => database.query("PRAGMA foreign_key_check").values());
}

function reading<T>(path: string, read: (database: Database) => T): T {
  const database = new Database(path, { readonly: true, strict: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
