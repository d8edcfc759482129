import type { ParseResult, Parser } from "papaparse";
import { COLUMNS, columnName } from "./columns.ts";
import { type Item, itemOf, MOST_ITEMS, type Reading } from "./item.ts";
import type { Pace } from "./pace.ts";
import { delimiterOf, isUrl } from "./table.ts";

const CHARACTERS_AT_ONCE = 512 * 1024;
/** Rows looked at to find the column of URLs where no heading names it. */
const SAMPLE = 20;

/** Where in a row each thing is; -1 for nowhere. */
type Layout = { url: number; group: number; frequency: number; hasHead: boolean };

/** Reads rows with a heading or without one. What a spreadsheet must not run is told apart from its quote. */
export async function readCsv(text: string, pace: Pace): Promise<Reading> {
  const items: Item[] = [];
  let layout: Layout | null = null;
  let line = 0;
  await eachChunk(text, pace, (rows) => {
    layout ??= layoutOf(rows);
    for (const row of rows) {
      line++;
      if ((line === 1 && layout.hasHead) || items.length >= MOST_ITEMS) continue;
      if (row.some((cell) => cell.trim() !== "")) items.push(itemOfRow(row, layout, line));
    }
  });
  return { items, notes: [], sitemaps: [] };
}

/** Hands on the rows in parts, with rests in between. */
async function eachChunk(text: string, pace: Pace, take: (rows: string[][]) => void) {
  const { default: Papa } = await import("papaparse");
  // Spreadsheets may tell their delimiter in a line of its own.
  const [mark = ""] = /^sep=.\r?\n/i.exec(text) ?? [];
  let read = 0;
  await new Promise<void>((resolve, reject) => {
    Papa.parse<string[]>(text.slice(mark.length), {
      delimiter: delimiterOf(text) ?? "",
      chunkSize: CHARACTERS_AT_ONCE,
      chunk: ({ data, meta }: ParseResult<string[]>, parser: Parser) => {
        take(data);
        read = meta.cursor;
        parser.pause();
        pace.rest(Math.min(1, read / text.length)).then(
          () => parser.resume(),
          (error) => {
            parser.abort();
            reject(error);
          },
        );
      },
      complete: () => resolve(),
    });
  });
}

function layoutOf(rows: string[][]): Layout {
  const head = (rows[0] ?? []).map(columnName);
  const placeOf = (names: string[]) => head.findIndex((cell) => names.includes(cell));
  const url = placeOf(COLUMNS.url);
  const group = placeOf(COLUMNS.group);
  const frequency = placeOf(COLUMNS.frequency);
  if (url !== -1) return { url, group, frequency, hasHead: true };
  const guessed = columnOfUrls(rows.slice(0, SAMPLE));
  const hasHead = rows.length > 1 && !isUrl(rows[0]?.[guessed]);
  return { url: guessed, group, frequency, hasHead };
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

/** Without the quote that exports put before what a spreadsheet would take for a formula. */
const cellOf = (row: string[], column: number) =>
  (row[column] ?? "").replace(/^'(?=[=+\-@\t\r])/, "");
