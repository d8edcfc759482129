import type { Handler } from "htmlparser2";
import { itemOf, LONGEST } from "./item.ts";
import { openMarkup } from "./markup.ts";
import type { Reader, Reading } from "./reading.ts";

/** Reads the links of a page. In bookmarks, the folders around a link make its group: "Bar / Recipes". */
export function readBookmarks({ items }: Reading): Promise<Reader> {
  const folders = createFolders();
  let line = 0;
  const handler: Partial<Handler> = {
    onopentag(name, { href }) {
      folders.open(name);
      if (name === "a" && isPage(href)) items.push(itemOf(href, ++line, { group: folders.path() }));
    },
    ontext: folders.read,
    onclosetag: folders.close,
  };
  return openMarkup(handler, { hasEnd: (name) => name === "dl" || name === "h3" });
}

/** Scripts kept as bookmarks and the browser's own pages are nothing to watch. */
const isPage = (href: string | undefined): href is string => /^\s*(https?|ftp):/i.test(href ?? "");

/** Where in the folders the reading is: a heading names the list that begins after it. */
function createFolders() {
  /** The paths of the lists that are open. A path is only read up to its limit, so no more of it is kept. */
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
