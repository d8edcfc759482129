import { readFileSync, statSync } from "node:fs";
import { failure, inWords } from "../../ground/lib/errors.ts";
import type { CheckedDocument, Reader } from "../check/documents.ts";
import { replaceKept } from "../check/kept-file.ts";
import { patchOf } from "./patch.ts";
import { NOT_WHOLE, placeOf, rewrite } from "./rewrite.ts";
import type { Row } from "./rows.ts";

/** A document, and the version of its file that was read. */
export type File = { document: CheckedDocument; version: string };

/** Changes with the content of a file, and with its place on the disk. */
export function versionOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? [stats.ino, stats.size, stats.mtimeNs].join() : "";
}

/**
 * Puts the addresses of the rows into a file, and notes in them what became of it.
 * @returns the patch of a file that is not to be written; null if there is none
 */
export async function changeFile(
  { document, version }: File,
  rows: Row[],
  reader: Reader,
  isWritten: boolean,
): Promise<Buffer | null> {
  const { path, file } = document;
  const leaveAll = (message: string) => {
    for (const row of rows) Object.assign(row, { state: "left", message });
    return null;
  };
  const addresses = new Map(rows.map(({ url, replacement }) => [url, replacement!.url]));
  try {
    if (versionOf(path) !== version) return leaveAll("The file changed meanwhile.");
    const rewritten = await rewrite(document, reader, (url) => addresses.get(url));
    if ("problem" in rewritten) return leaveAll(rewritten.problem);
    const { before, after, isDiffable, places } = rewritten;
    if (!isWritten && !isDiffable) return leaveAll("A diff cannot show UTF-16; use --write.");
    for (const row of rows) {
      const isChanged = places.has(placeOf(row.place));
      if (!isChanged) Object.assign(row, { state: "left", message: NOT_WHOLE });
      else if (isWritten) row.state = "changed";
    }
    if (!isWritten) return patchOf(document, before, after);
    if (!readFileSync(path).equals(before)) return leaveAll("The file changed meanwhile.");
    replaceKept(path, after);
    return null;
  } catch (error) {
    return leaveAll(inWords(failure(`“${file}” cannot be changed`, error).message));
  }
}
