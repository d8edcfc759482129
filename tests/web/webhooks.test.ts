import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { webhooks } from "../../server/db/tables.ts";
import { onDashboard } from "../browser.ts";
import { addDelivery } from "../deliveries/logged.ts";
import {
  deliverAll,
  hoursPass,
  makeNews,
  startReceiver,
  subscribe,
  verified,
} from "../receiver.ts";
import { askerOf, deliveryRow } from "./webhook-page.ts";

onDashboard("The webhooks page", (dashboard) => {
  test("makes a webhook whose secret is shown once, tests it, and sends the test once more", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    const receiver = startReceiver();
    await page.goto("/webhooks");

    await page.getByRole("button", { name: "Create your first webhook" }).click();
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByRole("button", { name: "Create webhook" }).click();
    const secret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
    await page.getByRole("dialog").getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test arrived. The receiver answered 204.").waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();

    const [tested] = receiver.requests;
    expect(verified(tested!, secret, server.clock.now()).data).toHaveProperty("test", true);
    await deliveryRow(page, "Delivered").getByText("test", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await deliveryRow(page, "Delivered").getByRole("link").click();
    await page.getByText('"test": true').waitFor();
    await page.getByRole("button", { name: "Redeliver", exact: true }).click();
    await page.getByText("It is sent once more.").waitFor();
    await deliverAll(server);
    expect(receiver.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(
      Array(2).fill(tested!.headers.get("webhook-id")),
    );
    await page.locator(".attempts").getByText("Asked for").waitFor();
    expect(await page.locator(".attempts > li").count()).toBe(2);
  });

  test("tells beside the fields what is wrong, and keeps what was typed", async () => {
    const { page } = await dashboard().user();
    await page.goto("/webhooks");

    await page.getByRole("button", { name: "New webhook" }).click();
    await page.getByLabel("URL").fill("ftp://ops.example.com/");
    await page.getByLabel("link.dead").uncheck();
    await page.getByLabel("link.alive").uncheck();
    await page.getByRole("button", { name: "Create webhook" }).click();

    await page.getByText("Must be an http or https URL").waitFor();
    await page.getByText("Choose at least one event.").waitFor();
    expect(await page.getByLabel("URL").inputValue()).toBe("ftp://ops.example.com/");
    expect(await page.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
  });

  test("knows a chat by its address, and shows what is secret in it only when asked to", async () => {
    const { page } = await dashboard().user();
    await page.goto("/webhooks");
    const url = "https://hooks.slack.com/services/T01/B02/abcdefgh1234";

    await page.getByRole("button", { name: "New webhook" }).click();
    await page.getByLabel("URL").fill(url);
    expect(await page.getByLabel("Slack").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByText("Messages go to Slack from now on.").waitFor();
    await page.keyboard.press("Escape");

    await page.getByText("hooks.slack.com/…1234").waitFor();
    expect(await page.content()).not.toContain("abcdefgh");
    await page.getByRole("link", { name: "hooks.slack.com/…1234" }).click();
    await page.getByRole("button", { name: "Show the whole URL" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(url);
  });

  test("shows a viewer the host of a webhook and nothing else of its URL", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    const url = "https://hooks.slack.com/services/T01/B02/abcdefgh1234";
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, url, ["link.dead"], "slack");

    await page.goto("/webhooks");
    await page.getByRole("link", { name: "https://hooks.slack.com/…" }).click();
    await page.getByRole("heading", { level: 1, name: "https://hooks.slack.com/…" }).waitFor();

    expect(page.url()).toEndWith(id);
    expect(await page.getByRole("button", { name: "Show the whole URL" }).count()).toBe(0);
    expect(await page.content()).not.toContain("B02");
  });

  test("asks for a URL again that its secret key was lost for", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, "https://ops.example.com/hooks/links");
    const isIt = eq(webhooks.id, id);
    await server.deps.store.update(webhooks).set({ sealedUrl: "AAAA" }).where(isIt);

    await page.goto(`/webhooks/${id}`);
    await page.getByText("cannot read the URL of this webhook").waitFor();
    await page.getByRole("button", { name: "Enter the URL" }).click();
    expect(await page.getByLabel("URL").inputValue()).toBe("");
    await page.getByLabel("URL").fill("https://ops.example.com/new");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { level: 1, name: "https://ops.example.com/new" }).waitFor();
    expect(await page.locator(".next-step").count()).toBe(0);
  });

  test("offers dead links and recoveries first, and first verdicts to those who want them", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    await page.goto("/webhooks");
    await page.getByRole("button", { name: "New webhook" }).click();
    const boxes = page.getByRole("dialog").getByRole("checkbox", { checked: true });
    expect(
      await boxes.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).name)),
    ).toEqual(["link.dead", "link.alive"]);

    await page.getByLabel("URL").fill("https://ops.example.com/hooks/links");
    await page.getByLabel("First verdicts").check();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByRole("button", { name: "I have copied it" }).click();

    await page.getByText("First verdicts").waitFor();
    const [made] = (await me.get("/api/v1/webhooks")).body.data.items;
    expect(made).toMatchObject({ first_verdicts: true, events: ["link.dead", "link.alive"] });
    await page.getByRole("button", { name: "Edit" }).click();
    expect(await page.getByLabel("First verdicts").isChecked()).toBe(true);
    await page.getByLabel("link.alive").uncheck();
    expect(await page.getByLabel("First verdicts").isDisabled()).toBe(true);
  });

  test("warns of an event that comes with every check", async () => {
    const { page } = await dashboard().user();
    await page.goto("/webhooks");
    await page.getByRole("button", { name: "New webhook" }).click();

    await page.getByLabel("check.complete").check();

    await page.getByText("one message for every check").waitFor();
  });

  test("offers nothing to someone who may only look, but shows all", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver(500).url);
    await addDelivery(server, { accountId }, id, { status: "exhausted" });

    await page.goto("/webhooks");
    await page.getByText("1 webhook", { exact: true }).waitFor();
    expect(await page.getByRole("button").allTextContents()).toEqual(["Help?", "Sign out"]);
    await page.locator(".rows .what a").click();
    await deliveryRow(page, "Given up").getByRole("link").click();
    await page.getByRole("heading", { name: "Request" }).waitFor();

    const deeds = page.locator("article").getByRole("button");
    expect(await deeds.evaluateAll((all) => all.map((each) => each.ariaLabel))).toEqual(["Close"]);
  });

  test("says why a receiver is told nothing, and switches it on again with what was held back", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const receiver = startReceiver(410);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverAll(server);

    await page.goto("/webhooks");
    await page.getByText("The receiver answered 410 Gone").waitFor();
    await page.goto(`/webhooks/${id}`);
    await page.getByText("If it has moved, change the URL").waitFor();
    await page.getByText("Held back").first().waitFor();
    receiver.answers(204);
    await page.getByRole("button", { name: "Switch on again" }).click();
    await page.getByText("What was held back is sent now.").waitFor();
    await deliverAll(server);

    expect(receiver.requests).toHaveLength(2);
    await deliveryRow(page, "Delivered").waitFor();
    await page.getByRole("link", { name: "Delivered 1" }).waitFor();
    expect(await page.locator(".next-step").count()).toBe(0);
  });

  test("says since when a receiver fails, and when it was switched off for that", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverAll(server);

    await page.goto(`/webhooks/${id}`);
    await page.getByText("It started failing just now").waitFor();
    await page.getByText("the webhook is switched off in 5 days").waitFor();
    await deliveryRow(page, "Will retry").getByText("Answered 500. It will be retried").waitFor();
    for (let day = 0; day < 6; day++) {
      hoursPass(server, 24);
      await makeNews(me);
      await deliverAll(server);
    }
    await page.clock.setFixedTime(server.clock.now());
    await page.reload();

    await page.getByText("after 5 days without a success").waitFor();
    await page.getByRole("button", { name: "Switch on again" }).waitFor();
  });

  test("switches off by hand, and deletes once it has told what is lost", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, startReceiver().url);
    await makeNews(me);
    await makeNews(me);
    await page.goto(`/webhooks/${id}`);

    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await page.getByText("Switched off by hand just now").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("2 pending deliveries are lost.").waitFor();
    await page.getByRole("button", { name: "Delete webhook" }).click();

    await page.getByText("The webhook was deleted.").waitFor();
    await page.getByText("No webhooks yet").waitFor();
  });

  test("changes where a webhook is and what it is told, and says what that cancels", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, "https://ops.example.com/old", [
      "link.dead",
      "link.created",
    ]);
    await makeNews(me);
    await page.goto(`/webhooks/${id}`);

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("URL").fill("https://ops.example.com/new");
    await page.getByLabel("link.created").uncheck();
    await page.getByText("Waiting deliveries of link.created are cancelled.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { name: "https://ops.example.com/new" }).waitFor();
    await deliveryRow(page, "Cancelled").waitFor();
    expect((await me.get(`/api/v1/webhooks/${id}`)).body.data.events).toEqual(["link.dead"]);
  });

  test("gives a new secret beside the old one, until there are too many", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const receiver = startReceiver();
    const { id, secret, path } = await subscribe(me, receiver.url);
    await page.goto(`/webhooks/${id}`);

    const fresh = await newSecret(page, "In 1 hour");
    await me.post(`${path}/test`);
    for (const each of [secret, fresh]) {
      expect(verified(receiver.requests[0]!, each, server.clock.now()).webhookId).toBe(id);
    }
    await newSecret(page, "In 24 hours");
    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("button", { name: "Create secret" }).click();
    await page.getByText("Two old secrets are still valid, which is the maximum.").waitFor();
    await page.getByLabel("The old secret expires").selectOption("Now: the secret has leaked");
    await page.getByRole("button", { name: "Create secret" }).click();

    await page.getByText("All old secrets have expired.").waitFor();
    await me.post(`${path}/test`);
    expect(() => verified(receiver.requests[1]!, fresh, server.clock.now())).toThrow();
  });
});

/** Asks for a new secret, reads it in the only moment in which it is shown, and puts it away. */
async function newSecret(page: Page, grace: string): Promise<string> {
  await page.getByRole("button", { name: "New secret" }).click();
  await page.getByLabel("The old secret expires").selectOption(grace);
  await page.getByRole("button", { name: "Create secret" }).click();
  const value = await page.getByLabel("Signing secret", { exact: true }).inputValue();
  await page.getByRole("button", { name: "I have copied it" }).click();
  return value;
}
