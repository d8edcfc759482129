import { expect } from "bun:test";
import { crawlKeyOf, whyNotFollowed } from "../../server/read/crawl/addresses.ts";
import { rulesIn } from "../../server/read/crawl/crawl-robots.ts";
import { createFamilies, familyOf } from "../../server/read/crawl/families.ts";
import { foldsInto, scopeOf } from "../../server/read/crawl/scope.ts";
import type { PlayedSite } from "./site.ts";

/** The elements whose targets are pages. */
export const FOLLOWED = ["link", "area", "frame"];

/** A target of a page, and whether a crawl may follow it. */
export type Target = { url: string; isFollowed: boolean };

/** What came of a URL: a page with its targets, a redirect, or nothing. */
export type Came =
  | { kind: "page"; canonical: string | null; targets: Target[] }
  | { kind: "redirect"; to: string }
  | null;

/** Returns the path and query of a URL. */
export const pathOf = (url: string) => url.slice(new URL(url).origin.length);

/** Crawls a site by the rules, breadth first, in memory. Returns the paths of the pages in the order they were read. */
export async function crawl(site: PlayedSite, read: (url: string) => Came | Promise<Came>) {
  const robots = rulesIn({
    text: await (await fetch(`${site.url}robots.txt`)).text(),
    isCut: false,
  });
  const sitemap = await (await fetch(`${site.url}sitemap.xml`)).text();
  const scope = scopeOf("host", new URL(site.url));
  if (scope === "moved_away") throw new Error(scope);
  const families = createFamilies();
  const named = [...sitemap.matchAll(/<loc>([^<]*)/g)].map(([, each]) =>
    crawlKeyOf(new URL(each!)),
  );
  const waiting = [crawlKeyOf(new URL(site.url)), ...named];
  const known = new Set(waiting);
  const pages: string[] = [];
  let tries = 0;

  for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
    const family = familyOf(new URL(key));
    if (families.isDry(family) && !named.includes(key)) continue;
    tries++;
    const follow = (target: string) => {
      const url = new URL(target);
      const isInside = scope(url);
      if (isInside && (!robots.isAllowed(url) || whyNotFollowed(url))) return false;
      const next = isInside ? crawlKeyOf(url) : target;
      if (known.has(next)) return false;
      known.add(next);
      if (isInside) waiting.push(next);
      return !isInside || familyOf(new URL(next)) !== family;
    };
    const came = await read(key);
    if (came?.kind === "redirect") follow(came.to);
    if (came?.kind !== "page") continue;
    const canonical = came.canonical === null ? null : URL.parse(came.canonical, key);
    if (canonical && canonical.href !== key && foldsInto(new URL(key), canonical)) {
      follow(canonical.href);
      continue;
    }
    pages.push(pathOf(key));
    const brought = came.targets.filter(({ url, isFollowed }) =>
      isFollowed || !scope(new URL(url)) ? follow(url) : false,
    );
    families.note(family, brought.length > 0 ? "new" : "nothing");
  }
  return { pages, tries };
}

/** Expects that a crawl read every page of the site once, and few in traps. */
export function expectWhole(
  site: PlayedSite,
  { pages, tries }: { pages: string[]; tries: number },
) {
  const found = new Set(pages);
  const trapped = pages.filter(site.isTrap);
  expect(pages.length).toBe(found.size);
  expect([...site.readable].filter((path) => !found.has(path))).toEqual([]);
  expect(pages.filter((path) => !site.readable.has(path) && !site.isTrap(path))).toEqual([]);
  expect(pages.filter(site.isForbidden)).toEqual([]);
  expect(trapped.length).toBeGreaterThan(20);
  expect(trapped.length).toBeLessThanOrEqual(200);
  expect(trapped).toContain("/calendar/2099/12/");
  // A crawl that followed more would never end.
  expect(tries).toBeLessThan(3 * site.readable.size);
}
