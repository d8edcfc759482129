import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page, Route } from "playwright-core";
import { operatorOf } from "../../../server/accounts/users.ts";
import { links, users } from "../../../server/ground/db/tables.ts";
import { createLink } from "../../../server/links/create.ts";
import { createGroup, listGroups } from "../../../server/links/groups/groups.ts";
import { listLinks } from "../../../server/links/list.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { check } from "../../../tests/checked.ts";
import { sized } from "../../../tests/long.ts";
import {
  addButton,
  addedOn,
  giveFile,
  numbered,
  openAdd,
  sheet,
  skippedOn,
  urlsField,
  verdictsOn,
} from "../../../tests/web/adding.ts";
import { asksBeforeLeaving } from "../../../tests/web/pages.ts";

/** Until then, no link is due unless a test says so. */
const YEARS = 1000 * 86_400_000;
const FIRST_PAGE = { page: 1, per_page: 100 };
const MANY = sized(2100, 10_000);

/** After which what could not be read is asked for again. */
const RETRIES_MS = [1_000, 2_000];

/** What the choice of a group asks for. */
const GROUPS_BY_NAME = /dashboard\/api\/groups\?.*sort=name/;

onDashboard("The sheet that adds links", (dashboard) => {
  const callerOf = (accountId: string) => operatorOf(dashboard().server.deps, accountId);

  const listed = async (accountId: string) =>
    listLinks(dashboard().server.deps, await callerOf(accountId), FIRST_PAGE as never);

  const groupsOf = async (accountId: string) =>
    (
      await listGroups(dashboard().server.deps, await callerOf(accountId), {
        ...FIRST_PAGE,
        sort: "-created_at",
      })
    ).items;

  /** Oldest first. */
  const urlsOf = async (accountId: string) =>
    (await listed(accountId)).items.map(({ url }) => url).toReversed();

  const link = async (accountId: string, url: string, more = {}) => {
    const caller = await callerOf(accountId);
    const { deps } = dashboard().server;
    return makeChange(deps, caller, (unit) => createLink(unit, caller, { url, ...more }));
  };

  /** Ends a check of the link with this URL. */
  async function verdict(
    accountId: string,
    url: string,
    reason: "ok" | "http_404" | "conn_refused",
  ) {
    const { items } = await listed(accountId);
    const { id } = items.find((link) => link.url === url)!;
    await check(dashboard().server, [id], reason, { responseTimeMs: 171 });
  }

  test("opens by its key, its button, the address and a paste into the list, but not for viewers", async () => {
    const { page, accountId } = await dashboard().user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();

    await page.keyboard.press("a");
    await urlsField(page).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add", exact: true }).first().click();
    await urlsField(page).waitFor();
    await sheet(page).getByRole("button", { name: "Cancel" }).click();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "https://example.org/pasted");
      document.body.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    await addButton(page, /^Add 1 link/).waitFor();
    expect(await urlsField(page).inputValue()).toBe("https://example.org/pasted");
    await page.goto("/links?add");
    await urlsField(page).waitFor();
    expect(new URL(page.url()).search).toBe("");

    const isTheirs = eq(users.accountId, accountId);
    await dashboard().server.deps.store.update(users).set({ role: "viewer" }).where(isTheirs);
    await page.goto("/links?add");
    await page.getByText("No links yet").waitFor();
    await page.keyboard.press("a");
    expect(await page.getByRole("button", { name: "Add", exact: true }).count()).toBe(0);
    expect(await sheet(page).count()).toBe(0);
  });

  test("reads while one types, shows what is skipped and why, and forgets nothing that was typed", async () => {
    const { page, accountId } = await dashboard().user();
    const { id } = await link(accountId, "https://example.org/old");
    await openAdd(page);
    const typed = [
      "See https://example.org/a, and <https://example.org/b_(c)>.",
      "",
      "https://example.org/old",
      "HTTPS://EXAMPLE.org/a#part",
      "ftp://example.org/file",
      "example.org",
      "https://example.org/?q=<script>alert(1)</script>",
      "https://example.org/a-long-w…",
      "127.0.0.1:22080/x",
    ].join("\n");

    await urlsField(page).fill(typed);
    await addButton(page, /^Add 3 links/).waitFor();
    await sheet(page).getByText("3 links").first().waitFor();
    await sheet(page).getByText("6 lines skipped").click();
    expect(await skippedOn(page)).toEqual([
      "line 3https://example.org/oldAlready in your links. Show",
      "line 4HTTPS://EXAMPLE.org/a#partDuplicate of line 1.",
      "line 5ftp://example.org/fileThe URL must be an http or https URL.",
      'line 7https://example.org/?q=<script>alert(1)</script>The URL contains "<" or ">", which end a URL. Enter them as %3C and %3E.',
      "line 8https://example.org/a-long-w…The URL is cut off. Enter the whole URL.",
      expect.stringMatching(/^line 9127\.0\.0\.1:22080\/x/),
    ]);
    expect(await urlsOf(accountId)).toEqual(["https://example.org/old"]);

    const show = sheet(page).getByRole("link", { name: "Show" });
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      show.click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await tab.close();
    await urlsField(page).waitFor();
    await show.click();
    await sheet(page).waitFor({ state: "detached" });
    await page.waitForURL(`**/links/${id}`);

    await page.route(UPLOADS, (route) => route.abort());
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("a");
    await sheet(page).getByText("The server cannot be reached.").waitFor();
    expect(await urlsField(page).inputValue()).toBe(typed);
    await page.unroute(UPLOADS);
    await urlsField(page).fill(typed.replace("See ", ""));
    await sheet(page).getByText("6 lines skipped").click();
    await sheet(page).getByRole("button", { name: "Use http://127.0.0.1:22080/x" }).click();
    await addButton(page, /^Add 4 links/).click();
    await addedOn(page, "4 links added");
    expect(await urlsOf(accountId)).toContain("http://127.0.0.1:22080/x");
  });

  test("becomes the list of verdicts, dead first, which can be closed and brought back, and leads to its links", async () => {
    const { page, accountId } = await dashboard().user();
    await link(accountId, "https://example.org/before");
    await page.goto("/links");
    await page.getByRole("row", { name: /example\.org\/before/ }).waitFor();
    const urls = numbered(4);
    const [gone, quiet, fine] = urls;

    await page.keyboard.press("a");
    await urlsField(page).fill(urls.join("\n"));
    await urlsField(page).press("Control+Enter");
    await addedOn(page, "4 links added");
    await sheet(page).getByText("example.org/4").waitFor();
    expect(await verdictsOn(page)).toEqual(urls.map((url) => `Waiting${shown(url)}`));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "0 of 4 checked" }).waitFor();
    await verdict(accountId, fine!, "ok");
    await page.getByRole("button", { name: "1 of 4 checked" }).click();
    await addedOn(page, "4 links added");
    await verdict(accountId, quiet!, "conn_refused");
    await verdict(accountId, gone!, "http_404");
    await sheet(page).getByText("3 of 4 checked").waitFor();
    await sheet(page).getByText("1 dead").waitFor();
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll("dialog [role=row]")];
      const states = rows.map((row) => row.textContent?.split("example.org")[0]);
      return states.join() === "Dead,Unknown,Checking,Alive";
    });
    expect((await verdictsOn(page))[0]).toMatch(/404.*171 ms/);

    await link(accountId, "https://example.org/after");
    await sheet(page).getByRole("link", { name: "Show the 4 links" }).click();
    await sheet(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove the filter: Added" }).waitFor();
    for (const n of [1, 2, 3, 4])
      await page.getByRole("row", { name: new RegExp(`example\\.org/${n}`) }).waitFor();
    expect(await page.getByRole("row", { name: /example\.org\/(before|after)/ }).count()).toBe(0);
  });

  test("takes back what it added, though the answer was lost, and its empty groups, and nothing else", async () => {
    const { page, accountId } = await dashboard().user();
    const { deps } = dashboard().server;
    const empty = { name: "Empty before", color: "#6B7280" };
    const caller = await callerOf(accountId);
    await makeChange(deps, caller, (unit) => createGroup(unit, caller, empty));
    await link(accountId, "https://example.org/known");
    await openAdd(page);
    const rows = ["1,Empty before", "2,Made", "3,Made and used", "known,Made"];
    const typed = ["url,group", ...rows.map((row) => `https://example.org/${row}`)].join("\n");
    await urlsField(page).fill(typed);

    await page.route("**/start", loseAnswer);
    await addButton(page, /^Add 3 links/).click();
    await addedOn(page, "3 links added");
    await page.unroute("**/start");
    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, /^Add 3 links/).waitFor();
    expect(await urlsOf(accountId)).toEqual(["https://example.org/known"]);
    expect(await urlsField(page).inputValue()).toBe(typed);

    await addButton(page, /^Add 3 links/).click();
    await addedOn(page, "3 links added");
    const used = (await groupsOf(accountId)).find(({ name }) => name === "Made and used");
    await link(accountId, "https://example.org/other", { group_id: used!.id });
    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, /^Add 3 links/).waitFor();
    const left = (await groupsOf(accountId)).map(({ name }) => name);
    expect(left.sort()).toEqual(["Empty before", "Made and used"]);
    await addButton(page, /^Add 3 links/).click();
    await addedOn(page, "3 links added");
    const counts = (await groupsOf(accountId)).map(({ counts }) => counts.unknown);
    expect(counts.sort()).toEqual([1, 1, 2]);
  });

  test("adds at once what is entered before the groups are known, and goes on without the tab", async () => {
    const { page, accountId } = await dashboard().user();
    const trouble = { status: 502, contentType: "text/html", body: "<h1>Trouble</h1>" };
    await page.route(GROUPS_BY_NAME, (route) => route.fulfill(trouble));
    let failed = page.waitForResponse(GROUPS_BY_NAME);
    await openAdd(page);
    for (const pause of RETRIES_MS) {
      await failed;
      failed = page.waitForResponse(GROUPS_BY_NAME);
      await page.clock.runFor(pause);
    }
    await failed;
    await sheet(page).getByRole("button", { name: "Group: No group" }).click();
    await page.getByRole("dialog", { name: "Group" }).getByText("(status 502)").waitFor();
    await page.keyboard.press("Escape");
    await page.unroute(GROUPS_BY_NAME);
    const groups = await hold(page, GROUPS_BY_NAME);
    const upload = await hold(page, UPLOADS);
    await openAdd(page);

    await urlsField(page).fill("https://example.org/hasty");
    await urlsField(page).press("Control+Enter");
    groups.letGo();
    const goOn = dashboard().holdImports();
    upload.letGo();
    await page.getByRole("heading", { name: "Adding 1 link" }).waitFor();
    await asksBeforeLeaving(page, false);
    await page.goto("about:blank");
    goOn();
    await page.goto("/links");
    await page.getByRole("button", { name: "0 of 1 checked" }).click();
    await addedOn(page, "1 link added");
    expect(await urlsOf(accountId)).toEqual(["https://example.org/hasty"]);
  });

  test("adds a long list in parts, goes on after a stop, and takes all of it back", async () => {
    const { page, accountId } = await dashboard().user();
    await openAdd(page);
    const total = MANY.toLocaleString("en");

    await giveFile(page, "long.txt", numbered(MANY).concat(numbered(2)).join("\r\n"));
    await addButton(page, `Add ${total} links`).waitFor();
    expect(await skippedOn(page)).toEqual(
      [1, 2].map((n) => {
        const line = (MANY + n).toLocaleString("en");
        return `line ${line}https://example.org/${n}Duplicate of line ${n}.`;
      }),
    );

    const goOn = dashboard().holdImports();
    await addButton(page).click();
    await sheet(page).getByRole("button", { name: "Stop" }).click();
    await page.getByText(`Stopped. 0 added so far, ${total} to go.`).waitFor();
    goOn();
    await sheet(page).getByRole("button", { name: "Continue" }).click();
    await addedOn(page, `${total} links added`);
    expect((await listed(accountId)).total).toBe(MANY);

    const table = sheet(page).getByRole("table", { name: "Verdicts" });
    expect(await table.getAttribute("aria-rowcount")).toBe(String(MANY));
    await page.locator(".a-list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await sheet(page).getByText(`example.org/${MANY}`).waitFor();
    const { store, clock } = dashboard().server.deps;
    await store.update(links).set({ nextCheckAt: clock.now() + YEARS });
    await verdict(accountId, numbered(MANY).at(-1)!, "http_404");
    await sheet(page).getByText(`1 of ${total} checked`).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `1 of ${total} checked` }).click();
    await sheet(page).getByRole("row").first().getByText("404").waitFor();
    expect((await verdictsOn(page)).length).toBeLessThanOrEqual(60);
    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, `Add ${total} links`).waitFor();
    expect((await listed(accountId)).total).toBe(0);
  });

  test("makes a new group only when links are added, checks as often as is said, and gives rejected lines back", async () => {
    const { page, accountId } = await dashboard().user();
    await openAdd(page);
    await urlsField(page).fill("url,group\nhttps://example.org/a,\nftp://b,=1+1\n-c,");
    await sheet(page).getByRole("button", { name: "Group: No group" }).click();
    await page.getByRole("searchbox", { name: "Search: Group" }).fill("Hand");
    await page.getByRole("button", { name: "New group “Hand”" }).click();
    await sheet(page).getByLabel("Name of the new group").fill("Handbook");
    await sheet(page).getByLabel("Checked", { exact: true }).selectOption("weekly");
    expect(await groupsOf(accountId)).toEqual([]);

    await addButton(page, /^Add 1 link/).click();
    await addedOn(page, "1 link added");
    await sheet(page).getByText("Handbook, checked weekly").waitFor();
    const [group] = await groupsOf(accountId);
    expect(group!.name).toBe("Handbook");
    const { items } = await listed(accountId);
    expect(items).toMatchObject([{ groupId: group!.id, checkFrequency: "weekly" }]);

    await sheet(page).getByText("2 lines skipped").click();
    await sheet(page).getByRole("button", { name: "Copy rejected lines" }).click();
    await page.getByText("Copied").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      sheet(page).getByRole("button", { name: "Download with reasons" }).click(),
    ]);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("ftp://b\n-c");
    expect(await Bun.file((await saved.path()) ?? "").text()).toBe(
      [
        `"line","url","group","check_frequency","problem"`,
        `"3","ftp://b","'=1+1","","The URL must be an http or https URL."`,
        `"4","'-c","","","The URL must be an http or https URL."`,
      ].join("\r\n"),
    );
  });
});

/** As it is shown: without a scheme that is https. */
const shown = (url: string) => url.replace("https://", "");

const UPLOADS = /\/api\/imports(\?|$)/;

/** The server does what is asked, and the page never hears of it. */
async function loseAnswer(route: Route) {
  await route.fetch();
  await route.abort();
}

/** Keeps requests back. @returns what lets them all go */
async function hold(page: Page, pattern: string | RegExp) {
  const { promise: isAllowed, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(pattern, (route) => isAllowed.then(() => route.continue()));
  return { letGo };
}
