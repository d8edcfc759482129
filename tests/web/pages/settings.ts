import type { Page } from "playwright-core";

/** A section of the settings that is a list, such as groups, keys or people. */
export function settingsList(page: Page) {
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  return {
    main: page.locator("main"),
    press,
    say: (text: string) => page.getByText(text).waitFor(),
    /** The line about one of them. */
    row: (name: string) => page.getByRole("listitem").filter({ hasText: name }),
    /** Chooses from the menu of one of them. */
    async inMenu(name: string, deed: string) {
      await press(`More for ${name}`);
      await page.getByRole("menuitem", { name: deed }).click();
    },
  };
}
