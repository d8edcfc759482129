import { expect, test } from "bun:test";
import { count, desc, eq } from "drizzle-orm";
import type { Page, Route } from "playwright-core";
import { batches, links } from "../../server/db/tables.ts";
import { fillBatches } from "../../server/links/fill-batches.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { ALIVE, checkAll, GONE } from "../batches/playing.ts";
import { onDashboard } from "../browser.ts";
import { until } from "../until.ts";
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

  test("are picked one by one, in ranges, and all of them", async () => {
    const { page } = await withLinks(30);

    await pick(page, 28).click();
    await pick(page, 25).click({ modifiers: ["Shift"] });
    await told(page, "4 selected");
    await row(page, 20).focus();
    await page.keyboard.press("Shift+x");
    await told(page, "9 selected");
    await pick(page, 24).click();
    await told(page, "8 selected");
    expect(await all(page).evaluate(isMixed)).toBe(true);

    await all(page).click();
    await told(page, "30 selected");
    expect(await all(page).isChecked()).toBe(true);
    await all(page).click();
    await bar(page).waitFor({ state: "detached" });
  });

  test("are picked by the keyboard, and dropped by it", async () => {
    const { page } = await withLinks(3);

    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await told(page, "1 selected");
    await page.keyboard.press("x");
    await bar(page).waitFor({ state: "detached" });
    await page.keyboard.press("x");
    await told(page, "1 selected");

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

  test("stay picked when they are scrolled away or sorted, until the filter changes", async () => {
    const { page } = await withLinks(130);
    await pick(page, 130).click();
    await page.keyboard.press("End");
    await pick(page, 1).click();
    await told(page, "2 selected");

    await page.keyboard.press("Home");
    await row(page, 130).waitFor();
    expect(await pick(page, 130).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Unknown" }).click();
    await page.waitForURL("/links?status=unknown");

    await bar(page).waitFor({ state: "detached" });
  });

  test("are moved to a group, and back again", async () => {
    const { page, deps, caller } = await withLinks(3);
    await createGroup(deps, caller, { name: "Reading", color: "#3366CC" });
    await page.reload();
    await pick(page, 3).click();
    await pick(page, 1).click();

    await page.keyboard.press("v");
    await page.getByRole("dialog").getByRole("button", { name: "Reading" }).click();

    await page.getByText("2 links were moved to Reading.").waitFor();
    await row(page, 3).getByText("Reading").waitFor();
    await row(page, 1).getByText("Reading").waitFor();
    expect(await row(page, 2).getByText("Reading").count()).toBe(0);
    await bar(page).waitFor({ state: "detached" });
    await page.keyboard.press("z");
    await row(page, 3).getByText("Reading").waitFor({ state: "detached" });
  });

  test("are checked at another frequency, all that match, over several steps", async () => {
    const { page, caller, deps } = await withLinks(1100, "/links?check_frequency=daily");
    await all(page).click();
    await told(page, "1,100 selected");
    expect(await pick(page, 1100).isChecked()).toBe(true);

    await bar(page).getByRole("button", { name: "Frequency" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Weekly" }).click();
    await page.getByRole("button", { name: "Change 1,100 links to weekly checks" }).click();

    await page.getByText("1,100 links were set to weekly checks.").waitFor();
    const rows = deps.store.select({ is: links.checkFrequency }).from(links);
    const found = await rows
      .where(eq(links.accountNo, caller.accountNo))
      .groupBy(links.checkFrequency);
    expect(found).toEqual([{ is: "weekly" }]);
  });

  test("are deleted once their number is typed; stopping in the middle keeps the rest", async () => {
    const { page, caller } = await withLinks(2100);
    const second = await holdSecond(page, "**/links/batch-delete");
    await all(page).click();

    await bar(page).getByRole("button", { name: "Delete", exact: true }).click();
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
    await all(page).click();
    await bar(page).getByRole("button", { name: "Delete", exact: true }).click();
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

  test("are deleted when their page is left before the time for Undo is over", async () => {
    const { page, deps, caller } = await withLinks(3);
    await all(page).click();
    await deps.store.delete(links).where(eq(links.url, "https://example.org/2"));

    await bar(page).getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("3 links were deleted.").waitFor();
    await page.getByText("No links yet").waitFor();
    expect(await linksOf(caller.accountNo)).toBe(2);
    await page.goto("/sites");

    await until(async () => (await linksOf(caller.accountNo)) === 0);
  });

  test("are checked now, and show what was found, also after a reload", async () => {
    const { page } = await withLinks(3);
    await all(page).click();

    await bar(page).getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 3 links.").waitFor();
    await page.reload();
    await row(page, 2).waitFor();
    await checkAll(dashboard().server, (url) => (url.endsWith("/2") ? GONE : ALIVE));

    await row(page, 2).getByText("404", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Dead 1" }).waitFor();
    await page.getByRole("button", { name: "Alive 2" }).waitFor();
  });

  test("are checked as far as they are there, and it says why the others are not", async () => {
    const { page, deps, caller } = await withLinks(4);
    await all(page).click();
    await told(page, "4 selected");
    await deps.store.delete(links).where(eq(links.url, "https://example.org/2"));

    await bar(page).getByRole("button", { name: "Check now" }).click();

    await page.getByText("Checking 3 links. 1 link could not be checked: No such link.").waitFor();
    const counts = { total: batches.total, skipped: batches.skipped };
    const isOurs = eq(batches.accountId, caller.accountId);
    expect(
      await deps.store
        .select(counts)
        .from(batches)
        .where(isOurs)
        .orderBy(desc(batches.id))
        .limit(1),
    ).toEqual([{ total: 3, skipped: 0 }]);
  });

  test("are checked all at once when there are many, and say how far that is", async () => {
    const { page, deps, caller } = await withLinks(1100);
    await all(page).click();
    await told(page, "1,100 selected");

    await bar(page).getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 1,100 links.").waitFor();
    await page.getByRole("button", { name: "Alive 0" }).waitFor();
    await fillBatches(deps);
    await checkAll(dashboard().server, (url) => (url.endsWith("/2") ? GONE : ALIVE));

    await page.getByRole("button", { name: "Alive 1,099" }).waitFor();
    await page.getByRole("button", { name: "Dead 1" }).waitFor();
    const { total, active, dead, unknown, skipped } = batches;
    const isOurs = eq(batches.accountId, caller.accountId);
    const counts = { total, active, dead, unknown, skipped };
    expect(
      await deps.store
        .select(counts)
        .from(batches)
        .where(isOurs)
        .orderBy(desc(batches.id))
        .limit(1),
    ).toEqual([{ total: 1100, active: 1099, dead: 1, unknown: 0, skipped: 0 }]);
  });

  test("are picked by a long press on a small phone, where nothing is wider than it", async () => {
    const { page } = await withLinks(30);
    await page.setViewportSize({ width: 360, height: 740 });

    await row(page, 30).dispatchEvent("pointerdown", { pointerType: "touch" });
    await told(page, "1 selected");

    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
  });

  test("are exported by their ids", async () => {
    const { page } = await withLinks(30, "/links?search=example");
    const download = bar(page).getByRole("link", { name: "Export" });

    await pick(page, 30).click();
    expect(await download.getAttribute("href")).toMatch(/\/links\/export\?ids=[0-9a-f-]{36}$/);
    await pick(page, 30).click();
    await all(page).click();
    await told(page, "30 selected");
    expect(await download.getAttribute("href")).toContain("?ids=");
  });
});

const row = (page: Page, n: number) =>
  page
    .locator(".rows > .row")
    .filter({ has: page.locator(`.url[title="https://example.org/${n}"]`) });

const pick = (page: Page, n: number) =>
  page.getByRole("checkbox", { name: `Select https://example.org/${n}`, exact: true });

const all = (page: Page) => page.getByRole("checkbox", { name: /^Select all/ });

const bar = (page: Page) => page.getByRole("toolbar", { name: "selected" });

const told = (page: Page, words: string) => bar(page).getByText(words, { exact: true }).waitFor();

/** Before anything that the page does only after it was painted. */
const pressEscapeAtOnce = () => {
  new MutationObserver((_changes, observer) => {
    if (!document.querySelector(".selbar")) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    document.body.dataset.pressed = "";
  }).observe(document.body, { childList: true, subtree: true });
};

const isMixed = (box: Element) => (box as HTMLInputElement).indeterminate;

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
