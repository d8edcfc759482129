import { Unreadable } from "./unreadable.ts";

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
