/** One line of a list as it was read, not yet validated. */
export type Item = {
  url: string;
  /** The number of the line, row or entry, from 1. */
  line: number;
  /** The name or id of its group in the list; empty for none. */
  group: string;
  /** As given in the list; empty for none. */
  frequency: string;
  /** Why it cannot be monitored, in a sentence, if the list itself shows that. */
  problem?: string;
};

/** More than a URL may have, so that the server still reports that it is too long. */
export const LONGEST = 2100;
const LONGEST_NAME = 100;

const FREQUENCIES = new Map([
  ["hour", "hourly"],
  ["day", "daily"],
  ["week", "weekly"],
  ["month", "monthly"],
]);

type More = { group?: unknown; frequency?: unknown };

/** @param url its text, with or without words around it */
export const itemOf = (url: string, line: number, { group, frequency }: More = {}): Item => ({
  url: urlsIn(url).next().value ?? wholeOf(url),
  line,
  group: textOf(group).slice(0, LONGEST_NAME),
  frequency: frequencyOf(textOf(frequency).toLowerCase()),
});

/** Yields every URL in the text, without the brackets and full stops of the sentence around it. */
export function* urlsIn(text: string): Generator<string, undefined> {
  for (const [found] of text.matchAll(/\bhttps?:\/\/[^\s<>"`]+/gi)) {
    yield withoutTail(found.slice(0, LONGEST));
  }
}

/** Returns a text without a URL as it is, but a bare hostname as an https URL. */
export function wholeOf(text: string): string {
  const whole = text.slice(0, LONGEST).trim();
  return isBareHost(whole) ? `https://${whole}` : whole;
}

export const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");

const frequencyOf = (text: string) => FREQUENCIES.get(text) ?? text.slice(0, LONGEST_NAME);

const CLOSERS: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** A closing bracket belongs to the URL if the URL opened it. */
function withoutTail(url: string): string {
  let end = url.length;
  while (end > 0) {
    const last = url.charAt(end - 1);
    const opener = CLOSERS[last];
    const isOutside = opener ? !url.slice(0, end).includes(opener) : ".,;:!?'*|\\".includes(last);
    if (!isOutside) break;
    end--;
  }
  return url.slice(0, end);
}

function isBareHost(text: string): boolean {
  if (/[\s@\\]/.test(text)) return false;
  const [host = ""] = text.split(/[/?#]/, 1);
  return host.length <= 253 && /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(:\d+)?$/u.test(host);
}

/** The names of each column in lists; the first that exists counts. */
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

/** Reads an item from a record with named fields. */
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

/** The group may be an object with a name. */
const groupOf = (group: unknown) =>
  typeof group === "object" && group !== null && "name" in group ? group.name : group;
