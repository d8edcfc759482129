import { existsSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";
import { failure, inWords, UsageError } from "../../ground/lib/errors.ts";
import {
  DOCUMENT_FORMATS,
  type DocumentFormat,
  formatOfName,
} from "../../read/documents/formats.ts";
import { outside, pathWithin, repositoryOf, shownName, slashed, treeIn, treeOf } from "./within.ts";

/** A document of the tree. */
export type DocumentFile = {
  /** The name that is shown. */
  file: string;
  /** Where it really is, if symbolic links lead to it. */
  path: string;
  format: DocumentFormat;
  /** Whether the command line names it, and not only a folder or a glob. */
  isNamed: boolean;
  /** The folders of symbolic links to it, if it was not found itself. */
  linkFolders?: string[] | undefined;
};

export type FindOptions = {
  includeIgnored?: boolean;
  allowEmpty?: boolean;
  excludePath?: string[];
  /** The root that is given. */
  root?: string | undefined;
  /** Receives sentences about folders and files that are not read. */
  skip(sentence: string): void;
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
    for (const file of files) found.set(file.path, merged(file, found.get(file.path)));
  }
  return [...found.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** A file that was found twice, in any order. */
function merged(file: DocumentFile, other: DocumentFile | undefined): DocumentFile {
  if (!other) return file;
  const isNamed = file.isNamed || other.isNamed;
  if (!file.linkFolders || !other.linkFolders)
    return { ...(file.linkFolders ? other : file), isNamed };
  const linkFolders = [...new Set([...file.linkFolders, ...other.linkFolders])].sort();
  return { ...file, isNamed, linkFolders };
}

function filesOf(given: string, options: FindOptions): DocumentFile[] {
  const path = resolve(given);
  const stats = statOrNone(path);
  if (!stats && hasGlob(given)) return filesIn(baseOf(given), options, globFor(given));
  if (stats?.isDirectory()) return filesIn(path, options);
  const format = formatOfName(given);
  if (format && !stats) throw new UsageError(`${JSON.stringify(given)} does not exist.`);
  if (format) {
    const tree = treeOf(path, options.root);
    const file = tree === null ? null : fileAt(path, format, tree);
    if (tree !== null && !file) throw new UsageError(outside(path));
    return [{ ...(file ?? { file: shownName(path), path, format }), isNamed: true }];
  }
  throw new UsageError(
    `${JSON.stringify(given)} is not a URL with a scheme, nor a document in a format that is read.`,
  );
}

/** Returns null for what symbolic links lead out of the tree to. */
function fileAt(path: string, format: DocumentFormat, tree: string) {
  const real = pathWithin(tree, path);
  if (real === null) return null;
  if (real === path) return { file: shownName(path), path, format };
  return {
    file: shownName(real),
    path: real,
    format: (hasEnding(basename(real)) && formatOfName(real)) || format,
    linkFolders: [dirname(path)],
  };
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
  { includeIgnored, excludePath = [], root, skip }: FindOptions,
  isWanted: (path: string) => boolean = () => true,
): DocumentFile[] {
  if (!existsSync(folder)) return [];
  const repository = repositoryOf(folder);
  const tree = treeIn(folder, root) ?? folder;
  const isIgnored: Ignored = includeIgnored
    ? () => false
    : createIgnored(repository ?? folder, repository !== null);
  const excluded = excludePath.map((each) => (each.includes("/") ? globFor(each) : byName(each)));
  const isOut = (path: string, isFolder: boolean) =>
    excluded.some((matches) => matches(path)) || isIgnored(path, isFolder);
  const found: DocumentFile[] = [];
  const walk = (at: string) => {
    for (const entry of entriesOf(at, skip)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (!NEVER.has(entry.name) && !isOut(path, true)) walk(path);
        continue;
      }
      const format = hasEnding(entry.name) ? formatOfName(entry.name) : null;
      if (!format || !isWanted(path) || isOut(path, false)) continue;
      // Links to folders are not followed.
      if (!(entry.isSymbolicLink() ? statOrNone(path) : entry)?.isFile()) continue;
      const file = fileAt(path, format, tree);
      if (file) found.push({ ...file, isNamed: false });
      else skip(outside(path));
    }
  };
  walk(folder);
  return found;
}

function entriesOf(folder: string, skip: FindOptions["skip"]) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    skip(inWords(failure(`“${shownName(folder)}” cannot be read`, error).message));
    return [];
  }
}

/** Files without one, such as LICENSE, are only read if they are named. */
const hasEnding = (name: string) => name.lastIndexOf(".") > 0;

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

const EXCLUDED = join(".git", "info", "exclude");

/** Tells whether ignore files leave out what is found below their folder. */
type Ignored = (path: string, isFolder: boolean) => boolean;

/**
 * Reads `.stillupignore` in each folder, and in a work tree of Git also `.gitignore` and `.git/info/exclude`.
 * @param top the folder above which no ignore file counts
 */
function createIgnored(top: string, isWorkTree: boolean): Ignored {
  const known = new Map<string, Ignore | null>();
  const filesIn = (folder: string) => [
    ...(isWorkTree && folder === top ? [EXCLUDED] : []),
    ...(isWorkTree ? [".gitignore"] : []),
    ".stillupignore",
  ];
  function rulesIn(folder: string): Ignore | null {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const texts = filesIn(folder).map((name) => textOrNone(join(folder, name), top));
    const rules = texts.some(Boolean) ? ignore().add(texts.join("\n")) : null;
    known.set(folder, rules);
    return rules;
  }
  return (path, isFolder) => {
    // Of the rules that match, those of the nearest folder win.
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const found = rulesIn(folder)?.test(
        `${slashed(relative(folder, path))}${isFolder ? "/" : ""}`,
      );
      if (found?.ignored) return true;
      if (found?.unignored || folder === top || folder === dirname(folder)) return false;
    }
  };
}

function textOrNone(path: string, top: string): string {
  if (pathWithin(top, path) === null && !path.endsWith(EXCLUDED)) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
