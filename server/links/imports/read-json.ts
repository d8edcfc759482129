import { itemOfRecord } from "./columns.ts";
import { type Item, itemOf } from "./item.ts";
import { openElements, openLines, openWhole } from "./json.ts";
import type { Reader, Reading } from "./reading.ts";

/** Where lists are found in what is no list itself, such as a reply of the API. */
const LISTS = ["items", "links", "urls", "results", "data"];

/** Reads a list of texts or records, a reply that holds one, or one record per line. */
export function readJson({ items }: Reading, head: string): Reader {
  let line = 0;
  const take = (values: unknown[]) => {
    for (const value of values) items.push(itemOfValue(value, ++line));
  };
  if (head.trimStart().startsWith("[")) return openElements(take);
  if (isRecordPerLine(head)) return openLines((value) => take([value]));
  return openWhole((value) => take(listIn(value)));
}

const isRecordPerLine = (head: string) => /^\s*\{.*\}[ \t]*\r?\n\s*\{/.test(head);

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
