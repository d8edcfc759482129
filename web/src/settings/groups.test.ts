import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Locator, Page } from "playwright-core";
import { groups } from "../../../server/ground/db/tables.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";
import { askerOf, faultsInAllLooks } from "../../../tests/web/looking.ts";
import { settingsList } from "../../../tests/web/pages/settings.ts";
import { go } from "../../../tests/web/pages.ts";

const GROUPS = "/settings/groups";

onDashboard("Groups in the settings", (dashboard) => {
  const findGroup = async (id: string) => {
    const { store } = dashboard().server.deps;
    const [row] = await store.select().from(groups).where(eq(groups.id, id));
    return row;
  };

  /** An owner, who also asks the API. */
  async function someone() {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    return { server, page, accountId, me, ...groupsPage(page) };
  }

  test("are created in place or from the sidebar, and say at the field what is wrong", async () => {
    const { page, row, name, description, press, say } = await someone();
    await page.goto(GROUPS);
    await say("No groups yet");
    await press("New group");
    await name.fill("   ");
    await paste(description, "What new people\tread first\r\nand last");
    await press("Create group");
    await say("Must not be empty");
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await description.inputValue()).toContain("read first\nand last");
    await name.fill("Handbook");
    await page.getByRole("radio", { name: "Violet" }).check();
    await page.getByLabel("Other color").fill("#12ab9f");
    await press("Create group");
    await say("Handbook was created.");
    await row("Handbook").getByText("What new people read first and last").waitFor();
    await press("Edit Handbook");
    expect(await description.inputValue()).toBe("What new people read first\nand last");
    expect(await page.getByLabel("Other color").inputValue()).toBe("#12ab9f");
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);

    await go(page, "/links");
    await say("No links yet");
    const sidebar = page.getByRole("navigation", { name: "Groups" });
    await sidebar.getByRole("link", { name: "New group" }).click();
    await page.waitForURL(GROUPS);
    await page.locator("input[name=name]:focus").fill("Manual");
    await page.keyboard.press("Enter");
    await sidebar.getByRole("link", { name: "Manual 0" }).waitFor();
    await sidebar.getByRole("link", { name: "New group" }).click();
    await page.locator("input[name=name]:focus").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Edit Manual" }).waitFor();
    expect(await page.getByRole("button", { name: "Create group" }).count()).toBe(0);
  });

  test("save each field when it is left, take that back, and forget with Escape what cannot be saved", async () => {
    const { page, me, name, named, press, say } = await someone();
    const id = await addGroup(me, "Old");
    await page.goto(GROUPS);
    await press("Edit Old");
    await name.fill(" ");
    await name.press("Enter");
    await say("Must not be empty");
    await name.press("Escape");
    expect(await name.inputValue()).toBe("Old");
    expect(await page.getByText("Must not be empty").count()).toBe(0);

    await name.fill("New");
    await name.press("Enter");
    await say("The group was changed.");
    await named("New").waitFor();
    await press("Undo");
    await named("Old").waitFor();
    expect(await name.inputValue()).toBe("Old");
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("radio", { name: "Teal" }).click();
    await saved;
    expect((await findGroup(id))!.color).toBe("#14938A");
  });

  test("are searched on the server and put in order, however many there are", async () => {
    const { server, page, me, row, say } = await someone();
    for (let n = 1; n <= 101; n++) await addGroup(me, `Client ${n}`);
    const press = await addGroup(me, "Press");
    await setLink(server, await addLink(me, { group_id: press }), { status: "dead" });
    for (let n = 1; n <= 3; n++) await addGroup(me, `New ${n}`);
    await page.goto(GROUPS);
    await row("New 3").waitFor();
    expect(await row("Client 1").count()).toBe(0);
    const order = page.getByRole("list", { name: "Groups" }).getByRole("listitem").first();
    await page.getByRole("button", { name: "Newest first" }).click();
    await page.getByRole("menuitemradio", { name: "Most dead first" }).click();
    await order.getByRole("link", { name: "Press", exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Search groups" }).fill("client 1");
    await order.getByRole("link", { name: /^Client 1\d*$/ }).waitFor();
    await page.getByRole("searchbox", { name: "Search groups" }).fill("nowhere");
    await say("No matching groups");

    await go(page, "/links");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("searchbox", { name: "Search: Add a filter" }).fill("client 100");
    await page.getByRole("dialog", { name: "Add a filter" }).getByText("Client 100").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Group: Client 100").waitFor();
  });

  test("keep the changes of two people who edit one group at once", async () => {
    const { page, accountId, me, name, named, say } = await someone();
    const id = await addGroup(me, "Docs");
    const { page: otherPage } = await dashboard().again(accountId);
    const other = groupsPage(otherPage);
    for (const each of [page, otherPage]) {
      await each.goto(GROUPS);
      await groupsPage(each).press("Edit Docs");
      await groupsPage(each).name.waitFor();
    }

    await other.description.fill("Being written");
    await name.fill("Handbook");
    await name.press("Enter");
    await say("The group was changed.");
    await other.named("Handbook").waitFor();
    expect(await other.description.inputValue()).toBe("Being written");
    await other.description.blur();
    await other.say("The group was changed.");

    await named("Handbook").waitFor();
    expect(await findGroup(id)).toMatchObject({ name: "Handbook", description: "Being written" });
  });

  test("lead to their links, check them all, and are deleted unless that is undone", async () => {
    const { server, page, me, row, inMenu, press, say } = await someone();
    const group = await addGroup(me, "Docs");
    for (const status of ["dead", "dead", "active"] as const) {
      await setLink(server, await addLink(me, { group_id: group }), { status });
    }
    await addLink(me);
    await addGroup(me, "Empty");
    await page.goto(GROUPS);
    const hrefOf = (name: string) => row("Docs").getByRole("link", { name }).getAttribute("href");
    expect(await hrefOf("3 links in Docs")).toBe(`/links?group_id=${group}`);
    expect(await hrefOf("2 dead in Docs")).toBe(`/links?status=dead&group_id=${group}`);
    expect(await hrefOf("1 alive in Docs")).toBe(`/links?status=active&group_id=${group}`);
    const rest = row("No group").getByRole("link", { name: "1 link in no group" });
    expect(await rest.getAttribute("href")).toBe("/links?group_id=none");

    await page.clock.setFixedTime(server.clock.now());
    await inMenu("Docs", "Mute for 1 week");
    await say("Docs is muted until 8 Jan.");
    await row("Docs").getByText("Muted", { exact: true }).waitFor();
    const [one] = (await me.get(`/api/v1/links?group_id=${group}`)).body.data.items;
    expect(one).toMatchObject({ handling: "muted", muted_from: "group" });
    await press("Undo");
    await row("Docs").getByText("Muted", { exact: true }).waitFor({ state: "detached" });

    await inMenu("Docs", "Check all links now");
    await say("3 checks started in Docs.");
    await press("More for Empty");
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Check all links now" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await press("Edit Docs");
    expect(await faultsInAllLooks(page, "main")).toEqual([]);

    await inMenu("Docs", "Delete");
    await say("Docs was deleted. Its 3 links will be in no group.");
    await row("Docs").waitFor({ state: "detached" });
    await press("Undo");
    await row("Docs").waitFor();
    expect(await findGroup(group)).toBeDefined();
    await inMenu("Docs", "Delete");
    await row("Docs").waitFor({ state: "detached" });
    expect(await findGroup(group)).toBeDefined();
    // The page is left before the time for Undo is over.
    await page.goto(GROUPS);
    await page.getByRole("link", { name: "4 links in no group" }).waitFor();
    expect(await findGroup(group)).toBeUndefined();
  });

  test("are shown by hundreds, with the links in no group at the end", async () => {
    const { page, me, press } = await someone();
    for (let i = 1; i <= 101; i++) await addGroup(me, `Group ${i}`);
    await page.goto(GROUPS);
    const lines = page
      .getByRole("list", { name: "Groups", exact: true })
      .last()
      .getByRole("listitem");
    await lines.first().waitFor();
    expect(await lines.count()).toBe(100);
    await press("Show more");

    await page.locator("main").getByText("No group", { exact: true }).waitFor();
    expect(await lines.count()).toBe(102);
  });
});

const groupsPage = (page: Page) => {
  const named = (name: string) => page.locator("main").getByRole("link", { name, exact: true });
  return {
    ...settingsList(page),
    name: page.getByLabel("Name"),
    description: page.getByLabel("Description"),
    named,
    row: (name: string) =>
      page
        .locator("main")
        .getByRole("listitem")
        .filter({ has: page.getByRole("link", { name, exact: true }) }),
  };
};

async function paste(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.page().evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await field.press("ControlOrMeta+V");
}
