import { type Item, itemOf, MOST_ITEMS, type Reading } from "./item.ts";
import { documentOf } from "./markup.ts";
import { type Pace, STRIDE } from "./pace.ts";

/** Reads the links of a page. In bookmarks, the folders around a link make its group: "Bar / Recipes". */
export async function readBookmarks(text: string, pace: Pace): Promise<Reading> {
  const items: Item[] = [];
  const folders = createFolders();
  for (let start = 0; start < text.length && items.length < MOST_ITEMS; ) {
    const end = endOfPart(text, start);
    for (const element of elementsIn(text.slice(start, end))) {
      if (!(element instanceof HTMLAnchorElement)) folders.pass(element);
      else if (isPage(element)) items.push(itemOfAnchor(element, items.length + 1, folders.path()));
    }
    start = end;
    await pace.rest(start / text.length);
  }
  return { items, notes: [], sitemaps: [] };
}

/** Parts end where an entry begins, so that none is cut in two. */
function endOfPart(text: string, start: number): number {
  const entry = /<(dt|a|li)\b/gi;
  entry.lastIndex = start + STRIDE;
  return entry.exec(text)?.index ?? text.length;
}

/** What matters of a part, in order. Lists become marks: one that a part opens may end in another. */
const elementsIn = (html: string): Iterable<Element> =>
  documentOf(
    html.replace(
      /<(\/?)dl\b[^>]*>/gi,
      (_, slash) => `<i data-list="${slash ? "end" : "start"}"></i>`,
    ),
  ).querySelectorAll("a[href], h3, i[data-list]");

/** Scripts kept as bookmarks and the browser's own pages are nothing to watch. */
const isPage = (anchor: HTMLAnchorElement) =>
  /^\s*(https?|ftp):/i.test(anchor.getAttribute("href") ?? "");

const itemOfAnchor = (anchor: HTMLAnchorElement, line: number, group: string): Item =>
  itemOf(anchor.getAttribute("href") ?? "", line, { group });

/** Where in the folders the reading is: a heading names the list that begins after it. */
function createFolders() {
  const open: string[] = [];
  let heading = "";
  return {
    pass(element: Element) {
      const list = element.getAttribute("data-list");
      if (list === "end") open.pop();
      else if (list === "start") open.push(heading);
      heading = list ? "" : (element.textContent ?? "").trim();
    },
    path: () => open.filter(Boolean).join(" / "),
  };
}
