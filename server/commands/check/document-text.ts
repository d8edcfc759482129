import { readFileSync, statSync } from "node:fs";
import { failure, inWords, UsageError } from "../../ground/lib/errors.ts";
import { decoderFor } from "../../judge/page/page.ts";
import type { DocumentFormat } from "../../read/documents/formats.ts";
import { encodingOf, Unreadable } from "../../read/lists/reading.ts";
import type { DocumentFile } from "./files.ts";

const MIB = 1024 * 1024;

/** Longer than anyone writes by hand: a document is read as a whole. Of a notebook the outputs are not read. */
export const longestOf = (format: DocumentFormat): { bytes: number; size: string } =>
  format === "notebook" ? { bytes: 64 * MIB, size: "64 MiB" } : { bytes: 2 * MIB, size: "2 MiB" };

type File = Pick<DocumentFile, "file" | "path" | "format">;

/**
 * Returns the text of a file without its byte order mark, and its encoding, as a `TextDecoder` names it.
 * @throws UsageError for a file that is not a text, or is too long
 */
export function textOf(file: File): { bytes: Buffer; text: string; encoding: string } {
  const bytes = bytesOf(file);
  try {
    const decoder = decoderOf(file, bytes);
    return { bytes, text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch (error) {
    if (error instanceof Unreadable) throw new UsageError(`“${file.file}” is not a text file.`);
    throw new UsageError(`“${file.file}” is not in UTF-8 or UTF-16.`);
  }
}

function decoderOf({ file, format }: File, bytes: Uint8Array): TextDecoder {
  const encoding = encodingOf(`“${file}”`, bytes);
  const isPage = format === "html" && encoding === "utf-8";
  return isPage ? pageDecoder(bytes) : new TextDecoder(encoding, { fatal: true });
}

/** A page that does not say its encoding and is not in UTF-8 is read as browsers do (HTML §13.2.3.2). */
function pageDecoder(bytes: Uint8Array): TextDecoder {
  const declared = decoderFor(null, bytes);
  return declared.encoding !== "utf-8" || isUtf8(bytes)
    ? declared
    : new TextDecoder("windows-1252");
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function bytesOf({ file, path, format }: File): Buffer {
  const longest = longestOf(format);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > longest.bytes) throw new Error(`it is larger than ${longest.size}`);
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(inWords(failure(`“${file}” cannot be read`, error).message));
  }
}
