import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Read } from "../../documents/document.ts";
import type { DocumentFormat } from "../../documents/formats.ts";
import { ANCHOR_KINDS, type AnchorKind } from "../../documents/slugs.ts";
import { isInside, pathWithin, slashed } from "./within.ts";

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

/** A folder of which a program makes a site. */
export type Site = { folder: string; anchors: AnchorKind; extensions: string[] };

const INDEX = /^(?:index\.[^.]+|readme\.md)$/i;

/** Files that say which program makes a site of their folder. */
const GENERATORS: [file: RegExp, anchors: AnchorKind][] = [
  [/^docusaurus\.config\./, "docusaurus"],
  [/^mkdocs\.ya?ml$/, "mkdocs"],
  [/^\.vitepress$/, "vitepress"],
  [/^(?:docs|mint)\.json$/, "mintlify"],
  [/^(?:astro\.config\.|_config\.yml$|hugo\.(?:toml|ya?ml|json)$|book\.toml$)/, "docusaurus"],
];

export function createTree(): Tree {
  const folders = new Map<string, Map<string, Kind>>();
  /** Whether paths are links that lead out. */
  const links = new Map<string, boolean>();
  const sites = new Map<string, Site | null>();
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
  const siteIn = (folder: string): Site | null => {
    let site = sites.get(folder);
    if (site === undefined) {
      const names = [...namesIn(folder).keys()];
      const found = GENERATORS.find(([file]) => names.some((name) => file.test(name)));
      site = found ? { folder, anchors: found[1], extensions: ["md", "mdx"] } : null;
      sites.set(folder, site);
    }
    return site;
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
        const site = siteIn(folder);
        if (site || folder === dirname(folder)) return site;
      }
      return null;
    },
  };
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

/** Formats whose programs make anchors in their own way. */
const OWN_ANCHORS: Partial<Record<string, AnchorKind>> = {
  html: "none",
  asciidoc: "asciidoctor",
  rst: "docutils",
};

/** A test of whether a document has an anchor. */
export function anchorsOf(
  { format, read, text }: { format: DocumentFormat; read: Read; text: () => string },
  kind: AnchorKind,
): (anchor: string) => boolean {
  const used = OWN_ANCHORS[format] ?? kind;
  const anchors = new Set([...read.anchors, ...ANCHOR_KINDS[used](read.headings)]);
  if (format === "html") return (anchor) => anchors.has(anchor);
  return (given) => {
    // GitHub puts a prefix before anchors, makes those of footnotes, and ignores case.
    const anchor = given.replace(/^user-content-/, "");
    if ([given, anchor, anchor.toLowerCase()].some((each) => anchors.has(each))) return true;
    return /^fn(?:ref)?[-:]/.test(anchor) || (used !== "github" && mayHave(text(), anchor));
  };
}

/** Parts that a site generator puts into a page when it makes it. */
const INCLUDES =
  /--8<--|\{!.*!\}|\{\{\s*#|\{\{[<%]|\{%-?\s*include|<!--\s*@include|^:::\s*[\w-]+|^include::/m;

/** Whether an anchor is written behind any other words than a heading, or may come from another file. */
function mayHave(text: string, anchor: string): boolean {
  const attributes = text.match(/\{[^{}\n]{1,200}\}/g) ?? [];
  return (
    attributes.some((each) => each.split(/[\s{}:]+/).includes(`#${anchor}`)) || INCLUDES.test(text)
  );
}
