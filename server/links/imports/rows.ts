import type { Reader } from "./reading.ts";
import { delimiterOf } from "./table.ts";
import { refuseEndless } from "./unreadable.ts";

/** Reads the rows of a table, some at a time; `take` sees the first ones all at once. */
export async function openRows(head: string, take: (rows: string[][]) => void): Promise<Reader> {
  const { default: Papa } = await import("papaparse");
  // Spreadsheets may tell their delimiter in a line of its own.
  let toDrop = /^sep=.\r?\n/i.exec(head)?.[0].length ?? 0;
  const options = { delimiter: delimiterOf(head) ?? ",", newline: newlineOf(head) };
  let waiting = "";
  function read(isEnd: boolean) {
    const { data, meta } = new Papa.Parser(options).parse(waiting, 0, !isEnd) as Parsed;
    waiting = isEnd ? "" : waiting.slice(meta.cursor);
    if (data.length > 0) take(data);
    refuseEndless(
      waiting.length,
      "A row of the table has no end. Is a quote opened and never closed?",
    );
  }
  return {
    write(text) {
      waiting += text.slice(toDrop);
      toDrop = Math.max(0, toDrop - text.length);
      read(false);
    },
    end: () => read(true),
  };
}

type Parsed = { data: string[][]; meta: { cursor: number } };

/** As the first line ends. */
const newlineOf = (head: string) => (/\r\n|\n|\r/.exec(head)?.[0] ?? "\n") as "\r\n" | "\n" | "\r";

/** Without the quote that exports put before what a spreadsheet would take for a formula. */
export const cellOf = (row: string[], column: number) =>
  (row[column] ?? "").replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, "");

export const isBlank = (row: string[]) => row.every((cell) => cell.trim() === "");
