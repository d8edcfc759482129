import type { Page } from "playwright-core";

/** The list of links. */
export const linksPage = (page: Page) => ({
  rows: page.locator(".rows > .row"),
  /** The row whose URL ends so. */
  row: (path: string) =>
    page.locator(".rows > .row").filter({ has: page.locator(`.url[title$="${path}"]`) }),
  focused: (url: string) =>
    page.locator(".rows > .row:focus").filter({ has: page.locator(`.url[title="${url}"]`) }),
  search: page.getByRole("searchbox"),
  count: (text: string) => page.getByText(text, { exact: true }),
  status: (name: string) =>
    page.getByRole("group", { name: "State" }).getByRole("button", { name }),
  without: (filter: string) => page.getByRole("button", { name: `Remove the filter: ${filter}` }),
  async filterBy(text: string) {
    await page.locator("body").press("f");
    await page.getByRole("searchbox", { name: "Search: Add a filter" }).fill(text);
    await page.getByRole("dialog").getByRole("button", { name: text }).first().click();
  },
  /** Waits until the rows are these, by the last part of their URLs. */
  urlsAre: (names: string[]) =>
    page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll(".rows .url")]
          .map((url) => url.getAttribute("title")?.split("/").at(-1))
          .join() === wanted,
      names.join(),
    ),
  drawer: page.locator("aside.drawer"),
  pick: (url: string) => page.getByRole("checkbox", { name: `Select ${url}`, exact: true }),
  all: page.getByRole("checkbox", { name: /^Select all/ }),
  /** What says how many links are selected, and what can be done with them. */
  bar: page.getByRole("toolbar", { name: "selected" }),
  selected: (count: string) =>
    page.getByRole("toolbar", { name: "selected" }).getByText(`${count} selected`, { exact: true }),
});
