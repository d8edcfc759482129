import { basename, dirname } from "node:path";
import type { CheckedDocument } from "./documents.ts";
import type { Site } from "./programs.ts";

/** Folders of which site generators put the content at the root of a site. */
export const CONTENT = [
  "docs",
  "content",
  "src",
  "src/content",
  "src/content/docs",
  "src/pages",
  "pages",
  "static",
  "public",
  "website",
  "website/docs",
  "website/static",
  "docs/static",
  "assets",
];

/** A fragment is what follows the first `#`; a query changes no file. */
export function partsOf(href: string): { path: string; fragment: string } {
  const hash = href.indexOf("#");
  const address = hash < 0 ? href : href.slice(0, hash);
  return { path: address.replace(/\?.*$/s, ""), fragment: hash < 0 ? "" : href.slice(hash + 1) };
}

/**
 * The folders below the root that `/` may stand for, the most likely first. A site may be in any folder around its
 * pages, unless the command line says where it is.
 */
export function rootsOf(
  site: string | null,
  folder: string,
  { content, isSite, isKnown }: { content: string | null; isSite: boolean; isKnown: boolean },
): string[] {
  const around = folder.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"));
  const tops = [...(site === null ? [] : [site]), "", ...(isKnown ? [] : around.toReversed())];
  const inside = ["", ...(content === null ? [] : [content]), ...CONTENT];
  return isSite ? tops.flatMap((top) => inside.map((each) => `${top}/${each}`)) : tops;
}

/** The folders below the root that a relative path may be relative to. */
export function relativeStarts(
  folder: string,
  { read, path }: CheckedDocument,
  isSite: boolean,
): string[] {
  if (read.base !== null) return [folderOfBase(read.base, folder)];
  // On a site `a.md` may be the page `a/`, and its links are relative to that.
  const page = basename(path).replace(/\.[^.]*$/, "");
  return isSite && !/^(?:index|readme)$/i.test(page) ? [folder, `${folder}/${page}`] : [folder];
}

/** Where files are that a site puts next to the page of a document, and what else an address may be relative to. */
export function publicStarts(top: string, folder: string, path: string, site: Site): string[] {
  const content = contentOf(top, folder);
  const place = below(content, folder);
  const files = ["public", "static", "docs/static", "docs/public"];
  const starts = files.map((each) => [top, each, place].filter(Boolean).join("/"));
  return site.isFromContent && !/^\.\.\//.test(path) ? [...starts, content, top] : starts;
}

/** Whether an address is that of a page: it has no ending, or that of HTML, as pages have that a program makes. */
export const isPage = (path: string): boolean =>
  !/\.[a-z][a-z\d]{0,9}$/.test(path) || /\.html?$/.test(path);

/** Whether a document is a part of others, whose links are relative to them. */
export const isPart = (path: string): boolean =>
  /^_(?!(?:index|sidebar|footer|header|navbar|coverpage)\b)/i.test(basename(path)) ||
  /[\\/](?:_(?:common|fragments|include|partial|shared|snippet)s?|includes|partials|snippets)$/.test(
    dirname(path),
  );

/** The folder of a site that has the content around a document. */
export function contentOf(site: string, folder: string): string {
  const inSite = CONTENT.map((each) => (site === "" ? each : `${site}/${each}`));
  const around = inSite.filter((each) => folder === each || folder.startsWith(`${each}/`));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? site;
}

function folderOfBase(base: string, folder: string): string {
  const path = partsOf(base).path.replace(/[^/]*$/, "");
  return path.startsWith("/") ? path : `${folder}/${path}`;
}

/** Returns the names of a path below the root; null if it leads out of it. */
export function resolved(start: string, path: string): string[] | null {
  const names: string[] = [];
  for (const name of `${start}/${path}`.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

/** The rest of a path below a folder that it is in. */
export const below = (folder: string, path: string): string =>
  folder === "" ? path : path.slice(folder.length + 1);
