import { columnsAt, indentOf, type Line, offsetsAt } from "./rst-lines.ts";

/** A table's cells, each as its lines, and the number of lines that the table takes. */
type Table = { cells: Line[][]; length: number };

/** A table with more is read as text. */
const MOST_COLUMNS = 100;

/** @param start the line that may begin a table */
export function readTable(text: string, lines: Line[], start: number): Table | null {
  const first = indentOf(text, lines[start]!);
  const top = textOf(text, first);
  if (/^\+-[-+]+-\+\s*$/.test(top)) return readGrid(text, lines, start, first.column);
  return /^=+(?: +=+)+\s*$/.test(top) ? readSimple(text, lines, start, first) : null;
}

const textOf = (text: string, { from, to }: Line) => text.slice(from, to);

/**
 * A cell ends where a border goes along below it, so that cells which span columns or rows need nothing of their own.
 */
function readGrid(text: string, lines: Line[], start: number, left: number): Table | null {
  const rows: Line[] = [];
  for (let i = start; i < lines.length; i++) {
    const row = indentOf(text, lines[i]!);
    if (row.column !== left || !/^[+|]/.test(textOf(text, row))) break;
    rows.push(row);
  }
  const borders = bordersOf(text, rows);
  if (borders.length > MOST_COLUMNS) return null;
  const cells: Line[][] = [];
  /** By the border on their left. */
  const open = new Map<number, { right: number; lines: Line[] }>();
  for (const row of rows) {
    const offsets = offsetsAt(text, row, borders);
    const walls = offsets.flatMap((at, i) => (isWall(text, at) ? [i] : []));
    for (const [n, wall] of walls.slice(0, -1).entries()) {
      const right = walls[n + 1]!;
      const part = {
        from: offsets[wall]! + 1,
        to: offsets[right]!,
        column: borders[wall]! + 1,
      };
      if (/^[-=]+$/.test(textOf(text, part))) {
        for (const [left, cell] of open) {
          if (left < right && cell.right > wall) open.delete(left);
        }
        continue;
      }
      let cell = open.get(wall);
      if (cell?.right !== right) {
        cell = { right, lines: [] };
        open.set(wall, cell);
        cells.push(cell.lines);
      }
      cell.lines.push(part);
    }
  }
  return { cells, length: rows.length };
}

/** Only those that a border touches: other signs are text. */
const CORNER = /\+(?=[-=])|(?<=[-=])\+/g;

const isWall = (text: string, at: number) =>
  text[at] === "|" || (text[at] === "+" && /[-=]\+|\+[-=]/.test(text.slice(at - 1, at + 2)));

function bordersOf(text: string, rows: Line[]): number[] {
  const columns = rows.flatMap((row) => {
    const corners = textOf(text, row).matchAll(CORNER);
    return columnsAt(
      text,
      row,
      [...corners].map(({ index }) => row.from + index),
    );
  });
  return [...new Set(columns)].sort((a, b) => a - b);
}

type Span = { start: number; end: number };

/** A row begins where its first column has text. A line of dashes joins columns of the row before it. */
function readSimple(text: string, lines: Line[], start: number, top: Line): Table | null {
  const columns = spansIn(text, top, "=");
  const end = endOfSimple(text, lines, start);
  if (!end || columns.length > MOST_COLUMNS) return null;
  const cells: Line[][] = [];
  let row: Line[] = [];
  function endRow(spans: Span[]) {
    const parts = row.map((line) => cut(text, line, spans));
    cells.push(...spans.map((_, i) => parts.map((part) => part[i]!)));
    row = [];
  }
  for (const line of lines.slice(start + 1, end)) {
    const shown = textOf(text, line).trim();
    if (/^[-=][-= ]*$/.test(shown))
      endRow(shown[0] === "=" ? columns : joined(text, line, columns));
    else {
      const [from = line.to, to = line.to] = offsetsAt(text, line, [
        columns[0]!.start,
        columns[0]!.end,
      ]);
      if (text.slice(from, to).trim() !== "") endRow(columns);
      row.push(line);
    }
  }
  endRow(columns);
  return { cells, length: end + 1 - start };
}

/** The line of the last border: the second one, or one that a blank line follows. */
function endOfSimple(text: string, lines: Line[], start: number): number | null {
  let borders = 0;
  for (let i = start + 1; i < lines.length; i++) {
    if (!/^\s*=+[ =]*$/.test(textOf(text, lines[i]!))) continue;
    borders++;
    const next = lines[i + 1];
    if (borders === 2 || !next || textOf(text, next).trim() === "") return i;
  }
  return null;
}

function spansIn(text: string, line: Line, sign: "-" | "="): Span[] {
  const runs = [...textOf(text, line).matchAll(sign === "=" ? /=+/g : /-+/g)];
  const edges = runs.flatMap(({ 0: run, index }) => [
    line.from + index,
    line.from + index + run.length,
  ]);
  const columns = columnsAt(text, line, edges);
  return runs.map((_, i) => ({ start: columns[2 * i]!, end: columns[2 * i + 1]! }));
}

const joined = (text: string, line: Line, columns: Span[]) => {
  const spans = spansIn(text, line, "-");
  return spans.length <= columns.length ? spans : columns;
};

/** The parts of a line, of which the last may be longer than its column. */
function cut(text: string, line: Line, spans: Span[]): Line[] {
  const offsets = offsetsAt(
    text,
    line,
    spans.flatMap(({ start, end }) => [start, end]),
  );
  return spans.map(({ start }, i) => ({
    from: offsets[2 * i] ?? line.to,
    to: (i < spans.length - 1 && offsets[2 * i + 1]) || line.to,
    column: start,
  }));
}
