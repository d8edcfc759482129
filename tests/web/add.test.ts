import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { links } from "../../server/db/tables.ts";
import { createLink } from "../../server/links/create.ts";
import { createGroup, listGroups } from "../../server/links/groups/groups.ts";
import { listLinks } from "../../server/links/list.ts";
import { onDashboard } from "../browser.ts";
import { check } from "../checked.ts";
import {
  addButton,
  giveFile,
  numbered,
  openAdd,
  sheet,
  skippedOn,
  urlsField,
  verdictsOn,
} from "./adding.ts";

/** Until then, no link is due unless a test says so. */
const YEARS = 1000 * 86_400_000;
const FIRST_PAGE = { page: 1, per_page: 100 };

onDashboard("The sheet that adds links", (dashboard) => {
  const callerOf = (accountId: string) => operatorOf(dashboard().server.deps, accountId);

  const listed = async (accountId: string) =>
    listLinks(dashboard().server.deps, await callerOf(accountId), FIRST_PAGE as never);

  /** What the account monitors, oldest first, and in which groups. */
  async function linksOf(accountId: string) {
    const { items } = await listed(accountId);
    const groups = await listGroups(dashboard().server.deps, await callerOf(accountId), FIRST_PAGE);
    const nameOf = new Map(groups.items.map(({ id, name }) => [id, name]));
    return items
      .map(({ url, groupId, checkFrequency }) => ({
        url,
        group: groupId && nameOf.get(groupId),
        check: checkFrequency,
      }))
      .toReversed();
  }

  const urlsOf = async (accountId: string) => (await linksOf(accountId)).map(({ url }) => url);

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

  async function open() {
    const visitor = await dashboard().user();
    await openAdd(visitor.page);
    return visitor;
  }

  test("opens by its key, its button, the address and a paste into the list", async () => {
    const { page } = await dashboard().user();
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
  });

  test("reads while one types, and shows what is skipped and why", async () => {
    const { page, accountId } = await open();
    const caller = await callerOf(accountId);
    await createLink(dashboard().server.deps, caller, { url: "https://example.org/old" });

    await urlsField(page).fill(
      [
        "See https://example.org/a, and <https://example.org/b_(c)>.",
        "",
        "https://example.org/old",
        "HTTPS://EXAMPLE.org/a#part",
        "ftp://example.org/file",
        "example.org",
      ].join("\n"),
    );
    await addButton(page, /^Add 3 links/).waitFor();

    await sheet(page).getByText("3 links").first().waitFor();
    await sheet(page).getByText("3 skipped").waitFor();
    expect(await skippedOn(page)).toEqual([
      "line 3https://example.org/oldAlready in your links. Show",
      "line 4HTTPS://EXAMPLE.org/a#partDuplicate of line 1.",
      "line 5ftp://example.org/fileThe URL must be an http or https URL.",
    ]);
    expect(await urlsOf(accountId)).toEqual(["https://example.org/old"]);
    await sheet(page).getByRole("link", { name: "Show" }).click();
    await page.waitForURL(/\/links\/[0-9a-f-]{36}$/);
  });

  test("becomes the list of verdicts, dead first, which Ctrl and Enter begin", async () => {
    const { page, accountId } = await open();
    const [gone, quiet, fine] = numbered(3);

    await urlsField(page).fill(numbered(4).join("\n"));
    await urlsField(page).press("Control+Enter");
    await page.getByRole("heading", { name: "4 links added" }).waitFor();
    expect(await verdictsOn(page)).toEqual(numbered(4).map((url) => `Waiting${shown(url)}`));
    await verdict(accountId, fine!, "ok");
    await verdict(accountId, quiet!, "conn_refused");
    await verdict(accountId, gone!, "http_404");
    await sheet(page).getByText("3 of 4 checked").waitFor();

    await sheet(page).getByText("1 dead").waitFor();
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll("dialog [role=row]")];
      const states = rows.map((row) => row.textContent?.split("example.org")[0]);
      return states.join() === "Dead,Unknown,Checking,Alive";
    });
    expect((await verdictsOn(page))[0]).toContain("404");
    expect((await verdictsOn(page))[0]).toContain("171 ms");
  });

  test("can be closed while links are checked, and brought back from the bar", async () => {
    const { page, accountId } = await open();
    await urlsField(page).fill(numbered(2).join("\n"));
    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "0 of 2 checked" }).waitFor();
    await verdict(accountId, numbered(2)[0]!, "http_404");
    await page.getByRole("button", { name: "1 of 2 checked" }).click();

    await page.getByRole("heading", { name: "2 links added" }).waitFor();
    await sheet(page).getByText("1 dead").waitFor();
  });

  test("takes back what it added, and nothing else", async () => {
    const { page, accountId } = await open();
    const caller = await callerOf(accountId);
    await createLink(dashboard().server.deps, caller, { url: "https://example.org/1" });
    await urlsField(page).fill(numbered(3).join("\n"));
    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await urlsField(page).waitFor();

    expect(await urlsOf(accountId)).toEqual(["https://example.org/1"]);
    expect(await urlsField(page).inputValue()).toBe(numbered(3).join("\n"));
    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();
    expect(await urlsOf(accountId)).toHaveLength(3);
  });

  test("takes back the groups that it made and that are empty then", async () => {
    const { page, accountId } = await open();
    const { deps } = dashboard().server;
    const caller = await callerOf(accountId);
    await createGroup(deps, caller, { name: "Empty before", color: "#6B7280" });
    const groupsNow = async () => (await listGroups(deps, caller, FIRST_PAGE)).items;
    const rows = ["Empty before", "Made", "Made and used"].map(
      (group, n) => `https://example.org/${n},${group}`,
    );
    await giveFile(page, "list.csv", ["url,group", ...rows].join("\n"));
    await addButton(page, /^Add 3 links/).click();
    await page.getByRole("heading", { name: "3 links added" }).waitFor();
    const used = (await groupsNow()).find(({ name }) => name === "Made and used");
    await createLink(deps, caller, { url: "https://example.org/other", group_id: used!.id });

    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, /^Add 3 links/).waitFor();
    expect((await groupsNow()).map(({ name }) => name).sort()).toEqual([
      "Empty before",
      "Made and used",
    ]);
    await addButton(page, /^Add 3 links/).click();
    await page.getByRole("heading", { name: "3 links added" }).waitFor();

    expect((await groupsNow()).map(({ counts }) => counts.unknown).sort()).toEqual([1, 1, 2]);
  });

  test("skips a URL with a tag in it, and shows it whole", async () => {
    const { page } = await open();

    await urlsField(page).fill(
      "https://example.org/a\nhttps://example.org/?q=<script>alert(1)</script>\n",
    );
    await addButton(page, /^Add 1 link/).waitFor();

    expect(await skippedOn(page)).toEqual([
      'line 2https://example.org/?q=<script>alert(1)</script>The URL contains "<" or ">", which end a URL. Enter them as %3C and %3E.',
    ]);
  });

  test("offers http for an address with a port and no scheme", async () => {
    const { page, accountId } = await open();
    await urlsField(page).fill("https://example.org/a\n127.0.0.1:22080/x");
    await sheet(page).getByText("1 skipped").waitFor();

    await sheet(page).getByRole("button", { name: "Use http://127.0.0.1:22080/x" }).click();

    expect(await urlsField(page).inputValue()).toBe(
      "https://example.org/a\nhttp://127.0.0.1:22080/x",
    );
    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();
    expect(await urlsOf(accountId)).toContain("http://127.0.0.1:22080/x");
  });

  test("adds at once what is entered before the groups are known", async () => {
    const { page, accountId } = await dashboard().user();
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route("**/dashboard/api/groups?*", (route) =>
      isAllowed.then(() => route.continue()),
    );
    await openAdd(page);

    await urlsField(page).fill("https://example.org/hasty");
    await urlsField(page).press("Control+Enter");
    allow();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();

    expect(await urlsOf(accountId)).toEqual(["https://example.org/hasty"]);
  });

  test("says when the groups to choose from cannot be had", async () => {
    const { page } = await dashboard().user();
    await page.route("**/dashboard/api/groups?*", (route) =>
      route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Trouble</h1>" }),
    );

    await openAdd(page);

    await sheet(page).getByRole("alert").getByText("(status 502)").waitFor();
  });

  test("asks about a long list in parts, and keeps few of its rows in the document", async () => {
    const { page } = await open();
    const asked: number[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/links/preview")) asked.push(request.postDataJSON().links.length);
    });

    await giveFile(page, "long.txt", numbered(2100).concat(numbered(2)).join("\r\n"));
    await addButton(page, /^Add 2,100 links/).waitFor();

    expect(asked).toEqual([1000, 1000, 100]);
    expect(await skippedOn(page)).toEqual(
      [
        "line 2101https://example.org/1Duplicate of line 1.",
        "line 2102https://example.org/2Duplicate of line 2.",
      ].map((line) => line.replace(/line (\d)(\d{3})/, "line $1,$2")),
    );
    await addButton(page).click();
    await page.getByRole("heading", { name: "2,100 links added" }).waitFor();
    await sheet(page).getByRole("table", { name: "Verdicts" }).waitFor();
    expect((await verdictsOn(page)).length).toBeLessThanOrEqual(60);
  });

  test("takes ten thousand lines, shows verdicts while one scrolls, and takes all of them back", async () => {
    const { page, accountId } = await open();
    await giveFile(page, "long.txt", numbered(10_000).join("\n"));
    await addButton(page, /^Add 10,000 links/).click();
    await page.getByRole("heading", { name: "10,000 links added" }).waitFor();

    const table = sheet(page).getByRole("table", { name: "Verdicts" });
    expect(await table.getAttribute("aria-rowcount")).toBe("10000");
    await page.locator(".a-list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await sheet(page).getByText("example.org/10000").waitFor();
    const { store, clock } = dashboard().server.deps;
    await store.update(links).set({ nextCheckAt: clock.now() + YEARS });
    await verdict(accountId, numbered(10_000).at(-1)!, "http_404");
    await sheet(page).getByText("1 of 10,000 checked").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "1 of 10,000 checked" }).click();
    await sheet(page).getByRole("row").first().getByText("404").waitFor();
    expect((await verdictsOn(page)).length).toBeLessThanOrEqual(60);
    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, /^Add 10,000 links/).waitFor();

    expect((await listed(accountId)).total).toBe(0);
  });

  test("makes a new group only when the links are added, and checks as often as is said", async () => {
    const { page, accountId } = await open();
    const caller = await callerOf(accountId);
    await urlsField(page).fill("https://example.org/a\nhttps://example.org/b");
    await sheet(page).getByLabel("Group", { exact: true }).selectOption("New group…");
    await sheet(page).getByLabel("Name of the new group").fill("Handbook");
    await sheet(page).getByLabel("Checked", { exact: true }).selectOption("weekly");
    expect((await listGroups(dashboard().server.deps, caller, FIRST_PAGE)).total).toBe(0);

    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    const link = { group: "Handbook", check: "weekly" } as const;
    expect((await linksOf(accountId)).map(({ group, check }) => ({ group, check }))).toEqual([
      link,
      link,
    ]);
    await sheet(page).getByText("Handbook, checked weekly").waitFor();
  });

  test("shows exactly the links that were added, closed, from the very list that is below it", async () => {
    const { page, accountId } = await dashboard().user();
    const caller = await callerOf(accountId);
    const add = (url: string) => createLink(dashboard().server.deps, caller, { url } as never);
    await add("https://example.org/before");
    await page.goto("/links");
    await page.keyboard.press("a");
    await urlsField(page).fill("https://example.org/a\nhttps://example.org/b");
    await addButton(page, /^Add 2 links/).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();
    await add("https://example.org/after");

    await sheet(page).getByRole("link", { name: "Show the 2 links" }).click();

    await sheet(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove the filter: Added" }).waitFor();
    await page.getByRole("row", { name: /example\.org\/a/ }).waitFor();
    await page.getByRole("row", { name: /example\.org\/b/ }).waitFor();
    expect(await page.getByRole("row", { name: /example\.org\/(before|after)/ }).count()).toBe(0);
  });

  test("closes when a link in it is followed, and stays when it opens elsewhere", async () => {
    const { page, accountId } = await dashboard().user();
    const caller = await callerOf(accountId);
    const known = { url: "https://example.org/known" };
    const { id } = await createLink(dashboard().server.deps, caller, known as never);
    await page.goto(`/links/${id}`);
    await page.keyboard.press("a");
    await urlsField(page).fill(known.url);
    const show = sheet(page).getByRole("link", { name: "Show" });

    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      show.click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await tab.close();
    await urlsField(page).waitFor();
    await show.click();

    await sheet(page).waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe(`/links/${id}`);
  });

  test("goes on after a failed part is tried again, and adds nothing twice", async () => {
    const { page, accountId } = await open();
    await giveFile(page, "long.txt", numbered(1001).join("\n"));
    let parts = 0;
    await page.route("**/links/batch", async (route) => {
      // The second part is done, but its answer is lost on the way, each time.
      if (++parts === 1) return route.continue();
      await route.fetch();
      return route.abort();
    });

    await addButton(page, /^Add 1,001 links/).click();
    await page.getByText("1,000 added so far, 1 to go.").waitFor();
    await page.unroute("**/links/batch");
    await sheet(page).getByRole("button", { name: "Try again" }).click();

    await page.getByRole("heading", { name: "1,001 links added" }).waitFor();
    expect((await listed(accountId)).total).toBe(1001);
  });

  test("takes back also a part whose answer was lost", async () => {
    const { page, accountId } = await open();
    await urlsField(page).fill(numbered(3).join("\n"));
    await page.route("**/links/batch", async (route) => {
      await route.fetch();
      return route.abort();
    });
    await addButton(page, /^Add 3 links/).click();
    await page.getByText("0 added so far, 3 to go.").waitFor();
    await page.unroute("**/links/batch");

    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await addButton(page, /^Add 3 links/).waitFor();

    expect(await urlsOf(accountId)).toEqual([]);
  });

  test("can be stopped, and goes on where it stopped", async () => {
    const { page } = await open();
    await giveFile(page, "long.txt", numbered(2001).join("\n"));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/links/batch", async (route) => {
      await held;
      await route.continue();
    });

    await addButton(page, /^Add 2,001 links/).click();
    await sheet(page).getByRole("button", { name: "Stop" }).click();
    letGo();
    await page.getByText("Stopped. 1,000 added so far, 1,001 to go.").waitFor();
    await sheet(page).getByRole("button", { name: "Continue" }).click();

    await page.getByRole("heading", { name: "2,001 links added" }).waitFor();
  });

  test("asks before the tab is left while it sends", async () => {
    const { page } = await open();
    await urlsField(page).fill("https://example.org/a");
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route("**/links/batch", (route) => isAllowed.then(() => route.continue()));
    await addButton(page, /^Add 1 link/).click();
    await page.getByRole("heading", { name: "Adding 1 link" }).waitFor();

    expect(await asksBeforeLeaving(page)).toBe(true);
    allow();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();
    expect(await asksBeforeLeaving(page)).toBe(false);
  });

  test("gives the rejected lines back, to be copied or as a file with the reasons", async () => {
    const { page } = await open();
    await urlsField(page).fill("url,group\nhttps://example.org/a,\nftp://b,=1+1\n-c,");
    await addButton(page, /^Add 1 link/).click();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();
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

  test("keeps what was typed over a reload and a failed request", async () => {
    const { page } = await open();
    await page.route("**/links/preview", (route) => route.abort());
    await urlsField(page).fill("https://example.org/a\nhttps://example.org/b");
    await sheet(page).getByText("The server cannot be reached.").waitFor();

    await page.reload();
    await openAdd(page);

    expect(await urlsField(page).inputValue()).toBe("https://example.org/a\nhttps://example.org/b");
  });

  test("is not there for someone who may only look", async () => {
    const { page } = await dashboard().user({}, "viewer");

    await page.goto("/links?add");
    await page.getByText("No links yet").waitFor();
    await page.keyboard.press("a");

    expect(await page.getByRole("button", { name: "Add", exact: true }).count()).toBe(0);
    expect(await sheet(page).count()).toBe(0);
  });
});

/** As it is shown: without a scheme that is https. */
const shown = (url: string) => url.replace("https://", "");

const asksBeforeLeaving = (page: Page) =>
  page.evaluate(() => {
    const leaving = new Event("beforeunload", { cancelable: true });
    return !dispatchEvent(leaving);
  });
