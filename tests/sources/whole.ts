import { expect } from "bun:test";
import { crawlKeyOf } from "../../server/read/crawl/addresses.ts";
import type { Asker, Parsed } from "../harness.ts";
import { pathOf } from "../reading/crawl.ts";
import type { PlayedSite } from "../reading/site.ts";
import { SOURCES } from "./reading.ts";

/** How many pages have their places compared one by one. */
const COMPARED = 40;

/** Links may carry tracking parameters, which do not make another page. */
const keyOf = (url: string) => pathOf(crawlKeyOf(new URL(url)));

/** All items of a list. */
export async function allOf(me: Asker, path: string): Promise<Parsed[]> {
  const items: Parsed[] = [];
  for (let page = 1; ; page++) {
    const joint = path.includes("?") ? "&" : "?";
    const { data } = (await me.get(`${path}${joint}per_page=100&page=${page}`)).body;
    items.push(...data.items);
    if (page >= data.pagination.total_pages) return items;
  }
}

/** Expects that a source has read each page of a site, and found what stands there and nothing else. */
export async function expectWhole(me: Asker, source: Parsed, site: PlayedSite): Promise<void> {
  expect(source.run).toMatchObject({ status: "complete", reason: null });
  expect(source.counts.pages).toBe(source.run.pages.read + source.run.pages.failed);
  const pages = await allOf(me, `${SOURCES}/${source.id}/pages?state=read`);
  const paths = pages.map(({ url }) => keyOf(url));
  const read = new Set(paths);
  expect([...site.readable].filter((path) => !read.has(path))).toEqual([]);
  expect((await allOf(me, `${SOURCES}/${source.id}/pages?search=sitemap`)).length).toBe(0);
  expect(paths.filter(site.isForbidden)).toEqual([]);
  const wanted = paths.flatMap((path) => site.pageAt(path)?.places ?? []);
  expect(source.counts.places).toBe(wanted.length);
  const step = Math.ceil(pages.length / COMPARED);
  for (let i = 0; i < pages.length; i += step) {
    const page = site.pageAt(paths[i]!);
    if (!page) continue;
    const { data } = (await me.get(`${SOURCES}/${source.id}/pages/${pages[i]!.id}`)).body;
    const found = data.places.map(({ line, text, element }: Parsed) => ({
      line,
      text: text ?? "",
      element,
    }));
    expect(found).toEqual(page.places.map(({ line, text, element }) => ({ line, text, element })));
  }
}
