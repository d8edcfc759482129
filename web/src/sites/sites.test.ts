import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { type DomainRow, domains } from "../../../server/ground/db/tables.ts";
import { type Dashboard, onDashboard } from "../../../tests/browser.ts";
import { DAY, NO_EVIDENCE, saw } from "../../../tests/checker/ended.ts";
import { holdFirstAnswer } from "../../../tests/web/held.ts";
import { livesIn, pagesOn } from "../../../tests/web/lives.ts";
import { go } from "../../../tests/web/pages.ts";

onDashboard("The sites", (dashboard) => {
  test("say whether one page died or all of them, are filtered and sorted by the address, and lead to their links", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await look(page, server);
    await page.getByRole("heading", { name: "No sites yet" }).waitFor();
    await variety(server, accountId);
    await look(page, server);
    await seeVerdicts(page);
    await narrow(page);
    await search(page);
    await page.getByRole("searchbox").blur();
    await go(page, "/sites");
    await page.locator(".s-site b").nth(3).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/links?site=part.example&status=dead");
    await page.goBack();
    await page.getByText("fine.example").click();
    await page.waitForURL("**/links?site=fine.example");
  });

  test("warn of a certificate that expires soon, and are only in the document as far as they are seen", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const urls = pagesOn("soon.example", 1);
    await lives.add(urls);
    const tls_expires_at = new Date(server.clock.now() + 6 * DAY + 1000).toISOString();
    const evidence = { ...NO_EVIDENCE, tls_expires_at };
    lives.answer(urls, saw("ok", { statusCode: 200, evidence }));
    await lives.check();
    await look(page, server);
    await page.getByText("Certificate expires in 6 days").waitFor();

    await page.getByText("soon.example").hover();
    await page.getByRole("button", { name: "More for soon.example" }).click();
    await page.getByRole("menuitem", { name: "Mute until a date…" }).click();
    await page.getByLabel("Date").fill("2030-01-20");
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("soon.example is muted until 20 Jan.").waitFor();
    await page.getByText("muted until 20 Jan", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/sites");
    await page.getByRole("link", { name: "soon.example" }).click();
    await page.getByRole("link", { name: "/1" }).or(page.locator(".row .url")).first().click();
    await page.getByText("Muted with its site until").waitFor();
    await page.goto("/sites");

    await lives.add(Array.from({ length: 240 }, (_, n) => `https://site-${n}.example/`));
    await page.reload();
    await page.getByText("241 sites").waitFor();
    expect(await page.locator("#main .row").count()).toBeLessThan(61);
    await page.keyboard.press("End");
    await page.getByText("site-99.example").waitFor();
    expect(await page.locator("#main .row").count()).toBeLessThan(61);
  });

  test("have domains, of which those that expire first come first", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await page.goto("/domains");
    await page.getByRole("heading", { name: "No domains yet" }).waitFor();
    const lives = await livesIn(server, accountId);
    const urls = ["known.org", "docs.known.org", "gone.net", "new.com", "no-rdap.de"];
    await lives.add(urls.map((host) => `https://${host}/`));
    await lives.check();
    const at = (days: number) => server.clock.now() + days * DAY;
    const change = (domain: string, columns: Partial<DomainRow>) =>
      server.deps.store.update(domains).set(columns).where(eq(domains.domain, domain));
    const dates = { registeredAt: Date.UTC(2009, 4, 3), expiresAt: at(12) };
    await change("known.org", { state: "known", ...dates });
    await change("new.com", { state: "known", registeredAt: at(-3), expiresAt: at(362) });
    await change("gone.net", { state: "absent" });
    await change("no-rdap.de", { state: "not_available" });
    await page.clock.setFixedTime(server.clock.now());
    await page.goto("/sites");
    await page.getByRole("link", { name: "Domains" }).click();

    await page.getByText("4 domains").waitFor();
    const rows = await page.locator("#main .row:not(.head)").allInnerTexts();
    expect(rows.map((row) => row.split("\n").slice(1, 3))).toEqual([
      ["known.org", expect.any(String)],
      ["new.com", expect.any(String)],
      ["gone.net", "Not registered"],
      ["no-rdap.de", "Registry cannot be asked"],
    ]);
    expect(rows[0]).toMatch(/3 May 2009\n2$/);
    await page.getByText("Expiring in 30 days").click();
    await page.getByText("1 domain", { exact: true }).waitFor();
    await page.getByRole("link", { name: "known.org" }).click();
    await page.waitForURL("**/links?search=known.org");
  });
});

type Server = Dashboard["server"];

/** Opens the page at the time of the server. */
async function look(page: Page, server: Server) {
  await page.clock.setFixedTime(server.clock.now());
  await page.goto("/sites");
}

/** Sites of all kinds: three dead links of three, two of five, one unknown, and one that is fine. */
async function variety(server: Server, accountId: string) {
  const lives = await livesIn(server, accountId);
  const whole = pagesOn("whole.example", 3);
  const part = pagesOn("a.part.example", 2);
  const unsure = pagesOn("unsure.example", 1);
  const fine = [...pagesOn("b.part.example", 3), ...pagesOn("fine.example", 1)];
  await lives.add([...whole, ...part, ...unsure, ...fine]);
  lives.answer(whole, "http_404");
  lives.answer(part, "http_404");
  lives.answer(unsure, saw("login_required", { statusCode: 200, responseTimeMs: 120 }));
  await lives.check();
}

async function seeVerdicts(page: Page) {
  const rows = page.getByRole("row");
  await rows.nth(4).waitFor();
  const row = (site: string) => rows.filter({ hasText: site });
  const cellsOf = (site: string) => row(site).getByRole("cell").allTextContents();
  expect(await cellsOf("part.example")).toEqual([
    "Ppart.example2 hosts",
    "2",
    "5",
    "404",
    "",
    "120 ms",
  ]);
  expect((await cellsOf("whole.example"))[0]).toEndWith("whole site");
  const unsure = ["1 unknown", "1", "Asks to sign in"];
  expect((await cellsOf("unsure.example")).slice(1, 4)).toEqual(unsure);
  await row("part.example").getByRole("img", { name: "Failed at: Response" }).waitFor();
  await row("part.example").getByRole("img", { name: "At most 2 dead links in 30 days" }).waitFor();
  expect(await rows.nth(1).textContent()).toContain("whole.example");
}

/** By status, which has counts, in an order that the address keeps. */
async function narrow(page: Page) {
  const names = page.locator(".s-site b");
  await page.getByRole("button", { name: "All 4" }).waitFor();
  await page.getByRole("button", { name: "With unknown links 1" }).waitFor();
  await page.getByRole("button", { name: "With dead links 2" }).click();
  await names.nth(2).waitFor({ state: "detached" });
  expect(await names.allTextContents()).toEqual(["whole.example", "part.example"]);
  expect(new URL(page.url()).search).toBe("?status=dead");
  await page.getByRole("searchbox").fill("nothing");
  await page.getByRole("heading", { name: "No matching sites" }).waitFor();
  await page.getByRole("link", { name: "Show all sites" }).click();
  await names.nth(3).waitFor();
  await page.getByRole("button", { name: "Most dead first" }).click();
  await page.getByRole("menuitemradio", { name: "By name" }).click();
  await page.getByText("By name").first().waitFor();
  await names.first().filter({ hasText: "fine.example" }).waitFor();
  expect(new URL(page.url()).search).toBe("?sort=site");
}

/** What was found before stays on the screen meanwhile. */
async function search(page: Page) {
  const names = page.locator(".s-site b");
  const found = await holdFirstAnswer(page, "**/dashboard/api/sites?*search=par*per_page=50*");
  await page.keyboard.press("/");
  await page.keyboard.insertText("par");
  await page.waitForURL(/search=par/);
  await found.isGiven;
  expect(await names.count()).toBe(4);
  expect(await page.locator("#main .loading").count()).toBe(0);
  found.letGo();
  await names.nth(1).waitFor({ state: "detached" });
  expect(await names.allTextContents()).toEqual(["part.example"]);
}
