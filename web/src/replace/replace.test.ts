import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { users } from "../../../server/ground/db/tables.ts";
import { startArchive } from "../../../tests/archive.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { check } from "../../../tests/checked.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import { remember, startLookups } from "../../../tests/lookups.ts";
import { addLink } from "../../../tests/rows.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import { startReading } from "../../../tests/sources/reading.ts";
import { askerOf, faultsInAllLooks } from "../../../tests/web/looking.ts";
import { linkPage } from "../../../tests/web/pages/link.ts";
import { go } from "../../../tests/web/pages.ts";

const TITLE = "How to grow tomatoes in small gardens";
const HTML = { headers: { "content-type": "text/html" } };
const PLACES = 14;

const archive = startArchive();
afterAll(() => archive.stop());

onDashboard(
  "What could stand in the place of a dead link",
  (dashboard) => {
    let site: Site;
    let reading: ReturnType<typeof startReading>;
    let lookups: ReturnType<typeof startLookups>;
    const at = (path: string) => `http://garden.com:${site.port}${path}`;
    beforeAll(() => {
      const page = () => new Response(KINDS.article(TITLE, { words: 400 }), HTML);
      const list = () => new Response(`${at("/listed")}\n`.repeat(PLACES));
      site = startSite({ "/guide/": page, "/listed/": page, "/list.txt": list });
      reading = startReading(dashboard().server);
      lookups = startLookups(dashboard().server, ["garden.com", "www.garden.com"]);
    });
    afterAll(() => {
      lookups.stop();
      return Promise.all([reading.stop(), site.stop()]);
    });

    async function someone() {
      const { server, user } = dashboard();
      const { page, accountId } = await user();
      return { page, accountId, link: linkPage(page), me: await askerOf(server, accountId) };
    }

    /** Lets a link die whose page is at another form of its URL. */
    async function die(page: Page, id: string) {
      const { server } = dashboard();
      await check(server, [id], "ok");
      await remember(server, id, { title: TITLE });
      server.clock.moveBy(DAY);
      await check(server, [id], "http_404");
      await lookups.all();
      await page.clock.setFixedTime(server.clock.now());
    }

    test("is shown with its reasons, compared, put there by a key, and taken back", async () => {
      const { page, link, me } = await someone();
      const id = await addLink(me, { url: at("/guide") });
      await die(page, id);
      const card = page.getByRole("region", { name: "Replace with" });

      await go(page, "/links?status=dead");
      await page.getByText("replacement", { exact: true }).waitFor();
      for (const key of ["j", "Space"]) await page.keyboard.press(key);
      await card.getByText("The page is there with the final slash added or removed.").waitFor();
      await go(page, `/links/${id}`);
      await card.getByRole("link", { name: `garden.com:${site.port}/guide/` }).waitFor();
      await card.getByRole("link", { name: "Search the Wayback Machine" }).waitFor();
      expect(await faultsInAllLooks(page)).toEqual([]);
      await card.getByRole("button", { name: "Compare" }).click();
      const sheet = page.getByRole("dialog", { name: "Compare" });
      await sheet.getByText("It is the same page, as far as its title and text show.").waitFor();
      expect(await sheet.getByText(TITLE).count()).toBe(2);
      expect(await faultsInAllLooks(page, "dialog")).toEqual([]);
      await page.keyboard.press("Escape");

      await page.keyboard.press("p");
      await page.getByText("The URL was replaced.").waitFor();
      await link.url.filter({ hasText: /guide\/$/ }).waitFor();
      await card.waitFor({ state: "detached" });
      await page.keyboard.press("z");
      await link.url.filter({ hasText: /guide$/ }).waitFor();
      const { items } = (await me.get("/api/v1/links")).body.data;
      expect(items).toMatchObject([{ url: at("/guide"), accepted_url: null }]);
    });

    test("is stored while sources have the old URL, with the places to edit", async () => {
      const { page, me } = await someone();
      await reading.add(me, { kind: "list", url: `${site.url}/list.txt`, name: "Docs" });
      const [{ id }] = (await me.get("/api/v1/links")).body.data.items;
      await die(page, id);
      const stored = page.getByRole("region", { name: "Stored" });

      await go(page, `/links/${id}`);
      await page.getByRole("button", { name: /^Replace with / }).click();
      await page.getByText(`Stored. Still in ${PLACES} places.`).waitFor();
      await stored.getByText(`Still in ${PLACES} places`).waitFor();
      await stored.getByRole("button", { name: `Show all ${PLACES}` }).click();
      await stored
        .getByRole("listitem")
        .nth(PLACES - 1)
        .waitFor();
      const download = stored.getByRole("link", { name: "Download places" });
      const csv = await page.evaluate(
        (href) => fetch(href).then((reply) => reply.text()),
        (await download.getAttribute("href"))!,
      );
      expect(csv.split("\n").filter((line) => line.includes(at("/listed/")))).toHaveLength(PLACES);
      expect(await faultsInAllLooks(page)).toEqual([]);
      await stored.getByRole("button", { name: "Take back" }).click();
      await page.getByText("The replacement was taken back.").waitFor();
      await page.getByRole("region", { name: "Replace with" }).waitFor();
    });

    test("is looked for in archives once an owner turns that on, or not now", async () => {
      const { server } = dashboard();
      const { page, me, accountId } = await someone();
      const url = at("/gone");
      const id = await addLink(me, { url });
      const captured = new Date(server.clock.now() - 30 * DAY).toISOString();
      const body = KINDS.article(TITLE, { words: 400 });
      archive.kept = [{ url, at: captured, body }];
      await die(page, id);
      const card = page.getByRole("region", { name: "Replace with" });
      const offer = page.getByRole("complementary", { name: "Archive lookups" });

      await page.goto(`/links/${id}`);
      await card.getByText("No replacement found.").waitFor();
      await offer.getByText(/the Wayback Machine is asked for a copy of its URL/).waitFor();
      expect(await faultsInAllLooks(page)).toEqual([]);
      await offer.getByRole("button", { name: "Not now" }).click();
      await card.getByText("Archive lookups are off.").waitFor();
      await page.reload();
      await card.getByText("Archive lookups are off.").waitFor();
      expect(await offer.count()).toBe(0);
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      expect(archive.asked()).toEqual([]);
      await offer.getByRole("button", { name: "Turn on" }).click();
      await page.getByText("Archive lookups are on.").waitFor();
      await offer.waitFor({ state: "detached" });
      await lookups.all();
      await page.reload();
      await card.getByRole("heading", { name: "Archived copy" }).waitFor();
      await card.getByText(/^The page was archived on /).waitFor();
      await card.getByRole("button", { name: /^Replace with / }).waitFor();

      await go(page, "/settings/archives");
      const lookup = page.getByRole("checkbox", { name: "On" });
      await lookup.click();
      await page.getByText("Look for copies of dead links: off").waitFor();
      await page.getByRole("checkbox", { name: "Off" }).waitFor();
      expect(await faultsInAllLooks(page)).toEqual([]);
      await server.deps.store
        .update(users)
        .set({ role: "viewer" })
        .where(eq(users.accountId, accountId));
      await page.goto(`/links/${id}`);
      await card.getByText("Ask an owner to turn them on.").waitFor();
      expect(
        await card.getByRole("button", { name: /^(Replace|Turn on|Look again)/ }).count(),
      ).toBe(0);
    });
  },
  { STILLUP_ARCHIVE_URL: archive.url },
);
