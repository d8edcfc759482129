import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { addGroup, addLink } from "../rows.ts";
import { askerOf } from "./looking.ts";

onDashboard("The keyboard", (dashboard) => {
  async function withGroups(...names: string[]) {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    for (const name of names) await addGroup(me, name);
    await addLink(me);
    await page.goto("/settings/groups");
    await page.getByRole("link", { name: names[0]! }).first().waitFor();
    return page;
  }

  test("leads to each place by two keys, and not while someone types", async () => {
    const page = await withGroups("Docs");

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
  });

  test("has single keys that can be switched off, except the one for help", async () => {
    const page = await withGroups("Docs");

    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByRole("checkbox", { name: "Use single keys" }).uncheck();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.keyboard.press("/");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/settings/groups");
    await page.keyboard.press("?");
    await help.getByRole("checkbox", { name: "Use single keys" }).check();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("n");

    await page.waitForURL("/alerts");
  });

  test("goes on in the page when the row that had the focus was deleted", async () => {
    const page = await withGroups("Apples", "Pears");

    const more = page.getByRole("button", { name: "More for Pears" });
    await more.press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    await page
      .getByRole("main")
      .getByRole("link", { name: "Pears" })
      .waitFor({ state: "detached" });

    await page.locator("#main:focus, #main :focus").waitFor({ state: "attached" });
  });

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
