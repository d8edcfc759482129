import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { addGroup, addLink } from "../rows.ts";
import { askerOf } from "./looking.ts";

const GROUPS = "/settings/groups";

onDashboard("The keyboard", (dashboard) => {
  test("leads to places while no one types, has single keys that can be switched off, and goes on where a row was", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    for (const name of ["Apples", "Pears"]) await addGroup(me, name);
    await addLink(me);
    await page.goto(GROUPS);
    await page.getByRole("link", { name: "Apples" }).first().waitFor();
    await deleteByKeys(page);
    await switchOff(page);
    await goToEachPlace(page);
  });

  /** Then the focus is in the page, not nowhere. */
  async function deleteByKeys(page: Page) {
    await page.getByRole("button", { name: "More for Pears" }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    const pears = page.getByRole("main").getByRole("link", { name: "Pears" });
    await pears.waitFor({ state: "detached" });
    await page.locator("#main:focus, #main :focus").waitFor({ state: "attached" });
  }

  /** All but the key for help. */
  async function switchOff(page: Page) {
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByRole("checkbox", { name: "Use single keys" }).uncheck();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.keyboard.press("/");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe(GROUPS);
    await page.keyboard.press("?");
    await help.getByRole("checkbox", { name: "Use single keys" }).check();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  }

  async function goToEachPlace(page: Page) {
    for (const [key, path] of [
      ["l", "/links"],
      ["s", "/sites"],
      ["c", "/changes"],
      ["n", "/alerts"],
      ["o", "/"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(key!);
      await page.waitForURL(path!);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").pressSequentially("gl?");
    expect(await page.getByRole("combobox").inputValue()).toBe("gl?");
    expect(new URL(page.url()).pathname).toBe("/");
  }

  test("is enough to add a link", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();
    const add = page.getByRole("button", { name: "Add links" });

    for (let presses = 0; presses < 30 && !(await isFocused(add)); presses++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "URLs" });
    await field.waitFor();
    expect(await isFocused(field)).toBe(true);
    await page.keyboard.type("https://example.org/typed");
    await page.keyboard.press("Control+Enter");

    await page.getByRole("heading", { name: "1 link added" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("row", { name: /typed/ }).waitFor();
  });
});

const isFocused = (element: Locator) => element.evaluate((it) => it === document.activeElement);
