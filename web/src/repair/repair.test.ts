import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkItems, claimNext } from "../../../server/repair/check-replacements.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { check } from "../../../tests/checked.ts";
import { DAY } from "../../../tests/checker/ended.ts";
import { KINDS } from "../../../tests/checker/pages.ts";
import type { Asker } from "../../../tests/harness.ts";
import { remember, startLookups } from "../../../tests/lookups.ts";
import { addLink } from "../../../tests/rows.ts";
import { type Site, startSite } from "../../../tests/site.ts";
import { askerOf, faultsInAllLooks } from "../../../tests/web/looking.ts";
import { go } from "../../../tests/web/pages.ts";

const TITLE = "How to grow tomatoes in small gardens";
const HTML = { headers: { "content-type": "text/html" } };
const article = (title: string) => () => new Response(KINDS.article(title, { words: 400 }), HTML);

onDashboard("Repair", (dashboard) => {
  let site: Site;
  let lookups: ReturnType<typeof startLookups>;
  const old = (path: string) => `http://old.com:${site.port}/${path}`;
  beforeAll(() => {
    site = startSite({
      "/v2/one": article(TITLE),
      "/v2/two": article(TITLE),
      "/v2/other": article("Best casino bonuses of the month"),
      "/slash/": article(TITLE),
    });
    lookups = startLookups(dashboard().server, ["old.com", "www.old.com", "new.com"]);
  });
  afterAll(() => {
    lookups.stop();
    return site.stop();
  });

  async function someone() {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    return { page, me };
  }

  /** Dead links whose pages are remembered. */
  async function dead(me: Asker, paths: string[]) {
    const { server } = dashboard();
    const ids: string[] = [];
    for (const path of paths) {
      const id = await addLink(me, { url: old(path) });
      await check(server, [id], "ok");
      await remember(server, id, { title: TITLE });
      ids.push(id);
    }
    server.clock.moveBy(DAY);
    for (const id of ids) await check(server, [id], "http_404");
    await lookups.all();
  }

  /** A living link that has redirected for long. */
  async function redirect(me: Asker, path: string) {
    const { server } = dashboard();
    const id = await addLink(me, { url: old(path) });
    await check(server, [id], "ok");
    const way = `http://new.com:${site.port}/v2/one`;
    await remember(server, id, { title: TITLE, way, moved: "likely" });
  }

  /** Checks the new URLs of all previews. */
  async function checkPreviews() {
    const { signal } = new AbortController();
    for (let next = await claimNext(lookups.deps); typeof next !== "number"; ) {
      await checkItems(lookups.deps, next, signal);
      next = await claimNext(lookups.deps);
    }
  }

  const urlsOf = async (me: Asker) =>
    (await me.get("/api/v1/links?sort=url")).body.data.items.map(({ url }: { url: string }) => url);

  test("replaces many links by a typed pattern after a preview, and takes all of it back", async () => {
    const { page, me } = await someone();
    const paths = ["v1/gone", "v1/one", "v1/other", "v1/two"];
    await dead(me, paths);
    await page.clock.setFixedTime(dashboard().server.clock.now());
    await page.goto("/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByRole("link", { name: "Repair" }).click();
    await page.getByText("Nothing found").waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);

    await page.getByLabel("Old prefix").fill("old.com");
    await page.getByLabel("New prefix").fill(`http://new.com:${site.port}/v2/`);
    const form = page.locator("form");
    await form.getByRole("button", { name: "Preview" }).click();
    await form.getByText(/must have a scheme and a host/i).waitFor();
    await page.getByLabel("Old prefix").fill(old("v1/"));
    await form.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Checking 4 new URLs" }).waitFor();
    await checkPreviews();
    await page.getByText("3 of 4 new URLs are alive.").waitFor();
    const rows = page.getByRole("table").getByRole("row");
    expect(await rows.getByRole("checkbox").evaluateAll(areChecked)).toEqual([
      ...[false, false],
      ...[true, false, true],
    ]);
    expect(await rows.nth(3).innerText()).toContain("another page");
    expect(await faultsInAllLooks(page)).toEqual([]);

    await rows.nth(2).focus();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Replace 1 link", exact: true }).waitFor();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Replace 2 links" }).click();
    await page.locator(".toast").getByText("2 links replaced.").waitFor();
    await rows.getByText("Replaced", { exact: true }).nth(1).waitFor();
    const at = (path: string) => `http://new.com:${site.port}/v2/${path}`;
    expect(await urlsOf(me)).toEqual([
      ...[at("one"), at("two")],
      ...[old("v1/gone"), old("v1/other")],
    ]);

    await page.keyboard.press("z");
    await page.getByRole("heading", { name: "Repair", exact: true }).waitFor();
    expect(await urlsOf(me)).toEqual(paths.map(old));
  });

  test("previews the suggestions of a kind, keeps the preview until it is discarded, and leads to the links", async () => {
    const { page, me } = await someone();
    await dead(me, ["slash", "gone"]);
    await page.clock.setFixedTime(dashboard().server.clock.now());

    await page.goto("/repair");
    const kind = page.getByRole("listitem").filter({ hasText: "Another spelling" });
    await kind.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Checking 1 new URL" }).waitFor();
    await page.getByRole("link", { name: "Repair" }).click();
    const open = page.getByRole("region", { name: "Open previews" });
    await checkPreviews();
    await open.getByRole("link", { name: "Continue" }).click();
    await page.getByText("1 of 1 new URL is alive.").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("The preview was discarded.").waitFor();
    await open.waitFor({ state: "detached" });
    await kind.getByRole("link", { name: "1 link" }).click();
    await page.getByText("Suggestion: Another spelling").waitFor();
    // There is only one.
    await page.locator(".c-u a").waitFor();
    await go(page, "/repair?tab=redirects");
    await page.getByRole("heading", { name: "No permanent redirects" }).waitFor();
    await redirect(me, "moved");
    await page.reload();
    const all = page.getByRole("listitem").filter({ hasText: "for a week or longer" });
    await all.getByRole("link", { name: "1 link" }).waitFor();
    const advice = page.getByRole("region", { name: "Where they lead" });
    await advice.getByText(/^The link redirected there permanently since /).waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    await all.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Checking 1 new URL" }).waitFor();
  });
});

const areChecked = (boxes: Element[]) => boxes.map((box) => (box as HTMLInputElement).checked);
