import type { Item } from "./item.ts";

/** What was found in a text so far. The caller may remove items while a long text is being read. */
export type Reading = {
  items: Item[];
  /** Remarks for the user, in sentences. */
  notes: string[];
  /** URLs of sitemaps that the text refers to. */
  sitemaps: string[];
};

/**
 * Reads a list while it arrives, in pieces that may be cut anywhere, so that a list of any length needs little memory.
 * It adds what it finds to the reading that it was opened with.
 */
export type Reader = {
  /** @throws Unreadable */
  write(text: string): void;
  /** @throws Unreadable */
  end(): void;
};

/** @param head the beginning of the text: `HEAD` characters or more, or all of a short one */
export type OpenReader = (into: Reading, head: string) => Reader | Promise<Reader>;

/** The number of characters that decide the format. */
export const HEAD = 64 * 1024;

export const newReading = (): Reading => ({ items: [], notes: [], sitemaps: [] });

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
