import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type Site, siteIn } from "./programs.ts";
import { isInside, pathWithin, slashed, treeOf } from "./within.ts";

type Kind = "file" | "folder";

/** What is at a path below a root. */
export type Found =
  | { kind: Kind; path: string }
  /** The name as the folder has it, in other letters. */
  | { kind: "case"; name: string }
  /** A symbolic link leads out of the root. */
  | { kind: "outside" }
  | { kind: "missing" };

/** The files below roots, as their folders list them: a file system that ignores case would pass wrong names. */
export type Tree = {
  /** @param segments names below the root */
  find(root: string, segments: string[]): Found;
  /** The files in a folder that a site shows for it. */
  indexesOf(folder: string, root: string): string[];
  /** Null for what is not a file, or too long to be a text. */
  linesOf(path: string): number | null;
  /** The site that a document is a page of: the nearest folder above it for which a site generator is set up. */
  siteOf(path: string, root: string): Site | null;
};

/** As in `en`, `pt-BR` and `zh_hant`. */
const LANGUAGE = /^[a-z]{2}(?:[-_][A-Za-z]{2,4})?$/;

const INDEX = /^(?:index\.[^.]+|readme\.md)$/i;

export function createTree(): Tree {
  const folders = new Map<string, Map<string, Kind>>();
  /** Whether paths are links that lead out. */
  const links = new Map<string, boolean>();
  const sites = new Map<string, ReturnType<typeof siteIn>>();
  const namesIn = (folder: string) => {
    let names = folders.get(folder);
    if (!names) {
      names = listed(folder);
      folders.set(folder, names);
    }
    return names;
  };
  const leadsOut = (root: string, path: string): boolean => {
    let isOut = links.get(path);
    if (isOut === undefined) {
      isOut = isLink(path) && pathWithin(root, path) === null;
      links.set(path, isOut);
    }
    return isOut;
  };
  const nameIn = (folder: string, wanted: string): string | null => {
    const names = namesIn(folder);
    if (names.has(wanted)) return wanted;
    const alike = wanted.normalize("NFC").toLowerCase();
    for (const name of names.keys()) if (name.normalize("NFC").toLowerCase() === alike) return name;
    return null;
  };
  const siteAt = (folder: string) => {
    let site = sites.get(folder);
    if (site === undefined) {
      site = siteIn(folder, [...namesIn(folder).keys()], settingsAt);
      sites.set(folder, site);
    }
    return site;
  };
  /** The site next to a folder, if both are called after a language. */
  const translationOf = (folder: string) => {
    if (!LANGUAGE.test(basename(folder))) return null;
    const around = dirname(folder);
    const others = [...namesIn(around).keys()].filter((name) => LANGUAGE.test(name));
    return others.map((name) => siteAt(join(around, name))).find(Boolean) ?? null;
  };
  return {
    find(root, segments) {
      let path = root;
      let kind: Kind = "folder";
      let other: string | null = null;
      for (const segment of segments) {
        const name: string | null = kind === "folder" ? nameIn(path, segment) : null;
        if (kind === "folder" && leadsOut(root, join(path, name ?? segment))) {
          return { kind: "outside" };
        }
        if (name === null) return { kind: "missing" };
        if (name.normalize("NFC") !== segment.normalize("NFC")) other = name;
        kind = namesIn(path).get(name)!;
        path = join(path, name);
      }
      return other === null
        ? { kind, path }
        : { kind: "case", name: slashed(relative(root, path)) };
    },
    indexesOf: (folder, root) =>
      [...namesIn(folder).keys()]
        .filter((name) => INDEX.test(name))
        .map((name) => join(folder, name))
        .filter((path) => !leadsOut(root, path)),
    linesOf: countLines,
    siteOf(path, root) {
      for (let folder = dirname(path); isInside(root, folder); folder = dirname(folder)) {
        const site = siteAt(folder);
        if (site) return site.isBelow && isAboutRepository(relative(folder, path)) ? null : site;
        const translated = translationOf(folder);
        if (translated) return { ...translated, folder };
        if (folder === dirname(folder)) break;
      }
      return null;
    },
  };
}

/** Whether a document is for people who see the repository: `README.md` and the like at its top, and `.github`. */
const isAboutRepository = (path: string) => /^(?:[A-Z][A-Z_-]*\.\w+$|\.github[\\/])/.test(path);

const LONGEST_SETTINGS = 256 * 1024;

/** Returns the settings of a program; empty for none, for what is too long for that, and for a link out of the tree. */
function settingsAt(path: string): string {
  const tree = treeOf(path);
  if (tree !== null && pathWithin(tree, path) === null) return "";
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LONGEST_SETTINGS ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

const LONGEST_TEXT = 64 * 1024 * 1024;

function countLines(path: string): number | null {
  const stats = statSync(path);
  if (!stats.isFile() || stats.size > LONGEST_TEXT) return null;
  return readFileSync(path, "latin1").split("\n").length;
}

function listed(folder: string): Map<string, Kind> {
  const found = new Map<string, Kind>();
  for (const entry of entriesOf(folder)) {
    const isFolder = entry.isSymbolicLink()
      ? isFolderAt(join(folder, entry.name))
      : entry.isDirectory();
    if (isFolder !== null) found.set(entry.name, isFolder ? "folder" : "file");
  }
  return found;
}

const isLink = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Null for a link that leads nowhere. */
function isFolderAt(path: string): boolean | null {
  try {
    return statSync(path).isDirectory();
  } catch {
    return null;
  }
}
