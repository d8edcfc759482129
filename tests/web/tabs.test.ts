import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startSite } from "../site.ts";
import { urlsField } from "./adding.ts";
import { navigate, onInstalled, openSection, row, setUp, signIn } from "./on-installed.ts";

const PAGE = "<title>Fine</title><p>A page about something, with enough to read on it.</p>";

onInstalled("Whoever has the dashboard open twice", (installation) => {
  let isSetUp = false;

  /** Someone signed in, at the overview. */
  async function user() {
    const { installed, stranger } = installation();
    const visitor = await stranger();
    if (!isSetUp) await setUp(visitor.page, installed.setupUrl);
    await visitor.page.goto("/");
    if (isSetUp) await signIn(visitor.page);
    isSetUp = true;
    await visitor.page
      .getByRole("heading", { level: 1, name: /What should stay up|link/ })
      .waitFor();
    return visitor;
  }

  test("sees in one tab what is done in the other, without loading it again", async () => {
    const site = startSite({ "/page": [PAGE, 410] });
    const first = await user();
    const second = await installation().tab(first);
    await second.page.goto("/links");
    await second.page.getByText("No links yet").waitFor();
    await isNotReloaded(second.page, async () => {
      await addLink(first.page, `${site.url}/page`);
      await row(second.page, "/page").getByText("Alive", { exact: true }).waitFor(THERE);

      await navigate(first.page, "Links");
      await row(first.page, "/page").hover();
      await row(first.page, "/page").getByRole("button", { name: "Check now" }).click();
      await row(second.page, "/page").getByText("Dead", { exact: true }).waitFor(THERE);

      await openSection(second.page, "Groups");
      await second.page.getByText("No groups yet").waitFor();
      await makeGroup(first.page, "Handbook");
      await second.page
        .getByRole("main")
        .getByRole("link", { name: "Handbook", exact: true })
        .waitFor();
    });
    await site.stop();
  });

  test("keeps what was typed when the session is ended from elsewhere", async () => {
    const { page } = await user();
    const { page: elsewhere } = await user();
    await navigate(page, "Links");
    await page.keyboard.press("a");
    await urlsField(page).fill("https://example.org/typed\nhttps://example.org/too");

    await openSection(elsewhere, "Sessions");
    await elsewhere.getByRole("button", { name: /^End (the other|all)/ }).click();
    await elsewhere.getByRole("dialog").getByRole("button", { name: /^End/ }).click();
    await elsewhere.getByText(/(has|have) ended\.$/).waitFor();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(page);

    expect(await urlsField(page).inputValue()).toBe(
      "https://example.org/typed\nhttps://example.org/too",
    );
  });
});

onInstalled("A page that is open while the server is started anew", (installation) => {
  test("says that it is not connected, comes back by itself, and goes on without being loaded again", async () => {
    const { installed, stranger } = installation();
    const site = startSite({ "/meanwhile": PAGE, "/after": PAGE });
    const { page } = await stranger();
    const key = await setUp(page, installed.setupUrl);
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();

    await isNotReloaded(page, async () => {
      await installed.stop();
      await page.getByText("Data may be out of date.").waitFor();
      await installed.start();
      await addThroughApi(`${installed.url}/api/v1/links`, key, `${site.url}/meanwhile`);

      await row(page, "/meanwhile").getByText("Alive", { exact: true }).waitFor(THERE);
      expect(await page.getByText("Connection lost").count()).toBe(0);
      await addLink(page, `${site.url}/after`);
      await page.getByRole("button", { name: "1 new" }).click();
      await row(page, "/after").getByText("Alive", { exact: true }).waitFor(THERE);
    });
    await site.stop();
  });

  test("opens a page that it has not had yet once the server is back", async () => {
    const { installed, stranger } = installation();
    const { page } = await stranger();
    // It loads all pages in free moments, and may have had one before the server has ended.
    await page.addInitScript(() => {
      const whenFree = window.requestIdleCallback.bind(window);
      window.requestIdleCallback = (callback, options) =>
        options?.timeout === undefined ? 0 : whenFree(callback, options);
    });
    await page.goto("/");
    await signIn(page);
    await page.getByRole("button", { name: "Theme and sign out" }).waitFor();

    await installed.stop();
    await navigate(page, "Changes");
    await page.getByText("This page could not be loaded").waitFor();
    await installed.start();

    await page.getByRole("heading", { name: "Changes", level: 1 }).waitFor();
  });
});

/** The word of a status is for those who cannot see its shape. */
const THERE = { state: "attached" } as const;

async function addLink(page: Page, url: string) {
  await page.keyboard.press("a");
  await urlsField(page).fill(url);
  await urlsField(page).press("Control+Enter");
  await page.getByRole("heading", { name: "1 link added" }).waitFor();
  await page.keyboard.press("Escape");
}

async function makeGroup(page: Page, name: string) {
  await openSection(page, "Groups");
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByText(`${name} was created.`).waitFor();
}

/** Leaves a mark that a page does not survive being loaded again with. */
async function isNotReloaded(page: Page, deeds: () => Promise<void>) {
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
  await deeds();
  expect(await page.evaluate(() => "isSame" in globalThis)).toBe(true);
}

async function addThroughApi(address: string, key: string, url: string) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ url }),
  });
  expect(answer.status).toBe(201);
}
