import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { OPERATOR } from "../../server/api/caller.ts";
import { accounts, links, recoveries, webhooks } from "../../server/db/tables.ts";
import { newId } from "../../server/lib/ids.ts";
import { createLink } from "../../server/links/create.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { sealedUrl } from "../../server/webhooks/secrets.ts";
import { type Dashboard, onDashboard } from "../browser.ts";
import { DAY, HOUR } from "../checker/ended.ts";
import { addChecks, type NewCheck } from "../rows.ts";
import { faultsOf } from "./looking.ts";

type Link = Partial<typeof links.$inferInsert> & { url: string };

onDashboard("The first page", (dashboard) => {
  test("leads someone without links to where links are added", async () => {
    const { page } = await dashboard().user();

    await page.goto("/");
    await page.getByText("Nothing is monitored yet").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Add links" }).click();

    expect(new URL(page.url()).pathname).toBe("/links/new");
  });

  test("offers nothing to add to whoever may only look", async () => {
    const { page } = await dashboard().user({}, "viewer");

    await page.goto("/");
    await page.getByText("Nothing is monitored yet").waitFor();

    expect(await page.getByRole("link", { name: "Add links" }).count()).toBe(0);
  });

  test("is calm where every link answers", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addLink(server, accountId, { url: "https://example.org/a", status: "active" });

    await page.goto("/");

    await page.getByRole("heading", { name: "All is well" }).waitFor();
    await page.getByText("Your link answers.").waitFor();
    expect(await page.getByRole("heading", { name: "Dead now" }).count()).toBe(0);
  });

  test("says what is dead and why, what came back, and what cannot be told", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const now = server.clock.now();
    const add = (link: Link) => addLink(server, accountId, link);
    const dead = { status: "dead", reason: "http_410" } as const;
    const id = await add({ ...dead, url: "https://example.org/new", statusChangedAt: now - HOUR });
    await add({ ...dead, url: "https://example.org/old", statusChangedAt: now - 3 * DAY });
    for (const n of [1, 2]) {
      await add({ url: `https://example.org/login-${n}`, reason: "http_401" });
    }
    const back = await add({ url: "https://example.org/back", status: "active" });
    await recover(server, back, now - DAY);

    await page.goto("/");

    await page.getByRole("heading", { name: "2 links are dead" }).waitFor();
    await page
      .getByText("1 of them died within 24 hours. 2 are unknown: they may be alive or dead.")
      .waitFor();
    const urls = part(page, "Dead now").getByRole("link");
    expect(await urls.allTextContents()).toEqual([
      "https://example.org/new",
      "https://example.org/old",
    ]);
    expect(await urls.first().getAttribute("href")).toBe(`/links/${id}`);
    await part(page, "Dead now").getByText("The server returned 410").first().waitFor();
    await part(page, "Dead now").getByText("1 hour ago").waitFor();
    await part(page, "Unknown, and why")
      .getByText("2 links The server returned 401: it requires a login.")
      .waitFor();
    await part(page, "Back again").getByRole("link", { name: "example.org/back" }).waitFor();
  });

  test("counts links by status, service and group, each leading to its links", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const groupId = await addGroup(server, accountId, "Docs");
    await addLink(server, accountId, {
      url: "https://youtu.be/jNQXAC9IVRw",
      status: "dead",
      groupId,
    });
    await addLink(server, accountId, { url: "https://example.org/a", status: "active", groupId });
    await addLink(server, accountId, { url: "https://example.org/b", status: "active" });

    await page.goto("/");

    const hrefOf = async (name: string) =>
      await page.getByRole("main").getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await hrefOf("Links 3")).toBe("/links");
    expect(await hrefOf("Alive 2")).toBe("/links?status=active");
    expect(await hrefOf("Dead 1")).toBe("/links?status=dead");
    expect(await hrefOf("YouTube 1 dead 1 in all")).toBe("/links?service=youtube");
    expect(await hrefOf("Docs 1 dead 2 in all")).toBe(`/links?group_id=${groupId}`);
  });

  test("says that a webhook was switched off, without what is secret in its URL", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addLink(server, accountId, { url: "https://example.org/a" });
    const id = await addDisabledWebhook(server, accountId);

    await page.goto("/");

    await page.getByText("was switched off 5 hours ago: nothing could be delivered").waitFor();
    const link = page.getByRole("link", { name: "webhook to hooks.example" });
    expect(await link.getAttribute("href")).toBe(`/webhooks/${id}`);
    expect(await page.content()).not.toContain("s3cret");
  });

  test("tells a screen reader and a keyboard what its charts show", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addHistory(server, accountId);
    await page.goto("/?span=24h");

    const chart = page.getByRole("slider", { name: "Checks by result, by hour" });
    await chart.focus();
    await page.keyboard.press("ArrowLeft");

    await page.getByRole("figure", { name: "Checks by result" }).getByText("Dead 1").waitFor();
    expect(await chart.getAttribute("aria-valuetext")).toEndWith(": Alive 3, Dead 1, Unknown 0");
    await page.keyboard.press("Home");
    await page.locator('[aria-label^="Checks by result"][aria-valuenow="0"]').waitFor();
    expect(await chart.getAttribute("aria-valuemax")).toBe("23");
    const response = page.getByRole("slider", { name: "Time to answer, by hour" });
    expect(await response.getAttribute("aria-valuetext")).toEndWith(": Average 120 ms");
  });

  test("keeps what the keyboard chose before its charts were drawn", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addHistory(server, accountId);
    const chosen = Promise.withResolvers<void>();
    await page.route("**/assets/chart-drawing-*.js", async (route) => {
      await chosen.promise;
      await route.continue();
    });
    await page.goto("/?span=24h");
    const chart = page.getByRole("slider", { name: "Checks by result, by hour" });

    await chart.press("Home");
    await page.locator('[aria-label^="Checks by result"][aria-valuenow="0"]').waitFor();
    chosen.resolve();
    await chart.locator(".u-cursor-x").waitFor();
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))",
    );

    expect(await chart.getAttribute("aria-valuenow")).toBe("0");
  });

  test("shows what its charts show as tables, the latest first", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addHistory(server, accountId);
    await page.goto("/?span=30d");

    await page.getByRole("button", { name: "Show as table (Checks by result)" }).click();

    const rows = page.getByRole("region", { name: "Checks by result as a table" }).getByRole("row");
    expect(await rows.count()).toBe(31);
    expect(await rows.nth(1).getByRole("cell").allTextContents()).toEqual(["4", "0", "0"]);
    expect(await rows.nth(2).getByRole("cell").allTextContents()).toEqual(["3", "1", "0"]);
  });

  test.each(["light", "dark"] as const)(
    "has no barrier that can be found by rule, %s",
    async (colorScheme) => {
      const { server, user } = dashboard();
      const { page, accountId } = await user({ colorScheme });
      await addHistory(server, accountId);
      await addDisabledWebhook(server, accountId);
      const groupId = await addGroup(server, accountId, "Docs");
      const dead = { status: "dead", reason: "http_410", groupId } as const;
      await addLink(server, accountId, { ...dead, url: "https://example.org/dead" });
      await page.goto("/");
      await page.getByRole("slider").first().waitFor();

      expect(await faultsOf(page)).toEqual([]);
    },
  );

  test("keeps the time that is shown in the address", async () => {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    await addHistory(server, accountId);
    await page.goto("/");

    await page.getByRole("link", { name: "90 days" }).click();
    const chart = page.getByRole("slider", { name: "Checks by result, by day" });

    await chart.waitFor();
    expect(await chart.getAttribute("aria-valuemax")).toBe("89");
    expect(new URL(page.url()).search).toBe("?span=90d");
  });
});

type Server = Dashboard["server"];

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

async function callerOf({ deps }: Server, accountId: string) {
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  const permissions = { read: true, write: true };
  return { accountId, accountNo: account!.no, tier: account!.tier, permissions, by: OPERATOR };
}

/** With what only the checker sets. */
async function addLink(server: Server, accountId: string, link: Link): Promise<string> {
  const { url, groupId = null, ...columns } = link;
  const input = { url, group_id: groupId, check_frequency: "daily" } as const;
  const { id } = await createLink(server.deps, await callerOf(server, accountId), input);
  const due = { nextCheckAt: server.clock.now() + DAY };
  await server.deps.store
    .update(links)
    .set({ ...due, ...columns })
    .where(eq(links.id, id));
  return id;
}

async function addGroup(server: Server, accountId: string, name: string): Promise<string> {
  const input = { name, color: "#2563eb", description: "" };
  return (await createGroup(server.deps, await callerOf(server, accountId), input)).id;
}

async function recover({ deps: { store } }: Server, id: string, recoveredAt: number) {
  const [link] = await store.select().from(links).where(eq(links.id, id));
  const { no: linkNo, accountNo } = link!;
  await store.insert(recoveries).values({ linkNo, accountNo, recoveredAt });
}

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
  });
  return id;
}

/** Four checks in this hour, and four in the one before it. */
async function addHistory(server: Server, accountId: string) {
  const linkId = await addLink(server, accountId, { url: "https://example.org/a" });
  const now = server.clock.now();
  const checks = Array.from({ length: 8 }, (_, i): NewCheck => {
    const checkedAt = i < 4 ? now + i : now - HOUR + i;
    return { linkId, checkedAt, status: i === 4 ? "dead" : "active", responseTimeMs: 120 };
  });
  await addChecks(server, checks);
}
