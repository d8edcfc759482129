import { COLUMNS, columnName } from "./columns.ts";
import { HEAD } from "./reading.ts";

const SAMPLE = 20;

/** What stands between the cells of a table; null for a text that is none. */
export function delimiterOf(text: string): string | null {
  const [first = "", ...rest] = linesOf(text.slice(0, HEAD).trimStart());
  const [, named] = /^sep=(.)$/i.exec(first) ?? [];
  return named ?? [",", ";", "\t"].find((each) => isTable(first, rest, each)) ?? null;
}

export const isUrl = (cell: string | undefined) => /^\s*['"]?https?:\/\//i.test(cell ?? "");

/** A heading that names the URLs, or the same number of cells in each of several lines. */
function isTable(first: string, rest: string[], delimiter: string): boolean {
  const cells = cellsOf(first, delimiter);
  const isHead = cells.some((cell) => COLUMNS.url.includes(columnName(cell)));
  if (isHead && !cells.some(isUrl)) return true;
  const isEven = rest.every((line) => cellsOf(line, delimiter).length === cells.length);
  const hasUrls = [first, ...rest].some((line) => cellsOf(line, delimiter).some(isUrl));
  return cells.length > 1 && rest.length > 0 && isEven && hasUrls;
}

/** The last one may be cut. */
function linesOf(head: string): string[] {
  const lines = head.split(/\r?\n/, SAMPLE + 1);
  const whole = head.length < HEAD || lines.length > SAMPLE ? lines : lines.slice(0, -1);
  return whole.slice(0, SAMPLE).filter((line) => line.trim() !== "");
}

const cellsOf = (line: string, delimiter: string) =>
  line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, ""));
