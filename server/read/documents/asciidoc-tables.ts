import type { Piece } from "./joined.ts";

/** How the text of a cell is read: as a paragraph, as blocks of its own, or not at all. */
export type CellStyle = "text" | "blocks" | "literal";

export type Cell = { style: CellStyle; lines: Piece[] };

/** The factor or the span, the alignment and the style that may stand before the separator of a cell. */
const SPEC = String.raw`(?:(\d+(?:\.\d*)?|\d*\.\d+)([*+]))?(?:[<^>](?:\.[<^>]?)?|(?:[<^>]?\.)?[<^>])?([a-z])?`;
const SPEC_AT_START = new RegExp(`^[ \\t]*${SPEC}$`);
const SPEC_AT_END = new RegExp(`[ \\t]+${SPEC}$`);
const LONGEST_SPEC = 30;
const MOST_COLUMNS = 1000;

const styleOf = (letter: string | undefined): CellStyle =>
  letter === "a" ? "blocks" : letter === "l" ? "literal" : "text";

/** Reads the styles of the columns: `cols="1,2a,3*l"`. */
export function columnsOf(cols: string): (CellStyle | null)[] {
  return cols
    .split(/[,;]/)
    .flatMap((each) => {
      const [, count = "1", letter] = /^\s*(?:(\d+)\*)?[^a-z]*([a-z])?\s*$/.exec(each) ?? [];
      const style = letter ? styleOf(letter) : null;
      return Array<CellStyle | null>(Math.min(Number(count), MOST_COLUMNS)).fill(style);
    })
    .slice(0, MOST_COLUMNS);
}

/** Reads the cells between the delimiters of a table. */
export function cellsOf(lines: Piece[], separator: string, columns: (CellStyle | null)[]): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  let current: Cell | null = null;
  let width = columns.length;
  for (const line of lines) {
    let from = 0;
    for (const at of separatorsIn(line.text, separator)) {
      const [before, spec] = splitSpec(line.text.slice(from, at), from === 0);
      if (current) current.lines.push(part(line, from, from + before.length));
      const [, factor = "1", kind, letter] = spec;
      const style: CellStyle = letter
        ? styleOf(letter)
        : (columns[column % (width || 1)] ?? "text");
      current = { style, lines: [] };
      cells.push(current);
      column += Math.max(1, Number.parseInt(factor, 10) || 1);
      void kind;
      from = at + separator.length;
    }
    if (current) current.lines.push(part(line, from, line.text.length));
    // Without columns of its own, the first line says how many there are.
    if (width === 0 && column > 0) width = column;
  }
  return cells;
}

function separatorsIn(text: string, separator: string): number[] {
  const found: number[] = [];
  for (
    let at = text.indexOf(separator);
    at >= 0;
    at = text.indexOf(separator, at + separator.length)
  ) {
    if (text[at - 1] !== "\\") found.push(at);
  }
  return found;
}

function splitSpec(text: string, isStart: boolean): [before: string, spec: string[]] {
  const tail = text.slice(-LONGEST_SPEC);
  const match = (isStart && tail === text && SPEC_AT_START.exec(tail)) || SPEC_AT_END.exec(tail);
  return match ? [text.slice(0, text.length - match[0].length), match] : [text, []];
}

const part = ({ text, from }: Piece, start: number, end: number): Piece => ({
  text: text.slice(start, end),
  from: from + start,
  to: from + end,
});
