import { plain } from "./plain.ts";

/** Rows in aligned columns under their titles, to be read by people and by `awk`. */
export function tableOf(titles: string[], rows: string[][]): string {
  const all = [titles, ...rows].map((row) => row.map(visible));
  const widths = titles.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** An empty cell would shift the columns after it. */
const visible = (cell: string) => plain(cell) || "-";
