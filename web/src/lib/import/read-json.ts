import { itemOfRecord } from "./columns.ts";
import { type Item, itemOf, MOST_ITEMS, type Reading } from "./item.ts";
import { type Pace, STRIDE } from "./pace.ts";
import { Unreadable } from "./unreadable.ts";

/** Where lists are found in what is no list itself, such as a reply of the API. */
const LISTS = ["items", "links", "urls", "results", "data"];

/** Reads a list of texts or records, a reply that holds one, or one record per line. */
export async function readJson(text: string, pace: Pace): Promise<Reading> {
  const items: Item[] = [];
  const take = (values: unknown[]) => {
    for (const value of values.slice(0, MOST_ITEMS - items.length)) {
      items.push(itemOfValue(value, items.length + 1));
    }
  };
  if (text.trimStart().startsWith("[")) await eachElement(text, pace, take);
  else if (isRecordPerLine(text)) await eachLine(text, pace, take);
  else take(listIn(parse(text)));
  return { items, notes: [], sitemaps: [] };
}

function itemOfValue(value: unknown, line: number): Item {
  if (typeof value === "string") return itemOf(value, line);
  if (typeof value !== "object" || value === null) return itemOf(JSON.stringify(value), line);
  return itemOfRecord(value as Record<string, unknown>, line);
}

function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [value];
  const record = value as Record<string, unknown>;
  const name = LISTS.find((each) => typeof record[each] === "object" && record[each] !== null);
  return name ? listIn(record[name]) : [value];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unreadable(
      `This could not be read as JSON: ${(error as Error).message}. Choose another format, or mend the file.`,
    );
  }
}

/** Parses a long list in steps: whole elements at a time, as many as a step should have. */
async function eachElement(text: string, pace: Pace, take: (values: unknown[]) => void) {
  let start = text.indexOf("[") + 1;
  let end = start;
  for (let depth = 0; end < text.length && depth >= 0; end++) {
    const character = text.charAt(end);
    if (character === '"') end = endOfText(text, end);
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    else if (character === "," && depth === 0 && end - start > STRIDE) {
      take(listIn(parse(`[${text.slice(start, end)}]`)));
      start = end + 1;
      await pace.rest(end / text.length);
    }
  }
  take(listIn(parse(`[${text.slice(start)}`)));
}

/** The place of the quote that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charAt(end - 1 - slashes) === "\\") slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const isRecordPerLine = (text: string) => /^\s*\{.*\}[ \t]*\r?\n\s*\{/.test(text);

async function eachLine(text: string, pace: Pace, take: (values: unknown[]) => void) {
  let rested = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? text.length : end).trim();
    if (line) take([parse(line)]);
    start = end === -1 ? text.length : end + 1;
    if (start - rested < STRIDE) continue;
    rested = start;
    await pace.rest(start / text.length);
  }
}
