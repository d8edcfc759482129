import { type Item, itemOf, MOST_ITEMS, type Reading, urlsIn, wholeOf } from "./item.ts";
import { type Pace, STRIDE } from "./pace.ts";

/** Items taken from one line between two rests. */
const ITEMS_AT_ONCE = 5_000;

/** Takes every URL of every line; a line without any is an item as well, to be told what is wrong with it. */
export async function readText(text: string, pace: Pace): Promise<Reading> {
  const items: Item[] = [];
  let rested = 0;
  for (let start = 0, line = 1; start < text.length && items.length < MOST_ITEMS; line++) {
    const end = endOfLine(text, start);
    await readLine(text.slice(start, end), line, items, () => pace.rest(start / text.length));
    start = end + 1;
    if (start - rested < STRIDE) continue;
    rested = start;
    await pace.rest(start / text.length);
  }
  return { items, notes: [], sitemaps: [] };
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

async function readLine(text: string, line: number, items: Item[], rest: () => Promise<void>) {
  let found = 0;
  for (const url of urlsIn(text)) {
    items.push({ url, line, group: "", frequency: "" });
    if (++found % ITEMS_AT_ONCE === 0) await rest();
    if (items.length >= MOST_ITEMS) return;
  }
  if (found === 0 && wholeOf(text.trimStart()) !== "") items.push(itemOf(text.trimStart(), line));
}
