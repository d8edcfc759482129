import { dirname } from "node:path";
import type { Read } from "../../documents/document.ts";
import { DOCUMENT_FORMATS, type DocumentFormat } from "../../documents/formats.ts";
import { createDocumentReader, UnreadableDocument } from "../../documents/reader.ts";
import { UsageError } from "../../lib/errors.ts";
import { type DocumentFile, isInside, repositoryOf, textOf } from "./files.ts";

/** A document that was read. */
export type CheckedDocument = {
  /** The name that is shown. */
  file: string;
  path: string;
  /** The folder that `/` in its links stands for. */
  root: string;
  format: DocumentFormat;
  read: Read;
};

/** Texts from here on are read in a thread, since one of this length can take a parser more than a second. */
const LONG = 32 * 1024;

export type Reader = {
  /** Reads a text of this name; with a note and no links if that takes too long. */
  text(name: string, text: string, format: DocumentFormat): Promise<Read>;
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
  async function text(name: string, text: string, format: DocumentFormat): Promise<Read> {
    try {
      const read = await (text.length < LONG
        ? readHere(name, text, format)
        : thread.read({ name, text, format }));
      for (const note of read.notes) tell(`${name}: ${note}`);
      return read;
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      tell(`${name}: ${error.message}`);
      return NOTHING;
    }
  }
  return {
    text,
    async file(file) {
      try {
        return await text(file.file, textOf(file), file.format);
      } catch (error) {
        if (file.isNamed || !(error instanceof UsageError)) throw error;
        tell(error.message);
        return null;
      }
    },
    close: thread.close,
  };
}

/** Returns a copy, as a thread does, since parts of a text keep all of it in memory. */
const readHere = async (name: string, text: string, format: DocumentFormat) =>
  copyOf((await DOCUMENT_FORMATS[format].load())(text, { name }));

const copyOf = (read: Read): Read => JSON.parse(JSON.stringify(read));

const NOTHING: Read = {
  ...{ links: [], anchors: [], headings: [], title: null, base: null, canonical: null },
  ...{ isNofollow: false, disabled: 0, notes: [] },
};

/** The root of a document: the one that is given, else its repository, else the working folder if it is there. */
export function rootOf(path: string, given: string | undefined): string {
  if (given !== undefined) return given;
  const folder = dirname(path);
  const cwd = process.cwd();
  return repositoryOf(folder) ?? (isInside(cwd, path) ? cwd : folder);
}
