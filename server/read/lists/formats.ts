import { isMarkdown } from "../documents/formats.ts";
import { delimiterOf, readCsv } from "./read-csv.ts";
import { readJson } from "./read-json.ts";
import { readHtmlLinks, readMarkdownLinks } from "./read-markdown.ts";
import { readBookmarks, readOpml, readSitemap } from "./read-markup.ts";
import { readUptimeKuma, readUptimeRobot } from "./read-monitors.ts";
import { hasOnlyUrls, readText } from "./read-text.ts";
import { columnName, HEAD, type OpenReader } from "./reading.ts";

type FormatRecord = { name: string; open: OpenReader };

/** The formats of lists. */
export const FORMATS = {
  text: { name: "Plain text", open: readText },
  csv: { name: "CSV", open: readCsv },
  json: { name: "JSON", open: readJson },
  bookmarks: { name: "Bookmarks (HTML)", open: readBookmarks },
  html: { name: "HTML", open: readHtmlLinks },
  markdown: { name: "Markdown", open: readMarkdownLinks },
  opml: { name: "OPML", open: readOpml },
  sitemap: { name: "Sitemap (XML)", open: readSitemap },
  "uptime-kuma": { name: "Uptime Kuma", open: readUptimeKuma },
  uptimerobot: { name: "UptimeRobot", open: readUptimeRobot },
} satisfies Record<string, FormatRecord>;

export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as [Format, ...Format[]];

/** Detects the format from the content alone: file names say little, and pasted text has none. */
export function recognise(text: string): Format {
  const head = text.slice(0, HEAD).trimStart();
  if (/<(?:[\w-]+:)?(?:urlset|sitemapindex)\b/i.test(head)) return "sitemap";
  if (/<opml\b/i.test(head)) return "opml";
  if (/^(?:<\?xml\b[^>]*>\s*)?<posts\b/i.test(head)) return "bookmarks";
  if (/^<(?:!doctype|!--|html|head|body|title|meta|dl|dt|ul|a)\b/i.test(head)) {
    return IS_BOOKMARKS.test(head) ? "bookmarks" : "html";
  }
  if (/^(?:\[\s*(?:["{\]])|\{\s*["}])/.test(head)) return kindOfJson(head);
  if (!delimiterOf(text)) return isMarkdown(head) && !hasOnlyUrls(head) ? "markdown" : "text";
  return isUptimeRobotTable(head) ? "uptimerobot" : "csv";
}

/** Pocket has no `dl`, but says when it got each link. */
const IS_BOOKMARKS = /<!doctype netscape-bookmark|<d[lt]\b|<a [^<>]*\btime_added=/i;

/** Other programs are recognized by field names that only they use. */
function kindOfJson(head: string): Format {
  if (/"monitorList"\s*:/.test(head)) return "uptime-kuma";
  return /"friendly_?name"\s*:/i.test(head) ? "uptimerobot" : "json";
}

function isUptimeRobotTable(head: string): boolean {
  const [first = ""] = head.split(/\r?\n/, 1);
  const names = first.split(/[,;\t]/).map((cell) => columnName(cell.replaceAll('"', "")));
  return names.includes("friendly_name");
}
