import { COLUMNS, columnName } from "./columns.ts";
import { type Item, itemOf } from "./item.ts";
import type { Reader, Reading } from "./reading.ts";
import { cellOf, isBlank, openRows } from "./rows.ts";
import { isUrl } from "./table.ts";

/** Rows looked at to find the column of URLs where no heading names it. */
const SAMPLE = 20;

/** Where in a row each thing is; -1 for nowhere. */
type Layout = { url: number; group: number; frequency: number; hasHead: boolean };

/** Reads rows with a heading or without one. What a spreadsheet must not run is told apart from its quote. */
export function readCsv({ items }: Reading, head: string): Promise<Reader> {
  let layout: Layout | null = null;
  let line = 0;
  return openRows(head, (rows) => {
    layout ??= layoutOf(rows);
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
