import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createSession, endSessionsOf } from "../../server/accounts/sessions.ts";
import { onDashboard } from "../browser.ts";
import { PASSWORD } from "../session/browser.ts";
import { setPassword } from "./actors.ts";
import { addButton, sheet, urlsField, verdictsOn } from "./adding.ts";
import { readingsOf } from "./held.ts";
import { faultsOf } from "./looking.ts";
import { emailOn, go } from "./pages.ts";

const GROUPS = "/settings/groups";
const KEYS = "/settings/keys";

onDashboard("Work that is interrupted", (dashboard) => {
  /** Someone with a password, and what ends all of their sessions. */
  async function signedIn() {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const owner = await setPassword(server.deps, accountId);
    const nothingIsRead = readingsOf(page);
    const end = async () => {
      await nothingIsRead();
      await endSessionsOf(server.deps.store, owner.id);
    };
    return { page, end, owner };
  }

  test("what was typed and chosen outlives the session, and while no one is signed in nothing of the page can be seen or pressed", async () => {
    const { page, end } = await signedIn();
    await page.goto(GROUPS);
    await typeIntoForm(page, end);
    await go(page, "/links?add");
    await typeIntoSheet(page, end);
    await page.keyboard.press("Escape");
    await go(page, KEYS);
    await seeNothing(page, end);
  });

  async function typeIntoForm(page: Page, end: () => Promise<void>) {
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Handbook");
    await page.getByLabel("Description").fill("Half a page of thoughts");

    await end();
    await page.getByRole("button", { name: "Create group" }).click();
    await signInAgain(page);

    expect(await page.getByLabel("Description").inputValue()).toBe("Half a page of thoughts");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByText("Handbook was created.").waitFor();
    await page.getByRole("main").getByText("Half a page of thoughts").waitFor();
  }

  async function typeIntoSheet(page: Page, end: () => Promise<void>) {
    await urlsField(page).fill("https://example.org/kept");
    await sheet(page).getByLabel("Checked").selectOption("hourly");
    await addButton(page, "Add 1 link").waitFor();

    await end();
    await urlsField(page).press("Control+Enter");
    await signInAgain(page);

    await addButton(page, "Add 1 link").click();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();
    await sheet(page).getByText("example.org/kept").waitFor();
    expect(await verdictsOn(page)).toContainEqual(expect.stringContaining("example.org/kept"));
    await sheet(page).getByText("Checked hourly").waitFor();
  }

  async function seeNothing(page: Page, end: () => Promise<void>) {
    await page.getByText("No API keys").waitFor();
    const newKey = page.getByRole("button", { name: "New key" });
    expect(await newKey.evaluate(isHit)).toBe(true);

    await end();
    await lookBack(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");

    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const backdrop = await page
      .locator("dialog.cover")
      .evaluate((dialog) => getComputedStyle(dialog, "::backdrop").backgroundColor);
    expect(backdrop).toMatch(/^(rgb|oklch|lab)\([^/]+\)$/);
    expect(await faultsOf(page, "dialog.cover")).toEqual([]);
    expect(await newKey.isVisible()).toBe(true);
    expect(await newKey.evaluate(isHit)).toBe(false);
  }

  test("someone who signs in instead of another finds nothing of theirs", async () => {
    const { server, account } = dashboard();
    const { store, clock } = server.deps;
    const { page, owner: mine } = await signedIn();
    const other = await setPassword(server.deps, await account());
    await page.goto(GROUPS);
    await page.getByRole("button", { name: "New group" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Only mine");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByRole("main").getByRole("link", { name: "Only mine", exact: true }).waitFor();

    const token = await createSession(store, other.id, clock.now());
    await page
      .context()
      .addCookies([{ name: "session", value: token, url: server.url, httpOnly: true }]);
    await endSessionsOf(store, mine.id);
    await lookBack(page);

    await page.getByText("No groups yet").waitFor();
    expect(await emailOn(page)).toBe(other.email);
    expect(await page.getByText("Only mine").count()).toBe(0);
  });

  test("a page that an upgrade has taken away is there after one reload", async () => {
    const { page } = await signedIn();
    let isNew = false;
    await page.route("**/assets/alerts-*.js", (route) =>
      isNew ? route.continue() : route.fulfill({ status: 404 }),
    );
    await page.route("**/alerts", async (route) => {
      if (!route.request().isNavigationRequest()) {
        const html = (await (await route.fetch()).text()).replace(/index-[\w-]+\.js/, "index-2.js");
        return route.fulfill({ body: html, contentType: "text/html" });
      }
      isNew = true;
      return route.continue();
    });
    await page.goto(KEYS);
    await page.getByText("No API keys").waitFor();

    await page.getByRole("link", { name: "Alerts" }).click();

    await page.getByText("No alerts yet").waitFor();
    expect(isNew).toBe(true);
  });

  test("a page that cannot be loaded says so, and reloads until it can, even if the browser gives up a reload", async () => {
    const { page } = await signedIn();
    await page.route("**/assets/alerts-*.js", (route) => route.abort());
    let reloads = 0;
    const givenUp = Promise.withResolvers<void>();
    await page.route("**/alerts", async (route) => {
      if (!route.request().isNavigationRequest()) return route.continue();
      reloads += 1;
      if (reloads !== 2) return route.continue();
      await page.unroute("**/assets/alerts-*.js");
      // The document stays when the answer has no content.
      await route.fulfill({ status: 204 });
      givenUp.resolve();
    });

    await page.goto(KEYS);
    await page.getByText("No API keys").waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isOld: true }));
    await page.getByRole("link", { name: "Alerts" }).click();
    await page.waitForFunction(() => !("isOld" in globalThis));
    await page.getByText("This page could not be loaded").waitFor();
    await page.clock.runFor(6_000);
    await givenUp.promise;
    await page.clock.runFor(6_000);

    await page.getByText("No alerts yet").waitFor();
    expect(reloads).toBe(3);
  });

  test("what stands before the server and fails is reported in words, and a page that takes long is said to be on its way, where pressing twice does it once", async () => {
    const { page } = await signedIn();
    const arrived = Promise.withResolvers<void>();
    await page.route("**/assets/alerts-*.js", (route) =>
      arrived.promise.then(() => route.continue()),
    );
    await page.goto(GROUPS);
    await failWithEachStatus(page);
    await page.getByRole("link", { name: "Alerts" }).click();
    await page.locator("#main[aria-busy=true]").waitFor({ state: "attached" });
    arrived.resolve();
    await page.getByRole("heading", { name: "No alerts yet", exact: true }).waitFor();
    await page.locator("#main[aria-busy=false]").waitFor();
    await go(page, KEYS);
    await pressTwice(page);
  });

  async function failWithEachStatus(page: Page) {
    let status = 0;
    await page.route("**/dashboard/api/groups", (route) =>
      route.fulfill({ status, contentType: "text/html", body: "<h1>Trouble</h1>" }),
    );
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Handbook");

    for (status of [500, 502, 503, 504, 429, 413]) {
      await page.getByRole("button", { name: "Create group" }).click();
      await page.getByRole("alert").getByText(`(status ${status})`).waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Handbook");
    }
  }

  async function pressTwice(page: Page) {
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/dashboard/api/keys") && request.method() === "POST") asked += 1;
    });
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Nightly import");
    await page.getByRole("button", { name: "Create key" }).dblclick();

    await page.getByRole("heading", { name: "Key created" }).waitFor();
    expect(asked).toBe(1);
  }
});

/** Comes back to the tab from another one. */
const lookBack = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

/** Whether a press on its middle reaches the element. */
function isHit(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}

async function signInAgain(page: Page) {
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const password = page.getByLabel("Password", { exact: true });
  await password.fill(PASSWORD);
  await password.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor({ state: "hidden" });
}
