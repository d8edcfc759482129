import type { Page } from "playwright-core";

/** The page of one link. */
export const linkPage = (page: Page) => ({
  url: page.locator("h1 .url"),
  showAll: page.getByRole("button", { name: "Show all", exact: true }),
  verdict: page.locator(".stamp"),
  /** The lines of the evidence, without its lists. */
  report: page.locator(".proofcard .report > li"),
  strip: page.locator(".strip.full"),
  /** What the strip says of the run that is chosen in it. */
  named: page.locator(".axis output"),
  runs: page.locator(".runs > li"),
  checksOf: (run: number) => page.locator(".runs > li").nth(run).locator(".checks > li"),
  alerts: page.locator(".alerts-sent li"),
  about: page.locator(".about"),
  heading: (name: string | RegExp) => page.getByRole("heading", { name }),
  async edit() {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    return page.getByRole("dialog", { name: "Edit link" });
  },
});
