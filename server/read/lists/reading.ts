import type { Read } from "../documents/document.ts";
import { BARE_URL, withoutTail } from "../documents/text.ts";
import { adding, type Cells, isNothing, type Notes, notesIn, TEXTS } from "./noted.ts";

/** What was found in a text so far. The caller may remove items while a long text is being read. */
export type Reading = {
  items: Item[];
  /** Remarks for the user, in sentences. */
  notes: string[];
  /** URLs of sitemaps that the text refers to. */
  sitemaps: string[];
  /** What relative links of documents are relative to; null leaves them out. */
  base: string | null;
  /** Writes an address of an HTML document as browsers do for the document's encoding. */
  addressOf: (href: string) => string;
  /** Reads documents elsewhere than in the reading thread, which text made for it would keep busy. */
  readDocument?: (text: string, format: "markdown" | "html") => Promise<Read>;
  /** Most characters of a value that is read at once, which keeps the process busy. */
  mostWhole?: number;
};

/**
 * Reads a list while it arrives, in pieces that may be cut anywhere, so that a list of any length needs little memory.
 * It adds what it finds to the reading that it was opened with.
 */
export type Reader = {
  /** @throws Unreadable */
  write(text: string): void;
  /** @throws Unreadable */
  end(): void | Promise<void>;
};

/** @param head the beginning of the text: `HEAD` characters or more, or all of a short one */
export type OpenReader = (into: Reading, head: string) => Reader | Promise<Reader>;

/** The number of characters that decide the format. */
export const HEAD = 64 * 1024;

/** @param base what relative links of documents are relative to; they are left out without it */
export const newReading = (base: string | null = null): Reading => ({
  items: [],
  notes: [],
  sitemaps: [],
  base,
  addressOf: (href) => href,
});

/** The text or file cannot be read. The message says what to do. */
export class Unreadable extends Error {}

/** Longer than any real line, row, record or tag. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Keeps an element without an end from filling the memory.
 * @param waiting how many characters of an incomplete element were read
 */
export function refuseEndless(waiting: number, problem: string) {
  if (waiting > MOST_WAITING) throw new Unreadable(problem);
}

/** The first bytes of files that are not text, and what to do with them. */
const NOT_TEXT: [start: number[], advice: string][] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    "is a ZIP archive or a spreadsheet. Unpack it, or save the sheet as CSV, and use that file",
  ],
  [[0x1f, 0x8b], "is compressed. Unpack it first"],
  [[0x25, 0x50, 0x44, 0x46], "is a PDF. Copy its text and paste that instead"],
  [
    [0xd0, 0xcf, 0x11, 0xe0],
    "is an old Office document. Save it as CSV or text, and use that file",
  ],
];

const HEAD_BYTES = 64 * 1024;

const startsWith = (bytes: Uint8Array, start: number[]) =>
  start.every((byte, i) => bytes[i] === byte);

export const isGzip = (bytes: Uint8Array) => startsWith(bytes, [0x1f, 0x8b]);

/**
 * Detects the encoding of a file from its first bytes. `utf-8` may turn out to be an older encoding.
 * @param name the file's name, for the message
 * @throws Unreadable when it is not text
 */
export function encodingOf(name: string, bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const notText = NOT_TEXT.find(([start]) => startsWith(bytes, start));
  if (notText) throw new Unreadable(`${name} ${notText[1]}.`);
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le";
  if (startsWith(bytes, [0xfe, 0xff])) return "utf-16be";
  if (!bytes.subarray(0, HEAD_BYTES).includes(0)) return "utf-8";
  throw new Unreadable(`${name} is not a text file. Give a list of links as text.`);
}

/** One line of a list as it was read, not yet validated. */
export type Item = Notes & {
  url: string;
  /** The line of the text in which it begins, from 1. */
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

type More = Cells & { group?: unknown; frequency?: unknown };

/** @param url a field that is a URL, which is read whole */
export function itemOf(url: string, line: number, more: More = {}): Item {
  const { group, frequency, ...cells } = more;
  const name = textOf(group);
  const item = {
    ...fieldUrl(url),
    line,
    group: name.slice(0, LONGEST_NAME),
    frequency: frequencyOf(textOf(frequency).toLowerCase()),
    ...notesIn(cells),
  };
  if (name.length <= LONGEST_NAME) return item;
  return adding(item, { field: "group", why: `was cut to ${LONGEST_NAME} characters` });
}

const TWO_URLS = "The field has more than one URL. Put each into a field of its own.";

/** A field that is a URL has no words around it, so nothing of it is dropped; blanks inside are encoded. */
function fieldUrl(text: string): FoundUrl {
  const url = wholeOf(text);
  if (!/^https?:\/\//i.test(url)) return { url };
  if (/\shttps?:\/\//i.test(url)) return { url, problem: TWO_URLS };
  return { url: url.replace(/[^\S\t\r\n]/g, encodeURIComponent) };
}

/** `problem` says why it is not the URL that was meant. */
type FoundUrl = Pick<Item, "url" | "problem">;

export const CUT_SHORT = "The URL is cut off. Enter the whole URL.";
export const HAS_TAG = 'The URL contains "<" or ">", which end a URL. Enter them as %3C and %3E.';

/**
 * Yields every URL in the text, without the brackets and full stops of the sentence around it. A URL that would be
 * shortened has a problem; nothing is read after a tag in the middle of one. A host that begins with `www.` is an https
 * URL, as each bare hostname is.
 */
export function* urlsIn(text: string): Generator<FoundUrl, undefined> {
  for (const { 0: found, index } of text.matchAll(BARE_URL)) {
    const rest = text.slice(index, index + LONGEST);
    if (/^<[a-z!](?!r\b)/i.test(rest.slice(found.length))) {
      return void (yield { url: /^\S*/.exec(rest)![0], problem: HAS_TAG });
    }
    const url = wholeOf(withoutTail(found.slice(0, LONGEST)));
    if (/^www\b/i.test(url)) continue;
    yield /(?:\.{3}|…)\W*$/u.test(found) ? { url: found, problem: CUT_SHORT } : { url };
  }
}

/** Returns a text without a URL as it is, but a bare hostname as an https URL. */
export function wholeOf(text: string): string {
  const whole = text.slice(0, LONGEST).trim();
  return isBareHost(whole) ? `https://${whole}` : whole;
}

export const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");

const frequencyOf = (text: string) => FREQUENCIES.get(text) ?? text.slice(0, LONGEST_NAME);

function isBareHost(text: string): boolean {
  if (/[\s@\\]/.test(text)) return false;
  const [host = ""] = text.split(/[/?#]/, 1);
  return host.length <= 253 && /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(:\d+)?$/u.test(host);
}

/** The names of each column in lists; the first that exists counts, but notes are put together. */
export const COLUMNS = {
  url: ["url", "link", "address", "href", "uri", "website", "loc", "link_url", "page", "url/ip"],
  group: ["group", "group_name", "folder", "category", "group_id"],
  frequency: ["check_frequency", "frequency", "interval", "check"],
  title: ["title", "name", "label"],
  note: ["description", "excerpt", "selection", "extended", "note", "notes"],
  tags: ["tags", "labels", "tag_names"],
  ...TEXTS,
  metadata: ["metadata"],
  check_schedule: ["check_schedule"],
  time_zone: ["time_zone"],
  handling: ["handling"],
  muted_until: ["muted_until"],
  assignee: ["assignee"],
};

export const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** "Check frequency" → "check_frequency" */
export const columnName = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");

/** Reads an item from a record with named fields. */
export function itemOfRecord(
  record: Record<string, unknown>,
  line: number,
  unused: UnusedNames,
): Item {
  const named = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [columnName(name), value]),
  );
  const used = COLUMN_NAMES.map((column) => {
    const name = COLUMNS[column].find((each) => named[each] !== undefined && named[each] !== null);
    return [column, name] as const;
  });
  unused.addFrom(named, [...used.map(([, name]) => name), ...COLUMNS.note]);
  const { url, group, ...cells } = Object.fromEntries(
    used.map(([column, name]) => [column, name && named[name]]),
  );
  return itemOf(typeof url === "string" ? url : JSON.stringify(record), line, {
    ...cells,
    title: cells.title === url ? "" : cells.title,
    note: joinedNotes(COLUMNS.note.map((name) => named[name])),
    group: groupOf(group),
  });
}

/** As the server takes them. */
const LONGEST_NOTE = 2000;

/**
 * Puts together what a program keeps apart: a description of the page, and a person's own note, which is alone if both are
 * too long.
 * @param values in the order of `COLUMNS.note`
 */
export function joinedNotes(values: unknown[]): unknown {
  const given = values.filter((value) => !isNothing(value));
  if (!given.every((value) => typeof value === "string")) return given.at(-1);
  const joined = [...new Set(given.map((value) => value.trim()))].join("\n\n");
  return joined.length > LONGEST_NOTE ? given.at(-1) : joined;
}

/** The group may be an object with a name. */
const groupOf = (group: unknown) =>
  typeof group === "object" && group !== null && "name" in group ? group.name : group;

/** Names that are not read, for one remark about all of them. */
export type UnusedNames = {
  /** Adds the names that have a value, except for those that are read. */
  addFrom(record: Record<string, unknown>, used: (string | undefined)[]): void;
  /** @param what "Column" or "Field" */
  remarks(what: string): string[];
};

/** Names are listed up to this number. */
const MOST_NAMED = 50;

export function createUnusedNames(): UnusedNames {
  const names = new Set<string>();
  let others = 0;
  return {
    addFrom(record, used) {
      for (const [name, value] of Object.entries(record)) {
        if (isNothing(value) || used.includes(name) || names.has(name)) continue;
        if (names.size < MOST_NAMED) names.add(name.slice(0, 100));
        else others++;
      }
    },
    remarks(what) {
      if (names.size === 0) return [];
      const shown = [...names].join(", ");
      const more = others > 0 ? " and more" : "";
      return [`${what}${names.size === 1 ? "" : "s"} not used: ${shown}${more}.`];
    },
  };
}

const LINE_END = /\r\n?|\n/g;

/** The number of line ends in a text. */
export const lineEndsIn = (text: string): number => text.match(LINE_END)?.length ?? 0;

/** Counts lines of a text that arrives in pieces, up to offsets that only grow. */
export function createLineCounter() {
  let waiting = "";
  let passed = 0;
  let line = 1;
  return {
    add(text: string) {
      waiting += text;
    },
    at(offset: number): number {
      // A pair of characters that ends a line is counted with its second one.
      const until = Math.max(0, offset - passed);
      line += waiting.slice(0, until).match(/\n|\r(?!\n)/g)?.length ?? 0;
      waiting = waiting.slice(until);
      passed = offset;
      return line;
    },
  };
}

/** Counts what a list has and no link is made of, for remarks. */
export function createPassedOver() {
  const counts = new Map<string, number>();
  return {
    /** @param why ends a sentence about several of them */
    add: (why: string) => void counts.set(why, (counts.get(why) ?? 0) + 1),
    remarks: (one: string, many: string): string[] =>
      [...counts].map(([why, count]) => {
        const what = count === 1 ? `1 ${one} was` : `${count.toLocaleString("en")} ${many} were`;
        return `${what} passed over: ${why}.`;
      }),
  };
}
