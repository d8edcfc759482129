type Part = { from: number; to: number };

/**
 * The cells of comma-separated values, each as its parts in the lines it goes over: quoted ones may hold commas and
 * line ends.
 */
export function csvCells(text: string, lines: Part[]): Part[][] {
  const cells: Part[][] = [];
  let cell: Part[] = [];
  let isQuoted = false;
  for (const { from, to } of lines) {
    let start = from;
    for (let at = from; at < to; at++) {
      if (text[at] === '"') isQuoted = !isQuoted;
      else if (text[at] === "," && !isQuoted) {
        cells.push([...cell, withoutQuotes(text, start, at)]);
        cell = [];
        start = at + 1;
      }
    }
    cell.push(withoutQuotes(text, start, to));
    if (isQuoted) continue;
    cells.push(cell);
    cell = [];
  }
  return [...cells, cell];
}

function withoutQuotes(text: string, start: number, end: number): Part {
  let [from, to] = [start, end];
  while (from < to && /[\s"]/.test(text[from]!)) from++;
  while (from < to && /[\s"]/.test(text[to - 1]!)) to--;
  return { from, to };
}
