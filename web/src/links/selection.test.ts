import { expect, test } from "bun:test";
import { count, desc, eq } from "drizzle-orm";
import type { Locator, Page, Route } from "playwright-core";
import { batches, links } from "../../../server/ground/db/tables.ts";
import { fillBatches } from "../../../server/links/fill-batches.ts";
import { createGroup } from "../../../server/links/groups/groups.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { ALIVE, checkAll, GONE } from "../../../tests/batches/playing.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { addAtRest, numbered } from "../../../tests/web/adding.ts";
import { linksPage } from "../../../tests/web/pages/links.ts";
import { go } from "../../../tests/web/pages.ts";

onDashboard("Many links at once", (dashboard) => {
  const linksOf = async (accountNo: number) => {
    const { store } = dashboard().server.deps;
    const [counted] = await store
      .select({ count: count() })
      .from(links)
      .where(eq(links.accountNo, accountNo));
    return counted!.count;
  };

  /** What became of the batch that the account asked for last. */
  const lastBatch = async (accountId: string) => {
    const { total, active, dead, unknown, skipped } = batches;
    const [batch] = await dashboard()
      .server.deps.store.select({ total, active, dead, unknown, skipped })
      .from(batches)
      .where(eq(batches.accountId, accountId))
      .orderBy(desc(batches.id))
      .limit(1);
    return batch;
  };

  /** Someone in front of so many links, with a group to move them to. */
  const withLinks = async (total: number) => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const caller = await addAtRest(server, accountId, numbered(total));
    for (const name of ["Reading", "Later"])
      await makeChange(server.deps, caller, (unit) =>
        createGroup(unit, caller, { name, color: "#3366CC" }),
      );
    await page.goto("/links");
    const list = linksPage(page);
    const row = (n: number) => list.row(`https://example.org/${n}`);
    await row(total).waitFor();
    return {
      page,
      caller,
      server,
      ...list,
      row,
      pick: (n: number) => list.pick(`https://example.org/${n}`),
      say: (words: string) => page.getByText(words).waitFor(),
    };
  };

  type Many = Awaited<ReturnType<typeof withLinks>>;

  test("are picked one by one, in ranges, by keys or a long press, and stay so until the filter changes", async () => {
    const { page, row, pick, all, bar, selected } = await withLinks(130);
    await pick(128).click();
    await pick(125).click({ modifiers: ["Shift"] });
    await selected("4").waitFor();
    await row(120).focus();
    await page.keyboard.press("Shift+x");
    await selected("9").waitFor();
    await pick(124).click();
    await selected("8").waitFor();
    expect(await all.evaluate(isMixed)).toBe(true);
    await all.click();
    await selected("130").waitFor();
    expect(await all.isChecked()).toBe(true);
    await all.click();
    await bar.waitFor({ state: "detached" });

    await row(130).focus();
    await page.keyboard.press("x");
    await selected("1").waitFor();
    await page.keyboard.press("x");
    await bar.waitFor({ state: "detached" });
    await page.keyboard.press("x");
    await selected("1").waitFor();
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "detached" });
    await page.evaluate(pressEscapeAtOnce);
    await pick(130).click();
    await page.locator("body[data-pressed]").waitFor();
    await bar.waitFor({ state: "detached" });
    expect(await pick(130).isChecked()).toBe(false);

    await pick(130).click();
    await page.keyboard.press("End");
    await pick(1).click();
    await selected("2").waitFor();
    await page.keyboard.press("Home");
    await row(130).waitFor();
    expect(await pick(130).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Unknown" }).click();
    await page.waitForURL("/links?status=unknown");
    await bar.waitFor({ state: "detached" });

    await go(page, "/links?search=example.org/12");
    await page.getByText("11 links", { exact: true }).waitFor();
    const download = bar.getByRole("link", { name: "Export" });
    await pick(120).click();
    expect(await download.getAttribute("href")).toMatch(/\/links\/export\?ids=[0-9a-f-]{36}$/);
    await pick(120).click();
    await all.click();
    await selected("11").waitFor();
    expect(await download.getAttribute("href")).toContain("?ids=");
    await all.click();

    await page.setViewportSize({ width: 360, height: 740 });
    await row(129).dispatchEvent("pointerdown", { pointerType: "touch" });
    await selected("1").waitFor();
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
  });

  /** Each link gets back what it had, not what the others had. */
  async function undoChanges({ page, caller, server, row, pick, bar, say }: Many) {
    const frequenciesNow = async () => {
      const { store } = server.deps;
      const isTheirs = eq(links.accountNo, caller.accountNo);
      const rows = await store.select().from(links).where(isTheirs).orderBy(links.no);
      return rows.map(({ checkFrequency }) => checkFrequency[0]).join("");
    };
    const undo = async () => {
      const answers = page.waitForResponse("**/links/batch-change");
      await page.keyboard.press("z");
      await answers;
    };
    async function change(numbers: number[], button: string, to: string, said: string) {
      for (const n of numbers) await pick(n).click();
      await bar.getByRole("button", { name: button }).click();
      await page.getByRole("dialog").getByRole("button", { name: to }).click();
      await say(said);
    }
    await change([3], "Move", "Reading", "1 link was moved to Reading.");
    await bar.waitFor({ state: "detached" });
    await seeBoth(page.locator(".toast"), page.locator(".tabs"), [360]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await change([3, 1], "Move", "Later", "2 links were moved to Later.");
    await undo();
    await row(3).getByText("Reading").waitFor();
    await row(1).getByText("Later").waitFor({ state: "detached" });

    await change([3, 1], "Frequency", "Weekly", "2 links were set to weekly checks.");
    expect(await frequenciesNow()).toBe("wdwd");
    await undo();
    expect(await frequenciesNow()).toBe("dddd");
  }

  test("are moved and back again, checked as far as they are there, and deleted once their page is left", async () => {
    const many = await withLinks(4);
    const { page, server, caller, row, pick, all, bar, selected, status, say } = many;
    const { store } = server.deps;
    await pick(3).click();
    await pick(1).click();
    await page.keyboard.press("v");
    await page.getByRole("dialog").getByRole("button", { name: "Reading" }).click();
    await say("2 links were moved to Reading.");
    await row(3).getByText("Reading").waitFor();
    await row(1).getByText("Reading").waitFor();
    expect(await row(2).getByText("Reading").count()).toBe(0);
    await bar.waitFor({ state: "detached" });
    await page.keyboard.press("z");
    await row(3).getByText("Reading").waitFor({ state: "detached" });
    await undoChanges(many);

    await all.click();
    await bar.getByRole("button", { name: "Check now" }).click();
    await say("Checking 4 links.");
    await page.reload();
    await row(2).waitFor();
    await checkAll(server, (url) => (url.endsWith("/2") ? GONE : ALIVE));
    await row(2).getByText("404", { exact: true }).waitFor();
    await status("Dead 1").waitFor();
    await status("Alive 3").waitFor();

    await all.click();
    await selected("4").waitFor();
    await store.delete(links).where(eq(links.url, "https://example.org/2"));
    await bar.getByRole("button", { name: "Check now" }).click();
    await say("Checking 3 links. 1 link could not be checked: No such link.");
    expect(await lastBatch(caller.accountId)).toMatchObject({ total: 3, skipped: 0 });

    await page.reload();
    await page.getByText("3 links", { exact: true }).waitFor();
    await all.click();
    await bar.getByRole("button", { name: "Delete", exact: true }).click();
    await say("3 links were deleted.");
    await say("No links yet");
    expect(await linksOf(caller.accountNo)).toBe(3);
    await page.goto("/sites");
    await page.getByRole("heading", { name: "No sites yet" }).waitFor();
    expect(await linksOf(caller.accountNo)).toBe(0);
  });

  test("are changed, checked and deleted over several steps, which can be stopped, fail, and go on", async () => {
    const { page, server, caller, pick, all, bar, selected, status, say } = await withLinks(2100);
    const { deps } = server;
    await go(page, "/links?check_frequency=daily");
    await page.getByText("Checked: Daily").waitFor();
    await all.click();
    await selected("2,100").waitFor();
    expect(await pick(2100).isChecked()).toBe(true);
    const download = await bar.getByRole("link", { name: "Export" }).getAttribute("href");
    expect(download).toEndWith("/links/export?check_frequency=daily");
    await bar.getByRole("button", { name: "Frequency" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Weekly" }).click();
    await page.getByRole("button", { name: "Change 2,100 links to weekly checks" }).click();
    await say("2,100 links were set to weekly checks.");
    // The pointer rests on it, or it would be gone after a while.
    await page.locator(".toast").dispatchEvent("mouseenter");
    const rows = deps.store.select({ is: links.checkFrequency }).from(links);
    const isTheirs = eq(links.accountNo, caller.accountNo);
    expect(await rows.where(isTheirs).groupBy(links.checkFrequency)).toEqual([{ is: "weekly" }]);

    await go(page, "/links");
    await page.getByText("2,100 links", { exact: true }).waitFor();
    await all.click();
    await selected("2,100").waitFor();
    await seeBoth(page.locator(".toast"), bar);
    await page.locator(".toast").dispatchEvent("mouseleave");
    await bar.getByRole("button", { name: "Check now" }).click();
    await say("Checking 2,100 links.");
    await status("Alive 0").waitFor();
    await fillBatches(deps);
    await checkAll(server, (url) => (url.endsWith("/2") ? GONE : ALIVE));
    await status("Alive 2,099").waitFor();
    await status("Dead 1").waitFor();
    expect(await lastBatch(caller.accountId)).toEqual({
      total: 2100,
      active: 2099,
      dead: 1,
      unknown: 0,
      skipped: 0,
    });

    await page.reload();
    await page.getByText("2,100 links", { exact: true }).waitFor();
    await all.click();
    await bar.getByRole("button", { name: "Delete", exact: true }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete 2,100 links" });
    expect(await confirm.isDisabled()).toBe(true);
    for (const typed of ["2,100", "2100"]) {
      await page.getByLabel("To confirm, type their number: 2,100").fill(typed);
      expect(await confirm.isEnabled()).toBe(true);
    }
    const parts = await holdAll(page, "**/links/batch-delete");
    await confirm.click();
    await (await parts.next()).continue();
    await say("1,000 of 2,100");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await (await parts.next()).continue();
    await say("2,000 links were deleted. 100 are as they were.");
    expect(await linksOf(caller.accountNo)).toBe(100);
    await page.getByRole("button", { name: "Go on" }).click();
    await (await parts.next()).abort();
    await say("The server cannot be reached. Is it running?");
    await say("2,000 links were deleted. 100 are as they were.");
    await page.getByRole("button", { name: "Try again" }).click();
    await (await parts.next()).continue();
    await say("2,100 links were deleted.");
    await say("No links yet");
    expect(await linksOf(caller.accountNo)).toBe(0);
  });
});

/** Before anything that the page does only after it was painted. */
const pressEscapeAtOnce = () => {
  new MutationObserver((_changes, observer) => {
    if (!document.querySelector(".selbar")) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    document.body.dataset.pressed = "";
  }).observe(document.body, { childList: true, subtree: true });
};

/** What was done last is said above what can be done next. */
async function seeBoth(toast: Locator, bar: Locator, widths = [360, 1280]) {
  for (const width of widths) {
    await bar.page().setViewportSize({ width, height: 800 });
    const [above, below] = [(await toast.boundingBox())!, (await bar.boundingBox())!];
    expect(above.y + above.height).toBeLessThanOrEqual(below.y);
  }
}

const isMixed = (box: Element) => (box as HTMLInputElement).indeterminate;

/** Keeps these requests. @returns what takes the next one, to decide what becomes of it */
async function holdAll(page: Page, pattern: string) {
  const held: Route[] = [];
  let arrived = Promise.withResolvers<void>();
  await page.route(pattern, (route) => {
    held.push(route);
    arrived.resolve();
  });
  return {
    async next(): Promise<Route> {
      if (held.length === 0) await arrived.promise;
      arrived = Promise.withResolvers();
      return held.shift()!;
    },
  };
}
