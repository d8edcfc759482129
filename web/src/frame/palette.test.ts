import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../../../tests/browser.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";
import { askerOf, faultsOf } from "../../../tests/web/looking.ts";
import { go } from "../../../tests/web/pages.ts";

onDashboard("The palette", (dashboard) => {
  test("finds everything in one list, says which line is chosen, and carries out what can be done", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    await addGroup(me, "Pear orchards");
    const dead = await addLink(me, { url: "https://pears.example/dead" });
    await setLink(server, dead, { status: "dead" });
    await addLink(me, { url: "https://apples.example/pie" });
    await page.goto("/settings");
    await page.getByRole("link", { name: "Links 2" }).waitFor();

    await chooseLines(page);
    await find(page);
    await page.waitForURL(`/links/${dead}`);
    await actOnSelected(page);
    await command(page);
  });
});

/** The focus comes back to where it was. */
async function chooseLines(page: Page) {
  await page.getByRole("link", { name: "Sessions" }).focus();
  await page.keyboard.press("/");
  const field = page.getByRole("combobox");
  await field.fill("go to nothing at all");
  await page.getByText("Nothing matches.").waitFor();
  await field.fill("api");
  await page.getByRole("option", { name: "Settings: API keys", selected: true }).waitFor();
  await field.fill("t");
  await page.getByRole("option", { name: "Theme: system", selected: true }).waitFor();
  await field.press("ArrowDown");
  const chosen = page.getByRole("option", { name: "Theme: light", selected: true });
  await chosen.waitFor();
  expect(await field.getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
  await field.press("Escape");
  await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "Sessions");
}

/** Commands, links, sites, groups and pages. */
async function find(page: Page) {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search and commands" });
  await field.waitFor();
  await page.getByRole("option", { name: "Check all dead links now" }).waitFor();
  await field.pressSequentially("pear");
  await page.getByRole("option").filter({ hasText: "pears.example/dead" }).waitFor();
  await page.getByRole("option", { name: "pears.example 1 link, 1 dead" }).waitFor();
  await page.getByRole("option", { name: "Pear orchards 0 links" }).waitFor();
  expect(await page.getByRole("option", { name: "apples" }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await field.press("Enter");
}

/** It begins with what can be done with the selected links, or the current one. */
async function actOnSelected(page: Page) {
  await go(page, "/links");
  await page.locator(".rows > .row").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  expect(await page.getByRole("option", { name: /^(Check now|Delete)/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Check now 1 link", selected: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: "Select all 2 links" }).click();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Check now 2 links", selected: true }).waitFor();
  await page.getByRole("option", { name: "Delete 2 links" }).waitFor();
  await page.getByRole("option", { name: "Move to a group 2 links" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pear orchards" }).click();
  await page.getByText("2 links were moved to Pear orchards.").waitFor();
}

async function command(page: Page) {
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Check all dead links now" }).click();
  await page.getByText("Checking 1 dead link.").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
}
