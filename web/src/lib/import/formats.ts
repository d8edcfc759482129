import type { Reading } from "./item.ts";
import type { Pace } from "./pace.ts";
import { readBookmarks } from "./read-bookmarks.ts";
import { readCsv } from "./read-csv.ts";
import { readJson } from "./read-json.ts";
import { readSitemap } from "./read-sitemap.ts";
import { readText } from "./read-text.ts";
import { delimiterOf } from "./table.ts";

type FormatRecord = { name: string; read: (text: string, pace: Pace) => Promise<Reading> };

/** Every way in which a list may be written. */
export const FORMATS = {
  text: { name: "Plain text", read: readText },
  csv: { name: "CSV", read: readCsv },
  json: { name: "JSON", read: readJson },
  bookmarks: { name: "Bookmarks (HTML)", read: readBookmarks },
  sitemap: { name: "Sitemap (XML)", read: readSitemap },
} satisfies Record<string, FormatRecord>;

export type Format = keyof typeof FORMATS;

/** How much of a text is looked at. */
const HEAD = 64 * 1024;

/** By its content alone: what a file is called says little, and pasted text has no name. */
export function recognise(text: string): Format {
  const head = text.slice(0, HEAD).trimStart();
  if (/<(?:[\w-]+:)?(?:urlset|sitemapindex)\b/i.test(head)) return "sitemap";
  if (/^<(?:!doctype|!--|html|head|body|title|meta|dl|dt|ul|a)\b/i.test(head)) return "bookmarks";
  if (/^(?:\[\s*(?:["{\]])|\{\s*["}])/.test(head)) return "json";
  return delimiterOf(text) ? "csv" : "text";
}
