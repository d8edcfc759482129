import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Looks, onDashboard } from "../../../tests/browser.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";
import { askerOf, faultsOf } from "../../../tests/web/looking.ts";

onDashboard("The frame", (dashboard) => {
  /** Someone with two links, of which so many are dead. */
  async function withLinks(dead: number, looks: Looks = {}, role: "owner" | "viewer" = "owner") {
    const { server, user } = dashboard();
    const { page, accountId } = await user(looks, role);
    const me = await askerOf(server, accountId);
    const group_id = await addGroup(me, "Docs");
    const ids = [
      await addLink(me, { url: "https://example.org/a", group_id }),
      await addLink(me, { url: "https://example.org/b" }),
    ];
    for (const id of ids.slice(0, dead)) await setLink(server, id, { status: "dead" });
    return { page, accountId, ids };
  }

  const iconOf = (page: Page) =>
    page.evaluate(() => document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href);

  test("counts what needs attention in the menu, the title and the icon, which are as usual while nothing is dead", async () => {
    const { page, ids } = await withLinks(0);
    await page.goto("/settings");
    await page.getByRole("link", { name: "Links 2" }).waitFor();
    await page.getByRole("heading", { name: "Profile" }).waitFor();
    expect(await page.title()).toBe("Settings · Stillup");
    expect(await iconOf(page)).not.toContain("icon-dead");

    await setLink(dashboard().server, ids[0]!, { status: "dead" });
    await page.reload();

    const menu = page.getByRole("navigation", { name: "Main", exact: true });
    await menu.getByRole("link", { name: "Overview 1" }).waitFor();
    await menu.getByRole("link", { name: "Links 2" }).waitFor();
    await menu.getByRole("link", { name: "Sites 1" }).waitFor();
    const groups = page.getByRole("navigation", { name: "Groups" });
    await groups.getByRole("link", { name: "Docs 1" }).waitFor();
    await page.waitForFunction(() => document.title.startsWith("(1) "));
    expect(await iconOf(page)).toContain("icon-dead");
  });

  test("keeps a theme that was chosen, from the first paint on", async () => {
    const { page } = await withLinks(0, { colorScheme: "light" });
    await page.goto("/settings");
    const isDark = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark");

    await page.getByRole("button", { name: "Theme and sign out" }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    expect(await isDark()).toBe(true);
    await page.route("**/assets/*.js", (route) =>
      route.request().url().includes("/theme-") ? route.continue() : route.abort(),
    );
    await page.reload({ waitUntil: "commit" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");

    expect(await isDark()).toBe(true);
  });

  test("is a rail of named icons below 1081 px, and five tabs on a phone, of which the last opens the rest", async () => {
    const { page } = await withLinks(1, { width: 1080 });
    await page.goto("/settings/profile");

    const overview = page.getByRole("link", { name: "Overview 1" });
    await overview.waitFor();
    expect((await page.locator(".side").boundingBox())?.width).toBe(56);
    // A dot says that something is dead.
    expect((await overview.locator("em").boundingBox())?.width).toBe(8);
    const name = page.getByRole("link", { name: "Changes" }).locator("span");
    expect((await name.boundingBox())!.width).toBeLessThan(2);
    await page.getByRole("link", { name: "Changes" }).focus();
    expect((await name.boundingBox())!.width).toBeGreaterThan(40);
    expect(await faultsOf(page)).toEqual([]);

    await page.setViewportSize({ width: 390, height: 800 });
    const tabs = page.getByRole("navigation", { name: "Main, phone" });
    await tabs.getByRole("link", { name: "Overview 1" }).waitFor();
    expect(await tabs.locator("> *").allInnerTexts()).toEqual([
      expect.stringContaining("Overview"),
      "Links",
      "",
      "Changes",
      "More",
    ]);
    await tabs.getByRole("button", { name: "More" }).click();
    const more = page.getByRole("dialog", { name: "More" });
    await more.getByRole("link", { name: "Docs 1" }).waitFor();
    expect(await faultsOf(page, "dialog")).toEqual([]);
    await more.getByRole("link", { name: "Sites" }).click();
    await page.waitForURL("/sites");
    await more.waitFor({ state: "detached" });
  });

  test("shows a viewer nothing that adds links", async () => {
    const { page } = await withLinks(0, { width: 390, height: 800 }, "viewer");
    await page.goto("/settings/profile");

    const tabs = page.getByRole("navigation", { name: "Main, phone" });
    await tabs.getByRole("link", { name: "Links" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });

    expect(await page.getByRole("button", { name: "Add" }).count()).toBe(0);
    const groups = page.getByRole("navigation", { name: "Groups" });
    await groups.getByRole("link", { name: "Docs" }).waitFor();
    expect(await groups.getByRole("link", { name: "New group" }).count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Keyboard shortcuts" }).waitFor();
    expect(await page.getByRole("option", { name: "Add links" }).count()).toBe(0);
  });

  test("leads from a link back to its list: the same filter at the same place", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    for (let n = 0; n < 60; n += 1) await addLink(me);
    await page.goto("/links?status=unknown");
    const rows = page.getByRole("row");
    await rows.nth(5).waitFor();
    await page.evaluate(() => scrollTo(0, 1_000));
    await page.waitForFunction(() => history.state?.scroll === 1_000);

    for (const back of [
      () => page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").last().click(),
      () => page.goBack(),
    ]) {
      const link = await page.evaluate(() => {
        const links = [...document.querySelectorAll<HTMLElement>("[role=row] a[href^='/links/']")];
        const shown = links.find((each) => each.getBoundingClientRect().top > 200);
        shown?.click();
        return shown?.getAttribute("href") ?? "";
      });
      expect(link).toStartWith("/links/");
      await page.waitForURL((url) => url.pathname === link.split("?")[0]);
      // The list has a heading as well.
      await page.locator("article.link-page").waitFor();
      await back();
      await page.waitForURL("/links?status=unknown");
      await page.waitForFunction(() => Math.abs(scrollY - 1_000) < 2);
    }
  });

  test("says when the connection is lost, and no more once it is back", async () => {
    const { page } = await withLinks(0);
    await page.goto("/settings");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.clock.install({ time: dashboard().server.clock.now() });
    await page.route("**/dashboard/api/live*", (route) => route.abort());
    await Promise.all([page.waitForEvent("requestfailed"), lookBack(page)]);

    await page.clock.fastForward(6_000);
    await page.getByText(/^Connection lost at \d\d:\d\d\. Data may be out of date/).waitFor();
    expect(await page.getByText("Live", { exact: true }).count()).toBe(0);
    await page.unroute("**/dashboard/api/live*");
    await lookBack(page);

    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByText("Connection lost").count()).toBe(0);
  });
});

/** Comes back to the tab from another one. */
const lookBack = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
