import { itemOf, MOST_ITEMS, type Reading } from "./item.ts";
import { documentOf } from "./markup.ts";
import { type Pace, STRIDE } from "./pace.ts";
import { Unreadable } from "./unreadable.ts";

/** Reads the pages of a sitemap. An index of sitemaps has none of its own, only the way to them. */
export async function readSitemap(text: string, pace: Pace): Promise<Reading> {
  const root = /<([\w-]+:)?(urlset|sitemapindex)\b/i.exec(text);
  if (!root)
    throw new Unreadable("This is no sitemap: it has neither a urlset nor a sitemapindex.");
  const [opening, prefix = "", kind = ""] = root;
  const pages: string[] = [];
  for (let start = root.index; start < text.length && pages.length < MOST_ITEMS; ) {
    const end = endOfPart(text, start);
    pages.push(...locationsIn(text.slice(start, end), `${prefix}loc`));
    start = end;
    await pace.rest(start / text.length);
  }
  const isWhole = text.slice(-STRIDE).includes(opening.replace("<", "</"));
  const notes = isWhole ? [] : ["The sitemap has no end. It was probably cut off."];
  if (kind.toLowerCase() === "sitemapindex") return { items: [], notes, sitemaps: pages };
  return { items: pages.map((page, i) => itemOf(page, i + 1)), notes, sitemaps: [] };
}

/** Parts end behind an entry, so that none is cut in two. */
function endOfPart(text: string, start: number): number {
  const entry = /<\/(?:[\w-]+:)?(?:url|sitemap)\s*>/gi;
  entry.lastIndex = start + STRIDE;
  const found = entry.exec(text);
  return found ? found.index + found[0].length : text.length;
}

/** @param name with its prefix, since images and videos have locations of their own */
const locationsIn = (xml: string, name: string): string[] =>
  [...documentOf(xml).getElementsByTagName(name.toLowerCase())].map((element) =>
    (element.textContent ?? "").trim(),
  );
