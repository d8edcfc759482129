import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { createLink } from "../../server/links/create.ts";
import { listGroups } from "../../server/links/groups/groups.ts";
import { listLinks } from "../../server/links/list.ts";
import { onDashboard } from "../browser.ts";

const FIRST_PAGE = { page: 1, per_page: 100 };

onDashboard("The page that adds links", (dashboard) => {
  const callerOf = (accountId: string) => operatorOf(dashboard().server.deps, accountId);

  /** What the account watches, oldest first, and in which groups. */
  async function linksOf(accountId: string) {
    const { deps } = dashboard().server;
    const caller = await callerOf(accountId);
    const { items } = await listLinks(deps, caller, FIRST_PAGE as never);
    const groups = await listGroups(deps, caller, FIRST_PAGE);
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

  async function openPage(role: "owner" | "viewer" = "owner") {
    const visitor = await dashboard().user({}, role);
    await visitor.page.goto("/links/new");
    return visitor;
  }

  test("adds a single URL on Enter, and says so with a link to it", async () => {
    const { page, accountId } = await openPage();

    await urls(page).fill("https://example.org/one");
    await urls(page).press("Enter");
    await page.getByText("Added", { exact: true }).waitFor();

    expect(await urlsOf(accountId)).toEqual(["https://example.org/one"]);
    expect(await urls(page).inputValue()).toBe("");
    await page.getByRole("link", { name: "See it" }).click();
    await page.getByRole("heading", { name: "https://example.org/one" }).waitFor();
  });

  test("adds a URL that is entered before the groups are known", async () => {
    const { page, accountId } = await dashboard().user();
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route("**/dashboard/api/groups?*", (route) =>
      isAllowed.then(() => route.continue()),
    );
    await page.goto("/links/new");

    await urls(page).fill("https://example.org/hasty");
    await urls(page).press("Enter");
    allow();
    await page.getByText("Added", { exact: true }).waitFor();

    expect(await urlsOf(accountId)).toEqual(["https://example.org/hasty"]);
  });

  test("says when the groups to choose from cannot be had", async () => {
    const { page } = await dashboard().user();
    await page.route("**/dashboard/api/groups?*", (route) =>
      route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Trouble</h1>" }),
    );

    await page.goto("/links/new");

    await page.getByRole("alert").getByText("(status 502)").waitFor();
  });

  test("says of a single URL why it is refused, and leaves it to be mended", async () => {
    const { page, accountId } = await openPage();
    const caller = await callerOf(accountId);
    await createLink(dashboard().server.deps, caller, { url: "https://example.org/old" });

    await urls(page).fill("example.org/old");
    await urls(page).press("Enter");
    await page.getByText("Already monitored").waitFor();
    await urls(page).fill("ftp://x");
    await urls(page).press("Enter");
    await page.getByText("The URL must be an http or https URL.").waitFor();

    expect(await urls(page).inputValue()).toBe("ftp://x");
    await page.getByRole("link", { name: "See the link" }).click();
    await page.getByRole("heading", { name: "https://example.org/old" }).waitFor();
  });

  test("shows of a list what would become of each line, and then adds what is new", async () => {
    const { page, accountId } = await openPage();
    const caller = await callerOf(accountId);
    await createLink(dashboard().server.deps, caller, { url: "https://example.org/old" });

    await urls(page).fill(
      [
        "See https://example.org/a, and <https://example.org/b_(c)>.",
        "",
        "https://example.org/old",
        "HTTPS://EXAMPLE.org/a#part",
        "ftp://example.org/file",
        "example.org",
      ].join("\n"),
    );
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("button", { name: "Add 3 links" }).waitFor();

    expect(await rows(page).allTextContents()).toEqual([
      "Will be addedhttps://example.org/aLine 1",
      "Will be addedhttps://example.org/b_(c)Line 1",
      "Already monitoredhttps://example.org/oldSee the linkLine 3",
      "Duplicate in this listHTTPS://EXAMPLE.org/a#partSame page as line 1.Line 4",
      "Refusedftp://example.org/fileThe URL must be an http or https URL.Line 5",
      "Will be addedhttps://example.orgAs https://example.org/Line 6",
    ]);
    expect(await urlsOf(accountId)).toEqual(["https://example.org/old"]);
    await page.getByRole("button", { name: "Add 3 links" }).click();
    await page.getByRole("heading", { name: "3 links added" }).waitFor();
    expect((await urlsOf(accountId)).toSorted()).toEqual([
      "https://example.org/",
      "https://example.org/a",
      "https://example.org/b_(c)",
      "https://example.org/old",
    ]);
  });

  test("narrows the lines to one outcome, in the address", async () => {
    const { page } = await openPage();
    await review(page, "https://example.org/a\nftp://b\nhttps://example.org/a");

    await page.getByRole("link", { name: "Refused 1" }).click();

    await rows(page).first().getByText("ftp://b").waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?show=refused");
  });

  test("renders a hundred lines of a long list, and judges it in parts", async () => {
    const { page } = await openPage();
    const asked: number[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/links/preview")) asked.push(request.postDataJSON().links.length);
    });

    await give(page, "long.txt", lines(2100).concat(lines(2)).join("\r\n"));
    await page.getByRole("button", { name: "Add 2,100 links" }).waitFor();

    expect(asked).toEqual([1000, 1000, 100]);
    expect(await rows(page).count()).toBe(100);
    await page.getByRole("link", { name: "Duplicate in this list 2" }).click();
    await page.getByText("Same page as line 2.").waitFor();
  });

  test("makes a new group only when the import begins, and checks as often as is said", async () => {
    const { page, accountId } = await openPage();
    const caller = await callerOf(accountId);
    await review(page, "https://example.org/a\nhttps://example.org/b");
    await page.getByLabel("Group", { exact: true }).selectOption("New group…");
    await page.getByLabel("Name of the new group").fill("Handbook");
    await page.getByLabel("Check", { exact: true }).selectOption("Weekly");
    expect((await listGroups(dashboard().server.deps, caller, FIRST_PAGE)).total).toBe(0);

    await page.getByRole("button", { name: "Add 2 links" }).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    const link = { group: "Handbook", check: "weekly" } as const;
    expect((await linksOf(accountId)).map(({ group, check }) => ({ group, check }))).toEqual([
      link,
      link,
    ]);
    expect(await page.getByRole("link", { name: "See them" }).getAttribute("href")).toMatch(
      /^\/links\?group_id=/,
    );
  });

  test("goes on after a failed part is tried again, and adds nothing twice", async () => {
    const { page, accountId } = await openPage();
    await give(page, "long.txt", lines(1001).join("\n"));
    let parts = 0;
    await page.route("**/links/batch", async (route) => {
      // The second part is done, but its answer is lost on the way, each time.
      if (++parts === 1) return route.continue();
      await route.fetch();
      return route.abort();
    });

    await page.getByRole("button", { name: "Add 1,001 links" }).click();
    await page.getByText("1,000 added so far, 1 to go.").waitFor();
    await page.unroute("**/links/batch");
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByRole("heading", { name: "1,001 links added" }).waitFor();
    const { deps } = dashboard().server;
    const found = await listLinks(deps, await callerOf(accountId), FIRST_PAGE as never);
    expect(found.total).toBe(1001);
  });

  test("can be stopped, and goes on where it stopped", async () => {
    const { page } = await openPage();
    await give(page, "long.txt", lines(2001).join("\n"));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/links/batch", async (route) => {
      await held;
      await route.continue();
    });

    await page.getByRole("button", { name: "Add 2,001 links" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    letGo();
    await page.getByText("Stopped. 1,000 added so far, 1,001 to go.").waitFor();
    await page.getByRole("button", { name: "Go on" }).click();

    await page.getByRole("heading", { name: "2,001 links added" }).waitFor();
  });

  test("gives the refused lines back, to be copied or as a file with the reasons", async () => {
    const { page } = await openPage();
    await review(page, "url,group\nhttps://example.org/a,\nftp://b,=1+1\n-c,");
    await page.getByRole("button", { name: "Add 1 link" }).click();
    await page.getByText("2 lines were refused.").waitFor();

    await page.getByRole("button", { name: "Copy them" }).click();
    await page.getByText("Copied.").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download with reasons" }).click(),
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
    const { page } = await openPage();
    await page.route("**/links/preview", (route) => route.abort());
    await review(page, "https://example.org/a\nhttps://example.org/b");
    await page.getByText("The server cannot be reached.").waitFor();

    await page.reload();

    expect(await urls(page).inputValue()).toBe("https://example.org/a\nhttps://example.org/b");
  });

  test("goes on after a lost session, where it was", async () => {
    const { page } = await openPage();
    await urls(page).fill("https://example.org/a\nhttps://example.org/b");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();

    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.context().addCookies(cookies);
    await page.reload();

    await urls(page).waitFor();
    expect(await urls(page).inputValue()).toBe("https://example.org/a\nhttps://example.org/b");
  });

  test("offers nothing to someone who may only look", async () => {
    const { page } = await openPage("viewer");

    await page.getByText("Read-only access").waitFor();

    expect(await page.getByRole("textbox").count()).toBe(0);
  });
});

const urls = (page: Page) => page.getByRole("textbox", { name: "URLs" });

const rows = (page: Page): Locator =>
  page.getByRole("list", { name: "Lines" }).getByRole("listitem");

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `https://example.org/page/${n}`);

async function review(page: Page, text: string) {
  await urls(page).fill(text);
  await page.getByRole("button", { name: "Review" }).click();
}

const give = (page: Page, name: string, content: string | Buffer) =>
  page
    .getByLabel("Choose a file…")
    .setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });
