import { adding } from "./noted.ts";
import {
  COLUMN_NAMES,
  COLUMNS,
  columnName,
  createUnusedNames,
  HEAD,
  type Item,
  itemOf,
  joinedNotes,
  lineEndsIn,
  type Reader,
  type Reading,
  refuseEndless,
} from "./reading.ts";

/** Rows that are searched for the column of URLs where no heading names it. */
const SAMPLE_ROWS = 20;

type Column = keyof typeof COLUMNS;
type Cells = Partial<Record<Column, string>>;

type Layout = {
  /** The index of each column; -1 for none. */
  places: Record<Column, number>;
  /** The other columns that a heading names. */
  named: [Column, number][];
  /** Those with a part of the note. */
  notes: number[];
  hasHead: boolean;
  /** Whether it is an export of Pocket, which separates tags by a bar and names what has no title by its URL. */
  isPocket: boolean;
  /** Of the first row. */
  width: number;
};

/** Reads rows with or without a heading. */
export function readCsv({ items, notes }: Reading, head: string): Promise<Reader> {
  let layout: Layout | null = null;
  let isFirst = true;
  return openRows(head, (rows, lines) => {
    if (!layout) {
      layout = layoutOf(rows);
      notes.push(...columnsLeftOut(rows[0] ?? [], layout));
    }
    for (const [i, row] of rows.entries()) {
      const isHead = isFirst && layout.hasHead;
      isFirst = false;
      if (!isHead && !isBlank(row)) items.push(itemOfRow(row, layout, lines[i]!));
    }
  });
}

function layoutOf(rows: string[][]): Layout {
  const head = (rows[0] ?? []).map(columnName);
  const placeOf = (names: string[]) =>
    names.map((name) => head.indexOf(name)).find((place) => place !== -1) ?? -1;
  const found = COLUMN_NAMES.map((column): [Column, number] => [column, placeOf(COLUMNS[column])]);
  const places = Object.fromEntries(found) as Layout["places"];
  const named = found.filter(([column, place]) => column !== "url" && place !== -1);
  const notes = COLUMNS.note.map((name) => head.indexOf(name)).filter((place) => place !== -1);
  const isPocket = POCKET.every((name) => head.includes(name));
  const layout = { places, named, notes, hasHead: true, isPocket, width: head.length };
  if (places.url !== -1) return layout;
  const url = columnOfUrls(rows.slice(0, SAMPLE_ROWS));
  const hasHead = rows.length > 1 && !isUrl(rows[0]?.[url]);
  return { ...layout, places: { ...places, url }, named: hasHead ? named : [], hasHead };
}

const POCKET = ["title", "url", "time_added", "tags", "status"];

/** Says which columns are not read. */
function columnsLeftOut(head: string[], { hasHead, places, notes, width }: Layout): string[] {
  if (!hasHead) return width > 1 ? [NO_HEAD] : [];
  const read = [...Object.values(places), ...notes];
  const unused = createUnusedNames();
  unused.addFrom(
    Object.fromEntries(head.map((name, i) => [name.trim(), read.includes(i) ? "" : name])),
    [],
  );
  return unused.remarks("Column");
}

const NO_HEAD = "Without a heading, only the column of URLs is used.";

/** The column with the most URLs; the first if there is none. */
function columnOfUrls(rows: string[][]): number {
  const width = Math.max(1, ...rows.map((row) => row.length));
  const counts = Array.from(
    { length: width },
    (_, i) => rows.filter((row) => isUrl(row[i])).length,
  );
  return counts.indexOf(Math.max(...counts));
}

function itemOfRow(row: string[], layout: Layout, line: number): Item {
  const { places, named, notes, hasHead, isPocket, width } = layout;
  const cells: Cells = {};
  for (const [column, place] of named) cells[column] = cellOf(row, place);
  if (hasHead && notes.length > 1) {
    cells.note = joinedNotes(notes.map((place) => cellOf(row, place))) as string;
  }
  const url = cellOf(row, places.url);
  if (isPocket) {
    if (cells.tags) cells.tags = cells.tags.replaceAll("|", ";");
    if (cells.title === url) cells.title = "";
  }
  const item = itemOf(url, line, cells);
  if (!hasHead || isBlank(row.slice(width))) return item;
  return adding(item, { field: "row", why: "has more cells than the heading" });
}

/** Reads the rows of a table in batches. @param take is given the line in which each row begins */
export async function openRows(
  head: string,
  take: (rows: string[][], lines: number[]) => void,
): Promise<Reader> {
  const { default: Papa } = await import("papaparse");
  // Spreadsheets may state their delimiter in a line of its own.
  let toDrop = /^sep=.\r?\n/i.exec(head)?.[0].length ?? 0;
  const options = {
    delimiter: delimiterOf(head) ?? ",",
    newline: (/\r\n|\n|\r/.exec(head)?.[0] ?? "\n") as "\r\n" | "\n" | "\r",
  };
  let waiting = "";
  let line = toDrop > 0 ? 2 : 1;
  function read(isEnd: boolean) {
    const text = waiting;
    const data: string[][] = [];
    const lines: number[] = [];
    let from = 0;
    const step = ({ data: [row = []], meta: { cursor } }: Step) => {
      data.push(row);
      lines.push(line);
      line += lineEndsIn(text.slice(from, cursor));
      from = cursor;
    };
    new Papa.Parser({ ...options, step }).parse(text, 0, !isEnd);
    waiting = isEnd ? "" : text.slice(from);
    if (data.length > 0) take(data, lines);
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

type Step = { data: string[][]; meta: { cursor: number } };

/** Removes one apostrophe: exports put it before text that a spreadsheet would run as a formula. */
export const cellOf = (row: string[], column: number) =>
  (row[column] ?? "").replace(/^'(?='*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/, "");

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

/** A delimiter inside quotes ends no cell. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells = [""];
  let isQuoted = false;
  for (const sign of line) {
    if (sign === '"') isQuoted = !isQuoted;
    if (sign === delimiter && !isQuoted) cells.push("");
    else cells[cells.length - 1] += sign;
  }
  return cells.map((cell) => cell.trim().replace(/^"|"$/g, ""));
}
