/** One line of a list as it was read; nothing is judged yet. */
export type Item = {
  url: string;
  /** Counted from 1: a line of text, a row, an entry. */
  line: number;
  /** Name or id of the group that the list names for it; empty for none. */
  group: string;
  /** As the list says it; empty for none. */
  frequency: string;
  /** Why it is nothing to watch, in a sentence; only of what the list itself says so. */
  problem?: string;
};

/** Beyond what any URL may have, so that the server still says that it is too long. */
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

/** Every URL in the text, without the brackets and full stops that sentences put around them. */
export function* urlsIn(text: string): Generator<string, undefined> {
  for (const [found] of text.matchAll(/\bhttps?:\/\/[^\s<>"`]+/gi)) {
    yield withoutTail(found.slice(0, LONGEST));
  }
}

/** A text without any URL in it. A bare name of a host is taken for a page on https. */
export function wholeOf(text: string): string {
  const whole = text.slice(0, LONGEST).trim();
  return isBareHost(whole) ? `https://${whole}` : whole;
}

/** Numbers and the like are not taken for names. */
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
