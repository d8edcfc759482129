import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../../../tests/browser.ts";
import { addGroup, addLink } from "../../../tests/rows.ts";
import { askerOf, faultsInAllLooks } from "../../../tests/web/looking.ts";
import { go, settled } from "../../../tests/web/pages.ts";

onDashboard("Activity in the settings", (dashboard) => {
  const rows = (page: Page) => page.getByRole("list", { name: "Activity" }).getByRole("listitem");
  const open = async (page: Page, path = "/settings/activity") => {
    await page.goto(path);
    await settled(page);
  };

  test("says who did what in sentences, narrowed as the address keeps it, and what happens meanwhile", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    const live = Promise.withResolvers<void>();
    await page.route("**/dashboard/api/live*", (route) =>
      live.promise.then(() => route.continue()),
    );
    await open(page, "/settings/activity?action=link.created");
    await page.getByText("No matching entries").waitFor();
    await page.getByRole("link", { name: "Show all activity" }).click();
    await rows(page).getByText("created the account").waitFor();
    await addGroup(me, "Before it was announced");
    live.resolve();
    await rows(page).getByText("Before it was announced").waitFor();
    const group = await addGroup(me, "Docs");
    await rows(page).getByText("Docs").waitFor();

    const [kept, gone] = [await addLink(me), await addLink(me)];
    await me.patch(`/api/v1/links/${kept}`, { group_id: group, check_frequency: "weekly" });
    await me.delete(`/api/v1/links/${gone}`);
    await rows(page).filter({ hasText: "deleted https://example.org/page-" }).waitFor();
    const texts = await rows(page).locator(".what").allInnerTexts();
    const name = `The API key ${me.key.slice(0, 9)}…`;
    expect(texts.slice(0, 2)).toEqual([
      expect.stringMatching(/^The API key .* deleted https:\/\/example\.org\/page-\d+/),
      expect.stringMatching(/changed https:.*\n+Changed: group, check frequency$/),
    ]);
    expect(texts[0]).toStartWith(name);
    expect(texts).toContain(`${name} created the group Docs`);
    const ways = await rows(page)
      .locator("a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(ways).toContain(`/links/${kept}`);
    expect(ways).toContain(`/links?group_id=${group}`);
    expect(ways).not.toContain(`/links/${gone}`);

    await page.getByRole("button", { name: "What: Everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Links added" }).click();
    await page.waitForURL("**/settings/activity?action=link.created");
    await rows(page).nth(2).waitFor({ state: "detached" });
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.getByRole("button", { name: "What: Links added" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Everything" }).click();
    await rows(page).nth(2).waitFor();
    const all = await rows(page).count();
    await rows(page).first().locator("a.actor").click();
    await page.waitForURL(/\?actor=/);
    await page.getByRole("button", { name: "Remove: By " }).waitFor();
    await page.reload();
    await settled(page);
    // All but the creation of the account and of the key.
    expect(await rows(page).count()).toBe(all - 2);

    await go(page, "/settings/activity");
    await page.getByLabel("From").fill("2031-01-01");
    await page.getByLabel("From").press("Tab");
    await page.waitForURL("**/settings/activity?from=2031-01-01");
    await page.getByText("No matching entries").waitFor();
  });

  test("shows all accounts to administrators only", async () => {
    const { server } = dashboard();
    const stranger = await dashboard().user();
    await addGroup(await askerOf(server, stranger.accountId), "Of someone else");
    const { page } = await dashboard().user({}, "owner", { isAdmin: true });
    await open(page);
    expect(await rows(page).getByText("Of someone else").count()).toBe(0);

    await page.getByRole("button", { name: "Whole installation" }).click();

    await rows(page).getByText("Of someone else").waitFor();
    expect(await faultsInAllLooks(page, "main")).toEqual([]);
    await open(stranger.page, "/settings/activity?all=true");
    expect(await stranger.page.getByRole("button", { name: "Whole installation" }).count()).toBe(0);
    await rows(stranger.page).getByText("Of someone else").waitFor();
    expect(await rows(stranger.page).count()).toBe(3);
  });

  test("continues on request with what is older", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    for (let n = 0; n < 55; n++) await me.post("/api/v1/groups", { name: `Group ${n}` });
    await open(page);
    expect(await rows(page).count()).toBe(50);

    await page.getByRole("button", { name: "Show more" }).click();

    await rows(page).getByText("created the account").waitFor();
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  });
});
