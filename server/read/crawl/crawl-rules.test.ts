import { expect, test } from "bun:test";
import { type Came, crawl, expectWhole, FOLLOWED, pathOf } from "../../../tests/reading/crawl.ts";
import { type PlayedSite, startPlayedSite } from "../../../tests/reading/site.ts";

/** What a page of the model would bring. */
function cameOf(site: PlayedSite, url: string): Came {
  const path = pathOf(url);
  const to = site.redirects.get(path);
  if (to !== undefined) return { kind: "redirect", to: new URL(to, site.url).href };
  const page = site.pageAt(path);
  if (!page) return null;
  const isNofollow = /NOFOLLOW/.test(page.html) || page.headers["X-Robots-Tag"] === "nofollow";
  const targets = page.places.map(({ target, element, isNofollow: isNot }) => ({
    url: target,
    isFollowed: FOLLOWED.includes(element) && !isNot && !isNofollow,
  }));
  const canonical = /rel="canonical" href="([^"]*)"/.exec(page.html)?.[1] ?? null;
  return { kind: "page", canonical, targets };
}

test("The rules of a crawl lead to every page of a large site once, and out of its traps", async () => {
  const site = startPlayedSite(10_000);
  const crawled = await crawl(site, (url) => cameOf(site, url));
  await site.stop();

  expectWhole(site, crawled);
});

test("Without these rules a crawl never ends", () => {
  const site = startPlayedSite(500);
  const far = [
    "/calendar/2499/12/",
    "/calendar/9999/01/15/",
    "/shop?brand=v1&size=v9",
    "/grow/more/pages/more/pages/more/pages/",
  ];

  expect(far.filter((path) => !site.pageAt(path))).toEqual([]);
  return site.stop();
});
