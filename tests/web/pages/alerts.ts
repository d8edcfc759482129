import type { Locator, Page } from "playwright-core";

/** The list of alerts with their messages, and the page of one. */
export function alertsPage(page: Page) {
  const press = (name: string) => page.getByRole("button", { name }).click();
  /** Chooses from the menu of the only alert in the list. */
  async function choose(deed: string) {
    await page.getByRole("button", { name: /^More about / }).click();
    await page.getByRole("menuitem", { name: deed }).click();
  }
  /** Reads the secret in the only moment in which it is shown, and puts it away. */
  async function shownSecret(): Promise<string> {
    const value = await page.getByLabel("Signing secret", { exact: true }).inputValue();
    await press("Done");
    return value;
  }
  return {
    press,
    choose,
    shownSecret,
    async newSecret(grace: string): Promise<string> {
      await choose("Rotate secret");
      await page.getByLabel("The old secret expires").selectOption(grace);
      await press("Create secret");
      return shownSecret();
    },
    /** The messages in the list whose row says this. */
    message: (text: string): Locator =>
      page.getByRole("list", { name: "Messages" }).locator("li").filter({ hasText: text }),
    heading: (name: string) => page.getByRole("heading", { name }).waitFor(),
    url: page.getByLabel("URL"),
    name: page.getByLabel("Name", { exact: true }),
    /** Unfolds the single events. */
    unfold: () => page.getByText("Choose single events").click(),
    event: (type: string) => page.getByLabel(type),
    /** Ticks one of what a button of the form offers. */
    async tick(button: string, item: string) {
      await press(button);
      await page.getByRole("dialog").getByRole("button", { name: item, exact: true }).click();
    },
  };
}
