import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { type DeliveryRow, events } from "../../server/db/tables.ts";
import { newIdAt } from "../../server/lib/ids.ts";
import { onDashboard } from "../browser.ts";
import { addDeliveries, UNTRIED } from "../deliveries/logged.ts";
import type { TestServer } from "../harness.ts";
import { deliverAll, makeMuchNews, startReceiver, subscribe } from "../receiver.ts";
import { messageRow } from "./alert-page.ts";
import { askerOf } from "./looking.ts";

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(1)>${"a".repeat(20_000)}`;
onDashboard("The messages of alerts", (dashboard) => {
  test("show what a hostile receiver returns as text, on a small screen as well", async () => {
    const { user, server } = dashboard();
    const { page, complaints, accountId } = await user({ width: 360, height: 700 });
    const answer = () =>
      new Response(HOSTILE, { status: 400, headers: { "content-type": "text/html" } });
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver(answer).url);
    await page.goto(`/alerts/${id}`);

    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByText("Test failed: returned 400.").waitFor();
    expect(await overflowOf(page)).toBe(0);
    await messageRow(page, "Returned 400").getByRole("link").click();
    await page.getByText("text/html, only its beginning").waitFor();

    const shown = await page.getByLabel("The receiver's response").textContent();
    expect(shown).toBe(HOSTILE.slice(0, 16 * 1024));
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("are those of all alerts, each with its link or count, its alert and its result", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id: docs } = await subscribe(me, "https://docs.example.com/hook");
    const { id: chat } = await subscribe(me, "https://chat.example.com/x", undefined, "slack");
    const at = server.clock.now();
    const dead = { type: "link.dead", status: "exhausted", lastStatusCode: 404 } as const;
    await deliver(server, accountId, docs, dead, { linkId: docs, url: "https://example.org/a" });
    const fresh = { linkId: docs, url: "https://example.org/b", previousStatus: "unknown" };
    await deliver(server, accountId, docs, { type: "link.alive" }, fresh);
    const back = { ...fresh, url: "https://example.org/c", previousStatus: "dead" };
    await deliver(server, accountId, docs, { type: "link.alive" }, back);
    await deliver(server, accountId, chat, { type: "digest" }, { total: 12 });
    const waiting = { ...UNTRIED, dueAt: at + 300_000, type: "batch.complete" } as const;
    await deliver(server, accountId, docs, waiting, { total: 40 });
    await page.goto("/alerts");

    const row = (text: string) => messageRow(page, text).textContent();
    await messageRow(page, "example.org/a died").waitFor();
    expect(await row("example.org/a died")).toContain("docs.example.comReturned 404");
    await messageRow(page, "example.org/b is alive").waitFor();
    await messageRow(page, "example.org/c came back").waitFor();
    expect(await row("Digest of 12 events")).toContain("chat.example.com on SlackDelivered");
    expect(await row("40 new links were checked")).toContain("Waiting in 5 minutes");
    await page.getByRole("button", { name: "Queued" }).click();
    await messageRow(page, "example.org/a died").waitFor({ state: "detached" });
    await messageRow(page, "40 new links were checked").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("button", { name: "Alert: All alerts" }).click();
    await page.getByRole("button", { name: "chat.example.com on Slack" }).click();

    await messageRow(page, "40 new links were checked").waitFor({ state: "detached" });
    await messageRow(page, "Digest of 12 events").waitFor();
    expect(new URL(page.url()).search).toBe(`?alert=${chat}`);
  });

  test("keep their filter in the address, and show older ones on request", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver().url);
    const failed = { type: "link.dead", status: "exhausted", lastStatusCode: 404 } as const;
    await addDeliveries(server, { accountId }, id, [
      ...Array.from({ length: 26 }, () => failed),
      { ...failed, type: "link.alive" },
      { ...UNTRIED, dueAt: server.clock.now() + 300_000 },
    ]);
    const rows = messageRow(page, "");
    await page.goto(`/alerts/${id}`);

    await messageRow(page, "Waiting in 5 minutes").waitFor();
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await messageRow(page, "Waiting").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Event: All events" }).click();
    await page.getByRole("button", { name: "Died", exact: true }).click();
    await messageRow(page, "came back").waitFor({ state: "detached" });
    await page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(25);
    await page.getByRole("button", { name: "Show older messages" }).click();
    await rows.nth(25).waitFor();
    expect(new URL(page.url()).search).toBe("?result=failed&event=link.dead");
    await rows.last().getByRole("link").click();
    await page.getByText("Nothing found at this URL.").waitFor();
    await page.goBack();

    await rows.first().waitFor();
    expect(new URL(page.url()).search).toBe("?result=failed&event=link.dead");
  });

  test("lead from what was sent in a digest to the digest", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, startReceiver().url, ["link.created"], "slack");
    await makeMuchNews(me, 11);
    await deliverAll(server);
    await makeMuchNews(me, 11);
    await deliverAll(server);
    await page.goto(`/alerts/${id}?result=digest`);

    await messageRow(page, "Sent in a digest").first().getByRole("link").click();
    await page.getByRole("link", { name: "Show the digest" }).click();
    await page.getByText("A digest is one message about many events.").waitFor();
    await page.getByText("It is collecting events and is sent automatically.").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();

    await page.getByText("This digest is still gathering events").waitFor();
  });

  test("that failed lately are all sent once more, and it says how many", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const receiver = startReceiver();
    const { id } = await subscribe(await askerOf(server, accountId), receiver.url);
    const failedBefore = (hours: number) => {
      const createdAt = server.clock.now() - hours * 3_600_000;
      const status = "exhausted" as const;
      return { eventId: newIdAt(createdAt), status, lastStatusCode: 500, createdAt };
    };
    await addDeliveries(server, { accountId }, id, [1, 2, 300].map(failedBefore));
    await page.goto("/alerts");
    const retry = async (span: string) => {
      await page.getByRole("button", { name: "Retry failed" }).click();
      await page.getByRole("menuitem", { name: span }).click();
    };

    await retry("Of the last 24 hours");
    await page.getByText("2 messages are sent again.").waitFor();
    await retry("Of the last 14 days");
    await page.getByText("1 message is sent again.").waitFor();

    await deliverAll(server);
    expect(receiver.requests).toHaveLength(3);
    await page.getByRole("link", { name: "3 messages in 14 days", exact: true }).waitFor();
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
