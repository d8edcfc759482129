import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Dashboard, onDashboard } from "../browser.ts";
import { DAY, NO_EVIDENCE, saw } from "../checker/ended.ts";
import { holdFirstAnswer } from "./held.ts";
import { livesIn, pagesOn } from "./lives.ts";
import { faultsOf } from "./looking.ts";

onDashboard("The sites", (dashboard) => {
  test("say whether one page died or the whole site, and why", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await variety(server, accountId);

    await look(page, server);

    const rows = page.getByRole("row");
    await rows.nth(4).waitFor();
    const cellsOf = (site: string) =>
      rows.filter({ hasText: site }).getByRole("cell").allTextContents();
    expect(await cellsOf("part.example")).toEqual([
      "Ppart.example2 hosts",
      "2",
      "5",
      "404",
      "",
      "120 ms",
    ]);
    expect((await cellsOf("whole.example"))[0]).toEndWith("whole site");
    expect((await cellsOf("unsure.example")).slice(1, 4)).toEqual([
      "1 unknown",
      "1",
      "Asks to sign in",
    ]);
    await rows
      .filter({ hasText: "part.example" })
      .getByRole("img", { name: "Failed at: Response" })
      .waitFor();
    await rows
      .filter({ hasText: "part.example" })
      .getByRole("img", { name: "At most 2 dead links in 30 days" })
      .waitFor();
    expect(await rows.nth(1).textContent()).toContain("whole.example");
  });

  test("warn of a certificate that expires soon", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const urls = pagesOn("soon.example", 1);
    await lives.add(urls);
    const tls_expires_at = new Date(server.clock.now() + 6 * DAY + 1000).toISOString();
    lives.answer(
      urls,
      saw("ok", { statusCode: 200, evidence: { ...NO_EVIDENCE, tls_expires_at } }),
    );
    await lives.check();

    await look(page, server);

    await page.getByText("Certificate expires in 6 days").waitFor();
  });

  test("stay on the screen while others are searched for", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await variety(server, accountId);
    await look(page, server);
    const rows = page.getByRole("row");
    await rows.nth(4).waitFor();
    const found = await holdFirstAnswer(page, "**/dashboard/api/sites?*search=*per_page=50*");

    await page.getByRole("searchbox").fill("par");
    await found.isGiven;
    expect(await rows.count()).toBe(5);
    expect(await page.locator("#main .loading").count()).toBe(0);
    found.letGo();

    await rows.nth(2).waitFor({ state: "detached" });
    expect(await rows.last().textContent()).toContain("part.example");
  });

  test("are filtered by status with counts, searched and sorted, which the address keeps", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await variety(server, accountId);
    await look(page, server);
    const names = page.locator(".s-site b");
    await names.nth(3).waitFor();

    await page.getByRole("button", { name: "All 4" }).waitFor();
    await page.getByRole("button", { name: "With unknown links 1" }).waitFor();
    await page.getByRole("button", { name: "With dead links 2" }).click();
    await names.nth(2).waitFor({ state: "detached" });
    expect(await names.allTextContents()).toEqual(["whole.example", "part.example"]);
    expect(new URL(page.url()).search).toBe("?status=dead");

    await page.keyboard.press("/");
    await page.keyboard.type("par");
    await page.waitForURL(/search=par/);
    await names.nth(1).waitFor({ state: "detached" });
    await names.first().waitFor();
    expect(await names.allTextContents()).toEqual(["part.example"]);
    await page.getByRole("searchbox").fill("nothing");
    await page.getByRole("heading", { name: "No matching sites" }).waitFor();
    await page.getByRole("link", { name: "Show all sites" }).click();
    await names.nth(3).waitFor();

    await page.getByRole("button", { name: "Most dead first" }).click();
    await page.getByRole("menuitemradio", { name: "By name" }).click();
    await page.getByText("By name").first().waitFor();
    await names.first().filter({ hasText: "fine.example" }).waitFor();
    expect(new URL(page.url()).search).toBe("?sort=site");
  });

  test("lead to their links by keyboard and by pointer", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await variety(server, accountId);
    await look(page, server);
    await page.locator(".s-site b").nth(3).waitFor();

    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/links?site=part.example&status=dead");

    await page.goBack();
    await page.getByText("fine.example").click();
    await page.waitForURL("**/links?site=fine.example");
  });

  test("say that there are none yet", async () => {
    const { page } = await dashboard().user();

    await page.goto("/sites");

    await page.getByRole("heading", { name: "No sites yet" }).waitFor();
  });

  test("are only in the document as far as they are seen", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    await lives.add(Array.from({ length: 240 }, (_, n) => `https://site-${n}.example/`));
    await look(page, server);
    await page.getByText("240 sites").waitFor();
    expect(await page.locator("#main .row").count()).toBeLessThan(61);

    await page.keyboard.press("End");

    await page.getByText("site-99.example").waitFor();
    expect(await page.locator("#main .row").count()).toBeLessThan(61);
  });

  test.each([
    ["light", 1280],
    ["dark", 390],
    ["light", 768],
  ] as const)(
    "have no barrier that can be found by rule, %s at %d px",
    async (colorScheme, width) => {
      const { server, user } = dashboard();
      const { page, accountId } = await user({ colorScheme, width });
      await variety(server, accountId);
      await look(page, server);
      await page.locator(".s-site b").nth(3).waitFor();

      expect(await faultsOf(page)).toEqual([]);
    },
  );
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
