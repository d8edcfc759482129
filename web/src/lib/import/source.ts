import { encodingOf } from "../../../../server/links/imports/encoding.ts";
import { Unreadable } from "../../../../server/links/imports/unreadable.ts";

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
  const encoding = encodingOf(`“${name}”`, bytes);
  if (encoding !== "utf-8") {
    const notes = ["The file is in UTF-16. It was read as such."];
    return { text: new TextDecoder(encoding).decode(bytes), notes };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
  } catch {
    const notes = ["The file is not in UTF-8. It was read as Windows-1252."];
    return { text: new TextDecoder("windows-1252").decode(bytes), notes };
  }
}
