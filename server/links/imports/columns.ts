import { type Item, itemOf } from "./item.ts";

/** What a list may call each thing that we read; the first that is there counts. */
export const COLUMNS = {
  url: ["url", "link", "address", "href", "uri", "website", "loc", "link_url", "page", "url/ip"],
  group: ["group", "group_name", "folder", "category", "group_id"],
  frequency: ["check_frequency", "frequency", "interval", "check"],
};

type Column = keyof typeof COLUMNS;

/** "Check frequency" → "check_frequency" */
export const columnName = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");

/** An item of a record whose names are known. */
export function itemOfRecord(record: Record<string, unknown>, line: number): Item {
  const named = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [columnName(name), value]),
  );
  const url = cellOf(named, "url");
  const more = { group: groupOf(cellOf(named, "group")), frequency: cellOf(named, "frequency") };
  return itemOf(typeof url === "string" ? url : JSON.stringify(record), line, more);
}

function cellOf(named: Record<string, unknown>, column: Column): unknown {
  const name = COLUMNS[column].find((each) => named[each] !== undefined && named[each] !== null);
  return name && named[name];
}

/** A group as such, or its name. */
const groupOf = (group: unknown) =>
  typeof group === "object" && group !== null && "name" in group ? group.name : group;
