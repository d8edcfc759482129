import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { groups, users } from "../../server/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { addGroup, addLink, setLink } from "../rows.ts";
import { until } from "../until.ts";
import { askerOf, faultsOf } from "./looking.ts";

const GROUPS = "/settings/groups";

onDashboard("Groups in the settings", (dashboard) => {
  const findGroup = async (id: string) => {
    const { store } = dashboard().server.deps;
    const [row] = await store.select().from(groups).where(eq(groups.id, id));
    return row;
  };

  test("are created in place, with a name, a description and any color", async () => {
    const { page } = await dashboard().user();
    await page.goto(GROUPS);
    await page.getByText("No groups yet").waitFor();

    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name").fill("Handbook");
    await page.getByLabel("Description").fill("What new people\tread first\r\nand last");
    await page.getByRole("radio", { name: "Violet" }).check();
    await page.getByLabel("Other color").fill("#12ab9f");
    await page.getByRole("button", { name: "Create group" }).click();

    await page.getByText("Handbook was created.").waitFor();
    await row(page, "Handbook").getByText("What new people read first and last").waitFor();
    await page.getByRole("button", { name: "Edit Handbook" }).click();
    const description = await page.getByLabel("Description").inputValue();
    expect(description).toBe("What new people read first\nand last");
    expect(await page.getByLabel("Other color").inputValue()).toBe("#12ab9f");
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
  });

  test("are created from the sidebar as well, by those who may", async () => {
    const { server, user, again } = dashboard();
    const { page, accountId } = await user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();

    const groupsPart = page.getByRole("navigation", { name: "Groups" });
    await groupsPart.getByRole("link", { name: "New group" }).click();
    await page.waitForURL(GROUPS);
    await page.locator("input[name=name]:focus").fill("Handbook");
    await page.keyboard.press("Enter");
    await groupsPart.getByRole("link", { name: "Handbook 0" }).waitFor();
    await groupsPart.getByRole("link", { name: "New group" }).click();
    await page.locator("input[name=name]:focus").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Edit Handbook" }).waitFor();
    expect(await page.getByRole("button", { name: "Create group" }).count()).toBe(0);

    const { store } = server.deps;
    await store.update(users).set({ role: "viewer" }).where(eq(users.accountId, accountId));
    const { page: viewers } = await again(accountId);
    await viewers.goto("/links");
    await viewers.getByRole("link", { name: "Handbook 0" }).waitFor();
    expect(await viewers.getByRole("link", { name: "New group" }).count()).toBe(0);
  });

  test("keep what was typed when it is rejected, and say why at the field", async () => {
    const { page } = await dashboard().user();
    await page.goto(GROUPS);

    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name").fill("   ");
    await page.getByLabel("Description").fill("Typed");
    await page.getByRole("button", { name: "Create group" }).click();

    await page.getByText("Must not be empty").waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("Typed");
    expect(await page.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
  });

  test("save each field when it is left, and take it back", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const id = await addGroup(await askerOf(server, accountId), "Old");
    await page.goto(GROUPS);

    await page.getByRole("button", { name: "Edit Old" }).click();
    await page.getByLabel("Name").fill("New");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("The group was changed.").waitFor();
    await page.locator("main").getByRole("link", { name: "New", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();

    await page.locator("main").getByRole("link", { name: "Old", exact: true }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Old");
    await page.getByRole("radio", { name: "Teal" }).click();
    await until(async () => (await findGroup(id))!.color === "#14938A");
  });

  test("show why a field cannot be saved, and forget what was typed with Escape", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addGroup(await askerOf(server, accountId), "Kept");
    await page.goto(GROUPS);

    await page.getByRole("button", { name: "Edit Kept" }).click();
    await page.getByLabel("Name").fill(" ");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("Must not be empty").waitFor();
    await page.getByLabel("Name").press("Escape");

    expect(await page.getByLabel("Name").inputValue()).toBe("Kept");
    expect(await page.getByText("Must not be empty").count()).toBe(0);
  });

  test("keep the changes of two people who edit one group at once", async () => {
    const { server, user, again } = dashboard();
    const { page, accountId } = await user();
    const id = await addGroup(await askerOf(server, accountId), "Docs");
    const { page: other } = await again(accountId);
    for (const each of [page, other]) {
      await each.goto(GROUPS);
      await each.getByRole("button", { name: "Edit Docs" }).click();
      await each.getByLabel("Name").waitFor();
    }

    await other.getByLabel("Description").fill("Being written");
    await page.getByLabel("Name").fill("Handbook");
    await page.getByLabel("Name").press("Enter");
    await page.getByText("The group was changed.").waitFor();
    await other.locator("main").getByRole("link", { name: "Handbook", exact: true }).waitFor();
    expect(await other.getByLabel("Description").inputValue()).toBe("Being written");
    await other.getByLabel("Description").blur();
    await other.getByText("The group was changed.").waitFor();

    expect(await findGroup(id)).toMatchObject({ name: "Handbook", description: "Being written" });
  });

  test("say what their links are, and lead to them", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (const status of ["dead", "dead", "active"] as const) {
      await setLink(server, await addLink(me, { group_id: group }), { status });
    }
    await addLink(me);
    await page.goto(GROUPS);

    const docs = row(page, "Docs");
    const hrefOf = (name: string) => docs.getByRole("link", { name }).getAttribute("href");
    expect(await hrefOf("3 links in Docs")).toBe(`/links?group_id=${group}`);
    expect(await hrefOf("2 dead in Docs")).toBe(`/links?status=dead&group_id=${group}`);
    expect(await hrefOf("1 alive in Docs")).toBe(`/links?status=active&group_id=${group}`);
    const rest = row(page, "No group").getByRole("link", { name: "1 link in no group" });
    expect(await rest.getAttribute("href")).toBe("/links?group_id=none");
  });

  test("come back when their deletion is undone", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    await addLink(me, { group_id: group });
    await addLink(me, { group_id: group });
    await addGroup(me, "Other");
    await page.goto(GROUPS);

    await removeInMenu(page, "Docs");
    await page.getByText("Docs was deleted. Its 2 links will be in no group.").waitFor();
    await row(page, "Docs").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();

    await row(page, "Docs").waitFor();
    expect(await findGroup(group)).toBeDefined();
  });

  test("are deleted when their page is left before the time to undo is over", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    await addLink(me, { group_id: group });
    await addGroup(me, "Other");
    await page.goto(GROUPS);

    await removeInMenu(page, "Docs");
    await row(page, "Docs").waitFor({ state: "detached" });
    expect(await findGroup(group)).toBeDefined();
    await page.goto("/links");

    await until(async () => (await findGroup(group)) === undefined);
    await page.goto(GROUPS);
    await page.getByRole("link", { name: "1 link in no group" }).waitFor();
  });

  test("start the check of all their links and say how many", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (let i = 0; i < 3; i++) await addLink(me, { group_id: group });
    await addGroup(me, "Empty");
    await page.goto(GROUPS);

    await page.getByRole("button", { name: "More for Docs" }).click();
    await page.getByRole("menuitem", { name: "Check all links now" }).click();

    await page.getByText("3 checks started in Docs.").waitFor();
    await page.getByRole("button", { name: "More for Empty" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Check all links now" }).count()).toBe(0);
  });

  test("are shown by hundreds, with the links in no group at the end", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    for (let i = 1; i <= 101; i++) await addGroup(me, `Group ${i}`);
    await page.goto(GROUPS);

    const lines = page
      .getByRole("list", { name: "Groups", exact: true })
      .last()
      .getByRole("listitem");
    await lines.first().waitFor();
    expect(await lines.count()).toBe(100);
    await page.getByRole("button", { name: "Show more" }).click();

    await page.locator("main").getByText("No group", { exact: true }).waitFor();
    expect(await lines.count()).toBe(102);
  });

  test("offer nothing to do to viewers", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await addGroup(await askerOf(server, accountId), "Docs");
    await page.goto(GROUPS);

    await row(page, "Docs").waitFor();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test.each([
    ["in light colors", { colorScheme: "light" }],
    ["in dark colors", { colorScheme: "dark" }],
    ["on a phone", { width: 360, height: 800 }],
  ] as const)("can be used by everyone %s", async (_, looks) => {
    const { server, user } = dashboard();
    const { page, accountId } = await user(looks);
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (const status of ["dead", "active", "unknown"] as const) {
      await setLink(server, await addLink(me, { group_id: group }), { status });
    }
    await page.goto(GROUPS);
    await row(page, "Docs").waitFor();

    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Edit Docs" }).click();
    expect(await faultsOf(page)).toEqual([]);
  });
});

const row = (page: Page, name: string) =>
  page
    .locator("main")
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name, exact: true }) });

async function removeInMenu(page: Page, name: string) {
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
}
