import type { Item } from "./item.ts";

/** What was found in a text so far. The reader of a long text may take items out meanwhile. */
export type Reading = {
  items: Item[];
  /** What the reader should know besides, in sentences. */
  notes: string[];
  /** Addresses of sitemaps that the text refers to instead of pages. */
  sitemaps: string[];
};

/**
 * Reads a list while it arrives, in pieces that may be cut anywhere, so that a list of any length needs
 * little room. What it finds goes into the reading that it was opened with.
 */
export type Reader = {
  /** @throws Unreadable */
  write(text: string): void;
  /** @throws Unreadable */
  end(): void;
};

/** @param head how the text begins, whole if it is short: `HEAD` characters or more */
export type OpenReader = (into: Reading, head: string) => Reader | Promise<Reader>;

/** How much of a text is looked at before it is read. */
export const HEAD = 64 * 1024;

export const newReading = (): Reading => ({ items: [], notes: [], sitemaps: [] });

/** A text or a file that nothing can be read from. The message says what to do. */
export class Unreadable extends Error {}

/** Longer than any line, row, record or tag is meant to be. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Keeps what has no end from filling the memory.
 * @param waiting how many characters were read of something that is not whole yet
 */
export function refuseEndless(waiting: number, problem: string) {
  if (waiting > MOST_WAITING) throw new Unreadable(problem);
}

/** How files begin that hold no text, and what to do with them. */
const NO_TEXTS: [start: number[], advice: string][] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    "is a ZIP archive or a spreadsheet. Unpack it, or save the sheet as CSV, and give that",
  ],
  [[0x1f, 0x8b], "is compressed. Unpack it first"],
  [[0x25, 0x50, 0x44, 0x46], "is a PDF. Copy its text and paste that instead"],
  [[0xd0, 0xcf, 0x11, 0xe0], "is an old Office document. Save it as CSV or text, and give that"],
];

const HEAD_BYTES = 64 * 1024;

const startsWith = (bytes: Uint8Array, start: number[]) =>
  start.every((byte, i) => bytes[i] === byte);

export const isGzip = (bytes: Uint8Array) => startsWith(bytes, [0x1f, 0x8b]);

/**
 * How a file's text is written, by how it begins. What is said to be UTF-8 may prove to be something older.
 * @param name the file's, as the message is to name it
 * @throws Unreadable when it is no text
 */
export function encodingOf(name: string, bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const noText = NO_TEXTS.find(([start]) => startsWith(bytes, start));
  if (noText) throw new Unreadable(`${name} ${noText[1]}.`);
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le";
  if (startsWith(bytes, [0xfe, 0xff])) return "utf-16be";
  if (!bytes.subarray(0, HEAD_BYTES).includes(0)) return "utf-8";
  throw new Unreadable(`${name} is no text file. Give a list of links as text.`);
}
