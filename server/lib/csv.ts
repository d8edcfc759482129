import Papa from "papaparse";

/** What a cell may hold; null is an empty one. */
export type Cell = string | number | boolean | null;

/**
 * A text that begins so would be run as a formula by whoever opens the file (OWASP, CSV Injection). The
 * signs of full width count as the others do where Chinese or Japanese is written.
 */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Lines as RFC 4180 has them, each with its end. Every cell is quoted, so that no separator that a spreadsheet
 * may choose splits one. What looks like a formula gets an apostrophe in front.
 */
export function toCsv(rows: readonly Cell[][]): string {
  if (rows.length === 0) return "";
  // The library leaves null without quotes.
  const cells = rows.map((row) => row.map((cell) => cell ?? ""));
  return `${Papa.unparse(cells, { quotes: true, newline: "\r\n", escapeFormulae: FORMULA })}\r\n`;
}
