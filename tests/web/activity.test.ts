import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { addGroup, addLink } from "../rows.ts";
import { askerOf, faultsOf } from "./looking.ts";
import { settled } from "./pages.ts";

onDashboard("Activity in the settings", (dashboard) => {
  const rows = (page: Page) => page.getByRole("list", { name: "Activity" }).getByRole("listitem");
  const open = async (page: Page, path = "/settings/activity") => {
    await page.goto(path);
    await settled(page);
  };

  test("says so while nothing was changed", async () => {
    const { page } = await dashboard().user();

    await open(page, "/settings/activity?action=link.created");

    expect(await page.getByText("No matching entries").isVisible()).toBe(true);
    await page.getByRole("link", { name: "Show all activity" }).click();
    await rows(page).getByText("created the account").waitFor();
  });

  test("says who did what in sentences, with links to what is still there", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    const group = await addGroup(me, "Docs");
    const [kept, gone] = [await addLink(me), await addLink(me)];
    await me.patch(`/api/v1/links/${kept}`, { group_id: group, check_frequency: "weekly" });
    await me.delete(`/api/v1/links/${gone}`);

    await open(page);

    const told = await rows(page).locator(".what").allInnerTexts();
    const name = `The API key ${me.key.slice(0, 9)}…`;
    expect(told.slice(0, 2)).toEqual([
      expect.stringMatching(/^The API key .* deleted https:\/\/example\.org\/page-\d+/),
      expect.stringMatching(/changed https:.*\n+Changed: group, check frequency$/),
    ]);
    expect(told[0]).toStartWith(name);
    expect(told).toContain(`${name} created the group Docs`);
    const ways = await rows(page)
      .locator("a.target")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect([...new Set(ways)]).toEqual([`/links/${kept}`, `/links?group_id=${group}`]);
  });

  test("keeps in the address what is shown, and shows what one has done by a press", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    await addGroup(me);
    await addLink(me);
    await open(page);

    await page.getByRole("button", { name: "What: Everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Links added" }).click();
    await page.waitForURL("**/settings/activity?action=link.created");
    await rows(page).nth(1).waitFor({ state: "detached" });
    expect(await rows(page).count()).toBe(1);

    await page.getByRole("button", { name: "What: Links added" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Everything" }).click();
    await rows(page).nth(1).waitFor();
    await rows(page).first().locator("a.actor").click();
    await page.waitForURL(/\?actor=/);
    await page.getByRole("button", { name: "Remove: By " }).waitFor();
    await page.reload();
    await settled(page);
    expect(await rows(page).count()).toBe(2);
  });

  test("shows what happens meanwhile", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    await open(page);

    await addGroup(me, "While you look");

    await rows(page).getByText("While you look").waitFor();
  });

  test("shows what happens before it can be told", async () => {
    const { page, accountId } = await dashboard().user();
    const me = await askerOf(dashboard().server, accountId);
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route("**/dashboard/api/live*", (route) => isAllowed.then(() => route.continue()));
    await open(page);

    await addGroup(me, "Before you were told");
    allow();

    await rows(page).getByText("Before you were told").waitFor();
  });

  test("shows an administrator all accounts, and nobody else", async () => {
    const { server } = dashboard();
    const stranger = await dashboard().user();
    await addGroup(await askerOf(server, stranger.accountId), "Of somebody else");
    const { page } = await dashboard().user({}, "owner", { isAdmin: true });
    await open(page);
    expect(await rows(page).getByText("Of somebody else").count()).toBe(0);

    await page.getByRole("button", { name: "Whole installation" }).click();

    await rows(page).getByText("Of somebody else").waitFor();
    await open(stranger.page, "/settings/activity?all=true");
    expect(await stranger.page.getByRole("button", { name: "Whole installation" }).count()).toBe(0);
    await rows(stranger.page).getByText("Of somebody else").waitFor();
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

  test("is limited to days, which the address keeps", async () => {
    const { page } = await dashboard().user();
    await open(page);
    await rows(page).first().waitFor();

    await page.getByLabel("From").fill("2031-01-01");
    await page.getByLabel("From").press("Tab");
    await page.waitForURL("**/settings/activity?from=2031-01-01");

    await page.getByText("No matching entries").waitFor();
  });

  test.each(["light", "dark"] as const)(
    "can be read and used on a phone, %s",
    async (colorScheme) => {
      const { page, accountId } = await dashboard().user({ colorScheme, width: 360 }, "owner", {
        isAdmin: true,
      });
      await addLink(await askerOf(dashboard().server, accountId));
      await open(page, "/settings/activity?action=link.created");

      expect(await faultsOf(page)).toEqual([]);
    },
  );
});
