import { discard, type Fetched, SourceFailed, textsOf, tooLarge, unpacked } from "./fetching.ts";
import { openXml } from "./xml.ts";

/** An address in a sitemap as written, or in an index of sitemaps. */
export type SitemapEntry = { kind: "page" | "sitemap"; href: string; line: number };

/** sitemaps.org, "Sitemap file location" and "XML tag definitions". */
const MOST_BYTES = 50 * 1024 * 1024;
export const MOST_ENTRIES = 50_000;
/** More than a URL may have, so that the server still reports that it is too long. */
const LONGEST = 2100;

type Reader = { write(text: string): void; end(): void };

/**
 * Reads a sitemap, an index of sitemaps, or a list of URLs as text, packed with gzip or not, and yields its entries while
 * they arrive.
 * @throws SourceFailed, also after entries: `cut_off`, `not_a_sitemap`, `too_large`
 */
export async function* readSitemap({
  url,
  headers,
  body,
}: Fetched): AsyncGenerator<SitemapEntry[], void> {
  const bytes = unpacked(body);
  try {
    let found: SitemapEntry[] = [];
    let count = 0;
    const add = (entry: SitemapEntry) => {
      found.push(entry);
      if (++count > MOST_ENTRIES) {
        throw new SourceFailed("too_large", `The sitemap has more than ${MOST_ENTRIES} entries.`);
      }
    };
    let reader: Reader | null = null;
    let length = 0;
    for await (const text of textsOf(bytes, headers.get("content-type"))) {
      length += text.length;
      if (length > MOST_BYTES) throw tooLarge(url, MOST_BYTES);
      reader ??= text.trimStart().startsWith("<") ? await openMarkup(add) : openLines(add);
      reader.write(text);
      if (found.length > 0) yield found;
      found = [];
    }
    if (!reader) throw new SourceFailed("cut_off", "The sitemap is empty.");
    reader.end();
    if (found.length > 0) yield found;
  } finally {
    await bytes.return(undefined);
    await discard(body);
  }
}

async function openMarkup(add: (entry: SitemapEntry) => void): Promise<Reader> {
  let kind: SitemapEntry["kind"] | null = null;
  /** Locations have the root's prefix, since images and videos have locations of their own. */
  let location = "";
  let entry: SitemapEntry | null = null;
  const xml = await openXml(
    {
      open(name, line) {
        if (kind === null) ({ kind, location } = rootOf(name));
        else if (name === location) entry = { kind, href: "", line };
      },
      text(text) {
        if (entry) entry.href = (entry.href + text).trimStart().slice(0, LONGEST);
      },
      close(name) {
        if (!entry || name !== location) return;
        add({ ...entry, href: entry.href.trim() });
        entry = null;
      },
    },
    (name) => name === location,
  );
  return {
    write: xml.write,
    end() {
      const { root, isCutOff } = xml.end();
      if (root !== null && !isCutOff) return;
      throw new SourceFailed("cut_off", "The sitemap ends early.");
    },
  };
}

function rootOf(name: string): { kind: SitemapEntry["kind"]; location: string } {
  const [, prefix = "", root] = /^([\w-]+:)?(urlset|sitemapindex)$/.exec(name) ?? [];
  if (!root)
    throw new SourceFailed("not_a_sitemap", `Its first element is <${name.slice(0, 50)}>.`);
  return { kind: root === "urlset" ? "page" : "sitemap", location: `${prefix}loc` };
}

/** Reads one URL a line. */
function openLines(add: (entry: SitemapEntry) => void): Reader {
  let rest = "";
  let line = 0;
  let isFirst = true;
  const read = (text: string) => {
    line++;
    const href = text.trim().slice(0, LONGEST);
    if (href === "") return;
    if (isFirst && !/^https?:\/\/\S+$/i.test(href)) {
      throw new SourceFailed("not_a_sitemap", "Its first line is not a URL.");
    }
    isFirst = false;
    add({ kind: "page", href, line });
  };
  return {
    write(text) {
      const lines = (rest + text).split("\n");
      // Nothing that is cut off here belongs to a URL.
      rest = lines.pop()!.trimStart().slice(0, LONGEST);
      for (const each of lines) read(each);
    },
    end() {
      read(rest);
      if (isFirst) throw new SourceFailed("cut_off", "The sitemap is empty.");
    },
  };
}
