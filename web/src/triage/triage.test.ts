import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createSession } from "../../../server/accounts/sessions.ts";
import { users } from "../../../server/ground/db/tables.ts";
import { onDashboard, openTab } from "../../../tests/browser.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import type { Asker, Parsed } from "../../../tests/harness.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { openBrowser } from "../../../tests/session/browser.ts";
import { GONE, sound } from "../../../tests/triage/playing.ts";
import { askerOf } from "../../../tests/web/looking.ts";
import { linkPage } from "../../../tests/web/pages/link.ts";
import { go } from "../../../tests/web/pages.ts";

onDashboard("Links that need attention", (dashboard) => {
  /** Someone with so many dead links. */
  async function withDead(count: number) {
    const { server, user } = dashboard();
    const visitor = await user();
    const me = await askerOf(server, visitor.accountId);
    const urls = Array.from({ length: count }, (_, i) => ({ url: `https://example.org/${i}` }));
    await me.post("/api/v1/links/batch", { links: urls });
    await checkDueLinks({ ...server.deps, check: async () => GONE });
    return { ...visitor, me, server };
  }

  /** A colleague, at another browser. */
  async function withMira(accountId: string) {
    const { server, account } = dashboard();
    const { store, clock } = server.deps;
    const theirs = eq(users.accountId, await account("editor"));
    const changed = store.update(users).set({ accountId, email: "mira@example.org" }).where(theirs);
    const [mira] = await changed.returning();
    const token = await createSession(store, mira!.id, clock.now());
    return { mira: mira!, elsewhere: openBrowser(server, `session=${token}`) };
  }

  const rows = (page: Page) => page.locator(".rows .row:not(.head)");
  const status = (page: Page, text: RegExp | string) =>
    page.getByRole("status").filter({ hasText: text }).first().waitFor();
  const goTo = async (page: Page, typed: string, address: RegExp) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").pressSequentially(typed);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
  };

  test("are handled by the keyboard alone until nothing needs the user, unless single keys are off", async () => {
    const { page, me, server } = await withDead(7);
    await page.goto("/");
    await page.getByRole("heading", { name: "7 links checked in 1 s, 7 dead" }).waitFor();

    await goTo(page, "needs att", /attention=true/);
    await rows(page).nth(6).waitFor();
    await page.keyboard.press("j");
    for (let i = 0; i < 3; i++) await page.keyboard.press("e");
    await status(page, "1 link was acknowledged.");
    await page.waitForFunction(() => document.title.startsWith("(4)"));
    await goTo(page, "overview", /\/$/);
    await page.getByText("4 links, 1 cause").waitFor();
    await goTo(page, "needs att", /attention=true/);
    await rows(page).nth(3).waitFor();
    await page.keyboard.press("j");

    await page.keyboard.press("s");
    await page.locator("[popover]:popover-open").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await status(page, /1 link was muted until/);

    await page.keyboard.press("i");
    await page.locator("[popover]:popover-open").waitFor();
    await page.keyboard.press("Enter");
    await status(page, /1 link was assigned to .+@/);
    await page.keyboard.press("t");
    await page.locator("[popover]:popover-open").waitFor();
    await page.keyboard.type("press");
    await page.keyboard.press("Enter");
    await status(page, "1 link was tagged press.");

    await page.keyboard.press("o");
    await page.getByLabel("Why it works").waitFor();
    await page.keyboard.type("It works in a browser; they block us.");
    for (const _ of ["for", "cancel", "override"]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await status(page, "1 link was overridden.");

    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await status(page, "2 selected");
    await page.keyboard.press("e");
    await status(page, "2 links were acknowledged.");
    await page.waitForFunction(() => !document.title.startsWith("("));
    await page.keyboard.press("z");
    await page.waitForFunction(() => document.title.startsWith("(2)"));
    await rows(page).nth(1).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.title.startsWith("(1)"));
    await page.keyboard.press("e");
    await page.waitForFunction(() => !document.title.startsWith("("));

    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.getByRole("heading", { name: "6 links are dead" }).waitFor();
    await page.getByText("Nothing needs attention.").waitFor();
    await goTo(page, "needs att", /attention=true/);
    await page.getByText("6 dead links are acknowledged or muted.").waitFor();

    const { items } = (await me.get("/api/v1/links")).body.data;
    const of = (name: string) => items.map((item: Parsed) => item[name]);
    expect(of("handling").sort()).toEqual([...Array(5).fill("acknowledged"), "muted", "open"]);
    expect(of("reason").filter((reason: string) => reason === "ok_overridden")).toHaveLength(1);
    expect(of("tags").flat()).toEqual(["press"]);
    await sound(server);

    await go(page, "/links");
    await page.getByText("7 links", { exact: true }).waitFor();
    await page.evaluate(() => localStorage.setItem("stillup-keys-off", "1"));
    for (const key of ["j", "e", "s", "o"]) await page.keyboard.press(key);
    expect(await page.locator("dialog[open], [popover]:popover-open").count()).toBe(0);
    expect((await me.get("/api/v1/links")).body.data.items).toEqual(items);
  });

  test("have what the later of two people decides, of which the earlier hears", async () => {
    const { page, me, server } = await withDead(1);
    const { mira, elsewhere } = await withMira(me.accountId);
    const { id } = (await me.get("/api/v1/links")).body.data.items[0];
    const handling = async () => (await me.get(`/api/v1/links/${id}`)).body.data.handling;
    await page.goto("/links?attention=true");
    await rows(page).waitFor();

    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await status(page, "1 link was acknowledged.");
    server.clock.moveBy(1000);
    const until = new Date(server.clock.now() + DAY).toISOString();
    const muted = { link_ids: [id], change: { handling: "muted", muted_until: until } };
    expect((await elsewhere.post("/links/batch-change", muted)).status).toBe(200);
    await status(page, "mira@example.org has since muted example.org/0.");
    expect(await handling()).toBe("muted");
    // Undo would take back what she decided.
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);

    server.clock.moveBy(1000);
    await page.keyboard.press("e");
    await status(page, "1 link was acknowledged.");
    expect(await handling()).toBe("acknowledged");

    await go(page, `/links/${id}`);
    await page.getByRole("button", { name: "Mute" }).waitFor();
    await page.keyboard.press("i");
    await page.locator("[popover]:popover-open button:focus", { hasText: "Me" }).waitFor();
    await page.keyboard.press("Enter");
    await status(page, "1 link was assigned to owner-");
    server.clock.moveBy(1000);
    const change = { assignee_id: mira.id, add_tags: ["press"] };
    await me.post("/api/v1/links/batch-change", { link_ids: [id], change });
    await status(page, /su_.+ has since assigned example.org\/0 to mira@example.org/);

    const urls = [1, 2, 3].map((n) => ({ url: `https://example.org/${n}` }));
    await me.post("/api/v1/links/batch", { links: urls });
    await checkDueLinks({ ...server.deps, check: async () => GONE });
    await page.goto("/links?attention=true");
    await rows(page).nth(2).waitFor();
    const acknowledged = rows(page).getByText("Acknowledged", { exact: true });
    const { items } = (await me.get("/api/v1/links?sort=url")).body.data;
    const ids = items.slice(1, 3).map((item: Parsed) => item.id);
    // The change is seen before the page listens for such changes.
    const released = Promise.withResolvers<void>();
    await page.route("**/since-*.js", (route) => released.promise.then(() => route.continue()));
    await page.getByRole("checkbox", { name: "Select all 3 links" }).check();
    await page.keyboard.press("e");
    await acknowledged.nth(2).waitFor();
    server.clock.moveBy(1000);
    await me.post("/api/v1/links/batch-change", { link_ids: ids, change: { handling: "open" } });
    await acknowledged.nth(1).waitFor({ state: "detached" });
    released.resolve();
    await status(page, /su_.+ has since changed 2 links that you changed/);
  });

  test("can be saved as a view of their filter, and are edited on their page, where two people change what they mean to", async () => {
    const { page, me } = await withDead(2);
    const { page: other } = await openTab(page, dashboard().server);
    await saveView(page, other);
    await edit(page, other, me);
  });

  async function saveView(page: Page, other: Page) {
    await page.goto("/links?tag=press&attention=true");
    await page.getByText("No matching links").waitFor();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("The press");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const view = page.getByRole("link", { name: "The press" });
    await view.waitFor();
    await go(page, "/links");
    await view.click();
    await page.waitForURL(/tag=press/);
    expect(await page.getByRole("button", { name: "Save view" }).count()).toBe(0);

    for (const each of [page, other]) {
      await go(each, "/settings/views");
      await each.getByText("Only for you").waitFor();
      await each.getByRole("button", { name: "Edit The press" }).click();
    }
    const forEveryone = { hasText: "For everyone in the account" };
    await other.getByLabel("Name").fill("Press room");
    await page.getByRole("dialog").getByLabel("For everyone in the account").check();
    await page.getByRole("button", { name: "Save" }).click();
    await other.locator(".lines .hint", forEveryone).waitFor();
    await other.getByRole("button", { name: "Save" }).click();
    await page.locator(".lines").getByRole("link", { name: "Press room", exact: true }).waitFor();
    await page.locator(".lines .hint", forEveryone).waitFor();
    await page.getByRole("button", { name: "Delete Press room" }).click();
    await page.getByText("No views yet").waitFor();
  }

  /** Of one link, by keys and in a form. */
  async function edit(page: Page, other: Page, me: Asker) {
    const path = `/links/${(await me.get("/api/v1/links?sort=url")).body.data.items[0].id}`;
    for (const each of [page, other]) {
      await go(each, path);
      await linkPage(each).edit();
      await each.getByLabel("Note").waitFor();
    }
    const save = (each: Page) => each.getByRole("button", { name: "Save" }).click();
    await other.getByLabel("Cron").fill("*/5 * * * *");
    await other.getByLabel("Title").fill("Handbook");
    await save(other);
    await other.getByText("Must name one minute; nothing is checked oftener than hourly").waitFor();
    await other.getByLabel("Cron").fill("0 6 * * 1-5");
    await save(other);
    await page.locator("main").getByText("Handbook").first().waitFor();
    await page.getByLabel("Note").fill("Ask Ada.");
    await page.getByLabel("The page must contain").fill("Chapter one\nChapter two");
    await save(page);
    await status(page, "The link was changed.");
    await page.getByText("contains “Chapter one”, “Chapter two”").waitFor();

    const inPlace = (name: string) => page.getByRole("button", { name });
    await inPlace("(edit title)").click();
    await page.keyboard.type("Manual");
    await page.keyboard.press("Escape");
    await inPlace("Handbook (edit title)").click();
    await page.keyboard.type("Manual");
    await page.keyboard.press("Enter");
    await status(page, "The title was changed");
    await other.getByRole("button", { name: "Manual (edit title)" }).waitFor();
    await page.keyboard.press("z");
    await inPlace("Handbook (edit title)").waitFor();
    await inPlace("Ask Ada. (edit note)").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Or Bob.");
    await page.keyboard.press("Control+Enter");
    await status(page, "The note was changed");

    await page.keyboard.press("t");
    await page.locator("[popover]:popover-open input:focus").waitFor();
    await page.keyboard.type("press");
    await page.keyboard.press("Enter");
    await status(page, "1 link was tagged press.");
    await page.keyboard.press("i");
    await page.locator("[popover]:popover-open button:focus").waitFor();
    await page.keyboard.press("Enter");
    await status(page, /1 link was assigned to .+@/);
    await page.keyboard.press("u");
    await page.getByLabel("New URL").fill("https://example.org/moved");
    await page.getByRole("button", { name: "Replace" }).click();
    await status(page, "The URL was replaced.");
    await page.getByText("URL changed, was https://example.org/0").waitFor();

    const { body } = await me.get(`/api/v1${path}`);
    expect(body.data).toMatchObject({
      url: "https://example.org/moved",
      title: "Handbook",
      note: "Ask Ada.\nOr Bob.",
      check_schedule: { cron: "0 6 * * 1-5", from: "link" },
      expect: { must_contain: ["Chapter one", "Chapter two"] },
      tags: ["press"],
      assignee: { email: expect.stringContaining("@") },
    });
  }
});
