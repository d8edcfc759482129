import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { decoded } from "../../judge/page/fragments.ts";
import { type DocumentFormat, formatOfName } from "../../read/documents/formats.ts";
import type { AnchorKind } from "../../read/documents/slugs.ts";
import {
  below,
  contentOf,
  isPage,
  isPart,
  partsOf,
  publicStarts,
  relativeStarts,
  resolved,
  rootsOf,
} from "./addresses.ts";
import { anchorTest, type HasAnchor, isTemplate } from "./anchors.ts";
import type { CheckedDocument, Reader } from "./documents.ts";
import { hasAnchors } from "./files.ts";
import type { Finding, LocalLink } from "./findings.ts";
import { createPages } from "./pages.ts";
import { type Site, unknownSite } from "./programs.ts";
import type { Found, Tree } from "./tree.ts";
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
  status: "unknown",
  reason: "outside_tree",
  message: "The link leads to what is not in the tree of documents.",
};

const OK: Outcome = { status: "active", reason: "ok", message: "The file is there." };

const dead = (reason: string, message: string): Outcome => ({ status: "dead", reason, message });

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
  const tests = new Map<string, Promise<HasAnchor | null>>();
  const pages = createPages(documents, (document) => siteOf(document, document.root));

  /** Front matter is for a program, and MDX is read by one. */
  function siteOf({ path, format, read }: CheckedDocument, root: string): Site | null {
    const site = tree.siteOf(path, root);
    // In Sphinx only Markdown is read by MyST.
    if (site?.hasLabels && format === "rst") return null;
    return site ?? (read.front || format === "mdx" ? unknownSite(root) : null);
  }

  async function outcomeOf(link: LocalLink): Promise<Outcome> {
    const { href, document } = link;
    const { path, fragment } = partsOf(href);
    // DocFX and Nuxt have `~` for the top of their site.
    const isOfSite = path.startsWith("~/") && siteOf(document, document.root) !== null;
    const address = isOfSite ? path.slice(1) : path;
    // The root that is given need not be around the document.
    const root = address.startsWith("/") ? (options.root ?? document.root) : document.root;
    const site = siteOf(document, root);
    if (path === "") return anchorIn(document.path, fragment, root, document);
    const found = findTarget(address, root, document, site);
    const name = decoded(path);
    if (found.kind === "outside") return OUTSIDE;
    if (found.kind === "missing") {
      const page = site && pageOf(path, root, document, site);
      if (page) return anchorIn(page, fragment, root);
      if (mayBeMade(link, site)) return OUTSIDE;
      return dead("file_missing", `There is no file “${name}”.`);
    }
    if (found.kind === "case") {
      return dead("case_mismatch", `The file has other letters in its name: “${found.name}”.`);
    }
    if (found.kind === "file") return anchorIn(found.path, fragment, root);
    const [index] = tree.indexesOf(found.path, root).filter(hasAnchors);
    return index && fragment !== "" ? anchorIn(index, fragment, root) : OK;
  }

  function findTarget(
    path: string,
    root: string,
    document: CheckedDocument,
    site: Site | null,
  ): Found {
    const extensions = options.extensions ?? site?.extensions ?? [];
    const within = (folder: string) => slashed(relative(root, folder));
    const folder = folderOf(document, root);
    const sources = SOURCES[document.format] ?? [];
    let first: Found | undefined;
    for (const start of startsOf(path, root, document, site)) {
      const names = resolved(start, decoded(path));
      const found = names ? findWith(root, names, [...extensions, ...sources], tree) : OUT;
      if (found.kind === "file" || found.kind === "folder") return found;
      first ??= found;
    }
    if (first?.kind !== "missing") return first!;
    // Of such documents pages are made, and the program that makes them adds others.
    if (sources.length > 0 && /\.html?$/.test(path)) return OUT;
    if (path.startsWith("/")) return first;
    const names = resolved(folder, decoded(path))?.join("/");
    const top = site && contentOf(within(site.folder), folder);
    return top && !names?.startsWith(`${top}/`) ? OUT : first;
  }

  /** The folders below the root that an address may be relative to. */
  function startsOf(
    path: string,
    root: string,
    document: CheckedDocument,
    site: Site | null,
  ): string[] {
    const within = (folder: string) => slashed(relative(root, folder));
    const folder = folderOf(document, root);
    const isSite = (options.extensions ?? site?.extensions ?? []).length > 0;
    if (!path.startsWith("/")) {
      const linked = (document.linkFolders ?? []).filter((each) => isInside(root, each));
      const starts = [...relativeStarts(folder, document, isSite), ...linked.map(within)];
      return site ? [...starts, ...publicStarts(within(site.folder), folder, path, site)] : starts;
    }
    return rootsOf(site && within(site.folder), folder, {
      content: site?.content ?? null,
      isSite,
      isKnown: options.root !== undefined,
    });
  }

  /** The document of a page that has no file of its name. */
  function pageOf(
    path: string,
    root: string,
    document: CheckedDocument,
    site: Site,
  ): string | null {
    const name = decoded(path);
    if (site.hasLabels) return pages.withLabel(site, name);
    if (site.isWiki) return pages.withName(site, name.replace(/^.*\//, ""));
    if (!isPage(path)) return null;
    const within = slashed(relative(root, site.folder));
    for (const start of startsOf(path, root, document, site)) {
      const names = resolved(start, name)?.join("/");
      if (names === undefined || !`${names}/`.startsWith(within && `${within}/`)) continue;
      const page = pages.at(site, below(within, names).split("/"));
      if (page) return page;
    }
    return null;
  }

  async function anchorIn(
    path: string,
    fragment: string,
    root: string,
    document?: CheckedDocument,
  ): Promise<Outcome> {
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
    const state = !hasAnchor || anchor.toLowerCase() === "top" ? "there" : hasAnchor(fragment);
    if (state === "there") return OK;
    const site = document && siteOf(document, root);
    if (site?.hasLabels && pages.withLabel(site, anchor)) return OK;
    const isIncluded = isPart(path) && tree.siteOf(path, root) !== null;
    if (state === "missing" && !isIncluded)
      return dead("anchor_missing", `“${name}” has no anchor “${anchor}”.`);
    return {
      ...OUTSIDE,
      message: `The program that makes a page of “${name}” may give it the anchor “${anchor}”.`,
    };
  }

  /** Null for a file in which anything may be an anchor. */
  function testOf(path: string, root: string) {
    const known = tests.get(path);
    if (known) return known;
    const test = (async () => {
      const format = formatOfName(path);
      if (!hasAnchors(path) && read.get(path)?.format === undefined) return null;
      const file = { file: slashed(relative(root, path)), path, format: format!, isNamed: false };
      const document = read.get(path) ?? { ...file, root, read: await reader.file(file) };
      if (!document.read || document.format === "text") return null;
      const target = { ...document, read: document.read, text: () => readFileSync(path, "utf8") };
      return anchorTest(target, siteOf(target, root), options.anchors);
    })();
    tests.set(path, test);
    return test;
  }

  /** Whether a program may make the page at an address, or put what is there to its place. */
  function mayBeMade({ href, place, document }: LocalLink, site: Site | null): boolean {
    const { path } = partsOf(href);
    if (!site)
      return path.startsWith("/") && document.format === "html" && options.root === undefined;
    if (path.startsWith("/") || site.hasOtherPages || isPart(document.path)) return true;
    if (document.format === "html" && isTemplate(readFileSync(document.path, "utf8"))) return true;
    if (site.special?.test(path)) return true;
    // Who says which endings links omit says that they lead to files.
    if (options.extensions !== undefined) return false;
    if (site.isWiki && !hasAnchors(path)) return true;
    return isPage(path) && place.element !== "image";
  }

  return async (link: LocalLink): Promise<Finding> => ({
    url: link.url,
    ...(await outcomeOf(link)),
    places: [link.place],
    via: "disk",
    service: null,
    conclusion: null,
  });
}

/** The folder of a document below the root; the root itself for a document that is not below it. */
const folderOf = ({ path }: CheckedDocument, root: string): string =>
  isInside(root, path) ? slashed(relative(root, dirname(path))) : "";

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
