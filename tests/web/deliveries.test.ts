import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { onDashboard } from "../browser.ts";
import { addDeliveries, UNTRIED } from "../deliveries/logged.ts";
import { deliverAll, makeMuchNews, startReceiver, subscribe } from "../receiver.ts";
import { askerOf, deliveryRow } from "./webhook-page.ts";

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(1)>${"a".repeat(20_000)}`;
onDashboard("The delivery log of a webhook", (dashboard) => {
  test("shows what a hostile receiver answers as text, on a small screen as well", async () => {
    const { user, server } = dashboard();
    const { page, complaints, accountId } = await user({ width: 360, height: 700 });
    const answer = () =>
      new Response(HOSTILE, { status: 400, headers: { "content-type": "text/html" } });
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver(answer).url);
    await page.goto(`/webhooks/${id}`);

    await page.getByRole("button", { name: "Send a test" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test did not arrive. The receiver answered 400.").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("1 delivery", { exact: true }).waitFor();
    await deliveryRow(page, "Given up").getByRole("link").click();
    await page.getByText("text/html, only its beginning").waitFor();

    const shown = await page.getByLabel("The receiver's answer").textContent();
    expect(shown).toBe(HOSTILE.slice(0, 16 * 1024));
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("keeps the filter, the page and what is open in the address", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver().url);
    const failed = { type: "link.dead", status: "exhausted", lastStatusCode: 404 } as const;
    await addDeliveries(server, { accountId }, id, [
      ...Array.from({ length: 26 }, () => failed),
      { ...failed, type: "link.alive" },
      { ...UNTRIED, dueAt: server.clock.now() + 300_000 },
    ]);
    await page.goto(`/webhooks/${id}`);

    await page.getByText("It is first sent in 5 minutes.").waitFor();
    await page.getByRole("link", { name: "Given up 27" }).click();
    await page.getByText("1–25 of 27 deliveries").waitFor();
    await page.getByLabel("Event").selectOption("link.dead");
    await page.getByText("1–25 of 26 deliveries").waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("26–26 of 26 deliveries").waitFor();
    await deliveryRow(page, "Given up").getByRole("link").click();
    await page.getByText("There is nothing at this URL").waitFor();

    expect(new URL(page.url()).search).toMatch(
      /^\?status=exhausted&event=link\.dead&page=2&delivery=[\w-]{36}$/,
    );
    await page.reload();
    await page.getByText("There is nothing at this URL").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?status=exhausted&event=link.dead&page=2");
  });

  test("leads from what was told in a digest to the digest", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, startReceiver().url, ["link.created"], "slack");
    await makeMuchNews(me, 11);
    await deliverAll(server);
    await makeMuchNews(me, 11);
    await deliverAll(server);
    await page.goto(`/webhooks/${id}`);

    await page.getByText("It is gathering events and is sent automatically.").waitFor();
    await deliveryRow(page, "In a digest").first().getByRole("link").click();
    await page.getByRole("link", { name: "Show the digest" }).click();
    await page.getByText("This is a digest: one message about many events").waitFor();
    await page.getByRole("button", { name: "Redeliver", exact: true }).click();

    await page.getByText("This digest is still gathering events").waitFor();
  });

  test("sends once more all that failed lately, and says how many", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const receiver = startReceiver();
    const { id } = await subscribe(await askerOf(server, accountId), receiver.url);
    const failedBefore = (hours: number) => ({
      ...{ status: "exhausted" as const, lastStatusCode: 500 },
      createdAt: server.clock.now() - hours * 3_600_000,
    });
    await addDeliveries(server, { accountId }, id, [1, 2, 300].map(failedBefore));
    await page.goto(`/webhooks/${id}`);

    await page.getByRole("button", { name: "Redeliver failed" }).click();
    await page.getByRole("button", { name: "Redeliver", exact: true }).click();
    await page.getByText("2 deliveries are sent once more.").waitFor();
    await page.getByRole("button", { name: "Redeliver failed" }).click();
    await page.getByLabel("What happened in").selectOption("The last 14 days");
    await page.getByRole("button", { name: "Redeliver", exact: true }).click();
    await page.getByText("1 delivery is sent once more.").waitFor();

    await deliverAll(server);
    expect(receiver.requests).toHaveLength(3);
    await page.getByRole("link", { name: "Delivered 3" }).waitFor();
  });
});

const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
