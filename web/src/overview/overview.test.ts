import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { links, users, webhooks } from "../../../server/ground/db/tables.ts";
import { newId } from "../../../server/ground/lib/ids.ts";
import { fillBatches } from "../../../server/links/fill-batches.ts";
import { createGroup } from "../../../server/links/groups/groups.ts";
import { sealedUrl } from "../../../server/notify/secrets.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { type Dashboard, onDashboard } from "../../../tests/browser.ts";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { livesIn, pagesOn } from "../../../tests/web/lives.ts";
import { faultsOf } from "../../../tests/web/looking.ts";
import { shiftsOf, watchShifts } from "../../../tests/web/shifts.ts";

onDashboard("The first page", (dashboard) => {
  test("asks someone without links for the first ones, counts a first batch while it is checked, and leads to what is dead", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    await page.goto("/");
    await page.getByText("Ask an owner or editor to add links.").waitFor();
    expect(await page.getByRole("button", { name: "Add" }).count()).toBe(0);
    await become(server, accountId, "owner");
    await askForLinks(page);
    await countFirst(page, server, accountId);
    await leadToDead(page, server, accountId);
  });

  test("moves nothing while its parts come, draws figures, opens a cause by keyboard, and says that an alert was turned off", async () => {
    const { server, account, again } = dashboard();
    const accountId = await account();
    await withDead(server, accountId);
    const { page } = await again(accountId, { height: 2000 });
    await comeInParts(page, server);
    await page.setViewportSize({ width: 1280, height: 800 });
    await drawFigures(page);
    await turnAlertOff(page, server, accountId);
    await page.reload();
    await part(page, "Needs attention").waitFor();
    await openCause(page, server);

    await become(server, accountId, "viewer");
    await page.reload();
    await part(page, "Needs attention").waitFor();
    expect(await page.getByRole("button", { name: "Check now" }).count()).toBe(0);
  });

  test("says what changed since the last visit, which lasts until half an hour has passed without a page, and is calm where every link is alive", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const [first, second] = [
      pagesOn("first.visit.example", 2),
      pagesOn("second.visit2.example", 3),
    ];
    await lives.add([...first, ...second]);
    await lives.check();
    await look(page, server);
    await page.getByRole("heading", { name: "5 links checked in 1 s, all alive" }).waitFor();
    const pass = (minutes: number) => {
      server.clock.moveBy((minutes * HOUR) / 60);
      return page.clock.setFixedTime(server.clock.now());
    };
    const lead = page.locator(".lead p");
    const since = (what: string) =>
      lead.getByText(new RegExp(`^Since your last visit, .*: ${what}\\.$`)).waitFor();
    lives.answer(first, "http_404");
    await lives.live(1);
    await look(page, server);
    await since("2 died");

    await pass(20);
    await page.reload();
    await since("2 died");
    await pass(20);
    const noted = page.waitForResponse("**/dashboard/api/visit");
    await page.getByRole("link", { name: /^Sites/ }).click();
    await noted;
    await pass(20);
    await page.goto("/");
    await since("2 died");
    lives.answer(first, "ok");
    lives.answer(second, "http_410");
    await lives.live(1);
    await look(page, server);

    await since("3 died, 2 came back");
    expect(await lead.getByRole("link", { name: "3 died" }).getAttribute("href")).toStartWith(
      "/changes?kind=died",
    );
    const feed = part(page, "Changes").locator(".feed > li");
    await feed.nth(2).getByText("Your last visit").waitFor();
    expect(await feed.count()).toBe(4);

    lives.answer(second, "ok");
    await lives.live(1);
    await look(page, server);
    await page.getByRole("heading", { name: "All 5 links are alive" }).waitFor();
    const needs = part(page, "Needs attention");
    await needs.getByText("Nothing needs attention. Last one:").waitFor();
    await needs.getByText("second.visit2.example").waitFor();
    expect(await part(page, "Why").count()).toBe(0);
  });

  test("shows in the end what was not counted yet when it was read after a change", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const urls = pagesOn("gone.late.example", 3);
    await lives.add(urls);
    await lives.check();
    await page.clock.install({ time: server.clock.now() });
    await page.goto("/");
    const old = await (await page.request.get("/dashboard/api/overview")).json();
    await page.getByRole("heading", { name: "3 links checked in 1 s, all alive" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    const isRead = Promise.withResolvers<void>();
    await page.route("**/dashboard/api/overview", async (route) => {
      await route.fulfill({ json: old });
      isRead.resolve();
    });
    lives.answer(urls, "http_404");
    await lives.live(1);
    await isRead.promise;
    await page.unroute("**/dashboard/api/overview");
    await page.clock.fastForward(15_000);

    await page.getByRole("heading", { name: "3 links are dead" }).waitFor();
  });

  test("shows 14 links of one site that died together as one cause and one change", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const lives = await livesIn(server, accountId);
    const docs = pagesOn("docs.mass.example", 14);
    const blog = pagesOn("blog.other.example", 1);
    await lives.add([...docs, ...blog, ...pagesOn("alive.mass.example", 5)]);
    await lives.check();
    lives.answer(docs, "http_404");
    lives.answer(blog, saw("dns_nxdomain"));
    await lives.live(1);

    await look(page, server);

    await page.getByRole("heading", { name: "15 links are dead" }).waitFor();
    const needs = part(page, "Needs attention");
    await needs.getByText("15 links, 2 causes").waitFor();
    const rows = needs.locator(".need");
    expect(await rows.count()).toBe(2);
    const first = rows.first();
    expect(await first.getByRole("link").first().textContent()).toBe("docs.mass.example14 links");
    await first.getByText("404", { exact: true }).waitFor();
    await first.getByRole("img", { name: "Failed at: Response" }).waitFor();
    expect(await first.getByRole("link").first().getAttribute("href")).toBe(
      "/links?attention=true&site=mass.example&reason=http_404",
    );
    const changes = part(page, "Changes");
    await changes.getByText("14 links died").waitFor();
    expect(await changes.locator(".feed > li").count()).toBe(2);
    expect(await page.title()).toStartWith("(15) Overview");
  });
});

/** Whether the sheet has it among its links: what was given comes to it after it opens. */
const hasText = (text: string) =>
  document
    .querySelector<HTMLTextAreaElement>("dialog textarea, [role=dialog] textarea")
    ?.value.includes(text);

/** Takes them or a file to Add. */
async function askForLinks(page: Page) {
  await page.reload();
  await page.getByRole("heading", { name: "What should stay up?" }).waitFor();
  const field = page.getByLabel("A site, a sitemap or a link");
  await field.fill("https://example.org/a");
  await field.press("Enter");

  const add = page.getByRole("dialog");
  await add.waitFor();
  await page.waitForFunction(hasText, "https://example.org/a");
  await add.locator("textarea").fill("");
  await page.keyboard.press("Escape");
  await add.waitFor({ state: "detached" });
  const buffer = Buffer.from("https://example.org/of-a-file");
  await page
    .getByLabel("choose a file")
    .setInputFiles({ name: "links.txt", mimeType: "text/plain", buffer });
  await add.getByText("links.txt").first().waitFor();
}

/** Never says that all is well. */
async function countFirst(page: Page, server: Server, accountId: string) {
  const lives = await livesIn(server, accountId);
  const gone = pagesOn("gone.batch.example", 3);
  await lives.add(gone);
  lives.answer(gone, "http_404");
  await lives.check();
  await lives.add(pagesOn("new.batch.example", 15));

  await look(page, server);

  await page
    .getByRole("heading", { name: "Checking 15 new links, 3 dead so far", exact: true })
    .waitFor();
  expect(await page.getByText("alive", { exact: false }).filter({ hasText: "All" }).count()).toBe(
    0,
  );

  await lives.check();
  await page.reload();
  await page.getByRole("heading", { name: "18 links checked in 1 s, 3 dead" }).waitFor();
  await page.getByText("The chart begins tomorrow.").waitFor();
  expect(await page.getByText("Came back").count()).toBe(0);
  expect(await part(page, "Where").count()).toBe(0);
  const reasons = part(page, "What the checks found");
  await reasons.getByText("1 reason").waitFor();
  const href = await reasons.getByRole("link", { name: "404" }).getAttribute("href");
  expect(href).toBe("/links?status=dead&reason=http_404");
  await lives.live(1);
}

/** From where and why links are dead to these links. */
async function leadToDead(page: Page, server: Server, accountId: string) {
  const lives = await livesIn(server, accountId);
  const input = { name: "Docs", color: "#2563eb", description: "" };
  const { id } = await makeChange(server.deps, lives.caller, (unit) =>
    createGroup(unit, lives.caller, input),
  );
  const [dead, unsure] = [pagesOn("a.where.example", 2), pagesOn("b.where.example", 2)];
  await lives.add([...dead, ...unsure], id);
  lives.answer(dead, "http_404");
  lives.answer(unsure, "http_403");
  await lives.check();
  await look(page, server);

  const hrefOf = (name: string, text: string) =>
    part(page, name).getByRole("link").filter({ hasText: text }).getAttribute("href");
  expect(await hrefOf("Where", "where.example")).toBe("/links?status=dead&site=where.example");
  expect(await hrefOf("Why", "404")).toBe("/links?status=dead&reason=http_404");
  await part(page, "Where").getByRole("button", { name: "Groups" }).click();
  expect(await hrefOf("Where", "Docs")).toBe(`/links?status=dead&group_id=${id}`);
  await part(page, "Why").getByRole("button", { name: "Unknown" }).click();
  expect(await hrefOf("Why", "403")).toBe("/links?status=unknown&reason=http_403");
}

/** One after the other. */
async function comeInParts(page: Page, server: Server) {
  const slow = Promise.withResolvers<void>();
  await page.route("**/dashboard/api/overview/upcoming**", async (route) => {
    await slow.promise;
    await route.continue();
  });
  await page.addInitScript(() => {
    document.addEventListener("readystatechange", () =>
      document.getElementById("answers")?.remove(),
    );
  });
  await watchShifts(page);
  const others = page.waitForResponse("**/dashboard/api/attention**");
  await page.clock.setFixedTime(server.clock.now());
  await page.goto("/");
  await others;
  slow.resolve();
  await page.getByRole("heading", { name: "5 links are dead" }).waitFor();
  await part(page, "Changes").waitFor();

  expect(await shiftsOf(page)).toEqual({ shift: 0, moved: [] });
  await page.unroute("**/dashboard/api/overview/upcoming**");
}

/** Draws each when it is pressed, reads it to keyboards and screen readers, and shows it as a table. */
async function drawFigures(page: Page) {
  const chart = page.getByRole("slider", { name: "Dead links, by day" });
  await chart.focus();
  expect(await chart.getAttribute("aria-valuetext")).toEndWith(": Dead links 5");
  await page.keyboard.press("ArrowLeft");
  expect(await chart.getAttribute("aria-valuetext")).toEndWith(": Dead links 0");
  await page.keyboard.press("Home");
  expect(await chart.getAttribute("aria-valuenow")).toBe("0");
  expect(await chart.getAttribute("aria-valuemax")).toBe(`${DAYS}`);

  await page.getByRole("button", { name: /^Alive/ }).click();
  const alive = page.getByRole("slider", { name: "Alive links, by day" });
  expect(await alive.getAttribute("aria-valuetext")).toEndWith(": Alive links 2");

  await page.getByRole("button", { name: /^Dead/ }).first().click();
  await page.getByRole("button", { name: "Options (Dead links)" }).click();
  await page.getByRole("menuitem", { name: "Show as table" }).click();
  const rows = page.getByRole("region", { name: "Dead links as a table" }).getByRole("row");
  await rows.first().waitFor();
  expect(await rows.nth(1).getByRole("cell").allTextContents()).toEqual(["5"]);
  expect(await rows.nth(2).getByRole("cell").allTextContents()).toEqual(["0"]);
  await page.getByRole("button", { name: "Options (Dead links)" }).click();
  await page.getByRole("menuitem", { name: "Show as chart" }).click();

  await page.getByRole("button", { name: "30 days" }).click();
  await page.locator('[role=slider][aria-valuemax="29"]').waitFor();
  expect(new URL(page.url()).search).toBe("?days=30");
}

/** Without what is secret in its URL. */
async function turnAlertOff(page: Page, server: Server, accountId: string) {
  const id = await addDisabledWebhook(server, accountId);

  await look(page, server);

  await page.getByText("was turned off 5 hours ago").waitFor();
  const link = page.getByRole("link", { name: "alert to hooks.example" });
  expect(await link.getAttribute("href")).toBe(`/alerts/${id}`);
  expect(await page.content()).not.toContain("s3cret");

  await page.getByRole("button", { name: /show its links/ }).click();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Shows its links, and checks all of them again. */
async function openCause(page: Page, server: Server) {
  await page.keyboard.press("j");
  await page.keyboard.press("Space");

  const shown = part(page, "Needs attention").locator(".sub");
  await shown.last().getByText("2 more").waitFor();
  expect(await shown.count()).toBe(4);
  await page.keyboard.press("r");
  await page.getByText("Checking 5 links on gone.dead.example").waitFor();
  await fillBatches(server.deps);
  const due = and(eq(links.site, "dead.example"), eq(links.nextTrigger, "batch"));
  expect(await server.deps.store.$count(links, due)).toBe(5);
}

type Server = Dashboard["server"];

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Opens the page at the time of the server. */
async function look(page: Page, server: Server) {
  await page.clock.setFixedTime(server.clock.now());
  await page.goto("/");
  await page.locator("#main h1").waitFor();
}

/** The days that an account has had links, before today. */
const DAYS = 36;

/** Five links that died today, and two that are alive. */
async function withDead(server: Server, accountId: string) {
  const lives = await livesIn(server, accountId);
  const dead = pagesOn("gone.dead.example", 5);
  await lives.add([...dead, ...pagesOn("there.dead.example", 2)]);
  await lives.check();
  server.clock.moveBy((DAYS - 1) * DAY);
  await lives.check();
  lives.answer(dead, "http_404");
  await lives.live(1);
}

const become = (server: Server, accountId: string, role: "viewer" | "owner") =>
  server.deps.store.update(users).set({ role }).where(eq(users.accountId, accountId));

async function addDisabledWebhook({ deps, clock }: Server, accountId: string): Promise<string> {
  const [id, now] = [newId(), clock.now()];
  await deps.store.insert(webhooks).values({
    id,
    accountId,
    ...sealedUrl("https://hooks.example/s3cret", deps.secrets),
    isActive: false,
    secret: "sealed",
    disabledReason: "failing",
    disabledAt: now - 5 * HOUR,
    createdAt: now,
    updatedAt: now,
    format: "standard",
    firstVerdicts: false,
    filters: 0,
  });
  return id;
}
