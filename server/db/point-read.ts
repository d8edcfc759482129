import { type Column, fillPlaceholders } from "drizzle-orm";
import { preparedOnce, type Store } from "./store.ts";

/** A select as drizzle builds it. */
type Select<Row> = PromiseLike<Row[]> & { toSQL(): { sql: string; params: unknown[] } };

/**
 * A select of one row that nearly every request needs, built once per store. drizzle's own reading of a row creates
 * some hundred objects, more garbage than the rest of a request. This creates only the row.
 */
export function pointRead<Columns extends Record<string, Column>, Row>(
  columns: Columns,
  build: (store: Store, columns: Columns) => Select<Row>,
) {
  const named = Object.entries(columns);
  const statement = preparedOnce((store) => build(store, columns).toSQL());
  return async (store: Store, values: Record<string, unknown>): Promise<Row | undefined> => {
    const { sql, params } = statement(store);
    const [cells] = await store.engine.run({ sql, params: fillPlaceholders(params, values) });
    return cells && (toRow(named, cells) as Row);
  };
}

/** The cells of a row are in the order of the columns. */
function toRow(columns: [string, Column][], cells: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) {
    const [name, column] = columns[i]!;
    row[name] = cells[i] === null ? null : column.mapFromDriverValue(cells[i]);
  }
  return row;
}
