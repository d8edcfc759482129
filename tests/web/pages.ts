import type { Page } from "playwright-core";

/** A page to look at: what it is called, where it is, and what is done there first. */
export type Sight = { name: string; path: string; prepare?: (page: Page) => Promise<void> };

/** Whoever is not signed in sees these. */
export const DOORS: Sight[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "password", path: "/password" },
];

/** Every page of a signed-in user; of those about one thing, one that is there. */
export const pagesFor = (ids: {
  deadLink: string;
  activeLink: string;
  webhook: string;
}): Sight[] => [
  { name: "overview", path: "/" },
  { name: "links", path: "/links" },
  { name: "links-dead", path: "/links?status=dead&sort=-status_changed_at" },
  { name: "links-none", path: "/links?search=nowhere-to-be-found" },
  { name: "links-new", path: "/links/new" },
  { name: "link-dead", path: `/links/${ids.deadLink}` },
  { name: "link-active", path: `/links/${ids.activeLink}?span=30d` },
  { name: "groups", path: "/groups" },
  { name: "history", path: "/history" },
  { name: "history-changes", path: "/history?changed=true" },
  { name: "webhooks", path: "/webhooks" },
  { name: "webhook", path: `/webhooks/${ids.webhook}` },
  { name: "keys", path: "/keys" },
  { name: "people", path: "/people" },
  { name: "activity", path: "/activity" },
  { name: "activity-all", path: "/activity?all=true&from=2030-01-01" },
  { name: "activity-none", path: "/activity?action=backup.restored" },
  { name: "account", path: "/account" },
  { name: "admin", path: "/admin" },
  { name: "not-found", path: "/links/nothing" },
];

/** Waits until what the page asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("#main h1, .doorway h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));
}
