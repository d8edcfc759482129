import { createReadStream, type Stats, statSync } from "node:fs";
import { failure } from "../ground/lib/errors.ts";
import { type Bytes, type ListText, openList } from "../read/lists/read-bytes.ts";
import type { Io } from "./io.ts";

/** The text of a file, and how much of it is read, from 0 to 1; null when unknown. */
export type TextSource = ListText & { done(): number | null };

/**
 * Opens a text, which may be compressed: a file, or standard input for `-`.
 * @throws Unreadable, or an error that names the file
 */
export async function openText(io: Io, path: string): Promise<TextSource> {
  const { bytes, done } = openSource(io, path);
  const name = path === "-" ? "Standard input" : `“${path}”`;
  return { ...(await openList(bytes, { name })), done };
}

function openSource({ stdin }: Io, path: string): { bytes: Bytes; done: () => number | null } {
  if (path === "-") return { bytes: stdin as AsyncIterable<Uint8Array>, done: () => null };
  const { size } = statOf(path);
  let read = 0;
  async function* counted() {
    try {
      for await (const bytes of createReadStream(path)) {
        read += bytes.length;
        yield bytes;
      }
    } catch (error) {
      throw failure("The list cannot be read", error);
    }
  }
  return { bytes: counted(), done: () => (size === 0 ? null : Math.min(1, read / size)) };
}

function statOf(path: string): Stats {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new Error("it is a folder");
    return stats;
  } catch (error) {
    throw failure("The list cannot be read", error);
  }
}
