import type { Page } from "playwright-core";
import { PASSWORD } from "../session/browser.ts";

/*
 * Twelve stories go all the way, from what a person does in the browser to what the outside world gets, and back:
 *
 * - journey.test.ts: from the printed link to first verdicts, a signed message and a key that works
 * - add.test.ts: a list is added, checked, and taken back
 * - triage.test.ts: two people handle what is dead
 * - selection.test.ts: many links are moved between groups, checked, changed and deleted
 * - sources.test.ts: the address of a site becomes a source, with its first dead link
 * - alerts.test.ts: a webhook is called, with a secret that is rotated
 * - mail.test.ts: a message asks its recipient, who confirms, unsubscribes and comes back
 * - keys.test.ts: a key is made, rotated and revoked
 * - people.test.ts: someone is invited and signs in
 * - account.test.ts: two-factor sign-in is turned on, used and turned off
 * - single-sign-on.test.ts: the provider is linked and signs people in
 * - backups.test.ts: a backup is made, downloaded and deleted
 *
 * The other stories are about looks, keys and words, each of one page for as long as it can be.
 */

/** A page to look at: what it is called, where it is, and what is done there first. */
export type Sight = { name: string; path: string; prepare?: (page: Page) => Promise<void> };

/** Everyone who is not signed in sees these. */
export const DOORS: Sight[] = [
  { name: "sign-in", path: "/sign-in" },
  { name: "password", path: "/password" },
  { name: "invitation", path: "/invitation" },
];

/** Every page of a signed-in user; of those about one thing, one that is there. */
export const pagesFor = (ids: {
  deadLink: string;
  unknownLink: string;
  activeLink: string;
  webhook: string;
  source: string;
  smallSource: string;
  page: string;
}): Sight[] => [
  { name: "overview", path: "/" },
  { name: "links", path: "/links" },
  { name: "links-dead", path: "/links?status=dead&sort=-status_changed_at" },
  { name: "links-none", path: "/links?search=nowhere-to-be-found" },
  { name: "link-dead", path: `/links/${ids.deadLink}` },
  { name: "link-unknown", path: `/links/${ids.unknownLink}` },
  { name: "link-alive", path: `/links/${ids.activeLink}` },
  { name: "sites", path: "/sites" },
  { name: "domains", path: "/domains" },
  { name: "domains-none", path: "/domains?search=nowhere-to-be-found" },
  { name: "sites-none", path: "/sites?search=nowhere-to-be-found" },
  { name: "sources", path: "/sources" },
  { name: "source", path: `/sources/${ids.source}` },
  { name: "source-small", path: `/sources/${ids.smallSource}` },
  { name: "source-page", path: `/sources/${ids.source}/pages/${ids.page}` },
  { name: "changes", path: "/changes" },
  { name: "changes-none", path: "/changes?kind=moved&days=7&site=nowhere.example" },
  { name: "alerts", path: "/alerts" },
  { name: "alert", path: `/alerts/${ids.webhook}` },
  ...[
    ...["profile", "sessions", "two-factor", "people", "groups", "views", "hosts", "keys"],
    ...["import-export", "activity", "backups", "accounts", "installation"],
  ].map((section) => ({ name: `settings-${section}`, path: `/settings/${section}` })),
  { name: "settings-activity-none", path: "/settings/activity?action=backup.restored" },
  { name: "not-found", path: "/links/nothing" },
  { name: "not-found-anywhere", path: "/nowhere" },
];

/** Waits until what the page asked for is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("#main h1, .door h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading, [aria-busy=true]"));
}

/** Goes there as a link of the dashboard leads there, which does not load all of it again. */
export async function go(page: Page, path: string): Promise<void> {
  if (page.url() === "about:blank") await page.goto(path);
  else {
    await page.evaluate(follow, path);
    await page.waitForFunction(twoFrames);
  }
}

const follow = (path: string) => {
  const link = document.body.appendChild(document.createElement("a"));
  link.href = path;
  link.click();
  link.remove();
};

/** Until then the page does not show whether the next one has to load. */
const twoFrames = () =>
  new Promise<boolean>((shown) =>
    requestAnimationFrame(() => requestAnimationFrame(() => shown(true))),
  );

/** The same, and waits until it is there. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await go(page, path);
  await settled(page);
}

/** Fills in the form of the sign-in page, and sends it. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  const form = page.locator("form.sign-in");
  await form.getByLabel("E-mail").fill(email);
  await form.getByLabel("Password", { exact: true }).fill(password);
  await form.getByRole("button", { name: "Sign in" }).click();
}

/** Opens what the person can do with their own session. */
const openPersonal = (page: Page) =>
  page.getByRole("button", { name: "Theme and sign out" }).click();

export async function signOut(page: Page): Promise<void> {
  await openPersonal(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

/** Who is signed in. */
export async function emailOn(page: Page): Promise<string> {
  await openPersonal(page);
  const text = await page.getByRole("menuitem", { name: "Sign out" }).textContent();
  await page.keyboard.press("Escape");
  return text!.replace("Sign out ", "");
}

/** Waits until the browser would ask before the page is left, or would not. */
export const asksBeforeLeaving = (page: Page, isAsking: boolean) =>
  page.waitForFunction(
    (wanted) => dispatchEvent(new Event("beforeunload", { cancelable: true })) !== wanted,
    isAsking,
  );
