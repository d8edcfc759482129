import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { operatorOf } from "../../../server/accounts/users.ts";
import { links, users } from "../../../server/ground/db/tables.ts";
import { createGroup } from "../../../server/links/groups/groups.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { ALIVE, checkAll, GONE } from "../../../tests/batches/playing.ts";
import { goOffline, onDashboard, openTab } from "../../../tests/browser.ts";
import type { TestServer } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { startSite } from "../../../tests/site.ts";
import { add, addAtRest, numbered } from "../../../tests/web/adding.ts";
import { holdFirstAnswer } from "../../../tests/web/held.ts";
import { linksPage } from "../../../tests/web/pages/links.ts";
import { go } from "../../../tests/web/pages.ts";

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

  test("leads to where links are added, shows what is found, keeps its filter in the address, is read once a pointer rests on its name, and announces what comes meanwhile", async () => {
    const { page, accountId } = await dashboard().user();
    const list = linksPage(page);
    const refusal = { status: 403, json: { error: { message: "Not now.", status: 403 } } };
    await page.route("**/dashboard/api/links*", (route) => route.fulfill(refusal));
    await page.goto("/links");
    await page.getByText("Not now.").waitFor();
    await page.unroute("**/dashboard/api/links*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No links yet").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Add links" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");

    await add(dashboard().server, accountId, [`${site.url}/fine`, `${site.url}/gone`]);
    await list.row("/gone").getByText("Waiting").first().waitFor();
    await check();
    await list.row("/gone").getByText("410", { exact: true }).waitFor();
    await list.row("/gone").getByText("Dead").waitFor({ state: "attached" });
    await list.row("/fine").getByText("Alive").waitFor({ state: "attached" });
    await list.status("All 2").waitFor();

    await list.status("Dead 1").click();
    await list.count("1 link").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead");
    await list.search.fill("nowhere");
    await page.getByText("No matching links").waitFor();
    expect(new URL(page.url()).search).toBe("?status=dead&search=nowhere");
    // Throws what a timer of the page throws: that of the place in a list that is empty now.
    await page.clock.runFor(1000);
    await page.reload();
    await page.getByText("No matching links").waitFor();
    expect(await list.search.inputValue()).toBe("nowhere");
    await page.getByRole("button", { name: "Show all links" }).click();
    await list.count("2 links").waitFor();
    expect(await list.search.inputValue()).toBe("");
    await readAhead(page, accountId);
    await expectAnnouncements(page, accountId);
  });

  test("counts each link once, though a check begins while they are counted", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addAtRest(server, accountId, numbered(3), { status: "unknown" });
    const counted = Promise.withResolvers<void>();
    const isCounting = ({ searchParams }: URL) => searchParams.get("per_page") === "1";
    let asked = 0;
    await page.route(isCounting, async (route) => {
      // All of them and each status. Then they are counted again, which is not answered.
      if (++asked > 4) return;
      if (!route.request().url().includes("status=unknown")) {
        await counted.promise;
        return route.continue();
      }
      const response = await route.fetch();
      const checkingUntil = server.clock.now() + 60_000;
      await server.deps.store
        .update(links)
        .set({ checkingUntil })
        .where(eq(links.accountId, accountId));
      await route.fulfill({ response });
      counted.resolve();
    });
    await page.goto("/links?search=example");

    await linksPage(page).status("Unknown 3").waitFor();
    expect(await linksPage(page).status("All 3").count()).toBe(1);
  });

  /** Once a pointer rests on the name of the page. */
  async function readAhead(page: Page, accountId: string) {
    await addAtRest(dashboard().server, accountId, AT_REST, { status: "dead" });
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const asked: string[] = [];
    // The overview asks for single links.
    const isList = (url: string) => /\/dashboard\/api\/links\?(?!.*per_page=1(&|$))/.test(url);
    page.on("request", (request) => {
      if (isList(request.url())) asked.push(request.url());
    });
    const main = page.getByRole("navigation", { name: "Main" });
    const answer = page.waitForResponse((response) => isList(response.url()));
    await main.getByRole("link", { name: "Links" }).hover();
    await answer;
    await main.getByRole("link", { name: "Links" }).click();
    await linksPage(page).row("/a").waitFor();
    expect(asked).toHaveLength(1);
  }

  /** Checks that the page announces what is added or found meanwhile. */
  async function expectAnnouncements(page: Page, accountId: string) {
    const { server } = dashboard();
    const { row, count } = linksPage(page);
    await go(page, "/links?status=dead");
    await count("4 links").waitFor();
    await add(server, accountId, [`${site.url}/gone?2`]);
    await check();
    const found = server.deps.store
      .select()
      .from(links)
      .where(eq(links.url, `${site.url}/gone?2`));
    expect((await found).map(({ status }) => status)).toEqual(["dead"]);
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row("/gone?2").count()).toBe(0);
    const isFirst = eq(links.url, AT_REST[0]!);
    await server.deps.store.update(links).set({ nextCheckAt: 0 }).where(isFirst);
    await checkAll(server, () => ALIVE);
    await page.locator(".row.retired").filter({ hasText: "/a" }).waitFor();
    await page.getByRole("button", { name: "1 new" }).click();
    await row("/gone?2").waitFor();
    expect(await row("/a").count()).toBe(0);

    const searched = await holdFirstAnswer(page, /api\/links\?(?=.*search=)(?=.*sort=)/);
    await go(page, "/links?search=/later");
    await searched.isGiven;
    await add(server, accountId, [`${site.url}/later`]);
    searched.letGo();
    await row("/later").waitFor();
  }

  test("is narrowed by what one chooses or clicks in a row, put in order, and goes back", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const list = linksPage(page);
    const pears = ["https://docs.pears.example/a", "https://pears.example/b"];
    const urls = [...pears, "https://youtu.be/jNQXAC9IVRw", `${site.url}/gone`];
    const caller = await add(server, accountId, urls);
    const group = await makeChange(server.deps, caller, (unit) =>
      createGroup(unit, caller, { name: "Reading", color: "#3366CC" }),
    );
    const more = { group_id: group.id, check_frequency: "weekly" };
    await add(server, accountId, [`${site.url}/fine`], more);
    await checkAll(server, (url) => (url.endsWith("/gone") ? GONE : ALIVE));
    await page.goto("/links");

    await list.row("/fine").getByRole("button", { name: "Reading" }).click();
    await list.count("1 link").waitFor();
    await page.keyboard.press("f");
    const search = page.getByRole("searchbox", { name: "Search: Add a filter" });
    await search.fill("Dai");
    const filters = page.getByRole("dialog", { name: "Add a filter" });
    // Both before the page is painted again, until when the hidden field could keep the focus.
    await search.evaluate(() => {
      for (const key of ["Escape", "f"]) {
        const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
        (document.activeElement ?? document.body).dispatchEvent(event);
      }
    });
    expect(await filters.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await filters.waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe(`?group_id=${group.id}`);
    await list.filterBy("Daily");
    await page.getByText("No matching links").waitFor();
    expect(new URL(page.url()).search).toBe(`?group_id=${group.id}&check_frequency=daily`);
    await list.without("Group").click();
    await list.count("4 links").waitFor();
    await list.filterBy("No group");
    await page.waitForURL("/links?group_id=none&check_frequency=daily");
    await page.goBack();
    await page.goBack();
    await page.getByText("No matching links").waitFor();
    await page.getByText("Group: Reading").waitFor();
    await page.waitForURL(`/links?group_id=${group.id}&check_frequency=daily`);
    await page.getByRole("button", { name: "Clear all" }).click();
    await list.count("5 links").waitFor();

    await list.filterBy("YouTube");
    await list.count("1 link").waitFor();
    expect(new URL(page.url()).search).toBe("?service=youtube");
    await page.getByText("Service: YouTube").waitFor();
    await list.without("Service").click();

    await list.row("/a").getByText("docs.pears.example", { exact: true }).click();
    await list.count("2 links").waitFor();
    expect(new URL(page.url()).search).toBe("?site=pears.example");
    await list.without("Site").click();
    await list.row("/gone").getByRole("button", { name: "404" }).click();
    await list.count("1 link").waitFor();
    expect(new URL(page.url()).search).toBe("?reason=http_404");
    await go(page, "/links?site=pears.example");
    await list.row("/a").getByText("docs.pears.example", { exact: true }).click();
    await page.waitForURL(/links\/[0-9a-f-]{36}/);

    await go(page, "/links?sort=-created_at");
    await list.urlsAre(["fine", "gone", "jNQXAC9IVRw", "b", "a"]);
    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByRole("menuitemradio", { name: "URL A–Z" }).click();
    await list.urlsAre(["fine", "gone", "a", "b", "jNQXAC9IVRw"]);
    expect(new URL(page.url()).search).toBe("?sort=url");
    await page.reload();
    await list.urlsAre(["fine", "gone", "a", "b", "jNQXAC9IVRw"]);
    const head = page.getByRole("columnheader", { name: "Link", exact: true });
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    await head.getByRole("button").click();
    await list.urlsAre(["jNQXAC9IVRw", "b", "a", "gone", "fine"]);
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("button", { name: "Since" }).click();
    await page.waitForURL("/links?sort=-status_changed_at");

    await go(page, "/links");
    await list.filterBy("For more than 30 days");
    await page.getByText("No matching links").waitFor();
    await list.filterBy("Today");
    await list.count("1 link").waitFor();
    expect(new URL(page.url()).searchParams.get("status")).toBe("dead");
    await list.filterBy("Between two days…");
    await page.getByLabel("First day").fill("2001-02-03");
    await page.getByLabel("Last day").fill("2001-02-04");
    await page.getByRole("button", { name: "Show links" }).click();
    await page.getByText("Dead since: 3 Feb 2001 to 4 Feb 2001").waitFor();
    await list.without("Dead since").click();
    await list.row("/gone").hover();
    await list.row("/gone").getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("1 link was acknowledged.").waitFor();
    await list.row("/gone").getByRole("button", { name: "Reopen" }).waitFor();
    await page.keyboard.press("z");
    await list.row("/gone").getByRole("button", { name: "Acknowledge" }).waitFor();

    await go(page, "/links?search=nowhere");
    await page.getByRole("button", { name: "Show all links" }).click();
    await list.count("5 links").waitFor();
    await page.evaluate(typeOnceBack, "example");
    await page.goBack();
    await page.waitForURL("/links?search=example");
    expect(await list.search.inputValue()).toBe("example");
  });

  test("has all of a long list in reach, comes back to where it was left, lets viewers look, and has many rows on a screen, of one height at every width", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const list = linksPage(page);
    const focused = (n: number) => list.focused(`https://example.org/${n}`).waitFor();
    await addAtRest(server, accountId, numbered(300));
    await page.goto("/links?sort=created_at");
    await list.row("/1").waitFor();

    await page.keyboard.press("End");
    await focused(300);
    await page.keyboard.press("Home");
    await focused(1);
    await page.keyboard.press("End");
    await focused(300);
    await page.keyboard.press("k");
    await focused(299);
    expect(await list.rows.count()).toBeLessThanOrEqual(60);
    const table = page.getByRole("table", { name: "Links" });
    expect(await table.getAttribute("aria-rowcount")).toBe("301");
    await page.keyboard.press("k");
    await focused(298);
    const before = await page.evaluate(() => scrollY);
    await page.keyboard.press("Enter");
    await page.waitForURL(/links\/[0-9a-f-]{36}/);
    await page.goBack();
    await focused(298);
    expect(await page.evaluate(() => scrollY)).toBe(before);

    const isTheirs = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(isTheirs);
    await page.reload();
    await list.count("300 links").waitFor();
    await page.keyboard.press("j");
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Check now|Delete|Add/ }).count()).toBe(1);
    await printAll(page, list);
    await seeHeights(page, server, accountId);
  });

  test("peeks at links, checks and deletes them, keeps its rows without a connection, and what the later of two people did", async () => {
    const { page, accountId } = await dashboard().user({ width: 1440 });
    await changeOne(page, accountId);
    await loseConnection(page, accountId);
    await changeTogether(page, accountId);
  });

  /** Deletes it unless that is undone. */
  async function changeOne(page: Page, accountId: string) {
    const { store } = dashboard().server.deps;
    const { row, drawer } = linksPage(page);
    await add(dashboard().server, accountId, [`${site.url}/busy`, `${site.url}/gone`]);
    await check();
    await page.goto("/links");
    await row("/busy").getByText("503", { exact: true }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Space");
    await drawer.getByText("Dead").first().waitFor();
    await drawer.getByText("Evidence").waitFor();
    await page.keyboard.press("j");
    await drawer.getByText("/busy").waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });

    await row("/busy").hover();
    await row("/busy").getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 1 link.").waitFor();
    await row("/busy").getByText("Checking").first().waitFor({ state: "attached" });
    await row("/busy").press("#");
    await page.getByText("1 link was deleted.").waitFor();
    await row("/busy").waitFor({ state: "detached" });
    await page.keyboard.press("z");
    await row("/busy").waitFor();
    await row("/busy").press("#");
    await row("/busy").waitFor({ state: "detached" });
    const deletion = page.waitForResponse("**/links/batch-delete");
    await row("/gone").press("r");
    await deletion;

    const isTheirs = eq(links.accountId, accountId);
    const left = await store.select({ url: links.url }).from(links).where(isTheirs);
    expect(left).toEqual([{ url: `${site.url}/gone` }]);
    expect(await row("/busy").count()).toBe(0);
  }

  /** Says why nothing can be changed. */
  async function loseConnection(page: Page, accountId: string) {
    const { row, drawer, bar } = linksPage(page);
    await addAtRest(dashboard().server, accountId, numbered(2));
    await page.goto("/links");
    await row("/2").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("Space");
    await drawer.waitFor();

    await goOffline(page);
    await row("/2").hover();
    for (const part of [bar, drawer, row("/2")])
      await part.getByRole("button", { name: "Check now", disabled: true }).waitFor();
    const checks = page.getByRole("button", { name: "Check now" });
    expect(new Set(await checks.evaluateAll(titlesOf))).toEqual(new Set(["Offline"]));
    const others = bar.getByRole("button", { name: /^(Delete|Export|Move|.* frequency)/ });
    expect(await others.evaluateAll(titlesOf)).toEqual(Array(4).fill("Offline"));
    await row("/2").getByRole("button", { name: "More" }).click();
    const items = page.getByRole("menuitem", { name: /Move to a group|Delete/ });
    expect(await items.evaluateAll(titlesOf)).toEqual(["Offline", "Offline"]);
    await page.keyboard.press("Escape");
    for (const key of ["r", "v", "#"]) {
      await row("/2").press(key);
      await page.locator(".toast").getByText("Offline", { exact: true }).waitFor();
      await row("/1").press("j");
    }
    await row("/2").waitFor();
    await page.context().setOffline(false);

    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Connection lost").waitFor({ state: "detached" });
    expect(await checks.evaluateAll(titlesOf)).not.toContain("Offline");
    await drawer.getByRole("button", { name: "Check now" }).click();
    await page.getByText("Checking 1 link.").waitFor();
  }

  /** Leads to who did what the other does not see any more. */
  async function changeTogether(page: Page, accountId: string) {
    const { server } = dashboard();
    const caller = await operatorOf(server.deps, accountId);
    for (const name of ["Sooner", "Later"])
      await makeChange(server.deps, caller, (unit) =>
        createGroup(unit, caller, { name, color: "#3366CC" }),
      );
    const { page: other } = await openTab(page, server);
    const both = [
      [page, "Sooner"],
      [other, "Later"],
    ] as const;
    const choice = ([each, name]: (typeof both)[number]) =>
      each.getByRole("dialog").getByRole("button", { name });
    for (const one of both) {
      const [each] = one;
      await each.goto("/links?sort=created_at");
      await linksPage(each).row("/1").focus();
      await each.keyboard.press("v");
      await choice(one).waitFor();
    }

    for (const one of both) {
      const [each, name] = one;
      await choice(one).click();
      await each.getByText(`1 link was moved to ${name}.`).waitFor();
    }
    for (const [each] of both) await linksPage(each).row("/1").getByText("Later").waitFor();
    const { row, drawer } = linksPage(page);
    await row("/1").press("Space");
    await drawer.getByText("example.org/1").waitFor();
    await linksPage(other).row("/1").press("#");
    await linksPage(other).row("/2").press("r");
    await drawer.getByText("This link was deleted").waitFor();
    await drawer.getByText("example.org/1").waitFor();
    expect(await drawer.getByRole("button", { name: "Check now" }).count()).toBe(0);
    await drawer.getByRole("link", { name: "See who did it" }).click();

    await page.getByText(/owner-.*@example\.org deleted https:\/\/example\.org\/1/).waitFor();
  }
});

/** Links that are dead until they are checked. */
const AT_REST = ["https://example.org/a", "https://example.org/b"];

/** Paper has all rows, and a title instead of tools. What is not there yet is said, since a browser does not wait. */
async function printAll(page: Page, list: ReturnType<typeof linksPage>) {
  const late = Promise.withResolvers<void>();
  await page.route("**/dashboard/api/links?*page=3*", async (route) => {
    await late.promise;
    await route.continue();
  });
  // Another list, since the first one comes back to its end with its last page.
  await page.goto("/links?search=example&sort=created_at");
  await list.row("/1").waitFor();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await page.getByRole("heading", { name: "Links" }).waitFor();
  const missing = page.getByText("The other rows were not loaded yet");
  await missing.waitFor();
  late.resolve();
  await list.row("/300").waitFor();
  await missing.waitFor({ state: "detached" });
  await page.unroute("**/dashboard/api/links?*page=3*");
  expect(await list.rows.count()).toBe(300);
  expect(await list.search.isVisible()).toBe(false);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelectorAll(".row").length < 100);
}

/** However long a URL is. */
async function seeHeights(page: Page, server: TestServer, accountId: string) {
  const list = linksPage(page);
  const long = `https://example.org/${"a".repeat(2048 - 20)}`;
  const urls = [long, `https://${"long-".repeat(12)}a.example/${"b".repeat(300)}`];
  await page.setViewportSize({ width: 390, height: 844 });
  await addAtRest(server, accountId, urls);
  await page.goto("/links");
  await list.row("bbb").waitFor();
  const first = await list.rows.first().boundingBox();
  expect(first!.y).toBeLessThanOrEqual(104);
  expect(await page.locator(".rows .url").first().getAttribute("title")).toStartWith("https://");

  for (const width of [320, 390, 720, 721, 768, 820, 1080, 1081, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const height = width > 720 ? 40 : 60;
    await page.waitForFunction(
      (wanted) => document.querySelector<HTMLElement>(".rows > .row")?.offsetHeight === wanted,
      height,
    );
    const sizes = new Set(await page.evaluate(heightsOfRows));
    expect([width, ...sizes]).toEqual([width, height]);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect([width, scrollWidth]).toEqual([width, clientWidth]);
    const cells = new Set(await page.locator(".rows .c-u").evaluateAll(overflowOf));
    expect([width, ...cells]).toEqual([width, 0]);
  }
  await list.rows.nth(17).waitFor();
  const bottoms = await list.rows.evaluateAll(bottomsOf);
  expect(bottoms.filter((bottom) => bottom <= 900 - 44).length).toBeGreaterThanOrEqual(17);

  await page.setViewportSize({ width: 768, height: 800 });
  for (const zoom of [1, 2]) {
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = `${size * 100}%`;
    }, zoom);
    const all = await list.status("All").boundingBox();
    expect(all!.width).toBeLessThan(120 * zoom);
  }
}

/** Of disabled buttons. */
const titlesOf = (buttons: Element[]) =>
  buttons.map((each) => (each as HTMLButtonElement).disabled && each.getAttribute("title"));
/** In one step: a row that is taken out between finding and measuring it has no height. */
const heightsOfRows = () =>
  [...document.querySelectorAll(".rows > .row")].map((row) => row.getBoundingClientRect().height);
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
