import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Locator, Page } from "playwright-core";
import { users } from "../../../server/ground/db/tables.ts";
import { onDashboard } from "../../../tests/browser.ts";
import type { Asker } from "../../../tests/harness.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import { SOURCES, startReading } from "../../../tests/sources/reading.ts";
import { livesIn } from "../../../tests/web/lives.ts";
import { askerOf, faultsOf } from "../../../tests/web/looking.ts";
import { go } from "../../../tests/web/pages.ts";

const links = (paths: string[]) => paths.map((to) => `<a href="${to}">See ${to}</a>`).join("\n");
const pageOf = (title: string, paths: string[]) =>
  `<html><title>${title}</title><body>\n${links(paths)}</body></html>`;

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `https://l${n}.test/`).join("\n");

const isInView = (element: Locator) =>
  element.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    const sheet = node.closest("dialog")!.getBoundingClientRect();
    return top >= sheet.top && bottom <= sheet.bottom;
  });

onDashboard("Sources", (dashboard) => {
  let site: Site;
  let reading: ReturnType<typeof startReading>;
  let setUp = Promise.withResolvers<void>();
  let list = lines(30);
  beforeAll(() => {
    site = startSite({
      "/": pageOf("Start", ["/setup", "https://alive.test/"]),
      "/setup": async () => {
        await setUp.promise;
        const body = pageOf("Set-up", ["/", "https://gone.test/manual"]);
        return new Response(body, { headers: { "Content-Type": "text/html" } });
      },
      "/list.txt": () => new Response(list),
      "/sitemap.xml": () =>
        new Response(
          `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/</loc></url></urlset>`,
          { headers: { "Content-Type": "application/xml" } },
        ),
    });
    reading = startReading(dashboard().server);
  });
  afterAll(() => Promise.all([reading.stop(), site.stop()]));

  /** A list that has been read, and became much smaller. */
  async function newList(me: Asker) {
    list = lines(30);
    const source = await reading.add(me, { kind: "list", url: `${site.url}/list.txt` });
    list = lines(5);
    return reading.again(me, source.id);
  }

  test("are made of a site's address, count its pages, and show the first dead link with its page", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    lives.answer(["https://gone.test/manual"], "http_404");
    setUp = Promise.withResolvers<void>();
    await page.goto("/");
    const field = page.getByLabel("A site, a sitemap or a link");

    await field.fill(`${site.url}/`);
    setUp.resolve();
    await field.press("Enter");
    const sheet = page.getByRole("dialog", { name: "New source" });
    await sheet.getByText("2 links on the first 2 pages").waitFor();
    expect(await sheet.getByLabel("Kind").inputValue()).toBe("site");
    expect(await sheet.getByRole("textbox").count()).toBe(1);
    await sheet.getByText("More", { exact: true }).click();
    const leaveOut = sheet.getByLabel("Leave out");
    const previewAgain = sheet.getByRole("button", { name: "Preview again" });
    await leaveOut.fill("https://gone.test/");
    await previewAgain.click();
    const effect = sheet.getByText(
      "1 link on the first 2 pages, 1 of them new, 1 left out by the settings",
    );
    await effect.waitFor();
    expect(await isInView(effect)).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await leaveOut.fill("");
    await sheet.getByLabel("Name").fill("My docs");
    setUp = Promise.withResolvers<void>();
    await sheet.getByRole("button", { name: "Create source" }).click();
    await page.waitForURL(/\/sources\/[0-9a-f-]+$/);
    reading.wake();
    await page.getByText(/^1 page read, \d waiting/).waitFor();
    setUp.resolve();
    await page.getByText("Up to date").waitFor();
    await lives.check();

    const dead = page.getByRole("list", { name: "Dead links on Set-up" });
    await dead.getByRole("link", { name: /gone.test/ }).waitFor();
    expect(await dead.innerText()).toContain("“See https://gone.test/manual”, line 3");
    await page.getByRole("link", { name: "All 2 links of the page" }).click();
    await page.getByRole("heading", { name: "Set-up" }).waitFor();
    await page.getByText("2 links, 1 dead").waitFor();
    await page.getByRole("link", { name: /gone.test/ }).click();
    const found = page.getByRole("region", { name: "Found on" });
    await found.getByRole("link", { name: "Set-up" }).waitFor();
    await found.getByRole("button", { name: "Keep it" }).click();
    await page.getByText("The link is kept").waitFor();
    await found.getByRole("button", { name: "Keep it" }).waitFor({ state: "detached" });
    await pasteSitemap(page);
  });

  /** Into Add links, which offers to make a source of it. */
  async function pasteSitemap(page: Page) {
    await go(page, "/links?add");
    const add = page.getByRole("dialog", { name: "Add links" });

    await add.getByRole("textbox").fill(`${site.url}/sitemap.xml`);
    await add.getByText("This is a sitemap.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await add.getByRole("button", { name: "Create a source" }).click();

    const sheet = page.getByRole("dialog", { name: "New source" });
    await sheet.getByText("1 link on the first").waitFor();
    expect(await sheet.getByLabel("Kind").inputValue()).toBe("sitemap");
    await sheet.getByRole("button", { name: "Create source" }).click();
    await page.waitForURL(/\/sources\/[0-9a-f-]+$/);
    reading.wake();
    await page.getByText("Up to date").waitFor();
  }

  test("that became much smaller are failing until the new size is accepted, are deleted with Undo, and have a form of their kind, of which only what was changed is sent", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await newList(me);
    const isTheirs = eq(users.accountId, accountId);
    const become = (role: "viewer" | "owner") =>
      server.deps.store.update(users).set({ role }).where(isTheirs);
    const docs = page.getByRole("row", { name: /Docs/ });

    await become("viewer");
    await page.goto("/sources?new=x");
    await docs.waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByRole("button", { name: "New source" }).count()).toBe(0);
    await go(page, `/sources/${id}`);
    await page.getByText("No links were removed.").waitFor();
    for (const name of ["Run now", "Accept the new size", "More"]) {
      const button = page.locator("#main").getByRole("button", { name, exact: true });
      expect([name, await button.count()]).toEqual([name, 0]);
    }

    await become("owner");
    await page.goto("/");
    const coming = page.getByRole("region", { name: "Coming up" });
    await coming.getByText("Source is failing").waitFor();
    expect(await coming.getByRole("link", { name: "Docs" }).getAttribute("href")).toBe(
      `/sources/${id}`,
    );
    await go(page, "/sources");
    await page.getByRole("button", { name: "Failing 1" }).click();
    await docs.getByText(/much smaller than before/).waitFor();
    for (const key of ["j", "Enter"]) await page.keyboard.press(key);
    await page.waitForURL(`**/sources/${id}`);
    await page.getByText("No links were removed.").waitFor();
    await page.getByRole("button", { name: "Accept the new size" }).click();
    await page.getByText("Run queued.").waitFor();
    await reading.ended(me, id);
    await page.getByText("Up to date").waitFor();
    const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
    expect(await runs.count()).toBe(3);
    expect(await runs.first().innerText()).toContain("25 missing");
    await page.getByRole("link", { name: "30", exact: true }).click();
    await page.getByText("Source: Docs").waitFor();
    await page.getByText("30 links").first().waitFor();
    await page.getByRole("button", { name: "Remove the filter: Source" }).click();
    await page.waitForURL(/\/links$/);

    await go(page, `/sources/${id}`);
    await choose(page, "Pause");
    await page.getByText("The source is paused.").waitFor();
    await page.getByText("Paused", { exact: true }).first().waitFor();
    await choose(page, "Delete with its links");
    await page.getByRole("heading", { name: "No sources yet" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await docs.waitFor();
    await page.getByRole("link", { name: "Docs" }).click();
    await choose(page, "Delete and keep its links");
    await page.getByRole("heading", { name: "No sources yet" }).waitFor();
    // The page is left before the time for Undo is over, so the browser may send the request late.
    await page.goto("/sources");
    await page.getByRole("heading", { name: "No sources yet" }).waitFor();
    await go(page, "/links");
    await page.getByText("30 links").first().waitFor();
    expect((await me.get(`${SOURCES}/${id}`)).status).toBe(404);
    await editAll(page, me);
  });

  /** Sources of each kind, in the form. */
  async function editAll(page: Page, me: Asker) {
    for (const [kind, kept, change, sent] of EDITS) {
      const source = { kind, name: kind, url: "https://a.test/o/r", paused: true, settings: kept };
      const { id } = (await me.post(SOURCES, source)).body.data;
      await go(page, `/sources/${id}`);
      await choose(page, "Edit");
      const sheet = page.getByRole("dialog", { name: "Edit source" });
      await sheet.getByText("More", { exact: true }).click();
      await change(sheet);
      // The message of the source before may still be there.
      const answered = page.waitForResponse((reply) => reply.request().method() === "PATCH");
      await sheet.getByRole("button", { name: "Save" }).click();
      expect([kind, (await answered).request().postDataJSON()]).toEqual([kind, sent]);
      await page.getByText("The source was changed.").waitFor();
      const { settings } = (await me.get(`${SOURCES}/${id}`)).body.data;
      expect(settings).toMatchObject({ ...kept, ...sent.settings });
      await me.delete(`${SOURCES}/${id}`);
    }
  }
});

type Sent = { name?: string; schedule?: string; settings?: object };

/** Sources of each kind: what their settings are, what is changed in the form, and what of that is sent. */
const EDITS: [
  kind: string,
  kept: object,
  change: (sheet: Locator) => Promise<unknown>,
  sent: Sent,
][] = [
  [
    "site",
    { scope: "domain", watch: "all", exclude: ["/x"], watch_nofollow: false, depth: 3 },
    async (sheet) => {
      await seeWhatIsWrong(sheet);
      await sheet.getByLabel("Include only").fill("/docs/\n /blog/");
      expect(await faultsOf(sheet.page())).toEqual([]);
    },
    { settings: { include: ["/docs/", "/blog/"] } },
  ],
  [
    "site",
    {},
    async (sheet) => {
      await sheet.getByLabel("Clicks from").fill("3");
      await sheet.getByLabel("Sitemaps").selectOption("false");
      await sheet.getByLabel("Elements").fill("links, styles");
    },
    { settings: { depth: 3, sitemaps: false, elements: ["links", "styles"] } },
  ],
  [
    "site",
    { depth: 0, sitemaps: "only", elements: ["metadata"] },
    (sheet) => sheet.getByLabel("Name").fill("My site"),
    { name: "My site" },
  ],
  [
    "sitemap",
    {},
    (sheet) => sheet.getByLabel("Leave out").fill("/old/"),
    { settings: { exclude: ["/old/"] } },
  ],
  [
    "feed",
    {},
    (sheet) => sheet.getByLabel("Links inside items").uncheck(),
    { settings: { content: false } },
  ],
  [
    "feed",
    { content: false, follow: true, keep_days: 3 },
    (sheet) => sheet.getByLabel("Days to keep").fill("7"),
    { settings: { keep_days: 7 } },
  ],
  [
    "list",
    {},
    (sheet) => sheet.getByLabel("Format").selectOption("csv"),
    { settings: { format: "csv" } },
  ],
  [
    "list",
    { format: "sitemap" },
    (sheet) => sheet.getByLabel("Schedule").fill("0 4 * * *"),
    { schedule: "0 4 * * *" },
  ],
  [
    "git",
    { ref: "v1", base_url: "https://b.test/", include: ["/docs/"] },
    (sheet) => sheet.getByLabel("Branch or tag").fill("v2"),
    { settings: { ref: "v2" } },
  ],
  [
    "linkding",
    {},
    (sheet) => sheet.getByLabel("Archived").check(),
    { settings: { archived: true } },
  ],
  [
    "linkace",
    {},
    (sheet) => sheet.getByLabel("with the tag").fill("news"),
    { settings: { tag: "news" } },
  ],
  [
    "wordpress",
    {},
    (sheet) => sheet.getByLabel("Types").fill("posts, news"),
    { settings: { types: ["posts", "news"] } },
  ],
];

/** Of an entry of a list, at its field. */
async function seeWhatIsWrong(sheet: Locator) {
  const elements = sheet.getByLabel("Elements");
  const before = await elements.inputValue();
  await elements.fill("links, foo, bar");
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.getByText(/^Must be one of: links, images/).waitFor();
  expect(await sheet.getByText("settings.elements").count()).toBe(0);
  await elements.fill(before);
}

/** Chooses from the menu of the source. */
async function choose(page: Page, name: string): Promise<void> {
  await page.locator("#main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}
