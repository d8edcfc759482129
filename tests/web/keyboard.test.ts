import { expect, test } from "bun:test";
import { operatorOf } from "../../server/accounts/users.ts";
import { createLink } from "../../server/links/create.ts";
import { onDashboard } from "../browser.ts";

onDashboard("The keyboard", (dashboard) => {
  async function withLinks() {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const caller = await operatorOf(server.deps, accountId);
    for (const path of ["apples", "pears"]) {
      await createLink(server.deps, caller, { url: `https://example.org/${path}` });
    }
    return page;
  }

  test("/ leads to the search of the links from a page that has none", async () => {
    const page = await withLinks();
    await page.goto("/groups");
    await page.getByText("No groups yet").waitFor();

    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement?.matches("[type=search]"));
    await page.keyboard.type("pears");

    await page.waitForURL("/links?search=pears");
    await page.goBack();
    await page.waitForURL("/groups");
  });

  test("its single keys work while a box that can be ticked has the focus", async () => {
    const page = await withLinks();
    await page.goto("/links");

    await page.getByRole("checkbox", { name: "Select https://example.org/pears" }).focus();
    await page.keyboard.press("g");
    await page.keyboard.press("w");

    await page.waitForURL("/webhooks");
  });

  test("what is typed while the list is searched already is not lost", async () => {
    const page = await withLinks();
    await page.goto("/links");
    const field = page.getByRole("searchbox");
    await field.waitFor();
    await page.evaluate(() => {
      const replace = history.replaceState.bind(history);
      history.replaceState = (...all) => {
        history.replaceState = replace;
        replace(...all);
        const input = document.querySelector<HTMLInputElement>("[type=search]")!;
        input.value = "pears";
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      };
    });

    await field.fill("pear");

    await page.waitForURL("/links?search=pears");
    expect(await field.inputValue()).toBe("pears");
  });

  test("goes on in the page when the row that had the focus was deleted", async () => {
    const page = await withLinks();
    await page.goto("/links");

    await page.getByRole("button", { name: "Delete https://example.org/pears" }).press("Enter");
    await page.getByRole("button", { name: "Delete link" }).press("Enter");
    await page
      .getByRole("link", { name: "https://example.org/pears", exact: true })
      .waitFor({ state: "detached" });

    const place = page.locator("#main:focus, #main :focus");
    await place.waitFor({ state: "attached" });
  });
});
