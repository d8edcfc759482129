import { existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { DOCUMENT_FORMATS, type DocumentFormat, formatOfName } from "../../documents/formats.ts";
import { encodingOf, Unreadable } from "../../imports/reading.ts";
import { failure, inWords, UsageError } from "../../lib/errors.ts";
import { createIgnored, type Ignored, slashed } from "./ignored.ts";

/** A document of the tree. */
export type DocumentFile = {
  /** The name that is shown. */
  file: string;
  path: string;
  format: DocumentFormat;
  /** Whether the command line names it, and not only a folder or a glob. */
  isNamed: boolean;
};

export type FindOptions = {
  includeIgnored?: boolean;
  allowEmpty?: boolean;
  excludePath?: string[];
  /** Receives sentences about folders that cannot be read. */
  tell(sentence: string): void;
};

/** Whether an argument of the command line is a URL, not a file. */
export const isUrl = (given: string) => /^[a-z][a-z\d+.-]*:\/\//i.test(given);

const hasGlob = (given: string) => /[*?[\]{}]/.test(given);

/**
 * Finds the documents that files, folders and globs name, each once, in the order of their names.
 * @throws UsageError for a name without a document
 */
export function findDocuments(given: string[], options: FindOptions): DocumentFile[] {
  const found = new Map<string, DocumentFile>();
  for (const each of new Set(given)) {
    const files = filesOf(each, options);
    if (files.length === 0 && !options.allowEmpty) {
      throw new UsageError(`No documents found in ${JSON.stringify(each)}; see --allow-empty.`);
    }
    for (const file of files) {
      const real = realOf(file.path);
      if (file.isNamed || !found.has(real)) found.set(real, file);
    }
  }
  return [...found.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
}

function filesOf(given: string, options: FindOptions): DocumentFile[] {
  const path = resolve(given);
  const stats = statOrNone(path);
  if (!stats && hasGlob(given)) return filesIn(baseOf(given), options, globFor(given));
  if (stats?.isDirectory()) return filesIn(path, options);
  const format = formatOfName(given);
  if (format && !stats) throw new UsageError(`${JSON.stringify(given)} does not exist.`);
  if (format) return [{ file: shownName(path), path, format, isNamed: true }];
  throw new UsageError(
    `${JSON.stringify(given)} is not a URL with a scheme, nor a document in a format that is read.`,
  );
}

/** Names are shown as the command line has them: from the working folder on, if they are in it. */
function shownName(path: string): string {
  const name = relative(process.cwd(), path);
  return slashed(name.startsWith("..") || isAbsolute(name) ? path : name);
}

/** The folder that all files of a glob are in. */
function baseOf(given: string): string {
  const parts = given.split("/");
  const fixed = parts.slice(0, Math.max(0, parts.findIndex(hasGlob)));
  return resolve(fixed.join("/") || (given.startsWith("/") ? "/" : "."));
}

/** A test of paths for a glob, which is relative to the working folder. */
function globFor(given: string): (path: string) => boolean {
  const cwd = slashed(process.cwd()).replace(/[*?[\]{}!\\]/g, "\\$&");
  const parts = (isAbsolute(given) ? given : `${cwd}/${given}`).split("/");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== ".") kept.push(part);
  }
  const glob = new Bun.Glob(kept.join("/"));
  return (path) => glob.match(slashed(path));
}

/** As in ignore files, a name alone counts everywhere. */
function byName(given: string): (path: string) => boolean {
  const glob = new Bun.Glob(given);
  return (path) => glob.match(basename(path));
}

const NEVER = new Set([".git", "node_modules"]);

function filesIn(
  folder: string,
  { includeIgnored, excludePath = [], tell }: FindOptions,
  isWanted: (path: string) => boolean = () => true,
): DocumentFile[] {
  if (!existsSync(folder)) return [];
  const repository = repositoryOf(folder);
  const isIgnored: Ignored = includeIgnored
    ? () => false
    : createIgnored(repository ?? folder, repository !== null);
  const excluded = excludePath.map((each) => (each.includes("/") ? globFor(each) : byName(each)));
  const isOut = (path: string, isFolder: boolean) =>
    excluded.some((matches) => matches(path)) || isIgnored(path, isFolder);
  const found: DocumentFile[] = [];
  const walk = (at: string) => {
    for (const entry of entriesOf(at, tell)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (!NEVER.has(entry.name) && !isOut(path, true)) walk(path);
        continue;
      }
      const format = hasEnding(entry.name) ? formatOfName(entry.name) : null;
      if (!format || !isWanted(path) || isOut(path, false)) continue;
      // Links to folders are not followed.
      if (!(entry.isSymbolicLink() ? statOrNone(path) : entry)?.isFile()) continue;
      found.push({ file: shownName(path), path, format, isNamed: false });
    }
  };
  walk(folder);
  return found;
}

function entriesOf(folder: string, tell: FindOptions["tell"]) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    tell(inWords(failure(`“${shownName(folder)}” cannot be read`, error).message));
    return [];
  }
}

/** Files without one, such as LICENSE, are only read if they are named. */
const hasEnding = (name: string) => name.lastIndexOf(".") > 0;

const repositories = new Map<string, string | null>();

/** Returns the work tree of Git around a folder. */
export function repositoryOf(folder: string): string | null {
  const known = repositories.get(folder);
  if (known !== undefined) return known;
  const above = dirname(folder);
  const found = existsSync(join(folder, ".git"))
    ? folder
    : above === folder
      ? null
      : repositoryOf(above);
  repositories.set(folder, found);
  return found;
}

/** Whether a path is a folder or below it. */
export const isInside = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Longer than anyone writes by hand. A document is read as a whole. */
export const LONGEST_BYTES = 2 * 1024 * 1024;

/** @throws UsageError for a file that is not a text of that length */
export function textOf({ file, path }: Pick<DocumentFile, "file" | "path">): string {
  const bytes = bytesOf(file, path);
  try {
    const encoding = encodingOf(`“${file}”`, bytes);
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Unreadable) throw new UsageError(`“${file}” is not a text file.`);
    throw new UsageError(`“${file}” is not in UTF-8 or UTF-16.`);
  }
}

function bytesOf(file: string, path: string): Uint8Array {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > LONGEST_BYTES) throw new Error("it is larger than 2 MiB");
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(inWords(failure(`“${file}” cannot be read`, error).message));
  }
}

/** The path itself where a name is not in UTF-8: the file cannot be opened. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function statOrNone(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Whether a file of this name has anchors. */
export const hasAnchors = (name: string): boolean => {
  const format = hasEnding(basename(name)) ? formatOfName(name) : null;
  return format !== null && format !== "text" && format in DOCUMENT_FORMATS;
};
