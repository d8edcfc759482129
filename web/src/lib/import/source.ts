import { Unreadable } from "./unreadable.ts";

/** A text to read links from. */
export type Source = {
  /** The file's; null for what was typed or pasted. */
  name: string | null;
  text: string;
  /** What was done to make text of it, in sentences. */
  notes: string[];
};

const MIB = 1024 * 1024;
const MOST_MIB = 50;

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

/** @throws Unreadable when the file is too large, or no text */
export async function readFile(file: File): Promise<Source> {
  const { name } = file;
  if (file.size > MOST_MIB * MIB) {
    throw new Unreadable(`“${name}” is larger than ${MOST_MIB} MB. Give it in several parts.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuse(name)));
  return { name, ...decode(name, bytes) };
}

function refuse(name: string): never {
  throw new Unreadable(`“${name}” could not be read. Is it a folder, or was it moved?`);
}

function decode(name: string, bytes: Uint8Array): Omit<Source, "name"> {
  const startsWith = (start: number[]) => start.every((byte, i) => bytes[i] === byte);
  const noText = NO_TEXTS.find(([start]) => startsWith(start));
  if (noText) throw new Unreadable(`“${name}” ${noText[1]}.`);
  if (startsWith([0xff, 0xfe])) return asUtf16(bytes, "utf-16le");
  if (startsWith([0xfe, 0xff])) return asUtf16(bytes, "utf-16be");
  if (bytes.subarray(0, 64 * 1024).includes(0)) {
    throw new Unreadable(`“${name}” is no text file. Give a list of links as text.`);
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
  } catch {
    const notes = ["The file is not in UTF-8. It was read as Windows-1252."];
    return { text: new TextDecoder("windows-1252").decode(bytes), notes };
  }
}

const asUtf16 = (bytes: Uint8Array, encoding: string) => ({
  text: new TextDecoder(encoding).decode(bytes),
  notes: ["The file is in UTF-16. It was read as such."],
});
