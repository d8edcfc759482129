/** A value as a database holds it. */
export type Cell = string | number | bigint | null;

/** A row as COPY reads and writes it in its text format, by which two databases can be compared. */
export const lineOf = (cells: Cell[]): string => cells.map(textOf).join("\t");

function textOf(cell: Cell): string {
  if (cell === null) return "\\N";
  return typeof cell === "string" ? escaped(cell) : String(cell);
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  // PostgreSQL has no place for it.
  "\0": "\uFFFD",
};

const escaped = (text: string) =>
  text.toWellFormed().replace(/[\\\b\f\n\r\t\v\0]/g, (each) => ESCAPES[each]!);

/** How many rows a table has, and a sum over them that does not depend on their order. */
export type Sum = { rows: number; sum: bigint };

/** Adds up lines, each given as its bytes without the end. */
export function createSum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(line: Uint8Array) {
      rows++;
      sum = BigInt.asUintN(64, sum + BigInt(Bun.hash(line)));
    },
    value: (): Sum => ({ rows, sum }),
  };
}
