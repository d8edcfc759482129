import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { webhooks } from "../../../server/ground/db/tables.ts";
import { createGroup } from "../../../server/links/groups/groups.ts";
import { sealedUrl } from "../../../server/notify/secrets.ts";
import { createWebhook } from "../../../server/notify/webhooks.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { type Dashboard, onDashboard } from "../../../tests/browser.ts";
import { saw } from "../../../tests/checker/ended.ts";
import { startReceiver } from "../../../tests/receiver.ts";
import { livesIn, pagesOn } from "../../../tests/web/lives.ts";
import { faultsInAllLooks } from "../../../tests/web/looking.ts";

onDashboard("The changes", (dashboard) => {
  test("are by day, one entry for what happened together, filtered as the address keeps it", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await season(server, accountId);
    await look(page, server, "/changes");
    await page.getByRole("heading", { name: "Today" }).waitFor();
    const titles = page.locator(".chg-b > p:first-child > b");
    await titles.nth(2).waitFor();
    const [first, second, ...others] = await titles.allTextContents();
    expect([first, second].sort()).toEqual(["1 link became unknown", "14 links came back"]);
    expect(others).toEqual(["14 links died"]);
    const died = page.locator(".chg", { hasText: "14 links died" });
    await died.getByText("404", { exact: true }).waitFor();
    expect(await died.locator(".who").textContent()).toBe("docs.season.example");
    expect(await died.locator(".sub").count()).toBe(4);
    await died.getByRole("link", { name: "11 more" }).waitFor();
    await page.locator(".chg", { hasText: "came back" }).getByText("after 1 d").waitFor();
    expect(await faultsInAllLooks(page, "main")).toEqual([]);

    await page.getByRole("button", { name: "Died" }).click();
    await titles.nth(1).waitFor({ state: "detached" });
    expect(await titles.allTextContents()).toEqual(["14 links died"]);
    expect(new URL(page.url()).search).toBe("?kind=died");
    await page.getByRole("button", { name: "Group: Any group" }).click();
    await page.getByRole("dialog", { name: "Group" }).getByRole("button", { name: "Docs" }).click();
    await page.getByRole("button", { name: "Group: Docs" }).waitFor();
    await page.getByRole("heading", { name: /^No matching changes since/ }).waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await titles.nth(2).waitFor();
    await page.getByRole("button", { name: "Site: Any site" }).click();
    await page.getByLabel("Search: Site").fill("other");
    await page.getByRole("button", { name: "other.example" }).click();
    await titles.nth(1).waitFor({ state: "detached" });
    expect(await titles.allTextContents()).toEqual(["1 link became unknown"]);
    await page.getByRole("button", { name: "Last 30 days" }).click();
    await page.getByRole("menuitemradio", { name: "Last 90 days" }).click();
    await page.getByRole("button", { name: "Last 90 days" }).waitFor();
    expect(new URL(page.url()).search).toBe("?site=other.example&days=90");
  });

  test("leave out first verdicts, and say which alert was sent, however long its name is on a small screen", async () => {
    const { server, user } = dashboard();
    const width = 390;
    const { page, accountId } = await user({ width });
    const lives = await livesIn(server, accountId);
    const { store, secrets } = server.deps;
    const fresh = pagesOn("first.example", 2);
    await lives.add(fresh);
    lives.answer(fresh, "http_404");
    await lives.check();
    await look(page, server, "/changes");
    await page.getByRole("heading", { name: /^No changes since \d+ \w+/ }).waitFor();
    await page.getByText("The first verdict of a new link is not a change.").waitFor();

    const receiver = startReceiver();
    const events = ["link.dead" as const];
    const create = (input: object) =>
      makeChange(server.deps, lives.caller, (unit) => createWebhook(unit, lives.caller, input));
    await create({ url: receiver.url, events });
    const host = "mail.a-department-of.a-company-with-a-long-name.example";
    const made = { url: "https://hooks.example/a", events: ["link.alive" as const] };
    const { id } = await create(made);
    const mail = { format: "email", ...sealedUrl(`mailto:ann@${host}`, secrets) } as const;
    await store.update(webhooks).set(mail).where(eq(webhooks.id, id));
    const urls = pagesOn("alerted.example", 1);
    await lives.add(urls);
    await lives.check();
    lives.answer(urls, "http_410");
    await lives.live(1);
    lives.answer(urls, "ok");
    await lives.live(1);
    await look(page, server, "/changes");
    const entry = (text: string) => page.locator(".chg", { hasText: text });
    const name = `Sent to ${new URL(receiver.url).host}`;
    const sent = entry("1 link died").getByRole("link", { name });
    expect(await sent.getAttribute("href")).toStartWith("/alerts/");
    const mailed = entry("1 link came back").locator(".notified");
    expect(await mailed.textContent()).toContain(`…@${host}`);
    const { x, width: length } = (await mailed.boundingBox())!;
    expect(x + length).toBeLessThanOrEqual(width);
  });

  test("mark the last visit with a line, and go back as far as one scrolls", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const urls = Array.from({ length: 40 }, (_, n) => `https://many-${n}.example/`);
    const young = pagesOn("after.example", 1);
    await lives.add([...urls, ...young]);
    await lives.check();
    lives.answer(urls, "http_404");
    await lives.live(1);
    await look(page, server, "/changes");
    await page.locator(".chg").first().waitFor();
    await page.locator(".listfoot").scrollIntoViewIfNeeded();
    await page.locator(".chg").nth(39).waitFor();
    await page.getByText("The first verdict of a new link is not a change.").waitFor();

    lives.answer(young, "http_404");
    await lives.live(1);
    await look(page, server, "/changes");
    await page.getByText(/^Your last visit: yesterday at \d\d:\d\d$/).waitFor();
    const texts = await page.locator(".chg .who, .seen").allTextContents();
    expect(texts[0]).toContain("after.example");
    expect(texts[1]).toContain("Your last visit");
    expect(texts[2]).toMatch(/^many-\d+\.example/);
  });
});

type Server = Dashboard["server"];

/** Opens the page at the time of the server. */
async function look(page: Page, server: Server, path: string) {
  await page.clock.setFixedTime(server.clock.now());
  await page.goto(path);
}

/** 14 links of a site die and come back, and one of another site becomes unknown by its third such check. */
async function season(server: Server, accountId: string) {
  const lives = await livesIn(server, accountId);
  const input = { name: "Docs", color: "#2563eb", description: "" };
  await makeChange(server.deps, lives.caller, (unit) => createGroup(unit, lives.caller, input));
  const docs = pagesOn("docs.season.example", 14);
  const other = pagesOn("www.other.example", 1);
  await lives.add([...docs, ...other]);
  await lives.check();
  lives.answer(other, saw("login_required", { statusCode: 200 }));
  await lives.live(1);
  lives.answer(docs, "http_404");
  await lives.live(1);
  lives.answer(docs, "ok");
  await lives.live(1);
}
