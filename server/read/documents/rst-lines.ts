/** A line of a document or of a table's cell. */
export type Line = {
  from: number;
  to: number;
  /** Where it stands in the block that it is part of, with tabs and wide characters as wide as they are shown. */
  column: number;
};

const TAB = 8;

/** Line ends are LF, CR LF or CR; a byte order mark is not part of the first line. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let from = text.startsWith("\uFEFF") ? 1 : 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ from, to: index, column: 0 });
    from = index + end.length;
  }
  lines.push({ from, to: text.length, column: 0 });
  return lines;
}

/** Where the text of a line begins; its length for a blank one. */
export function indentOf(text: string, line: Line): Line {
  let { from, column } = line;
  for (; from < line.to; from++) {
    const character = text[from]!;
    if (character === "\t") column += TAB - (column % TAB);
    else if (/\s/.test(character)) column++;
    else break;
  }
  return { from, to: line.to, column };
}

/** A line without what is before `from`, and without the white space there. */
export function lineFrom(text: string, line: Line, from: number): Line {
  return indentOf(text, { from, to: line.to, column: columnsAt(text, line, [from])[0]! });
}

const widthOfOne = (character: string) =>
  character > "\u1100" && Bun.stringWidth(character) === 2 ? 2 : 1;

/** Finds the offsets of columns in a line, each further right than the one before, as far as the line goes. */
export function offsetsAt(text: string, line: Line, columns: number[]): number[] {
  const offsets: number[] = [];
  let { from, column } = line;
  for (const wanted of columns) {
    while (from < line.to && column < wanted) [from, column] = step(text, from, column);
    if (column < wanted) break;
    offsets.push(from);
  }
  return offsets;
}

/** Finds the columns of offsets in a line, each further right than the one before. */
export function columnsAt(text: string, line: Line, offsets: number[]): number[] {
  let { from, column } = line;
  return offsets.map((wanted) => {
    while (from < wanted) [from, column] = step(text, from, column);
    return column;
  });
}

function step(text: string, from: number, column: number): [from: number, column: number] {
  const character = String.fromCodePoint(text.codePointAt(from)!);
  const width = character === "\t" ? TAB - (column % TAB) : widthOfOne(character);
  return [from + character.length, column + width];
}
