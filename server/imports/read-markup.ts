import type { Handler } from "htmlparser2";
import {
  itemOf,
  LONGEST,
  type Reader,
  type Reading,
  refuseEndless,
  Unreadable,
} from "./reading.ts";

/** Reads the links of a page. The folders around a bookmark become its group: "Bar / Recipes". */
export async function readBookmarks({ items, notes }: Reading): Promise<Reader> {
  const folders = createFolders();
  let line = 0;
  const handler: Partial<Handler> = {
    onopentag(name, { href, tags }) {
      folders.open(name);
      if (name !== "a" || !isPage(href)) return;
      items.push(itemOf(href, ++line, { group: folders.path(), tags }));
    },
    ontext: folders.read,
    onclosetag: folders.close,
  };
  const reader = await openMarkup(handler, { hasEnd: (name) => name === "dl" || name === "h3" });
  return {
    write: reader.write,
    end() {
      reader.end();
      if (line > 0) notes.push("The names of bookmarks are not used.");
    },
  };
}

/** Bookmarklets and the browser's own pages cannot be monitored. */
const isPage = (href: string | undefined): href is string => /^\s*(https?|ftp):/i.test(href ?? "");

/** Follows the folders. A heading is the name of the list that begins after it. */
function createFolders() {
  /** The paths of the open lists, each up to the limit of a name. */
  const paths: string[] = [];
  let heading = "";
  let isInHeading = false;
  const path = () => paths.at(-1) ?? "";
  return {
    open(name: string) {
      if (name === "h3") heading = "";
      isInHeading = name === "h3" || isInHeading;
      if (name !== "dl") return;
      paths.push([path(), heading.trim()].filter(Boolean).join(" / ").slice(0, LONGEST));
      heading = "";
    },
    read(text: string) {
      if (isInHeading) heading = (heading + text).trimStart().slice(0, LONGEST);
    },
    close(name: string) {
      if (name === "h3") isInHeading = false;
      if (name !== "dl") return;
      paths.pop();
      heading = "";
    },
    path,
  };
}

/** Reads the pages of a sitemap, or the sitemaps of an index. */
export async function readSitemap(into: Reading): Promise<Reader> {
  const pages = createPages(into);
  const markup = await openMarkup(
    { onopentagname: pages.open, ontext: pages.read, onclosetag: pages.close },
    { xmlMode: true, hasEnd: (name) => /^([\w-]+:)?(urlset|sitemapindex|loc)$/i.test(name) },
  );
  return {
    write: markup.write,
    end() {
      markup.end();
      pages.end();
    },
  };
}

type Root = { name: string; isIndex: boolean; locationName: string };

function createPages({ items, notes, sitemaps }: Reading) {
  let root: Root | null = null;
  /** The location that is being read; null between two. */
  let location: string | null = null;
  let line = 0;
  return {
    open(name: string) {
      root ??= rootOf(name);
      if (root && name.toLowerCase() === root.locationName) location = "";
    },
    read(text: string) {
      if (location !== null) location = (location + text).trimStart().slice(0, LONGEST);
    },
    /** @param isCutOff whether only the end of the text closed the element */
    close(name: string, isCutOff: boolean) {
      if (isCutOff && name === root?.name) {
        notes.push("The sitemap has no end. It was probably cut off.");
      }
      if (location === null || name.toLowerCase() !== root?.locationName) return;
      const url = location.trim();
      location = null;
      if (isCutOff) return;
      if (root.isIndex) sitemaps.push(url);
      else items.push(itemOf(url, ++line));
    },
    end() {
      if (root) return;
      throw new Unreadable("This is not a sitemap: it has neither a urlset nor a sitemapindex.");
    },
  };
}

/** Locations have the root's prefix, since images and videos have locations of their own. */
function rootOf(name: string): Root | null {
  const found = /^([\w-]+:)?(urlset|sitemapindex)$/i.exec(name);
  if (!found) return null;
  const [, prefix = "", kind = ""] = found;
  const isIndex = kind.toLowerCase() === "sitemapindex";
  return { name, isIndex, locationName: `${prefix.toLowerCase()}loc` };
}

type MarkupOptions = {
  /** Whether the handler needs the end of an element. All other ends are ignored. */
  hasEnd: (name: string) => boolean;
  xmlMode?: boolean;
};

/** Nested elements. For some tags the parser searches all open elements. */
const DEEPEST = 200;

/**
 * Reads HTML or XML. The parser keeps each element until its end, so elements whose end the handler does not need count
 * as empty. It also keeps an incomplete tag or comment.
 */
async function openMarkup(
  handler: Partial<Handler>,
  { hasEnd, xmlMode = false }: MarkupOptions,
): Promise<Reader> {
  const { Parser } = await import("htmlparser2");
  let depth = 0;
  const onopentagname = (name: string) => {
    if (hasEnd(name)) refuseDeep(++depth, name);
    handler.onopentagname?.(name);
  };
  const onclosetag = (name: string, isImplied: boolean) => {
    if (hasEnd(name)) depth -= 1;
    handler.onclosetag?.(name, isImplied);
  };
  class BoundedParser extends Parser {
    protected override isVoidElement(name: string): boolean {
      return !hasEnd(name);
    }
  }
  const parser = new BoundedParser({ ...handler, onopentagname, onclosetag }, { xmlMode });
  let length = 0;
  return {
    write(text) {
      parser.write(text);
      length += text.length;
      refuseEndless(
        length - parser.endIndex,
        "A tag or a comment has no end. Is a quote opened and never closed?",
      );
    },
    end: () => parser.end(),
  };
}

function refuseDeep(depth: number, name: string) {
  if (depth <= DEEPEST) return;
  throw new Unreadable(
    `More than ${DEEPEST} <${name}> elements are nested. Is each of them closed?`,
  );
}
