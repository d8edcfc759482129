import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { addGroup, addLink, setLink } from "../rows.ts";
import { askerOf, faultsOf } from "./looking.ts";

onDashboard("The groups page", (dashboard) => {
  test("makes a group of a name, a description and a colour of one's own", async () => {
    const { page } = await dashboard().user();
    await page.goto("/groups");

    await page.getByRole("button", { name: "Create your first group" }).click();
    await page.getByLabel("Name").fill("Handbook");
    await page.getByLabel("Description").fill("What new people\tread first\r\nand last");
    await page.getByRole("radio", { name: "Violet" }).check();
    expect(await page.getByLabel("Colour code").inputValue()).toBe("#7668E0");
    await page.getByLabel("Colour code").fill("#12ab9f");
    await page.getByRole("button", { name: "Create group" }).click();

    await page.getByText("The group was created.").waitFor();
    await row(page, "Handbook").getByText("What new people read first and last").waitFor();
    await page.getByRole("button", { name: "Edit Handbook" }).click();
    const description = await page.getByLabel("Description").inputValue();
    expect(description).toBe("What new people read first\nand last");
    expect(await page.getByLabel("Colour code").inputValue()).toBe("#12AB9F");
    expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
  });

  test("keeps what was typed when it is refused, and says why beside the field", async () => {
    const { page } = await dashboard().user();
    await page.goto("/groups");

    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name").fill("Typed");
    await page.getByLabel("Colour code").fill("teal");
    await page.getByRole("button", { name: "Create group" }).click();

    await page.getByText("Colour must be a colour of the form #RRGGBB").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Typed");
    expect(await page.getByLabel("Colour code").inputValue()).toBe("teal");
  });

  test("changes a group and shows it under its new name", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addGroup(await askerOf(server, accountId), "Old");
    await page.goto("/groups");

    await page.getByRole("button", { name: "Edit Old" }).click();
    await page.getByLabel("Name").fill("New");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByText("The group was changed.").waitFor();
    await page.getByRole("link", { name: "New", exact: true }).waitFor();
    expect(await page.getByText("Old", { exact: true }).count()).toBe(0);
  });

  test("tells of each group what its links are, and leads to them", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (const status of ["dead", "dead", "active"] as const) {
      await setLink(server, await addLink(me, { group_id: group }), { status });
    }
    await addLink(me);
    await page.goto("/groups");

    const docs = row(page, "Docs");
    const hrefOf = (name: string) => docs.getByRole("link", { name }).getAttribute("href");
    expect(await hrefOf("3 links in Docs")).toBe(`/links?group_id=${group}`);
    expect(await hrefOf("2 dead in Docs")).toBe(`/links?status=dead&group_id=${group}`);
    expect(await hrefOf("1 alive in Docs")).toBe(`/links?status=active&group_id=${group}`);
    const rest = row(page, "No group").getByRole("link", { name: "1 link in no group" });
    expect(await rest.getAttribute("href")).toBe("/links?group_id=none");
  });

  test("says before a group is deleted what becomes of its links", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    await addLink(me, { group_id: group });
    await addLink(me, { group_id: group });
    await addGroup(me, "Other");
    await page.goto("/groups");

    await page.getByRole("button", { name: "Delete Docs" }).click();
    await page.getByText("Its 2 links are kept and checked as before, in no group.").waitFor();
    await page.getByRole("button", { name: "Delete group" }).click();

    await page.getByText("The group was deleted.").waitFor();
    await page.getByRole("link", { name: "2 links in no group" }).waitFor();
    expect(await page.getByText("Docs").count()).toBe(0);
  });

  test("starts the check of all links of a group and says of how many", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (let i = 0; i < 3; i++) await addLink(me, { group_id: group });
    await addGroup(me, "Empty");
    await page.goto("/groups");

    await page.getByRole("button", { name: "Check all links in Docs now" }).click();

    await page.getByText("3 checks started in Docs.").waitFor();
    expect(
      await page.getByRole("button", { name: "Check all links in Empty now" }).isDisabled(),
    ).toBe(true);
  });

  test("is told in pages, with the links in no group at the end of the last", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    for (let i = 1; i <= 26; i++) await addGroup(me, `Group ${i}`);
    await page.goto("/groups");

    await page.getByText("of 26 groups").waitFor();
    expect(await page.getByText("No group", { exact: true }).count()).toBe(0);
    await page.goto("/groups?page=2");

    await page.getByText("No group", { exact: true }).waitFor();
    expect(await page.locator("#main").getByRole("listitem").count()).toBe(2);
  });

  test("offers nothing to do to whoever may only look", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await addGroup(await askerOf(server, accountId), "Docs");
    await page.goto("/groups");

    await page.getByRole("link", { name: "Docs", exact: true }).waitFor();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test.each([
    ["by day", { colorScheme: "light" }],
    ["by night", { colorScheme: "dark" }],
    ["on a telephone", { width: 360, height: 800 }],
  ] as const)("can be read by everybody %s", async (_, looks) => {
    const { server, user } = dashboard();
    const { page, accountId } = await user(looks);
    const me = await askerOf(server, accountId);
    const group = await addGroup(me, "Docs");
    for (const status of ["dead", "active", "unknown"] as const) {
      await setLink(server, await addLink(me, { group_id: group }), { status });
    }
    await page.goto("/groups");
    await page.getByRole("link", { name: "Docs", exact: true }).waitFor();

    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Edit Docs" }).click();
    expect(await faultsOf(page)).toEqual([]);
  });
});

const row = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });
