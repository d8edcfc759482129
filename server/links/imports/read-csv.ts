import {
  COLUMNS,
  columnName,
  HEAD,
  type Item,
  itemOf,
  type Reader,
  type Reading,
  refuseEndless,
} from "./reading.ts";

/** Rows that are searched for the column of URLs where no heading names it. */
const SAMPLE_ROWS = 20;

/** Columns that are not read are named up to this number. */
const MOST_NAMED = 10;

/** The index of each column; -1 for none. */
type Layout = { url: number; group: number; frequency: number; hasHead: boolean };

/** Reads rows with or without a heading. */
export function readCsv({ items, notes }: Reading, head: string): Promise<Reader> {
  let layout: Layout | null = null;
  let line = 0;
  return openRows(head, (rows) => {
    if (!layout) {
      layout = layoutOf(rows);
      notes.push(...columnsLeftOut(rows[0] ?? [], layout));
    }
    for (const row of rows) {
      line++;
      const isHead = line === 1 && layout.hasHead;
      if (!isHead && !isBlank(row)) items.push(itemOfRow(row, layout, line));
    }
  });
}

function layoutOf(rows: string[][]): Layout {
  const head = (rows[0] ?? []).map(columnName);
  const placeOf = (names: string[]) => head.findIndex((cell) => names.includes(cell));
  const url = placeOf(COLUMNS.url);
  const group = placeOf(COLUMNS.group);
  const frequency = placeOf(COLUMNS.frequency);
  if (url !== -1) return { url, group, frequency, hasHead: true };
  const guessed = columnOfUrls(rows.slice(0, SAMPLE_ROWS));
  const hasHead = rows.length > 1 && !isUrl(rows[0]?.[guessed]);
  return { url: guessed, group, frequency, hasHead };
}

/** Says which named columns are not read. */
function columnsLeftOut(head: string[], { hasHead, url, group, frequency }: Layout): string[] {
  const isUnread = (name: string, i: number) =>
    name.trim() !== "" && ![url, group, frequency].includes(i);
  const names = hasHead ? head.filter(isUnread).map((name) => name.trim().slice(0, 100)) : [];
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return [`${names.length === 1 ? "Column" : "Columns"} not used: ${shown}${more}.`];
}

/** The column with the most URLs; the first if there is none. */
function columnOfUrls(rows: string[][]): number {
  const width = Math.max(1, ...rows.map((row) => row.length));
  const counts = Array.from(
    { length: width },
    (_, i) => rows.filter((row) => isUrl(row[i])).length,
  );
  return counts.indexOf(Math.max(...counts));
}

const itemOfRow = (row: string[], { url, group, frequency }: Layout, line: number): Item =>
  itemOf(cellOf(row, url), line, { group: cellOf(row, group), frequency: cellOf(row, frequency) });

/** Reads the rows of a table in batches. */
export async function openRows(head: string, take: (rows: string[][]) => void): Promise<Reader> {
  const { default: Papa } = await import("papaparse");
  // Spreadsheets may state their delimiter in a line of its own.
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

const newlineOf = (head: string) => (/\r\n|\n|\r/.exec(head)?.[0] ?? "\n") as "\r\n" | "\n" | "\r";

/** Removes the apostrophe that exports put before text that a spreadsheet would run as a formula. */
export const cellOf = (row: string[], column: number) =>
  (row[column] ?? "").replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, "");

export const isBlank = (row: string[]) => row.every((cell) => cell.trim() === "");

const SAMPLE = 20;

/** Detects the delimiter of a table; null for a text that is not a table. */
export function delimiterOf(text: string): string | null {
  const [first = "", ...rest] = linesOf(text.slice(0, HEAD).trimStart());
  const [, named] = /^sep=(.)$/i.exec(first) ?? [];
  return named ?? [",", ";", "\t"].find((each) => isTable(first, rest, each)) ?? null;
}

const isUrl = (cell: string | undefined) => /^\s*['"]?https?:\/\//i.test(cell ?? "");

/** A table has a heading with a column of URLs, or the same number of cells in each of several lines. */
function isTable(first: string, rest: string[], delimiter: string): boolean {
  const cells = cellsOf(first, delimiter);
  const isHead = cells.some((cell) => COLUMNS.url.includes(columnName(cell)));
  if (isHead && !cells.some(isUrl)) return true;
  const isEven = rest.every((line) => cellsOf(line, delimiter).length === cells.length);
  const hasUrls = [first, ...rest].some((line) => cellsOf(line, delimiter).some(isUrl));
  return cells.length > 1 && rest.length > 0 && isEven && hasUrls;
}

/** Leaves out the last line if it may be incomplete. */
function linesOf(head: string): string[] {
  const lines = head.split(/\r?\n/, SAMPLE + 1);
  const whole = head.length < HEAD || lines.length > SAMPLE ? lines : lines.slice(0, -1);
  return whole.slice(0, SAMPLE).filter((line) => line.trim() !== "");
}

const cellsOf = (line: string, delimiter: string) =>
  line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, ""));
