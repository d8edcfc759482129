import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { users, webhooks } from "../../server/db/tables.ts";
import { newId } from "../../server/lib/ids.ts";
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
import { until } from "../until.ts";
import { choose, messageRow } from "./alert-page.ts";
import { askerOf } from "./looking.ts";

onDashboard("The alerts page", (dashboard) => {
  test("makes an alert whose secret is shown once, tests it, and sends the test once more", async () => {
    const { server, user } = dashboard();
    const { page } = await user();
    const receiver = startReceiver();
    await page.goto("/alerts");

    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    await page.getByRole("button", { name: "New alert" }).click();
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByText("When a link dies or comes back, call the webhook 127.0.0.1").waitFor();
    await page.getByRole("button", { name: "Create alert" }).click();
    const secret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
    await page.getByRole("dialog").getByRole("button", { name: "Send test" }).click();
    await page.getByText("Test delivered: returned 204").waitFor();
    await page.getByRole("button", { name: "Done" }).click();

    const [tested] = receiver.requests;
    expect(verified(tested!, secret, server.clock.now()).data).toHaveProperty("test", true);
    await messageRow(page, "Test message").getByText("Delivered").waitFor();
    expect(await page.content()).not.toContain(secret);
    await messageRow(page, "Test message").getByRole("link").click();
    await page.getByText('"test": true').waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("The message is sent again.").waitFor();
    await deliverAll(server);
    expect(receiver.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(
      Array(2).fill(tested!.headers.get("webhook-id")),
    );
    await page.locator(".attempts").getByText("Requested").waitFor();
    expect(await page.locator(".attempts > li").count()).toBe(2);
    await page.getByRole("heading", { name: "Test message" }).waitFor();
    await page.goto("/alerts");
    await messageRow(page, "Test message").waitFor();
  });

  test("shows at the fields what is wrong, and keeps what was typed", async () => {
    const { page } = await dashboard().user();
    await page.goto("/alerts");

    await page.getByRole("button", { name: "New alert" }).click();
    await page.getByLabel("URL").fill("ftp://ops.example.com/");
    await page.getByLabel("link.dead").uncheck();
    await page.getByLabel("link.alive").uncheck();
    await page.getByRole("button", { name: "Create alert" }).click();

    await page.getByText("Must be an http or https URL").waitFor();
    await page.getByText("Select at least one event.").waitFor();
    expect(await page.getByLabel("URL").inputValue()).toBe("ftp://ops.example.com/");
    expect(await page.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
  });

  test("knows a chat by its address, and shows what is secret in it only on request", async () => {
    const { page } = await dashboard().user();
    await page.goto("/alerts");
    const url = "https://hooks.slack.com/services/T01/B02/abcdefgh1234";

    await page.getByRole("button", { name: "New alert" }).click();
    await page.getByLabel("URL").fill(url);
    expect(await page.getByLabel("Slack").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create alert" }).click();
    await page.getByRole("heading", { name: "Alert created" }).waitFor();
    await page.keyboard.press("Escape");

    await page.getByText("send a message to").waitFor();
    expect(await page.content()).not.toContain("abcdefgh");
    await page.getByRole("link", { name: "Working" }).click();
    await page.getByRole("button", { name: "Show the whole URL" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(url);
  });

  test("shows a viewer the host of an alert and nothing else of its URL", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    const url = "https://hooks.slack.com/services/T01/B02/abcdefgh1234";
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, url, ["link.dead"], "slack");

    await page.goto("/alerts");
    await page.getByText("When a link dies, send a message to hooks.slack.com as Slack.").waitFor();
    await page.getByRole("link", { name: "Working" }).click();
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

    await page.goto("/alerts");
    await page.getByRole("heading", { name: "1 alert is failing" }).waitFor();
    await page.goto(`/alerts/${id}`);
    await page.getByText("cannot read the URL of this alert").waitFor();
    await page.getByRole("button", { name: "Enter the URL" }).click();
    expect(await page.getByLabel("URL").inputValue()).toBe("");
    await page.getByLabel("URL").fill("https://ops.example.com/new");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { level: 1, name: "https://ops.example.com/new" }).waitFor();
    expect(await page.locator(".trouble").count()).toBe(0);
  });

  test("offers dead links and those that come back first, and first checks on request", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    await page.goto("/alerts");
    await page.getByRole("button", { name: "New alert" }).click();
    const boxes = page.getByRole("dialog").getByRole("checkbox", { checked: true });
    expect(
      await boxes.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).name)),
    ).toEqual(["link.dead", "link.alive"]);

    await page.getByLabel("URL").fill("https://ops.example.com/hooks/links");
    await page.getByLabel("alive at its first check").check();
    await page.getByRole("button", { name: "Create alert" }).click();
    await page.getByRole("button", { name: "Done" }).click();

    await page.getByText("When a link dies, comes back or is alive at its first check").waitFor();
    const [made] = (await me.get("/api/v1/webhooks")).body.data.items;
    expect(made).toMatchObject({ first_verdicts: true, events: ["link.dead", "link.alive"] });
    await page.getByRole("button", { name: "Edit" }).click();
    expect(await page.getByLabel("alive at its first check").isChecked()).toBe(true);
    await page.getByLabel("link.alive").uncheck();
    expect(await page.getByLabel("alive at its first check").isDisabled()).toBe(true);
  });

  test("warns of an event that comes with every check", async () => {
    const { page } = await dashboard().user();
    await page.goto("/alerts");
    await page.getByRole("button", { name: "New alert" }).click();

    await page.getByLabel("check.complete").check();

    await page.getByText("one message for every check").waitFor();
  });

  test("changes its events in the sentence, at least one, and takes a change back", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { path } = await subscribe(me, startReceiver().url, ["link.dead"]);
    const events = async () => (await me.get(path)).body.data.events;
    await page.goto("/alerts");

    await page.getByRole("button", { name: "a link dies" }).click();
    await page.getByRole("menuitemcheckbox", { name: "A link is dead." }).click();
    await page.getByText("Select at least one event.").waitFor();
    await page.getByRole("menuitemcheckbox", { name: "A link was deleted." }).click();
    await page.getByRole("button", { name: "a link dies or is deleted" }).waitFor();
    expect(await events()).toEqual(["link.dead", "link.deleted"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Undo" }).click();

    await page.getByRole("button", { name: "a link dies", exact: true }).waitFor();
    expect(await events()).toEqual(["link.dead"]);
  });

  test("offers a viewer no action, but shows all", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user({}, "viewer");
    const { id } = await subscribe(await askerOf(server, accountId), startReceiver(500).url);
    await addDelivery(server, { accountId }, id, { status: "exhausted", lastStatusCode: 500 });

    await page.goto("/alerts");
    await messageRow(page, "Returned 500").waitFor();
    const buttons = page.locator("main").getByRole("button");
    expect(await buttons.allTextContents()).toEqual([
      ...["All", "Delivered", "Failed", "Queued", "In digests", "Event: All events"],
    ]);
    await messageRow(page, "Returned 500").getByRole("link").click();
    await page.getByRole("heading", { name: "Request" }).waitFor();

    expect(await page.locator("main").getByRole("button").count()).toBe(0);
  });

  test("says why a receiver gets nothing, and sends what was held back when it is turned on", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const receiver = startReceiver(410);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverAll(server);

    await page.goto("/alerts");
    await page.getByText("the receiver returned 410 Gone").waitFor();
    await page.goto(`/alerts/${id}`);
    await page.getByText("If the receiver has moved, change the URL").waitFor();
    await messageRow(page, "On hold").waitFor();
    receiver.answers(204);
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Alert turned on. Sending queued messages.").waitFor();
    await deliverAll(server);

    expect(receiver.requests).toHaveLength(2);
    await messageRow(page, "Delivered").waitFor();
    expect(await page.locator(".trouble").count()).toBe(0);
  });

  test("says since when a receiver fails, and when its alert was turned off for that", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverAll(server);

    await page.goto("/alerts");
    await page.getByRole("heading", { name: "1 alert is failing" }).waitFor();
    await page.getByText("the receiver returned 500. 1 message failed.").waitFor();
    await page.goto(`/alerts/${id}`);
    await page.getByText("the alert is turned off in 5 days").waitFor();
    await messageRow(page, "Returned 500, retry 1").waitFor();
    for (let day = 0; day < 6; day++) {
      hoursPass(server, 24);
      await makeNews(me);
      await deliverAll(server);
    }
    await page.clock.setFixedTime(server.clock.now());
    await page.reload();

    await page.getByText("after 5 days without a delivery").waitFor();
    await page.getByRole("button", { name: "Turn on" }).waitFor();
  });

  test("pauses and deletes at once, and takes both back", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { path } = await subscribe(me, startReceiver().url);
    const isOn = async () => (await me.get(path)).body.data.is_active;
    await page.goto("/alerts");

    await choose(page, "Pause");
    await page.getByRole("heading", { name: "1 alert is paused" }).waitFor();
    expect(await isOn()).toBe(false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "All alerts are delivered" }).waitFor();
    expect(await isOn()).toBe(true);
    await choose(page, "Delete");
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Working" }).waitFor();
    expect((await me.get(path)).status).toBe(200);
    await choose(page, "Delete");
    await page.getByRole("heading", { name: "No alerts yet" }).waitFor();
    const sent = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.clock.runFor(11_000);
    await sent;

    expect((await me.get(path)).status).toBe(404);
  });

  test("changes where it sends to and what, and says what that cancels", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id } = await subscribe(me, "https://ops.example.com/old", [
      "link.dead",
      "link.created",
    ]);
    await makeNews(me);
    await page.goto(`/alerts/${id}`);

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("URL").fill("https://ops.example.com/new");
    await page.getByLabel("link.created").uncheck();
    await page.getByText("Queued messages of link.created are cancelled.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { name: "https://ops.example.com/new" }).waitFor();
    await messageRow(page, "Cancelled").waitFor();
    expect((await me.get(`/api/v1/webhooks/${id}`)).body.data.events).toEqual(["link.dead"]);
  });

  test("leaves what someone else changes while it is edited", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const { id, path } = await subscribe(me, "https://ops.example.com/old", ["link.dead"]);
    await page.goto(`/alerts/${id}`);

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("URL").fill("https://ops.example.com/new");
    await me.patch(path, { events: ["link.alive"], first_verdicts: true });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "https://ops.example.com/new" }).waitFor();

    expect((await me.get(path)).body.data).toMatchObject({
      ...{ url: "https://ops.example.com/new", events: ["link.alive"], first_verdicts: true },
    });
  });

  test("keeps the changes of two people who edit it at once", async () => {
    const { user, again, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    await me.post("/api/v1/links", { url: "https://example.org/a", tags: ["docs"] });
    const { id, path } = await subscribe(me, "https://ops.example.com/old", ["link.dead"]);
    const { page: other } = await again(accountId);
    for (const each of [page, other]) {
      await each.goto(`/alerts/${id}`);
      await each.getByRole("button", { name: "Edit" }).click();
    }

    await other.getByLabel("URL").fill("https://ops.example.com/new");
    await other.getByLabel("link.deleted").check();
    await other.getByRole("button", { name: "All tags" }).click();
    await other.getByRole("menuitemcheckbox", { name: "docs" }).click();
    await other.keyboard.press("Escape");
    await other.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "https://ops.example.com/new" }).waitFor();
    await page.getByLabel("link.created").check();
    await page.getByRole("button", { name: "All groups" }).click();
    await page.getByRole("menuitemcheckbox", { name: "No group" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Alert changed.").waitFor();

    const changed = (await me.get(path)).body.data;
    expect(changed).toMatchObject({
      url: "https://ops.example.com/new",
      filter: { group_ids: ["none"], tags: ["docs"], services: null },
    });
    expect(changed.events.toSorted()).toEqual(["link.created", "link.dead", "link.deleted"]);

    await page.getByRole("button", { name: "Undo" }).click();
    await until(async () => (await me.get(path)).body.data.events.length === 2);
    expect((await me.get(path)).body.data).toMatchObject({
      ...{ url: "https://ops.example.com/new", events: ["link.dead", "link.deleted"] },
      filter: { group_ids: null, tags: ["docs"] },
    });
  });

  test("is narrowed to tags and a person, and says how many links that is", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    await server.deps.store.insert(users).values({
      ...{ id: newId(), accountId, email: "mira@example.org", role: "editor" as const },
      ...{ isAdmin: false, createdAt: 0 },
    });
    const me = await askerOf(server, accountId);
    await me.post("/api/v1/links", { url: "https://example.org/a", tags: ["docs"] });
    await me.post("/api/v1/links", { url: "https://example.org/b" });
    const { id, path } = await subscribe(me, "https://ops.example.com/old", ["link.dead"]);
    await page.goto(`/alerts/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();

    await page.getByRole("button", { name: "All tags" }).click();
    await page.getByRole("menuitemcheckbox", { name: "docs" }).click();
    await page.getByRole("button", { name: "Any assignee" }).click();
    await page.getByRole("menuitemcheckbox", { name: "mira@example.org" }).click();
    await page.getByText("Matches 0 of your 2 links now.").waitFor();
    await page.getByRole("menuitemcheckbox", { name: "Not assigned" }).click();
    await page.getByText("Matches 1 of your 2 links now.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Alert changed.").waitFor();

    expect((await me.get(path)).body.data.filter).toMatchObject({
      ...{ tags: ["docs"], assignee: "none", reasons: null },
    });
  });

  test("gives a new secret next to the old one, until there are too many", async () => {
    const { user, server } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    const receiver = startReceiver();
    const { id, secret, path } = await subscribe(me, receiver.url);
    await page.goto("/alerts");

    const fresh = await newSecret(page, "In 1 hour");
    await me.post(`${path}/test`);
    for (const each of [secret, fresh]) {
      expect(verified(receiver.requests[0]!, each, server.clock.now()).webhookId).toBe(id);
    }
    await newSecret(page, "In 24 hours");
    await choose(page, "Rotate secret");
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
  await choose(page, "Rotate secret");
  await page.getByLabel("The old secret expires").selectOption(grace);
  await page.getByRole("button", { name: "Create secret" }).click();
  const value = await page.getByLabel("Signing secret", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  return value;
}
