import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { onDashboard } from "../browser.ts";
import { checkDueLinks } from "../rounds.ts";
import { startSite } from "../site.ts";
import { add, addAtRest, numbered } from "./adding.ts";
import { holdFirstAnswer } from "./held.ts";

const site = startSite({
  "/fine": "<title>Fine</title><p>A page about something, with enough to read on it.</p>",
  "/gone": 410,
  "/busy": 503,
});

afterAll(() => site.stop());

onDashboard("The links page", (dashboard) => {
  const check = () => {
    const { deps, check } = dashboard().server;
    return checkDueLinks({ ...deps, check });
  };

  test("shows of each link what a check found, and why, as soon as it is known", async () => {
    const { page, accountId } = await dashboard().user();
    await add(dashboard().server, accountId, [`${site.url}/fine`, `${site.url}/gone`]);
    await page.goto("/links");

    await row(page, "/gone").getByText("Not checked yet.").waitFor();
    await check();

    await row(page, "/gone")
      .getByText("The server returned 410: the page is gone for good.")
      .waitFor();
    await row(page, "/gone").getByText("Dead").waitFor();
    await row(page, "/fine").getByText("Alive").waitFor();
    await statuses(page).getByRole("link", { name: "Dead 1" }).waitFor();
    await statuses(page).getByRole("link", { name: "All 2" }).waitFor();
  });

  test("shows what is added while the list is on its way", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const list = await holdFirstAnswer(page, "**/dashboard/api/links?*");
    await page.goto("/links");
    await Promise.all([list.isGiven, page.waitForResponse("**/dashboard/api/groups?*")]);

    await add(server, accountId, [`${site.url}/fine`]);
    // Groups are read once more when the page has heard of both.
    const heard = page.waitForRequest("**/dashboard/api/groups?*");
    await createGroup(server.deps, await operatorOf(server.deps, accountId), {
      name: "New",
      color: "#123456",
    });
    await heard;
    expect(await row(page, "/fine").count()).toBe(0);
    list.letGo();

    await row(page, "/fine").waitFor();
  });

  test("searches for what is typed while the page before it comes back", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(2));
    await page.goto("/links?search=nowhere");
    await page.getByRole("link", { name: "Show all links" }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    await page.evaluate(typeOnceBack, "example");

    await page.goBack();

    await page.waitForURL("/links?search=example");
    expect(await page.getByRole("searchbox").inputValue()).toBe("example");
  });

  test("keeps the filter, the search and the page in the address", async () => {
    const { page, accountId } = await dashboard().user();
    await add(dashboard().server, accountId, [`${site.url}/fine`, `${site.url}/gone`]);
    await check();
    await page.goto("/links");

    await statuses(page).getByRole("link", { name: "Dead" }).click();
    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead");
    await page.getByRole("searchbox").fill("nowhere");
    await page.getByText("No link matches").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&search=nowhere");

    await page.reload();
    await page.getByText("No link matches").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("nowhere");
    await page.getByRole("link", { name: "Show all links" }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
  });

  test("shows the links of one service, by its name", async () => {
    const { page, accountId } = await dashboard().user();
    const urls = ["https://youtu.be/jNQXAC9IVRw", "https://example.org/a"];
    await addAtRest(dashboard().server, accountId, urls);
    await page.goto("/links");

    await page.getByLabel("Service", { exact: true }).selectOption("YouTube");

    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?service=youtube");
    await page.getByRole("link", { name: "youtu.be/jNQXAC9IVRw" }).first().click();
    await page.getByText("YouTube", { exact: true }).waitFor();
  });

  test("narrows by group and frequency, takes either off again, and goes back", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const caller = await addAtRest(server, accountId, numbered(3));
    const group = await createGroup(server.deps, caller, { name: "Reading", color: "#3366CC" });
    await add(server, accountId, [`${site.url}/fine`], {
      group_id: group.id,
      check_frequency: "weekly",
    });
    await page.goto("/links");

    await page.getByLabel("Group", { exact: true }).selectOption("Reading");
    await page.getByText("1 link", { exact: true }).waitFor();
    await row(page, "/fine").getByText("Reading").waitFor();
    await page.getByLabel("Check frequency").selectOption("Daily");
    await page.getByText("No link matches").waitFor();
    expect(new URL(page.url()).search).toBe(`?group_id=${group.id}&check_frequency=daily`);
    await page.getByRole("button", { name: "Remove the filter: Group" }).click();
    await page.getByText("3 links", { exact: true }).waitFor();
    await page.getByLabel("Group", { exact: true }).selectOption("No group");
    await page.getByText("3 links", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?group_id=none&check_frequency=daily");

    await page.goBack();
    await page.goBack();
    await page.getByText("No link matches").waitFor();
    expect(await page.getByLabel("Group", { exact: true }).inputValue()).toBe(group.id);
    await page.getByRole("link", { name: "Clear all" }).click();
    await page.getByText("4 links", { exact: true }).waitFor();
  });

  test("puts the links into the order that is asked for, also after a reload", async () => {
    const { page, accountId } = await dashboard().user();
    const urls = ["b", "c", "a"].map((name) => `https://example.org/${name}`);
    await addAtRest(dashboard().server, accountId, urls);
    await page.goto("/links");
    await urlsAre(page, ["a", "c", "b"]);

    await page.getByLabel("Sort by").selectOption("URL A–Z");
    await urlsAre(page, ["a", "b", "c"]);

    expect(new URL(page.url()).search).toBe("?sort=url");
    await page.reload();
    await urlsAre(page, ["a", "b", "c"]);
    expect(await page.getByLabel("Sort by").inputValue()).toBe("url");
  });

  test("walks through the pages of a long list, and jumps to any", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(101));
    await page.goto("/links");

    await page.getByText("1–25 of 101 links").waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("26–50 of 101 links").waitFor();
    expect(new URL(page.url()).search).toBe("?page=2");
    await page.getByRole("link", { name: "Last page" }).click();
    await page.getByText("101–101 of 101 links").waitFor();
    await page.getByLabel("Page", { exact: true }).fill("4");
    await page.keyboard.press("Enter");
    await page.getByText("76–100 of 101 links").waitFor();

    await page.goBack();
    await page.getByText("101–101 of 101 links").waitFor();
    await page.getByRole("link", { name: "First page" }).click();
    await page.getByText("1–25 of 101 links").waitFor();
  });

  test("leads back from a page that is not there any more", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(26));
    await page.goto("/links?page=9");

    await page.getByText("There is no page 9").waitFor();
    await page.getByRole("link", { name: "Go to the last page" }).click();

    await page.getByText("26–26 of 26 links").waitFor();
  });

  test("checks a link now, and deletes it once that is confirmed", async () => {
    const { page, accountId } = await dashboard().user();
    await add(dashboard().server, accountId, [`${site.url}/busy`]);
    await check();
    await page.goto("/links");
    await row(page, "/busy").getByText("Unknown").waitFor();

    await page.getByRole("button", { name: `Check ${site.url}/busy now` }).click();
    await page.getByText("Check initiated.").waitFor();
    await row(page, "/busy").getByText("Checking").waitFor();
    await page.getByRole("button", { name: `Delete ${site.url}/busy` }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: `Delete ${site.url}/busy` }).click();
    await page.getByRole("button", { name: "Delete link" }).click();

    await page.getByText("The link was deleted.").waitFor();
    await page.getByText("No links yet").waitFor();
  });

  test("says that a list could not be loaded, and tries again when asked to", async () => {
    const { page } = await dashboard().user();
    const answer = { status: 403, json: { error: { message: "Not now.", status: 403 } } };
    await page.route("**/dashboard/api/links*", (route) => route.fulfill(answer));

    await page.goto("/links");
    await page.getByText("Not now.").waitFor();
    await page.unroute("**/dashboard/api/links*");
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByText("No links yet").waitFor();
  });

  test("leads a new account to where links are added", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");

    await page.getByRole("link", { name: "Add your first links" }).click();

    await page.waitForURL("**/links/new");
  });

  test("offers no change to someone who may only look", async () => {
    const { page, accountId } = await dashboard().user({}, "viewer");
    await addAtRest(dashboard().server, accountId, numbered(2));

    await page.goto("/links");
    await page.getByText("2 links", { exact: true }).waitFor();

    expect(await page.getByRole("button").allTextContents()).toEqual(["Help?", "Sign out"]);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("link", { name: "Add links" }).count()).toBe(0);
  });
});

/** Once the page of before is there, and before anything that is done only after it was painted. */
const typeOnceBack = (text: string) => {
  const type = () => {
    const field = document.querySelector<HTMLInputElement>("input[type=search]")!;
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  addEventListener("popstate", () => setTimeout(type), { once: true });
};

const row = (page: Page, path: string) => page.getByRole("listitem").filter({ hasText: path });

const statuses = (page: Page) => page.getByRole("navigation", { name: "Filter by status" });

/** Waits until the rows are these, by the last part of their URLs. */
const urlsAre = (page: Page, names: string[]) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll(".links .url")]
        .map((url) => url.textContent?.split("/").at(-1))
        .join() === wanted,
    names.join(),
  );
