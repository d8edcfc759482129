import type { Handler } from "htmlparser2";
import { notesIn } from "./noted.ts";
import {
  createLineCounter,
  createPassedOver,
  type Item,
  itemOf,
  LONGEST,
  type Reader,
  type Reading,
  refuseEndless,
  Unreadable,
} from "./reading.ts";

/** Reads bookmarks. The folders around one become its group: "Bar / Recipes". */
export async function readBookmarks({ items, notes }: Reading): Promise<Reader> {
  const folders = createFolders();
  const passed = createPassedOver();
  const words = createWords();
  let tagsEndAtBlanks = false;
  let item: Item | null = null;
  /** What its words are being collected for. */
  let part: "title" | "note" | "name" | null = null;
  function endPart() {
    if (part === "name") tagsEndAtBlanks ||= /^pinboard\b/i.test(words.take().trim());
    if (item && part === "title") {
      const title = words.take().trim();
      items.push({ ...item, ...withTitle(item, title === item.url ? "" : title) });
    }
    if (item && part === "note") describe(items, item, words.take());
    part = null;
    words.take();
  }
  /** Pinboard and Delicious call a title a description, and separate tags by blanks. */
  function addPost(href: string, { description, extended, tag }: Record<string, string>) {
    const why = whyNoPage(href);
    if (why) return passed.add(why);
    const title = description === href ? "" : description;
    const about = { title, note: extended, tags: tag?.trim().replace(/\s+/g, ",") };
    items.push(itemOf(href, markup.line(), about));
  }
  const handler: Partial<Handler> = {
    onopentag(name, { href = "", tags, ...more }) {
      folders.open(name);
      if (name === "post") return addPost(href, more);
      if (!ENDS_WORDS.has(name)) return;
      endPart();
      if (name === "title") part = "name";
      if (name === "h3" || name === "dl") item = null;
      if (name === "dd" && item) part = "note";
      if (name !== "a") return;
      item = null;
      const why = whyNoPage(href);
      if (why) return passed.add(why);
      const given = tagsEndAtBlanks ? tags?.trim().replace(/\s+/g, ",") : tags;
      item = itemOf(href, markup.line(), { group: folders.path(), tags: ownTags(given) });
      part = "title";
    },
    ontext(text) {
      folders.read(text);
      if (part) words.add(text);
    },
    onclosetag(name) {
      if (name === "dl") endPart();
      folders.close(name);
    },
  };
  const markup = await openMarkup(handler, { hasEnd: (name) => name === "dl" || name === "h3" });
  return {
    write: markup.write,
    end() {
      markup.end();
      endPart();
      notes.push(...passed.remarks("bookmark", "bookmarks"));
    },
  };
}

/** Elements at which the words before them end. */
const ENDS_WORDS = new Set(["a", "dd", "dt", "dl", "h1", "h3", "hr", "title"]);

/** Collects text, of which more than any field may have is not kept. */
function createWords() {
  let words = "";
  return {
    add(text: string) {
      if (words.length < LONGEST_WORDS) words += text;
    },
    take() {
      const taken = words;
      words = "";
      return taken;
    },
  };
}

const LONGEST_WORDS = 60_000;

const withTitle = ({ noted, notKept = [] }: Item, title: string) => {
  const more = notesIn({ title });
  return {
    ...((noted || more.noted) && { noted: { ...more.noted, ...noted } }),
    ...(more.notKept && { notKept: [...notKept, ...more.notKept] }),
  };
};

/** Adds a description to the bookmark that was read last. Linkding marks where a person's own notes begin. */
function describe(items: Item[], item: Item, description: string): void {
  const last = items.at(-1);
  if (!last || last.line !== item.line || last.url !== item.url) return;
  const note = description.replace(/\[linkding-notes\]|\[\/linkding-notes\]/g, "\n").trim();
  const { noted, notKept } = notesIn({ note: note.replace(/\n{3,}/g, "\n\n") });
  if (noted) last.noted = { ...last.noted, ...noted };
  if (notKept) last.notKept = [...(last.notKept ?? []), ...notKept];
}

/** Without the tag by which linkding marks what is in its archive. */
const ownTags = (tags: string | undefined) => tags?.replace(/(^|,)\s*linkding:[^,]*/g, "$1");

/** Why a bookmark is not of a page; null if it is, or if the server is to say what is wrong. */
function whyNoPage(href: string): string | null {
  const address = href.trim();
  if (address === "") return "without an address";
  const [, scheme] = /^([a-z][a-z\d+.-]*):(?!\d)/i.exec(address) ?? [];
  if (scheme)
    return /^(https?|ftp)$/i.test(scheme) ? null : `of the scheme ${scheme.toLowerCase()}`;
  return /^[/?#.]/.test(address) ? "without a host" : null;
}

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
  const pages = createPages(into, () => markup.line());
  const markup: MarkupReader = await openMarkup(
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

/** Reads a list of feeds: the address of each feed and of its page. The outlines around one become its group. */
export async function readOpml({ items, notes }: Reading): Promise<Reader> {
  const paths: string[] = [];
  const passed = createPassedOver();
  const path = () => paths.at(-1) ?? "";
  let isOpml = false;
  const handler: Partial<Handler> = {
    onopentag(name, given) {
      isOpml ||= name === "opml";
      if (name !== "outline") return;
      const about: Record<string, string | undefined> = Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]),
      );
      const title = about.title || about.text;
      const urls = new Set([about.htmlurl, about.xmlurl, about.url].filter((url) => url?.trim()));
      const line = markup.line();
      for (const url of urls) {
        items.push(itemOf(url!, line, { title, note: about.description, group: path() }));
      }
      if (urls.size === 0 && about.type) passed.add("without an address");
      const own = urls.size === 0 ? (title?.trim() ?? "") : "";
      paths.push([path(), own].filter(Boolean).join(" / ").slice(0, LONGEST));
    },
    onclosetag(name) {
      if (name === "outline") paths.pop();
    },
  };
  const hasEnd = (name: string) => /^(opml|body|outline)$/i.test(name);
  const markup = await openMarkup(handler, { xmlMode: true, hasEnd });
  return {
    write: markup.write,
    end() {
      markup.end();
      if (!isOpml) throw new Unreadable("This is not OPML: it has no opml element.");
      notes.push(...passed.remarks("outline", "outlines"));
    },
  };
}

type Root = { name: string; isIndex: boolean; locationName: string };

function createPages({ items, notes, sitemaps }: Reading, lineNow: () => number) {
  let root: Root | null = null;
  /** The location that is being read; null between two. */
  let location: string | null = null;
  let line = 0;
  return {
    open(name: string) {
      root ??= rootOf(name);
      if (root && name.toLowerCase() === root.locationName) [location, line] = ["", lineNow()];
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
      else items.push(itemOf(url, line));
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

/** A reader that knows in which line the tag begins that it reads. */
type MarkupReader = Reader & { line(): number };

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
): Promise<MarkupReader> {
  const { Parser } = await import("htmlparser2");
  const lines = createLineCounter();
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
    line: () => lines.at(parser.startIndex),
    write(text) {
      lines.add(text);
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
