import { parseJson, SourceFailed } from "./fetching.ts";
import { openXml } from "./xml.ts";

/** An item of a feed, or an outline of an OPML list. */
export type FeedItem = {
  /** Its own page; null if it has none. */
  link: string | null;
  title: string | null;
  /** Of its tag, from 1; null where that is not known. */
  line: number | null;
  /** What else it refers to: files, sources, comments on other pages. Absolute. */
  related: string[];
  /** Markup, and what its links are relative to. */
  contents: { markup: string; base: string }[];
  /** The address of another feed, in OPML lists. */
  feed: string | null;
};

/** A feed is a window on its items; an OPML list is complete. */
export type Feed = { kind: "feed" | "opml"; title: string | null; items: FeedItem[] };

export const MOST_FEED_BYTES = 10 * 1024 * 1024;
const MOST_ITEMS = 50_000;
/** Elements and attributes, of which the library makes objects that are many times as large. */
const MOST_PARTS = 300_000;

type Text = string | { value?: string | undefined } | undefined;

/** What is used of the library's feeds. */
type Link = { href?: string | undefined; rel?: string | undefined };
type Based = { xml?: { base?: string | undefined } | undefined };
type Markup = Based & { value?: string | undefined; type?: string | undefined };
type RssItem = Based & {
  title?: Text;
  link?: string | undefined;
  description?: string | undefined;
  content?: { encoded?: string | undefined } | undefined;
  guid?: { value?: string | undefined; isPermaLink?: boolean | undefined } | undefined;
  enclosures?: { url?: string | undefined }[] | undefined;
  source?: { url?: string | undefined } | undefined;
  rdf?: { about?: string | undefined } | undefined;
};
type AtomEntry = Based & {
  title?: Text;
  links?: Link[] | undefined;
  content?: (Markup & { src?: string | undefined }) | undefined;
  summary?: Markup | undefined;
};
type JsonItem = {
  title?: string | undefined;
  url?: string | undefined;
  external_url?: string | undefined;
  content_html?: string | undefined;
  attachments?: { url?: string | undefined }[] | undefined;
};
type Outline = {
  text?: string | undefined;
  title?: string | undefined;
  xmlUrl?: string | undefined;
  htmlUrl?: string | undefined;
  url?: string | undefined;
  outlines?: Outline[] | undefined;
};

/**
 * Reads RSS, Atom, RDF, JSON Feed or OPML. Takes a second for 10 MB.
 * @param url of the feed, which its links may be relative to
 * @throws SourceFailed `cut_off` if it ends early, `unreadable` if it is not a feed
 */
export async function readFeed(text: string, url: string): Promise<Feed> {
  const { parseFeed, parseOpml } = await import("feedsmith");
  const isJson = text.trimStart().startsWith("{");
  const { root, lines } = isJson ? jsonShape(text) : await xmlShape(text);
  const parse = (): Feed => {
    // The library takes an empty list for an error.
    if (root === "opml") return opmlOf(lines.length > 0 ? parseOpml(text) : {}, url);
    const { format, feed } = parseFeed(text);
    const title = titleOf(feed.title);
    if (format === "atom") return { kind: "feed", title, items: atomItems(feed, url) };
    const items = (feed.items ?? []) as (RssItem & JsonItem)[];
    const read = format === "json" ? jsonItem : rssItem;
    const base = baseIn(feed as Based, { url, isDeclared: false });
    return { kind: "feed", title, items: items.map((item) => read(item, base)) };
  };
  const found = orUnreadable(parse);
  if (lines.length === found.items.length) {
    for (const [at, item] of found.items.entries()) item.line = lines[at]!;
  }
  return found;
}

function orUnreadable<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new SourceFailed("unreadable", "This is not a feed.");
  }
}

type Shape = { root: string | null; lines: number[] };

function jsonShape(text: string): Shape {
  const { items } = (parseJson(text) ?? {}) as { items?: unknown };
  if (Array.isArray(items) && items.length > MOST_ITEMS) throw tooMany();
  return { root: null, lines: [] };
}

const tooMany = () => new SourceFailed("too_large", "The feed has too many items or elements.");

const ROOTS = new Set(["rss", "feed", "rdf", "opml"]);
const ITEMS = new Set(["item", "entry", "outline"]);

/** Finds the lines of items, and whether the text ends before its root does, which readers of feeds forgive. */
async function xmlShape(text: string): Promise<Shape> {
  const lines: number[] = [];
  let parts = 0;
  const count = () => {
    if (++parts > MOST_PARTS) throw tooMany();
  };
  const reader = await openXml(
    {
      attribute: count,
      open(name, line) {
        count();
        if (ITEMS.has(localOf(name)) && lines.push(line) > MOST_ITEMS) throw tooMany();
      },
      text() {},
      close() {},
    },
    () => false,
  );
  reader.write(text);
  const { root, isCutOff } = reader.end();
  const name = root === null ? null : localOf(root);
  if (name !== null && !ROOTS.has(name)) {
    throw new SourceFailed(
      "unreadable",
      `This is not a feed: it begins with <${name.slice(0, 50)}>.`,
    );
  }
  // Something else than markup does not end early; it is something else.
  if (name === null && /[^<]/.test(text.trim().slice(0, 1))) {
    throw new SourceFailed("unreadable", "This is not a feed.");
  }
  if (name === null || isCutOff) throw new SourceFailed("cut_off", "The feed ends early.");
  return { root: name, lines };
}

const localOf = (name: string) => name.slice(name.indexOf(":") + 1);

/** What relative addresses are relative to, and whether the feed itself says so. */
type Base = { url: string; isDeclared: boolean };

/** The base of an element inside another (XML Base §3). */
function baseIn({ xml }: Based, around: Base): Base {
  const url = resolved(xml?.base, around.url);
  return url === null ? around : { url, isDeclared: true };
}

const rssItem = (item: RssItem, around: Base): FeedItem =>
  itemAt(baseIn(item, around), {
    link: item.link ?? permalinkOf(item) ?? httpOf(item.rdf?.about),
    title: item.title,
    related: [...(item.enclosures ?? []).map((file) => file.url), item.source?.url],
    contents: [{ value: item.content?.encoded }, { value: item.description }],
  });

const permalinkOf = ({ guid }: RssItem) =>
  guid?.isPermaLink === false ? undefined : httpOf(guid?.value);

function atomItems(
  { entries = [], ...feed }: Based & { entries?: AtomEntry[] | undefined },
  url: string,
): FeedItem[] {
  const around = baseIn(feed, { url, isDeclared: false });
  return entries.map((entry) => {
    const links = entry.links ?? [];
    const own = links.find(({ rel }) => rel === undefined || rel === "alternate");
    const others = links.filter((link) => link !== own && !UNREAD_RELATIONS.has(link.rel ?? ""));
    return itemAt(baseIn(entry, around), {
      link: own?.href,
      title: entry.title,
      related: [...others.map(({ href }) => href), entry.content?.src],
      contents: [entry.content, entry.summary].filter((part) => part?.type !== "text"),
    });
  });
}

/** Addresses for programs. */
const UNREAD_RELATIONS = new Set([
  "self",
  "edit",
  "edit-media",
  "replies",
  "hub",
  "next",
  "previous",
]);

const jsonItem = (item: JsonItem, base: Base): FeedItem =>
  itemAt(base, {
    link: item.url ?? item.external_url,
    title: item.title,
    related: [item.external_url, ...(item.attachments ?? []).map((file) => file.url)],
    contents: [{ value: item.content_html }],
  });

type Opml = {
  head?: { title?: string | undefined } | undefined;
  body?: { outlines?: Outline[] | undefined } | undefined;
};

function opmlOf({ head, body }: Opml, url: string): Feed {
  const items: FeedItem[] = [];
  // No deeper than the library reads, which calls itself as well.
  const add = (outlines: Outline[]) => {
    for (const { htmlUrl, xmlUrl, text, title, url: target, outlines: inner = [] } of outlines) {
      const given = { link: htmlUrl ?? target, title: title ?? text, related: [xmlUrl] };
      items.push({ ...itemAt({ url, isDeclared: false }, given), feed: resolved(xmlUrl, url) });
      add(inner);
    }
  };
  add(body?.outlines ?? []);
  return { kind: "opml", title: titleOf(head?.title), items };
}

type Given = {
  link: string | null | undefined;
  title: Text;
  related?: (string | undefined)[];
  contents?: (Markup | undefined)[];
};

function itemAt(base: Base, { link, title, related = [], contents = [] }: Given): FeedItem {
  const own = resolved(link, base.url);
  const others = related.map((each) => resolved(each, base.url)).filter((each) => each !== null);
  return {
    link: own,
    title: titleOf(title),
    line: null,
    related: [...new Set(others)].filter((each) => each !== own),
    contents: contents.flatMap((part) => {
      const markup = part?.value ?? "";
      if (!markup.includes("<")) return [];
      const { url, isDeclared } = baseIn(part!, base);
      // Without a base, authors mean the page of the item.
      return [{ markup, base: isDeclared ? url : (own ?? url) }];
    }),
    feed: null,
  };
}

const titleOf = (title: Text): string | null =>
  (typeof title === "string" ? title : title?.value)?.replace(/\s+/g, " ").trim() || null;

const httpOf = (text: string | undefined) => (/^https?:\/\//i.test(text ?? "") ? text : null);

function resolved(href: string | null | undefined, base: string): string | null {
  const text = href?.trim();
  return text ? (URL.parse(text, base)?.href ?? text) : null;
}
