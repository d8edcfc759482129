import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { newFolder } from "../installed.ts";
import { IS_LONG } from "../long.ts";
import { countTransfers, enter, seedLarge } from "./large-account.ts";
import { onInstalled } from "./on-installed.ts";
import { shiftsOf, watchShifts } from "./shifts.ts";

const LINKS = 100_000;
/** No list shows more on one page. */
const MOST_ROWS = 60;
/** A page with all of its code comes in this many, and what one does there in far fewer. */
const MOST_REQUESTS = 40;
const MOST_BYTES = 1_000_000;
/** The first sentence of the overview on the account's first day. */
const DEAD = /^100,000 links checked in .*, 5,000 dead$/;

let token = "";

async function prepare() {
  const folder = newFolder();
  token = await seedLarge(folder, LINKS);
  return folder;
}

/** What it takes from pages of any size, links.test.ts, selection.test.ts and overview.test.ts see in small. */
const atFullSize = IS_LONG ? onInstalled : () => {};

atFullSize(
  "An account of a hundred thousand links",
  (installation) => {
    test("is looked through page by page, with little to load for each", async () => {
      const { installed, stranger } = installation();
      const { page } = await stranger();
      await enter(page, installed.url, token);
      await page.addInitScript(loadNothingAhead);
      const transferred = await countTransfers(page);
      const tooMuch: object[] = [];

      /** Does something, waits for what it shows, and notes whether that was more than a page's worth. */
      async function see(
        what: string,
        begin: () => Promise<unknown>,
        ...shown: (string | RegExp)[]
      ) {
        await begin();
        for (const text of shown)
          await page.getByText(text).filter({ visible: true }).first().waitFor();
        await isQuiet(page);
        const seen = { what, rows: await rowsOf(page), ...transferred() };
        const { rows, requests, bytes } = seen;
        if (rows > MOST_ROWS || requests > MOST_REQUESTS || bytes > MOST_BYTES) tooMuch.push(seen);
      }

      await see("overview", () => page.goto("/"), DEAD, "5,000 links");
      await see("links", () => page.goto("/links"), "100,000 links");
      await see("middle", () => scrollToShare(page, 0.5));
      const end = () => page.locator(".rows > .row").first().press("End");
      await see("end", end);
      const rows = page.locator(".rows > .row[aria-rowindex='100001'] .url");
      await rows.waitFor();
      const search = page.getByRole("searchbox");
      await see("search", () => search.fill("site-4999"), "20 links");
      await see("all", () => page.goto("/links"), "100,000 links");
      await see("sort", () => page.goto("/links?sort=url"), "site-0.bench.test");
      await see("groups", () => page.goto("/settings/groups"), "Group 60");

      expect(tooMuch).toEqual([]);
    });

    test("moves nothing about while its pages load", async () => {
      const { installed, stranger } = installation();
      const moved: object[] = [];

      for (const width of [360, 1280]) {
        const { page } = await stranger({ width });
        await enter(page, installed.url, token);
        await watchShifts(page);
        for (const [path, text] of [
          ["/", DEAD],
          ["/links", "100,000 links"],
        ] as const) {
          await page.goto(path);
          await page.getByText(text).first().waitFor({ state: "attached" });
          await isQuiet(page);
          const seen = await shiftsOf(page);
          if (seen.shift > 0) moved.push({ width, path, ...seen });
        }
      }

      expect(moved).toEqual([]);
    });

    test("is selected as a whole, and exported", async () => {
      const { installed, stranger } = installation();
      const { page } = await stranger();
      await enter(page, installed.url, token);
      await page.goto("/links?status=dead");
      await page.getByText("5,000 links", { exact: true }).waitFor();

      await page.getByLabel("Select all 5,000 links").click();
      await page.getByRole("toolbar").getByText("5,000 selected").waitFor();
      await page.goto("/links");
      await page.getByLabel("Select all 100,000 links").click();
      await page.getByRole("toolbar").getByText("100,000 selected").waitFor();

      const begun = page.waitForEvent("download");
      await page.getByRole("toolbar").getByRole("link", { name: "Export" }).click();
      const download = await begun;
      expect(download.suggestedFilename()).toEndWith(".csv");
      await download.cancel();
    });
  },
  prepare,
);

/** The code of other pages loads when the browser is idle, and would count for whatever is on the screen then. */
const loadNothingAhead = () => {
  globalThis.requestIdleCallback = (then, options) =>
    options?.timeout ? requestAnimationFrame(() => then({} as IdleDeadline)) : 0;
};

/** Waits until nothing is being loaded. */
const isQuiet = (page: Page) =>
  page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));

const rowsOf = (page: Page) => page.locator("#main .rows > *, #main tbody tr:visible").count();

/** To a share of the whole page. */
const scrollToShare = (page: Page, share: number) =>
  page.evaluate((of) => scrollTo(0, document.documentElement.scrollHeight * of), share);
