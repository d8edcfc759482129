import { expect, test } from "bun:test";
import { count, eq } from "drizzle-orm";
import type { Page, Route } from "playwright-core";
import { links } from "../../server/db/tables.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { ALIVE, checkAll, GONE } from "../batches/playing.ts";
import { onDashboard } from "../browser.ts";
import { addAtRest, numbered } from "./adding.ts";

onDashboard("Many links at once", (dashboard) => {
  const linksOf = async (accountNo: number) => {
    const { store } = dashboard().server.deps;
    const [counted] = await store
      .select({ count: count() })
      .from(links)
      .where(eq(links.accountNo, accountNo));
    return counted!.count;
  };

  /** Someone in front of so many links. */
  const withLinks = async (total: number, path = "/links") => {
    const { server, user } = dashboard();
    const visitor = await user();
    const caller = await addAtRest(server, visitor.accountId, numbered(total));
    await visitor.page.goto(path);
    await row(visitor.page, total).waitFor();
    return { ...visitor, caller, deps: server.deps };
  };

  test("are picked one by one, in ranges, and by the page", async () => {
    const { page } = await withLinks(30);

    await pick(page, 28).click();
    await pick(page, 25).click({ modifiers: ["Shift"] });
    await told(page, "4 links selected.");
    await pick(page, 20).focus();
    await page.keyboard.press("Shift+Space");
    await told(page, "9 links selected.");
    await pick(page, 24).click();
    await told(page, "8 links selected.");
    expect(await wholePage(page).evaluate(isMixed)).toBe(true);

    await wholePage(page).click();
    await told(page, "All 25 on this page are selected.");
    expect(await wholePage(page).isChecked()).toBe(true);
    await wholePage(page).click();
    await bar(page).waitFor({ state: "detached" });
  });

  test("are picked by the keyboard, and dropped by it", async () => {
    const { page } = await withLinks(3);

    await page.getByRole("link", { name: "https://example.org/2", exact: true }).focus();
    await page.keyboard.press("x");
    await told(page, "1 link selected.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("x");
    await bar(page).waitFor({ state: "detached" });
    await page.keyboard.press("x");
    await told(page, "1 link selected.");

    await page.keyboard.press("Escape");
    await bar(page).waitFor({ state: "detached" });
  });

  test("are dropped by a key that is pressed as soon as they are told", async () => {
    const { page } = await withLinks(1);
    await page.evaluate(pressEscapeAtOnce);

    await pick(page, 1).click();

    await page.locator("body[data-pressed]").waitFor();
    await bar(page).waitFor({ state: "detached" });
    expect(await pick(page, 1).isChecked()).toBe(false);
  });

  test("stay picked on other pages and when looked at anew, until the filter changes", async () => {
    const { page } = await withLinks(30);
    await pick(page, 30).click();
    await page.getByRole("link", { name: "Next" }).click();
    await pick(page, 5).click();
    await told(page, "2 links selected.");

    await page.goBack();
    await row(page, 30).waitFor();
    expect(await pick(page, 30).isChecked()).toBe(true);
    await page.getByLabel("Sort by").selectOption("Oldest");
    await row(page, 5).waitFor();
    await told(page, "2 links selected.");
    await page.getByRole("link", { name: "Unknown" }).click();

    await bar(page).waitFor({ state: "detached" });
  });

  test("are moved to a group by their ids", async () => {
    const { page, deps, caller } = await withLinks(3);
    await createGroup(deps, caller, { name: "Reading", color: "#3366CC" });
    await page.reload();
    await pick(page, 3).click();
    await pick(page, 1).click();

    await bar(page).getByRole("button", { name: "Move 2 links" }).click();
    await page.getByRole("dialog").getByLabel("Group").selectOption("Reading");
    await page.getByRole("dialog").getByRole("button", { name: "Move 2 links" }).click();

    await page.getByText("2 links were moved to Reading.").waitFor();
    await row(page, 3).getByText("Reading").waitFor();
    await row(page, 1).getByText("Reading").waitFor();
    expect(await row(page, 2).getByText("Reading").count()).toBe(0);
    await bar(page).waitFor({ state: "detached" });
  });

  test("are checked at another frequency, all that match, over several steps", async () => {
    const { page, caller, deps } = await withLinks(1100, "/links?check_frequency=daily");
    await wholePage(page).click();
    await page.getByRole("button", { name: "Select all 1,100 that match" }).click();
    await told(page, "1,100 links selected.");
    expect(await pick(page, 1100).isChecked()).toBe(true);

    await bar(page).getByRole("button", { name: "Frequency" }).click();
    await page.getByLabel("New check frequency").selectOption("Weekly");
    await page.getByRole("button", { name: "Change 1,100 links" }).click();

    await page.getByText("1,100 links were set to weekly checks.").waitFor();
    await page.getByText("No link matches").waitFor();
    const rows = deps.store.select({ is: links.checkFrequency }).from(links);
    const found = await rows
      .where(eq(links.accountNo, caller.accountNo))
      .groupBy(links.checkFrequency);
    expect(found).toEqual([{ is: "weekly" }]);
  });

  test("are deleted once their number is typed; stopping in the middle keeps the rest", async () => {
    const { page, caller } = await withLinks(2100);
    const second = await holdSecond(page, "**/links/batch-delete");
    await selectAll(page, "2,100");

    await bar(page).getByRole("button", { name: "Delete" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete 2,100 links" });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel("To confirm, type their number: 2,100").fill("2100");
    await confirm.click();
    await page.getByText("1,000 of 2,100").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await second.goOn();
    await page.getByText("2,000 links were deleted. 100 are as they were.").waitFor();

    expect(await linksOf(caller.accountNo)).toBe(100);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("2,100 links were deleted.").waitFor();
    await page.getByText("No links yet").waitFor();
  });

  test("go on where they were when the server could not be reached in between", async () => {
    const { page, caller } = await withLinks(1100);
    const second = await holdSecond(page, "**/links/batch-delete");
    await selectAll(page, "1,100");
    await bar(page).getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("To confirm, type their number: 1,100").fill("1,100");
    await page.getByRole("dialog").getByRole("button", { name: "Delete 1,100 links" }).click();
    await page.getByText("1,000 of 1,100").waitFor();

    await second.fail();
    await page.getByText("The server cannot be reached. Is it running?").waitFor();
    await page.getByText("1,000 links were deleted. 100 are as they were.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByText("1,100 links were deleted.").waitFor();
    expect(await linksOf(caller.accountNo)).toBe(0);
  });

  test("tell which of them failed, and why", async () => {
    const { page, deps } = await withLinks(3);
    await wholePage(page).click();
    await deps.store.delete(links).where(eq(links.url, "https://example.org/2"));

    await bar(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete 3 links" }).click();

    await page.getByText("2 links were deleted. 1 link could not be changed.").waitFor();
    await page.getByText("1 link: No such link.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("No links yet").waitFor();
  });

  test("are checked now, and tell what was found, also after a reload", async () => {
    const { page } = await withLinks(3);
    await wholePage(page).click();

    await bar(page).getByRole("button", { name: "Check 3 links now" }).click();
    await page.getByText("0 of 3").waitFor();
    await page.reload();
    await page.getByText("0 of 3").waitFor();
    await checkAll(dashboard().server, (url) => (url.endsWith("/2") ? GONE : ALIVE));

    await page.getByText("3 links checked.").waitFor();
    const found = page.getByRole("list", { name: "Found so far" });
    expect(await found.getByRole("listitem").allTextContents()).toEqual([
      "2 alive",
      "1 dead",
      "0 unknown",
    ]);
    await page.getByRole("button", { name: "Close" }).click();
    await found.waitFor({ state: "detached" });
  });

  test("leave the keyboard at the head of the list when their bar is gone", async () => {
    const { page } = await withLinks(3);
    await pick(page, 2).click();

    await bar(page).getByRole("button", { name: "Clear the selection" }).press("Enter");

    await bar(page).waitFor({ state: "detached" });
    expect(await wholePage(page).evaluate((box) => box === document.activeElement)).toBe(true);
  });

  test("are picked on a small telephone, where nothing is wider than it", async () => {
    const { page } = await withLinks(30);
    await page.setViewportSize({ width: 360, height: 740 });

    await wholePage(page).click();
    await told(page, "All 25 on this page are selected.");

    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    await bar(page).getByRole("button", { name: "Delete 25 links" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await told(page, "All 25 on this page are selected.");
  });

  test("are exported by their ids, or all that match by the filter", async () => {
    const { page } = await withLinks(30, "/links?search=example");
    const download = bar(page).getByRole("link", { name: "Export" });

    await pick(page, 30).click();
    expect(await download.getAttribute("href")).toMatch(/\/links\/export\?ids=[0-9a-f-]{36}$/);
    await pick(page, 30).click();
    await selectAll(page, "30");

    expect(await download.getAttribute("href")).toBe("/dashboard/api/links/export?search=example");
  });
});

const row = (page: Page, n: number) =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name: `https://example.org/${n}`, exact: true }) });

const pick = (page: Page, n: number) =>
  page.getByRole("checkbox", { name: `Select https://example.org/${n}`, exact: true });

const wholePage = (page: Page) => page.getByRole("checkbox", { name: "Select page" });

const bar = (page: Page) => page.getByRole("region", { name: "Selected links" });

const told = (page: Page, words: string) => bar(page).getByText(words).waitFor();

/** Before anything that the page does only after it was painted. */
const pressEscapeAtOnce = () => {
  new MutationObserver((_changes, observer) => {
    if (!document.querySelector(".selection-bar")) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    document.body.dataset.pressed = "";
  }).observe(document.body, { childList: true, subtree: true });
};

const isMixed = (box: Element) => (box as HTMLInputElement).indeterminate;

async function selectAll(page: Page, total: string) {
  await wholePage(page).click();
  await page.getByRole("button", { name: `Select all ${total} that match` }).click();
  await told(page, `${total} links selected.`);
}

/** Lets the first of these requests through, and keeps the second until it is said what becomes of it. */
async function holdSecond(page: Page, pattern: string) {
  const held = Promise.withResolvers<Route>();
  let seen = 0;
  await page.route(pattern, (route) => {
    seen++;
    if (seen === 2) return held.resolve(route);
    return route.continue();
  });
  return {
    goOn: async () => (await held.promise).continue(),
    fail: async () => (await held.promise).abort(),
  };
}
