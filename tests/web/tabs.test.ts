import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { createAccount, operatorOf } from "../../server/accounts/users.ts";
import { openDeps } from "../../server/app/build.ts";
import { readConfig } from "../../server/ground/config/config.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";
import { makeChange } from "../../server/work/unit.ts";
import { ALIVE, checkAll, GONE } from "../batches/playing.ts";
import { onDashboard, openTab } from "../browser.ts";
import { newFolder } from "../installed.ts";
import { openBrowser } from "../session/browser.ts";
import { startSite } from "../site.ts";
import { setPassword } from "./actors.ts";
import { openAdd, urlsField } from "./adding.ts";
import { navigate, onInstalled, openSection, row } from "./on-installed.ts";
import { signIn } from "./pages.ts";

const PAGE = "<title>Fine</title><p>A page about something, with enough to read on it.</p>";

onDashboard("Someone who has the dashboard open twice", (dashboard) => {
  test("sees in one tab what is done in the other, without loading it again, and keeps what was typed when the session is ended from elsewhere", async () => {
    const { server, user } = dashboard();
    const { page: first, accountId } = await user();
    const { email, id } = await setPassword(server.deps, accountId);
    await first.goto("/links");
    const { page: second, complaints } = await openTab(first, server);
    await second.goto("/links");
    await second.getByText("No links yet").waitFor();
    await isNotReloaded(second, async () => {
      await addLink(first, "https://example.org/page");
      await checkAll(server, () => ALIVE);
      await row(second, "/page").getByText("Alive", { exact: true }).waitFor(THERE);

      await row(first, "/page").hover();
      await row(first, "/page").getByRole("button", { name: "Check now" }).click();
      await first.getByText("Checking 1 link.").waitFor();
      await checkAll(server, () => GONE);
      await row(second, "/page").getByText("Dead", { exact: true }).waitFor(THERE);

      await openSection(second, "Groups");
      await second.getByText("No groups yet").waitFor();
      await makeGroup(first, "Handbook");
      const groups = second.getByRole("main").getByRole("link");
      await groups.and(second.getByText("Handbook", { exact: true })).waitFor();
    });

    await openAdd(first);
    await urlsField(first).fill("https://example.org/typed\nhttps://example.org/too");
    const token = await createSession(server.deps.store, id, server.clock.now());
    const elsewhere = openBrowser(server, `session=${token}`);
    expect((await elsewhere.delete("/sessions")).status).toBe(204);
    await first.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(first, email);
    await first.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" });

    expect(await urlsField(first).inputValue()).toBe(
      "https://example.org/typed\nhttps://example.org/too",
    );
    expect(complaints).toEqual([]);
  });
});

/** An account that is there before the program starts, its key and its owner's session. */
let key = "";
let token = "";

async function prepare() {
  const folder = newFolder();
  const { deps } = await openDeps(
    readConfig({ STILLUP_DATA_DIR: join(folder, "data") }),
    systemClock,
  );
  const { owner } = await createAccount(deps, {
    email: "me@example.org",
    tier: "business",
    passwordHash: null,
    isAdmin: true,
  });
  const caller = await operatorOf(deps, owner.accountId);
  key = (await makeChange(deps, caller, (unit) => createKey(unit, caller, { name: "test" }))).value;
  token = await createSession(deps.store, owner.id, deps.clock.now());
  await deps.store.engine.close();
  return folder;
}

onInstalled(
  "A page that is open while the server is started again",
  (installation) => {
    test("says that it is not connected, comes back and goes on without being loaded again, and then opens pages that it has not had yet", async () => {
      const { installed, stranger } = installation();
      const site = startSite({ "/meanwhile": PAGE, "/after": PAGE });
      const { page } = await stranger();
      await page
        .context()
        .addCookies([{ name: "session", value: token, url: installed.url, httpOnly: true }]);
      await page.clock.install();
      await page.addInitScript(loadNothingAhead);
      await page.goto("/links");
      await page.getByText("No links yet").waitFor();

      await isNotReloaded(page, async () => {
        const cut = page.waitForEvent("requestfailed", isLive);
        await installed.stop();
        await cut;
        await page.clock.runFor(SILENT_MS);
        await page.getByText("Data may be out of date.").waitFor();
        await installed.start();
        await addThroughApi(`${installed.url}/api/v1/links`, key, `${site.url}/meanwhile`);

        await row(page, "/meanwhile").getByText("Alive", { exact: true }).waitFor(THERE);
        await page.getByText("Connection lost").waitFor({ state: "detached" });
        await addLink(page, `${site.url}/after`);
        await page.getByRole("button", { name: "1 new" }).click();
        await row(page, "/after").getByText("Alive", { exact: true }).waitFor(THERE);
      });
      await installed.stop();
      await navigate(page, "Changes");
      await page.getByText("This page could not be loaded").waitFor();
      await installed.start();

      await page.getByRole("heading", { name: "Changes", level: 1 }).waitFor();
      await site.stop();
    });
  },
  prepare,
);

/** The code of other pages loads in free moments, and could be there before the server has ended. */
const loadNothingAhead = () => {
  const whenFree = window.requestIdleCallback.bind(window);
  window.requestIdleCallback = (callback, options) =>
    options?.timeout === undefined ? 0 : whenFree(callback, options);
};

/** A shorter interruption is not shown. */
const SILENT_MS = 5_000;
const isLive = (request: Request) => request.url().includes("/dashboard/api/live");

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
