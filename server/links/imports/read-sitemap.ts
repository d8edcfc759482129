import { itemOf, LONGEST } from "./item.ts";
import { openMarkup } from "./markup.ts";
import type { Reader, Reading } from "./reading.ts";
import { Unreadable } from "./unreadable.ts";

/** Reads the pages of a sitemap. An index of sitemaps has none of its own, only the way to them. */
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
  /** The location that is being read; null between them. */
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
    /** @param isCutOff it was closed only by the end of the text */
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
      throw new Unreadable("This is no sitemap: it has neither a urlset nor a sitemapindex.");
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
