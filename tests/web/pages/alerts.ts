import type { Locator, Page } from "playwright-core";

/** The messages in the list whose row says this. */
export const messageRow = (page: Page, text: string): Locator =>
  page.getByRole("list", { name: "Messages" }).locator("li").filter({ hasText: text });

/** Chooses from the menu of the only alert in the list. */
export async function choose(page: Page, deed: string) {
  await page.getByRole("button", { name: /^More about / }).click();
  await page.getByRole("menuitem", { name: deed }).click();
}
