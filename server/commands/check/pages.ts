import { basename, dirname, relative } from "node:path";
import { below, CONTENT } from "./addresses.ts";
import type { CheckedDocument } from "./documents.ts";
import type { Site } from "./programs.ts";
import { slashed } from "./within.ts";

/** Finds the documents of a site by what their pages are called on it, of those that were read. */
export type Pages = {
  /** @param address names below the folder of the site, without a document's ending */
  at(site: Site, address: string[]): string | null;
  /** The document with a label. */
  withLabel(site: Site, label: string): string | null;
  /** The page of a wiki with a name. */
  withName(site: Site, name: string): string | null;
};

type Index = Map<string, string>;

/** What leads to the documents of one site. */
type Indexes = { addresses: Index; labels: Index; names: Index };

export function createPages(
  documents: CheckedDocument[],
  siteOf: (document: CheckedDocument) => Site | null,
): Pages {
  let indexes: Map<string, Indexes> | undefined;
  function indexOf({ folder }: Site): Indexes {
    if (!indexes) {
      indexes = new Map();
      for (const document of documents) {
        const site = siteOf(document);
        if (site) add(indexes, document, site);
      }
    }
    return indexes.get(folder) ?? { addresses: new Map(), labels: new Map(), names: new Map() };
  }
  return {
    at: (site, address) => indexOf(site).addresses.get(pageOf(address)) ?? null,
    withLabel: (site, label) => indexOf(site).labels.get(label.toLowerCase()) ?? null,
    withName: (site, name) => indexOf(site).names.get(nameOf(name)) ?? null,
  };
}

function add(all: Map<string, Indexes>, document: CheckedDocument, site: Site) {
  const { path, read } = document;
  const known = all.get(site.folder);
  const indexes = known ?? { addresses: new Map(), labels: new Map(), names: new Map() };
  if (!known) all.set(site.folder, indexes);
  for (const address of addressesOf(document, site)) keep(indexes.addresses, address, path);
  for (const label of [...(read.ids ?? []), ...read.anchors]) {
    keep(indexes.labels, label.toLowerCase(), path);
  }
  keep(indexes.names, nameOf(basename(path)), path);
}

/** Of equal addresses the first counts. */
const keep = (index: Index, key: string, path: string) => index.has(key) || index.set(key, path);

/** A wiki takes a blank for a hyphen, and ignores case. */
const nameOf = (file: string) =>
  file
    .replace(/\.[a-z]+$/, "")
    .replaceAll(" ", "-")
    .toLowerCase();

/** The addresses of a page below the folder of its site: by its place, and as its front matter says. */
function addressesOf({ path, read }: CheckedDocument, site: Site): string[] {
  const file = slashed(relative(site.folder, path));
  const folder = slashed(relative(site.folder, dirname(path)));
  const tops = [...CONTENT, ...(site.content ? [site.content] : [])].filter(
    (top) => folder === top || folder.startsWith(`${top}/`),
  );
  const placed = ["", ...tops].map((top) => below(top, file).split("/"));
  const own = (read.front?.addresses ?? []).flatMap((address) =>
    address.startsWith("/")
      ? ["", ...tops].map((top) => `${top}${address}`)
      : ["", ...tops].map((top) => `${below(top, folder)}/${address}`),
  );
  return [...placed, ...own.map((address) => address.split("/"))].map(pageOf);
}

/** A number before a name, by which files are sorted. Dates and versions are none. */
const NUMBER = /^\d+\s*[-_.]+\s*(?=[^-_.\s\d])/;

/** What names of a path have in common with the address of their page. */
function pageOf(names: string[]): string {
  const shown = names
    .filter((name) => name !== "" && name !== ".")
    .map((name) => name.replace(NUMBER, ""));
  const last = (shown.pop() ?? "").replace(/\.(?:mdx?|markdown|html?|qmd|ipynb|rst|adoc)$/, "");
  if (!/^(?:_?index|readme)$/i.test(last) && last !== shown.at(-1)) shown.push(last);
  return shown.join("/");
}
