import { readFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { type DocumentFormat, formatOfName } from "../../documents/formats.ts";
import type { AnchorKind } from "../../documents/slugs.ts";
import type { CheckedDocument, Reader } from "./documents.ts";
import { hasAnchors } from "./files.ts";
import type { Finding, LocalLink } from "./findings.ts";
import { anchorsOf, type Found, type Tree } from "./tree.ts";
import { isInside, slashed } from "./within.ts";

export type LocalOptions = {
  extensions?: string[] | undefined;
  anchors?: AnchorKind | undefined;
  /** What `/` stands for, if that is said. */
  root?: string | undefined;
};

type Outcome = Pick<Finding, "status" | "reason" | "message">;

const OUT = { kind: "outside" } as const;

const OUTSIDE: Outcome = {
  ...{ status: "unknown", reason: "outside_tree" },
  message: "The link leads to what is not in the tree of documents.",
};

const OK: Outcome = { status: "active", reason: "ok", message: "The file is there." };

const dead = (reason: string, message: string): Outcome => ({ status: "dead", reason, message });

/** Folders of which site generators put the content at the root of a site. */
const CONTENT = [
  ...["docs", "content", "src", "src/content", "src/content/docs", "src/pages", "pages"],
  ...["static", "public", "website", "website/docs", "website/static", "docs/static", "assets"],
];

/** The endings of documents of which pages are made that other documents link to. */
const SOURCES: Partial<Record<DocumentFormat, string[]>> = {
  rst: ["rst", "txt"],
  asciidoc: ["adoc", "asciidoc"],
};

/** Looks for the targets of local links. */
export function createLocalCheck({
  tree,
  reader,
  documents,
  options,
}: {
  tree: Tree;
  reader: Reader;
  documents: CheckedDocument[];
  options: LocalOptions;
}) {
  const read = new Map(documents.map((document) => [document.path, document]));
  const tests = new Map<string, Promise<((anchor: string) => boolean) | null>>();

  async function outcomeOf({ href, document }: LocalLink): Promise<Outcome> {
    const { path, fragment } = partsOf(href);
    const root = path.startsWith("/") ? (options.root ?? document.root) : document.root;
    if (path === "") return anchorIn(document.path, fragment, root);
    const found = findTarget(path, root, document);
    const name = decoded(path);
    if (found.kind === "outside") return OUTSIDE;
    if (found.kind === "missing") return dead("file_missing", `There is no file “${name}”.`);
    if (found.kind === "case") {
      return dead("case_mismatch", `The file has other letters in its name: “${found.name}”.`);
    }
    if (found.kind === "file") return anchorIn(found.path, fragment, root);
    const [index] = tree.indexesOf(found.path, root).filter(hasAnchors);
    return index && fragment !== "" ? anchorIn(index, fragment, root) : OK;
  }

  function findTarget(path: string, root: string, document: CheckedDocument): Found {
    // The root that is given need not be around the document.
    const isAround = isInside(root, document.path);
    const site = isAround ? tree.siteOf(document.path, root) : null;
    const extensions = options.extensions ?? site?.extensions ?? [];
    const within = (folder: string) => slashed(relative(root, folder));
    const folder = isAround ? within(dirname(document.path)) : "";
    const isSite = extensions.length > 0;
    const starts = path.startsWith("/")
      ? rootsOf(site && within(site.folder), folder, {
          isSite,
          isKnown: options.root !== undefined,
        })
      : [
          ...startsOf(folder, document, isSite),
          ...(document.linkFolders ?? []).filter((each) => isInside(root, each)).map(within),
        ];
    const sources = SOURCES[document.format] ?? [];
    const found = starts.map((start): Found => {
      const segments = resolved(start, decoded(path));
      return segments === null ? OUT : findWith(root, segments, [...extensions, ...sources], tree);
    });
    const there = found.find(({ kind }) => kind === "file" || kind === "folder");
    if (there || found[0]?.kind !== "missing") return there ?? found[0]!;
    // Of such documents pages are made, and the program that makes them adds others.
    if (sources.length > 0 && /\.html?$/.test(path)) return OUT;
    // Site generators make pages of which the tree knows nothing, and pages of a site are not at the root of a tree.
    if (path.startsWith("/")) {
      const isPage = site !== null || (document.format === "html" && options.root === undefined);
      return isPage ? OUT : found[0];
    }
    const segments = resolved(folder, decoded(path))!.join("/");
    const top = site && contentOf(within(site.folder), folder);
    return top && !segments.startsWith(`${top}/`) ? OUT : found[0];
  }

  async function anchorIn(path: string, fragment: string, root: string): Promise<Outcome> {
    const anchor = decoded(fragment);
    if (anchor === "" || anchor.startsWith(":~:")) return OK;
    const name = slashed(relative(root, path));
    const [, from, to = from] = /^L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$/.exec(anchor) ?? [];
    if (from !== undefined) {
      const lines = tree.linesOf(path);
      if (lines === null || Math.max(Number(from), Number(to)) <= lines) return OK;
      return dead("line_missing", `“${name}” has only ${lines.toLocaleString("en")} lines.`);
    }
    const hasAnchor = await testOf(path, root);
    // The top of a page has a name in every browser.
    if (!hasAnchor || hasAnchor(anchor) || anchor.toLowerCase() === "top") return OK;
    return dead("anchor_missing", `“${name}” has no anchor “${anchor}”.`);
  }

  /** Null for a file in which anything may be an anchor. */
  function testOf(path: string, root: string) {
    const known = tests.get(path);
    if (known) return known;
    const test = (async () => {
      const format = formatOfName(path);
      if (!hasAnchors(path) && read.get(path)?.format === undefined) return null;
      const file = { file: slashed(relative(root, path)), path, format: format!, isNamed: false };
      const document = read.get(path) ?? { ...file, read: await reader.file(file) };
      if (!document.read || document.format === "text") return null;
      const kind = options.anchors ?? tree.siteOf(path, root)?.anchors ?? "github";
      const text = () => readFileSync(path, "utf8");
      return anchorsOf({ ...document, read: document.read, text }, kind);
    })();
    tests.set(path, test);
    return test;
  }

  return async (link: LocalLink): Promise<Finding> => ({
    ...{ url: link.url, ...(await outcomeOf(link)), places: [link.place] },
    ...{ via: "disk", service: null, conclusion: null },
  });
}

/** A fragment is what follows the first `#`; a query changes no file. */
function partsOf(href: string): { path: string; fragment: string } {
  const hash = href.indexOf("#");
  const address = hash < 0 ? href : href.slice(0, hash);
  return { path: address.replace(/\?.*$/s, ""), fragment: hash < 0 ? "" : href.slice(hash + 1) };
}

/** Leaves a text alone that is not percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The folders below the root that `/` may stand for, the most likely first. A site may be in any folder around its
 * pages, unless the command line says where it is.
 */
function rootsOf(
  site: string | null,
  folder: string,
  { isSite, isKnown }: { isSite: boolean; isKnown: boolean },
): string[] {
  const around = folder.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"));
  const tops = [...(site === null ? [] : [site]), "", ...(isKnown ? [] : around.toReversed())];
  return isSite ? tops.flatMap((top) => ["", ...CONTENT].map((each) => `${top}/${each}`)) : tops;
}

/** The folders below the root that a relative path may be relative to. */
function startsOf(folder: string, { read, path }: CheckedDocument, isSite: boolean): string[] {
  if (read.base !== null) return [folderOfBase(read.base, folder)];
  // On a site `a.md` may be the page `a/`, and its links are relative to that.
  const page = basename(path).replace(/\.[^.]*$/, "");
  return isSite && !/^(?:index|readme)$/i.test(page) ? [folder, `${folder}/${page}`] : [folder];
}

/** The folder of a site that has the content around a document. */
function contentOf(site: string, folder: string): string {
  const inSite = CONTENT.map((each) => (site === "" ? each : `${site}/${each}`));
  const around = inSite.filter((each) => folder === each || folder.startsWith(`${each}/`));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? site;
}

function folderOfBase(base: string, folder: string): string {
  const path = partsOf(base).path.replace(/[^/]*$/, "");
  return path.startsWith("/") ? path : `${folder}/${path}`;
}

/** Returns the names of a path below the root; null if it leads out of it. */
function resolved(start: string, path: string): string[] | null {
  const names: string[] = [];
  for (const name of `${start}/${path}`.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

/** Tries the endings that a site generator leaves out of addresses, where nothing has the name itself. */
function findWith(root: string, names: string[], extensions: string[], tree: Tree): Found {
  const found = tree.find(root, names);
  if (found.kind !== "missing" && found.kind !== "case") return found;
  const last = names.at(-1) ?? "";
  for (const extension of extensions) {
    for (const stem of new Set([last, last.replace(/\.html?$/, "")])) {
      const other = tree.find(root, [...names.slice(0, -1), `${stem}.${extension}`]);
      if (other.kind === "file") return other;
    }
  }
  return found;
}
