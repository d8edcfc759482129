import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { links } from "../../server/db/tables.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { ALIVE, checkAll, GONE } from "../batches/playing.ts";
import { goOffline, onDashboard } from "../browser.ts";
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

    await row(page, "/gone").getByText("Waiting").first().waitFor();
    await check();

    await row(page, "/gone").getByText("410", { exact: true }).waitFor();
    await row(page, "/gone").getByText("Dead").waitFor({ state: "attached" });
    await row(page, "/fine").getByText("Alive").waitFor({ state: "attached" });
    await status(page, "Dead 1").waitFor();
    await status(page, "All 2").waitFor();
  });

  test("keeps a row that does not match any more, and says how many newly match", async () => {
    const { page, accountId } = await dashboard().user();
    const urls = ["a", "b"].map((name) => `https://example.org/${name}`);
    const caller = await addAtRest(dashboard().server, accountId, urls, { status: "dead" });
    await page.goto("/links?status=dead");
    await row(page, "/a").waitFor();

    await add(dashboard().server, accountId, [`${site.url}/gone`]);
    await check();
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row(page, "/gone").count()).toBe(0);
    const { store } = dashboard().server.deps;
    await store.update(links).set({ nextCheckAt: 0 }).where(eq(links.url, urls[0]!));
    await checkAll(dashboard().server, () => ALIVE);
    await page.locator(".row.retired").filter({ hasText: "/a" }).waitFor();
    await page.getByRole("button", { name: "1 new" }).click();

    await row(page, "/gone").waitFor();
    expect(await row(page, "/a").count()).toBe(0);
    expect(caller.accountId).toBe(accountId);
  });

  test("shows what is added while the list is on its way", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const list = await holdFirstAnswer(page, "**/dashboard/api/links?*sort*");
    await page.goto("/links");
    await list.isGiven;

    await add(server, accountId, [`${site.url}/fine`]);
    list.letGo();

    await row(page, "/fine").waitFor();
  });

  test("is read when the pointer rests on its name, and not again by the click", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, ["https://example.org/a"], {});
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/dashboard/api/links?")) asked.push(request.url());
    });

    const link = page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Links" });
    const answer = page.waitForResponse("**/dashboard/api/links?*sort*");
    await link.hover();
    await answer;
    await link.click();

    await row(page, "/a").waitFor();
    expect(asked).toHaveLength(1);
  });

  test("searches for what is typed while the page before it comes back", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(2));
    await page.goto("/links?search=nowhere");
    await page.getByRole("button", { name: "Show all links" }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    await page.evaluate(typeOnceBack, "example");

    await page.goBack();

    await page.waitForURL("/links?search=example");
    expect(await page.getByRole("searchbox").inputValue()).toBe("example");
  });

  test("keeps the filter and the search in the address", async () => {
    const { page, accountId } = await dashboard().user();
    await add(dashboard().server, accountId, [`${site.url}/fine`, `${site.url}/gone`]);
    await check();
    await page.goto("/links");

    await status(page, "Dead").click();
    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead");
    await page.getByRole("searchbox").fill("nowhere");
    await page.getByText("No matching links").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&search=nowhere");

    await page.reload();
    await page.getByText("No matching links").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("nowhere");
    await page.getByRole("button", { name: "Show all links" }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
  });

  test("notes no position for a list that has become empty", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(2));
    await page.goto("/links");
    await page.getByText("2 links", { exact: true }).waitFor();

    await status(page, "Dead").click();
    await page.getByText("No matching links").waitFor();
    // Throws what a timer of the page throws.
    await page.clock.runFor(1000);

    await page.goBack();
    await page.getByText("2 links", { exact: true }).waitFor();
  });

  test("shows the links of one service, by its name", async () => {
    const { page, accountId } = await dashboard().user();
    const urls = ["https://youtu.be/jNQXAC9IVRw", "https://example.org/a"];
    await addAtRest(dashboard().server, accountId, urls);
    await page.goto("/links");

    await filterBy(page, "YouTube");

    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?service=youtube");
    await page.getByText("Service: YouTube").waitFor();
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

    await row(page, "/fine").getByRole("button", { name: "Reading" }).click();
    await page.getByText("1 link", { exact: true }).waitFor();
    await filterBy(page, "Daily");
    await page.getByText("No matching links").waitFor();
    expect(new URL(page.url()).search).toBe(`?group_id=${group.id}&check_frequency=daily`);
    await page.getByRole("button", { name: "Remove the filter: Group" }).click();
    await page.getByText("3 links", { exact: true }).waitFor();
    await filterBy(page, "No group");
    await page.waitForURL("/links?group_id=none&check_frequency=daily");

    await page.goBack();
    await page.goBack();
    await page.getByText("No matching links").waitFor();
    await page.getByText("Group: Reading").waitFor();
    await page.waitForURL(`/links?group_id=${group.id}&check_frequency=daily`);
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.getByText("4 links", { exact: true }).waitFor();
  });

  test("narrows to the site or the reason that is clicked in a row", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const urls = ["https://docs.pears.example/a", "https://pears.example/b", `${site.url}/gone`];
    await add(server, accountId, urls);
    await checkAll(server, (url) => (url.endsWith("/gone") ? GONE : ALIVE));
    await page.goto("/links");

    await row(page, "/a").getByText("docs.pears.example", { exact: true }).click();
    await page.getByText("2 links", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?site=pears.example");
    await page.getByRole("button", { name: "Remove the filter: Site" }).click();
    await row(page, "/gone").getByRole("button", { name: "404" }).click();
    await page.getByText("1 link", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?reason=http_404");
    await page.goto("/links?site=pears.example");

    await row(page, "/a").getByText("docs.pears.example", { exact: true }).click();
    await page.waitForURL(/links\/[0-9a-f-]{36}/);
  });

  test("puts the links into the order that is asked for, also after a reload", async () => {
    const { page, accountId } = await dashboard().user();
    const urls = ["b", "c", "a"].map((name) => `https://example.org/${name}`);
    await addAtRest(dashboard().server, accountId, urls);
    await page.goto("/links?sort=-created_at");
    await urlsAre(page, ["a", "c", "b"]);

    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByRole("menuitemradio", { name: "URL A–Z" }).click();
    await urlsAre(page, ["a", "b", "c"]);

    expect(new URL(page.url()).search).toBe("?sort=url");
    await page.reload();
    await urlsAre(page, ["a", "b", "c"]);
  });

  test("has every link of a long list in reach, and few of them in the document", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(1000));
    await page.goto("/links?sort=created_at");
    await row(page, "/1").waitFor();

    await page.keyboard.press("End");
    await focusedRow(page, "https://example.org/1000").waitFor();
    await page.keyboard.press("k");
    await focusedRow(page, "https://example.org/999").waitFor();
    expect(await rowsIn(page)).toBeLessThanOrEqual(60);
    const table = page.getByRole("table", { name: "Links" });
    expect(await table.getAttribute("aria-rowcount")).toBe("1001");
    await page.keyboard.press("Home");
    await focusedRow(page, "https://example.org/1").waitFor();
  });

  test("is where it was when one comes back from a link", async () => {
    const { page, accountId } = await dashboard().user();
    await addAtRest(dashboard().server, accountId, numbered(500));
    await page.goto("/links?sort=created_at");
    await row(page, "/1").waitFor();
    await page.keyboard.press("End");
    await focusedRow(page, "https://example.org/500").waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await focusedRow(page, "https://example.org/498").waitFor();
    const before = await page.evaluate(() => scrollY);

    await page.keyboard.press("Enter");
    await page.waitForURL(/links\/[0-9a-f-]{36}/);
    await page.goBack();

    await focusedRow(page, "https://example.org/498").waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(before);
  });

  test("peeks at the current link next to the list, and follows the keys", async () => {
    const { page, accountId } = await dashboard().user({ width: 1440 });
    await add(dashboard().server, accountId, [`${site.url}/fine`, `${site.url}/gone`]);
    await check();
    await page.goto("/links");
    await row(page, "/gone").waitFor();

    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    const peek = page.locator("aside.drawer");
    await peek.getByText("Dead").first().waitFor();
    await peek.getByText("Evidence").waitFor();
    await page.keyboard.press("j");
    await page.locator("aside.drawer").getByText("/fine").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("aside.drawer").waitFor({ state: "detached" });
  });

  test("checks a link now, and deletes it unless that is undone", async () => {
    const { page, accountId } = await dashboard().user();
    const { store } = dashboard().server.deps;
    await add(dashboard().server, accountId, [`${site.url}/busy`, `${site.url}/fine`]);
    await check();
    await page.goto("/links");
    await row(page, "/busy").getByText("503", { exact: true }).waitFor();

    await row(page, "/busy").hover();
    await row(page, "/busy").getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 1 link.").waitFor();
    await row(page, "/busy").getByText("Checking").first().waitFor({ state: "attached" });
    await row(page, "/busy").press("#");
    await page.getByText("1 link was deleted.").waitFor();
    await row(page, "/busy").waitFor({ state: "detached" });
    await page.keyboard.press("z");
    await row(page, "/busy").waitFor();
    await row(page, "/busy").press("#");
    await row(page, "/busy").waitFor({ state: "detached" });
    const deletion = page.waitForResponse("**/links/batch-delete");
    await row(page, "/fine").press("r");
    await deletion;

    const left = await store
      .select({ url: links.url })
      .from(links)
      .where(eq(links.accountId, accountId));
    expect(left).toEqual([{ url: `${site.url}/fine` }]);
    expect(await row(page, "/busy").count()).toBe(0);
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

    await page.getByRole("main").getByRole("button", { name: "Add links" }).click();

    await page.getByRole("dialog").waitFor();
  });

  test("offers no change to someone who may only look", async () => {
    const { page, accountId } = await dashboard().user({}, "viewer");
    await addAtRest(dashboard().server, accountId, numbered(2));

    await page.goto("/links");
    await page.getByText("2 links", { exact: true }).waitFor();
    await page.keyboard.press("j");

    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Check now|Delete|Add/ }).count()).toBe(1);
  });

  test("keeps its rows without a connection, and says why nothing can be changed", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({ width: 1440 });
    await addAtRest(server, accountId, numbered(2));
    await page.goto("/links");
    await row(page, "/2").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("Space");
    await page.locator("aside.drawer").waitFor();

    await goOffline(page);
    await row(page, "/2").hover();
    for (const part of [page.locator(".selbar"), page.locator("aside.drawer"), row(page, "/2")])
      await part.getByRole("button", { name: "Check now", disabled: true }).waitFor();
    const checks = page.getByRole("button", { name: "Check now" });
    expect(new Set(await checks.evaluateAll(titlesOf))).toEqual(new Set(["Offline"]));
    const others = page
      .locator(".selbar")
      .getByRole("button", { name: /^(Delete|Export|Move|.* frequency)/ });
    expect(await others.evaluateAll(titlesOf)).toEqual(Array(4).fill("Offline"));
    await row(page, "/2").getByRole("button", { name: "More" }).click();
    const items = page.getByRole("menuitem", { name: /Move to a group|Delete/ });
    expect(await items.evaluateAll(titlesOf)).toEqual(["Offline", "Offline"]);
    await page.keyboard.press("Escape");
    for (const key of ["r", "v", "#"]) {
      await row(page, "/2").press(key);
      await page.locator(".toast").getByText("Offline", { exact: true }).waitFor();
      await row(page, "/1").press("j");
    }
    await row(page, "/2").waitFor();
    await page.context().setOffline(false);

    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Connection lost").waitFor({ state: "detached" });
    expect(await checks.evaluateAll(titlesOf)).not.toContain("Offline");
    await page.locator("aside.drawer").getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 1 link.").waitFor();
  });

  test("keeps what the later of two people did, and leads to who did it", async () => {
    const { server, user, again } = dashboard();
    const { page, accountId } = await user({ width: 1440 });
    const caller = await addAtRest(server, accountId, numbered(2));
    for (const name of ["Sooner", "Later"])
      await createGroup(server.deps, caller, { name, color: "#3366CC" });
    const { page: other } = await again(accountId, { width: 1440 });
    for (const [each, name] of [
      [page, "Sooner"],
      [other, "Later"],
    ] as const) {
      await each.goto("/links?sort=created_at");
      await row(each, "/1").focus();
      await each.keyboard.press("v");
      await each.getByRole("dialog").getByRole("button", { name }).waitFor();
    }

    for (const [each, name] of [
      [page, "Sooner"],
      [other, "Later"],
    ] as const) {
      await each.getByRole("dialog").getByRole("button", { name }).click();
      await each.getByText(`1 link was moved to ${name}.`).waitFor();
    }
    for (const each of [page, other]) await row(each, "/1").getByText("Later").waitFor();
    await row(page, "/1").press("Space");
    const drawer = page.locator("aside.drawer");
    await drawer.getByText("example.org/1").waitFor();
    await row(other, "/1").press("#");
    await row(other, "/2").press("r");
    await drawer.getByText("This link was deleted").waitFor();
    await drawer.getByText("example.org/1").waitFor();
    expect(await drawer.getByRole("button", { name: "Check now" }).count()).toBe(0);
    await drawer.getByRole("link", { name: "See who did it" }).click();

    await page.getByText(/owner-.*@example\.org deleted https:\/\/example\.org\/1/).waitFor();
  });

  test("has rows of one height at every width, however long a URL is", async () => {
    const { page, accountId } = await dashboard().user();
    const long = `https://example.org/${"a".repeat(2048 - 20)}`;
    const urls = [long, `https://${"long-".repeat(12)}a.example/${"b".repeat(300)}`];
    await addAtRest(dashboard().server, accountId, urls);
    await page.goto("/links");
    await row(page, "aaa").waitFor();

    for (const width of [320, 390, 720, 721, 768, 820, 1080, 1081, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const height = width > 720 ? 40 : 60;
      await page.waitForFunction(
        (wanted) => document.querySelector<HTMLElement>(".rows > .row")?.offsetHeight === wanted,
        height,
      );
      const sizes = await page.locator(".rows > .row").evaluateAll(sizesOf);
      expect([width, ...sizes]).toEqual([width, height, height]);
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
      expect([width, scrollWidth]).toEqual([width, clientWidth]);
      const cells = await page.locator(".rows .c-u").evaluateAll(overflowOf);
      expect([width, ...cells]).toEqual([width, 0, 0]);
    }
    expect(await page.locator(".rows .url").first().getAttribute("title")).toStartWith("https://");
  });

  test("keeps its choice of states as wide as its words", async () => {
    const { page, accountId } = await dashboard().user({ width: 768 });
    await addAtRest(dashboard().server, accountId, numbered(2));
    await page.goto("/links");
    await page.getByText("2 links", { exact: true }).waitFor();

    for (const zoom of [1, 2]) {
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = `${size * 100}%`;
      }, zoom);
      const all = await status(page, "All").boundingBox();
      expect(all!.width).toBeLessThan(120 * zoom);
    }
  });

  test("has its first row near the top of a phone, and many on a screen", async () => {
    const { page, accountId } = await dashboard().user({ width: 390, height: 844 });
    await addAtRest(dashboard().server, accountId, numbered(40));
    await page.goto("/links");
    await row(page, "/40").waitFor();
    const first = await page.locator(".rows > .row").first().boundingBox();
    expect(first!.y).toBeLessThanOrEqual(104);

    await page.setViewportSize({ width: 1440, height: 900 });
    // The rows of a phone are higher, until the page has heard of its new width.
    await page.waitForFunction(() => {
      const row = document.querySelector(".rows > .row:nth-child(3)");
      return row !== null && row.getBoundingClientRect().height < 60;
    });
    const tops = await page.locator(".rows > .row").evaluateAll(bottomsOf);
    expect(tops.filter((bottom) => bottom <= 900 - 44).length).toBeGreaterThanOrEqual(17);
  });
});

/** Of disabled buttons. */
const titlesOf = (buttons: Element[]) =>
  buttons.map((each) => (each as HTMLButtonElement).disabled && each.getAttribute("title"));
const sizesOf = (rows: Element[]) => rows.map((each) => each.getBoundingClientRect().height);
const bottomsOf = (rows: Element[]) => rows.map((each) => each.getBoundingClientRect().bottom);
const overflowOf = (cells: Element[]) =>
  cells.map((cell) => Math.max(0, cell.scrollWidth - cell.clientWidth));

/** Once the page of before is there, and before anything that is done only after it was painted. */
const typeOnceBack = (text: string) => {
  const type = () => {
    const field = document.querySelector<HTMLInputElement>("input[type=search]")!;
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  addEventListener("popstate", () => setTimeout(type), { once: true });
};

/** The row whose URL ends so. */
const row = (page: Page, path: string) =>
  page.locator(".rows > .row").filter({ has: page.locator(`.url[title$="${path}"]`) });

const focusedRow = (page: Page, url: string) =>
  page.locator(".rows > .row:focus").filter({ has: page.locator(`.url[title="${url}"]`) });

const rowsIn = (page: Page) => page.locator(".rows > .row").count();

const status = (page: Page, name: string) =>
  page.getByRole("group", { name: "State" }).getByRole("button", { name });

async function filterBy(page: Page, text: string) {
  await page.locator("body").press("f");
  await page.getByRole("searchbox", { name: "Search: Add a filter" }).fill(text);
  await page.getByRole("dialog").getByRole("button", { name: text }).first().click();
}

/** Waits until the rows are these, by the last part of their URLs. */
const urlsAre = (page: Page, names: string[]) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll(".rows .url")]
        .map((url) => url.getAttribute("title")?.split("/").at(-1))
        .join() === wanted,
    names.join(),
  );
