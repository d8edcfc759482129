import { itemOf, LONGEST } from "./item.ts";
import { openMarkup } from "./markup.ts";
import type { Reader, Reading } from "./reading.ts";

/** Reads the links of a page. In bookmarks, the folders around a link make its group: "Bar / Recipes". */
export function readBookmarks({ items }: Reading): Promise<Reader> {
  const folders = createFolders();
  let line = 0;
  return openMarkup({
    onopentag(name, { href }) {
      folders.open(name);
      if (name === "a" && isPage(href)) items.push(itemOf(href, ++line, { group: folders.path() }));
    },
    ontext: folders.read,
    onclosetag: folders.close,
  });
}

/** Scripts kept as bookmarks and the browser's own pages are nothing to watch. */
const isPage = (href: string | undefined): href is string => /^\s*(https?|ftp):/i.test(href ?? "");

/** Where in the folders the reading is: a heading names the list that begins after it. */
function createFolders() {
  const lists: string[] = [];
  let heading = "";
  let isInHeading = false;
  return {
    open(name: string) {
      if (name === "h3") heading = "";
      isInHeading = name === "h3" || isInHeading;
      if (name !== "dl") return;
      lists.push(heading.trim());
      heading = "";
    },
    read(text: string) {
      if (isInHeading) heading = (heading + text).trimStart().slice(0, LONGEST);
    },
    close(name: string) {
      if (name === "h3") isInHeading = false;
      if (name !== "dl") return;
      lists.pop();
      heading = "";
    },
    path: () => lists.filter(Boolean).join(" / "),
  };
}
