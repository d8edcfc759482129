import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { type DeliveryRow, events } from "../../../server/ground/db/tables.ts";
import { newIdAt } from "../../../server/ground/lib/ids.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { addDeliveries, UNTRIED } from "../../../tests/deliveries/logged.ts";
import type { TestServer } from "../../../tests/harness.ts";
import { deliverAll, makeMuchNews, startReceiver, subscribe } from "../../../tests/receiver.ts";
import { askerOf } from "../../../tests/web/looking.ts";
import { alertsPage } from "../../../tests/web/pages/alerts.ts";
import { go } from "../../../tests/web/pages.ts";

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(1)>${"a".repeat(20_000)}`;

onDashboard("The messages of alerts", (dashboard) => {
  async function someone() {
    const { server, user } = dashboard();
    const visitor = await user();
    const me = await askerOf(server, visitor.accountId);
    return { ...visitor, me, server, ...alertsPage(visitor.page) };
  }

  test("are listed with their link or count, alert and result, by a filter that the address keeps", async () => {
    const { page, accountId, me, server, message, press } = await someone();
    const { id: docs } = await subscribe(me, "https://docs.example.com/hook");
    const { id: chat } = await subscribe(me, "https://chat.example.com/x", undefined, "slack");
    const dueAt = server.clock.now() + 300_000;
    const dead = { type: "link.dead", status: "exhausted", lastStatusCode: 404 } as const;
    await deliver(server, accountId, docs, dead, { linkId: docs, url: "https://example.org/a" });
    const fresh = { linkId: docs, url: "https://example.org/b", previousStatus: "unknown" };
    await deliver(server, accountId, docs, { type: "link.alive" }, fresh);
    const back = { ...fresh, url: "https://example.org/c", previousStatus: "dead" };
    await deliver(server, accountId, docs, { type: "link.alive" }, back);
    await deliver(server, accountId, chat, { type: "digest" }, { total: 12 });
    const waiting = { ...UNTRIED, dueAt, type: "batch.complete" } as const;
    await deliver(server, accountId, docs, waiting, { total: 40 });
    await page.goto("/alerts");

    await message("example.org/a died").getByText("docs.example.com").waitFor();
    await message("example.org/b is alive").waitFor();
    await message("example.org/c came back").waitFor();
    const row = (text: string) => message(text).textContent();
    expect(await row("example.org/a died")).toContain("docs.example.comReturned 404");
    expect(await row("Digest of 12 events")).toContain("chat.example.com on SlackDelivered");
    expect(await row("40 new links were checked")).toContain("Waiting in 5 minutes");
    await press("Queued");
    await message("example.org/a died").waitFor({ state: "detached" });
    await message("40 new links were checked").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await press("Alert: All alerts");
    await page.getByRole("button", { name: "chat.example.com on Slack", exact: true }).click();
    await message("40 new links were checked").waitFor({ state: "detached" });
    await message("Digest of 12 events").waitFor();
    expect(new URL(page.url()).search).toBe(`?alert=${chat}`);

    const { id } = await subscribe(me, startReceiver().url);
    await addDeliveries(server, { accountId }, id, [
      ...Array.from({ length: 26 }, () => dead),
      { ...dead, type: "link.alive" },
      { ...UNTRIED, dueAt },
    ]);
    await go(page, `/alerts/${id}`);
    await message("Waiting in 5 minutes").waitFor();
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await message("Waiting").waitFor({ state: "detached" });
    await press("Event: All events");
    await page.getByRole("button", { name: "Died", exact: true }).click();
    await message("came back").waitFor({ state: "detached" });
    await page.reload();
    await message("").first().waitFor();
    expect(await message("").count()).toBe(25);
    await press("Show older messages");
    await message("").nth(25).waitFor();
    expect(new URL(page.url()).search).toBe("?result=failed&event=link.dead");
    await message("").last().getByRole("link").click();
    await page.getByText("Nothing found at this URL.").waitFor();
    await page.goBack();
    await message("").first().waitFor();
    expect(new URL(page.url()).search).toBe("?result=failed&event=link.dead");
  });

  test("are sent once more where they failed, lead to their digest, and show what a hostile receiver returns", async () => {
    const { page, complaints, accountId, me, server, message, press } = await someone();
    const receiver = startReceiver();
    const { id: failing } = await subscribe(me, receiver.url);
    const failedBefore = (hours: number) => {
      const createdAt = server.clock.now() - hours * 3_600_000;
      const status = "exhausted" as const;
      return { eventId: newIdAt(createdAt), status, lastStatusCode: 500, createdAt };
    };
    await addDeliveries(server, { accountId }, failing, [1, 2, 300].map(failedBefore));
    await page.goto("/alerts");
    const retry = async (span: string) => {
      await press("Retry failed");
      await page.getByRole("menuitem", { name: span }).click();
    };
    await retry("Of the last 24 hours");
    await page.getByText("2 messages are sent again.").waitFor();
    await retry("Of the last 14 days");
    await page.getByText("1 message is sent again.").waitFor();
    await deliverAll(server);
    expect(receiver.requests).toHaveLength(3);
    await page.getByRole("link", { name: "3 messages in 14 days", exact: true }).waitFor();

    const { id: chat } = await subscribe(me, startReceiver().url, ["link.created"], "slack");
    for (const _ of ["those at once", "the digest"]) {
      await makeMuchNews(me, 11);
      await deliverAll(server);
    }
    await go(page, `/alerts/${chat}?result=digest`);
    await message("Sent in a digest").first().getByRole("link").click();
    await page.getByRole("link", { name: "Show the digest" }).click();
    await page.getByText("A digest is one message about many events.").waitFor();
    await page.getByText("It is collecting events and is sent automatically.").waitFor();
    await press("Send again");
    await page.getByText("This digest is still gathering events").waitFor();

    const answer = () =>
      new Response(HOSTILE, { status: 400, headers: { "content-type": "text/html" } });
    const { id: hostile } = await subscribe(me, startReceiver(answer).url);
    await page.setViewportSize({ width: 360, height: 700 });
    await go(page, `/alerts/${hostile}`);
    await press("Send test");
    await page.getByText("Test failed: returned 400.").waitFor();
    expect(await overflowOf(page)).toBe(0);
    await message("Returned 400").getByRole("link").click();
    await page.getByText("text/html, only its beginning").waitFor();
    const shown = await page.getByLabel("The receiver's response").textContent();
    expect(shown).toBe(HOSTILE.slice(0, 16 * 1024));
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

/** Adds a delivery whose event has this data. */
async function deliver(
  server: TestServer,
  accountId: string,
  webhookId: string,
  more: Partial<DeliveryRow>,
  data: object,
) {
  const [id] = await addDeliveries(server, { accountId }, webhookId, [more]);
  const stored = { data: JSON.stringify(data) };
  await server.deps.store.update(events).set(stored).where(eq(events.id, id!));
}

const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
