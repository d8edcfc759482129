import { type Cell, toCsv } from "../../lib/text.ts";

/** How rows become text: what stands before all of them, and each. */
export type RowFormat = { head: string; linesOf(rows: Cell[][]): string };

/** As the API exports: a head and a row a line. */
export const csvFormat = (columns: readonly string[]): RowFormat => ({
  head: toCsv([[...columns]]),
  linesOf: toCsv,
});

/** One JSON object a line, named as the columns of the table are. */
export const ndjsonFormat = (columns: readonly string[]): RowFormat => ({
  head: "",
  linesOf: (rows) => rows.map((row) => `${JSON.stringify(recordOf(columns, row))}\n`).join(""),
});

const recordOf = (columns: readonly string[], row: Cell[]) =>
  Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null]));
