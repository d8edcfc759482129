import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { newFolder } from "../installed.ts";
import { countTransfers, enter, seedLarge } from "./large-account.ts";
import { onInstalled } from "./on-installed.ts";

const LINKS = 100_000;
/** No list shows more on one page. */
const MOST_ROWS = 50;
/** A page with all of its code comes in this many, and what one does there in far fewer. */
const MOST_REQUESTS = 40;
const MOST_BYTES = 1_000_000;
/** Part of the screen that jumps, times how far: what is below is called good. */
const MOST_SHIFT = 0.1;

let token = "";

async function prepare() {
  const folder = newFolder();
  token = await seedLarge(folder, LINKS);
  return folder;
}

onInstalled(
  "An account of a hundred thousand links",
  (installation) => {
    test("is looked through page by page, with little to load for each", async () => {
      const { installed, stranger } = installation();
      const { page } = await stranger();
      await enter(page, installed.url, token);
      const transferred = await countTransfers(page);
      const tooMuch: object[] = [];

      /** Does something, waits for what it shows, and notes whether that was more than a page's worth. */
      async function see(what: string, begin: () => Promise<unknown>, ...shown: string[]) {
        await begin();
        for (const text of shown)
          await page.getByText(text).filter({ visible: true }).first().waitFor();
        await isQuiet(page);
        const told = { what, rows: await rowsOf(page), ...transferred() };
        const { rows, requests, bytes } = told;
        if (rows > MOST_ROWS || requests > MOST_REQUESTS || bytes > MOST_BYTES) tooMuch.push(told);
      }

      const dead = "5,000 links are dead";
      await see("overview", () => page.goto("/"), dead, "All 5,000 dead links");
      await see("links", () => page.goto("/links"), "1–25 of 100,000 links");
      const last = page.getByRole("link", { name: "Last page" });
      await see("last page", () => last.click(), "99,976–100,000 of 100,000 links");
      const search = page.getByRole("searchbox");
      await see("search", () => search.fill("site-4999"), "20 links");
      await see("all", () => page.goto("/links"), "1–25 of 100,000 links");
      const sort = page.getByLabel("Sort by");
      await see("sort", () => sort.selectOption("URL A–Z"), "https://site-0.bench.test/page/0");
      await see("groups", () => page.goto("/groups"), "Group 60", "of 60 groups");
      await see("history", () => page.goto("/history"), "of 1,000,000 checks");

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
          ["/", "5,000 links are dead"],
          ["/links", "1–25 of 100,000 links"],
        ] as const) {
          await page.goto(path);
          await page.getByText(text).first().waitFor();
          await isQuiet(page);
          const shift = await shiftOf(page);
          if (shift > MOST_SHIFT) moved.push({ width, path, shift });
        }
      }

      expect(moved).toEqual([]);
    });

    test("is selected as a whole, and exported", async () => {
      const { installed, stranger } = installation();
      const { page } = await stranger();
      await enter(page, installed.url, token);
      await page.goto("/links?status=dead");
      await page.getByText("1–25 of 5,000 links").waitFor();

      await page.getByLabel("Select page").click();
      await page.getByRole("button", { name: "Select all 5,000 that match" }).click();
      await page.getByRole("status").getByText("5,000 links selected.").waitFor();
      await page.goto("/links");
      await page.getByLabel("Select page").click();
      await page.getByRole("button", { name: "Select all 100,000 that match" }).click();
      await page.getByRole("status").getByText("100,000 links selected.").waitFor();

      const begun = page.waitForEvent("download");
      await page.getByRole("link", { name: "Export CSV" }).click();
      const download = await begun;
      expect(download.suggestedFilename()).toEndWith(".csv");
      await download.cancel();
    });
  },
  prepare,
);

/** Waits until nothing is being loaded. */
const isQuiet = (page: Page) =>
  page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));

const rowsOf = (page: Page) => page.locator("#main .rows > li, #main tbody tr:visible").count();

type Shift = PerformanceEntry & { value: number };

/** Adds up what the browser tells of things that jumped. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const told = Object.assign(globalThis, { shift: 0 });
    const add = (entry: PerformanceEntry) => {
      told.shift += (entry as Shift).value;
    };
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({
      type: "layout-shift",
      buffered: true,
    });
  });

/** Once the last of it is drawn. */
const shiftOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((tell) => {
        const told = globalThis as unknown as { shift: number };
        requestAnimationFrame(() => requestAnimationFrame(() => tell(told.shift)));
      }),
  );
