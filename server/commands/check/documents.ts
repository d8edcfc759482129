import { dirname } from "node:path";
import { UsageError } from "../../ground/lib/errors.ts";
import { withEncodedQueries } from "../../read/crawl/page.ts";
import type { Read } from "../../read/documents/document.ts";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../../read/documents/formats.ts";
import { createDocumentReader, UnreadableDocument } from "../../read/documents/reader.ts";
import { textOf } from "./document-text.ts";
import type { DocumentFile } from "./files.ts";
import { treeOf } from "./within.ts";

/** A document that was read. */
export type CheckedDocument = {
  /** The name that is shown. */
  file: string;
  path: string;
  /** The folder that `/` in its links stands for. */
  root: string;
  format: DocumentFormat;
  read: Read;
  /** Folders that its links may be relative to as well: those of symbolic links to it. */
  linkFolders?: string[] | undefined;
};

/** Texts from here on are read in a thread, since one of this length can take a parser more than a second. */
const LONG = 32 * 1024;

export type Reader = {
  /** Reads a text of this name; null, after telling why, if that takes too long. */
  text(name: string, text: string, format: DocumentFormat): Promise<Read | null>;
  /**
   * Reads a file; null, after telling why, for one that a folder or a glob found and that is not a text.
   * @throws UsageError for such a file that the command line names
   */
  file(file: DocumentFile): Promise<Read | null>;
  close(): Promise<void>;
};

/** @param tell receives sentences about what was not read */
export function createReader(tell: (sentence: string) => void): Reader {
  const thread = createDocumentReader();
  /** Files that another document may lead to. */
  const unread = new Set<string>();
  async function text(name: string, text: string, format: DocumentFormat): Promise<Read | null> {
    try {
      const read = await (text.length < LONG
        ? readHere(name, text, format)
        : thread.read({ name, text, format }));
      for (const note of read.notes) tell(`${name}: ${note}`);
      return read;
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      tell(`${name}: ${error.message}`);
      return null;
    }
  }
  async function read(file: DocumentFile): Promise<Read | null> {
    try {
      const found = textOf(file);
      const read = await text(file.file, found.text, file.format);
      return read && file.format === "html" ? withEncodedQueries(read, found.encoding) : read;
    } catch (error) {
      if (file.isNamed || !(error instanceof UsageError)) throw error;
      tell(error.message);
      return null;
    }
  }
  return {
    text,
    async file(file) {
      const found = unread.has(file.path) ? null : await read(file);
      if (!found) unread.add(file.path);
      return found;
    },
    close: thread.close,
  };
}

/** Returns a copy, as a thread does, since parts of a text keep all of it in memory. */
const readHere = async (name: string, text: string, format: DocumentFormat) =>
  copyOf((await DOCUMENT_FORMATS[format].load())(text, { name }));

const copyOf = (read: Read): Read => JSON.parse(JSON.stringify(read));

/** The root of a document: its tree, or else its folder. */
export const rootOf = (path: string, given: string | undefined): string =>
  treeOf(path, given) ?? dirname(path);
