import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users, webhooks } from "../../../server/ground/db/tables.ts";
import { newId } from "../../../server/ground/lib/ids.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { addDelivery } from "../../../tests/deliveries/logged.ts";
import {
  deliverAll,
  hoursPass,
  makeNews,
  startReceiver,
  subscribe,
  verified,
} from "../../../tests/receiver.ts";
import { askerOf } from "../../../tests/web/looking.ts";
import { alertsPage } from "../../../tests/web/pages/alerts.ts";
import { go } from "../../../tests/web/pages.ts";

/** After which messages that are on their way are read again. */
const SOON_MS = 4_000;
const SLACK = "https://hooks.slack.com/services/T01/B02/abcdefgh1234";

onDashboard("The alerts page", (dashboard) => {
  /** An owner, who also asks the API. */
  async function someone() {
    const { server, user } = dashboard();
    const { page, accountId } = await user();
    const me = await askerOf(server, accountId);
    return { page, accountId, me, server, ...alertsPage(page) };
  }

  test("makes an alert whose secret is shown once, tests it, and sends the test once more", async () => {
    const { page, me, server, name, url, event, unfold, press, shownSecret, heading, message } =
      await someone();
    const receiver = startReceiver();
    await page.goto("/alerts");
    await heading("No alerts yet");
    await press("New alert");
    const choice = page.getByRole("radio", { name: "A link dies or comes back" });
    expect(await choice.isChecked()).toBe(true);
    await page.getByRole("radio", { name: "A summary is due" }).check();
    await page.getByLabel("Time").waitFor();
    await choice.check();
    await unfold();
    const boxes = page.getByRole("dialog").getByRole("checkbox", { checked: true });
    const names = boxes.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).name));
    expect(await names).toEqual(["link.dead", "link.alive"]);
    await name.fill("Operations");
    await event("check.complete").check();
    await page.getByText("one message for every check").waitFor();
    for (const type of ["check.complete", "link.dead", "link.alive"]) await event(type).uncheck();
    await url.fill("ftp://ops.example.com/");
    await press("Create alert");
    await page.getByText("Must be an http or https URL").waitFor();
    await page.getByText("Select at least one event.").waitFor();
    expect(await url.inputValue()).toBe("ftp://ops.example.com/");
    expect(await url.getAttribute("aria-invalid")).toBe("true");

    await url.fill(receiver.url);
    for (const type of ["link.dead", "link.alive"]) await event(type).check();
    await page.getByText("When a link dies or comes back, call the webhook 127.0.0.1").waitFor();
    await event("alive at its first check").check();
    await press("Create alert");
    await page.getByRole("dialog").getByRole("button", { name: "Send test" }).click();
    await page.getByText("Test delivered: returned 204").waitFor();
    const secret = await shownSecret();
    await page.getByText("When a link dies, comes back or is alive at its first check").waitFor();
    const [made] = (await me.get("/api/v1/webhooks")).body.data.items;
    expect(made).toMatchObject({
      name: "Operations",
      first_verdicts: true,
      events: ["link.dead", "link.alive"],
      time_zone: await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
    });
    await heading("Operations");
    await press("Edit");
    await unfold();
    expect(await event("alive at its first check").isChecked()).toBe(true);
    await event("link.alive").uncheck();
    expect(await event("alive at its first check").isDisabled()).toBe(true);
    await page.keyboard.press("Escape");

    const [tested] = receiver.requests;
    expect(verified(tested!, secret, server.clock.now()).data).toHaveProperty("test", true);
    await message("Test message").getByText("Delivered").waitFor();
    expect(await page.content()).not.toContain(secret);
    await message("Test message").getByRole("link").click();
    await page.getByText('"test": true').waitFor();
    await press("Send again");
    await page.getByText("The message is sent again.").waitFor();
    await deliverAll(server);
    expect(receiver.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(
      Array(2).fill(tested!.headers.get("webhook-id")),
    );
    await page.locator(".attempts").getByText("Requested").waitFor();
    expect(await page.locator(".attempts > li").count()).toBe(2);
    await heading("Test message");
    await go(page, "/alerts");
    await message("Test message").waitFor();
  });

  test("knows a chat by its address, whose secret it shows on request, and to viewers never", async () => {
    const { page, accountId, me, server, name, url, press, heading, message } = await someone();
    await page.goto("/alerts");
    await press("New alert");
    await name.fill("Docs team");
    await url.fill(SLACK);
    expect(await page.getByLabel("Slack").isChecked()).toBe(true);
    await page.getByRole("checkbox", { name: "Also when it leads to something else" }).check();
    await press("Create alert");
    await heading("Alert created");
    await page.keyboard.press("Escape");
    await page.getByText("send a message to").waitFor();
    expect(await page.content()).not.toContain("abcdefgh");
    await page.getByRole("link", { name: "Working" }).click();
    await heading("Docs team");
    await press("Show the whole URL");
    await page.getByText(SLACK, { exact: true }).waitFor();

    const [{ id, events, filter }] = (await me.get("/api/v1/webhooks")).body.data.items;
    expect(events).toEqual(["link.dead", "link.alive", "link.changed"]);
    expect(filter.kinds).toContain("identity_lost");
    const { id: plain } = await subscribe(me, startReceiver(500).url);
    await addDelivery(server, { accountId }, plain, { status: "exhausted", lastStatusCode: 500 });
    const isTheirs = eq(users.accountId, accountId);
    await server.deps.store.update(users).set({ role: "viewer" }).where(isTheirs);
    await page.goto("/alerts");
    await page
      .getByText(/When a link dies, comes back or leads to something else, .* on Slack/)
      .waitFor();
    await message("Returned 500").waitFor();
    const buttons = page.locator("main").getByRole("button");
    expect(await buttons.allTextContents()).toEqual([
      ...[
        "All",
        "Delivered",
        "Failed",
        "Queued",
        "In digests",
        "Alert: All alerts",
        "Event: All events",
      ],
    ]);
    await message("Returned 500").getByRole("link").click();
    await heading("Request");
    expect(await buttons.count()).toBe(0);
    await go(page, `/alerts/${id}`);
    await page.getByRole("heading", { level: 1, name: "Docs team" }).waitFor();
    expect(await page.getByRole("button", { name: "Show the whole URL" }).count()).toBe(0);
    expect(await page.locator("#app").innerHTML()).not.toContain("B02");
  });

  test("changes where it sends and what, says what that cancels, and leaves what others change", async () => {
    const { page, accountId, me, server, url, event, tick, press, heading, message } =
      await someone();
    const { store } = server.deps;
    const events = ["link.dead", "link.created"];
    const { id, path } = await subscribe(me, "https://ops.example.com/old", events);
    const now = async () => (await me.get(path)).body.data;
    await makeNews(me);
    await store.update(webhooks).set({ sealedUrl: "AAAA" }).where(eq(webhooks.id, id));
    await page.goto("/alerts");
    await heading("1 alert is failing");
    await go(page, `/alerts/${id}`);
    await page.getByText("cannot read the URL of this alert").waitFor();
    await press("Enter the URL");
    expect(await url.inputValue()).toBe("");
    await url.fill("https://ops.example.com/entered");
    await press("Save");
    await heading("https://ops.example.com/entered");
    expect(await page.locator(".trouble").count()).toBe(0);

    await press("Edit");
    await url.fill("https://ops.example.com/new");
    await event("link.created").uncheck();
    await page.getByText("Queued messages of link.created are cancelled.").waitFor();
    await press("Save");
    await heading("https://ops.example.com/new");
    await message("Cancelled").waitFor();
    expect((await now()).events).toEqual(["link.dead"]);

    await press("Edit");
    await url.fill("https://ops.example.com/newer");
    await me.patch(path, { events: ["link.alive"], first_verdicts: true });
    await press("Save");
    await heading("https://ops.example.com/newer");
    const changed = { url: "https://ops.example.com/newer", events: ["link.alive"] };
    expect(await now()).toMatchObject({ ...changed, first_verdicts: true });

    const mira = { accountId, email: "mira@example.org", role: "editor" as const };
    await store.insert(users).values({ ...mira, id: newId(), isAdmin: false, createdAt: 0 });
    await me.post("/api/v1/links", { url: "https://example.org/a", tags: ["docs"] });
    await page.reload();
    await press("Edit");
    await tick("All tags", "docs");
    await page.keyboard.press("Escape");
    await tick("Any assignee", "mira@example.org");
    await page.getByText("Matches 0 of your 2 links now.").waitFor();
    await page.getByRole("button", { name: "Not assigned" }).click();
    await page.getByText("Matches 1 of your 2 links now.").waitFor();
    await page.keyboard.press("Escape");
    await press("Save");
    await page.getByRole("status").getByText("Alert changed.").waitFor();
    await page.getByText("When a link tagged docs assigned to no one comes back").waitFor();
    const filter = { tags: ["docs"], assignee: "none", reasons: null };
    expect((await now()).filter).toMatchObject(filter);
  });

  test("changes its events in the sentence, pauses and is deleted at once, and takes each back", async () => {
    const { page, me, press, heading, choose } = await someone();
    const { path } = await subscribe(me, startReceiver().url, ["link.dead"]);
    const now = async () => (await me.get(path)).body.data;
    await page.goto("/alerts");
    await press("dies");
    await page.getByRole("menuitemcheckbox", { name: "A link is dead." }).click();
    await page.getByText("Select at least one event.").waitFor();
    await page.getByRole("menuitemcheckbox", { name: "A link was deleted." }).click();
    await page.getByRole("button", { name: "dies or is deleted" }).waitFor();
    expect((await now()).events).toEqual(["link.dead", "link.deleted"]);
    await page.keyboard.press("Escape");
    await press("Undo");
    await page.getByRole("button", { name: "dies", exact: true }).waitFor();
    expect((await now()).events).toEqual(["link.dead"]);

    await choose("Pause");
    await heading("1 alert is paused");
    expect((await now()).is_active).toBe(false);
    await press("Undo");
    await heading("All alerts are delivered");
    expect((await now()).is_active).toBe(true);
    await choose("Delete");
    await heading("No alerts yet");
    await press("Undo");
    await page.getByRole("link", { name: "Working" }).waitFor();
    expect((await me.get(path)).status).toBe(200);
    await choose("Delete");
    await heading("No alerts yet");
    const sent = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.clock.runFor(11_000);
    await sent;
    expect((await me.get(path)).status).toBe(404);
  });

  test("keeps the changes of two people who edit it at once", async () => {
    const { page, accountId, me, press, event, tick, heading } = await someone();
    await me.post("/api/v1/links", { url: "https://example.org/a", tags: ["docs"] });
    const { id, path } = await subscribe(me, "https://ops.example.com/old", ["link.dead"]);
    const now = async () => (await me.get(path)).body.data;
    const { page: otherPage } = await dashboard().again(accountId);
    const other = alertsPage(otherPage);
    for (const each of [page, otherPage]) {
      await each.goto(`/alerts/${id}`);
      await alertsPage(each).press("Edit");
    }

    await other.url.fill("https://ops.example.com/new");
    await other.event("link.deleted").check();
    await other.tick("All tags", "docs");
    await otherPage.keyboard.press("Escape");
    await other.press("Save");
    await heading("https://ops.example.com/new");
    await event("link.created").check();
    await tick("All groups", "No group");
    await page.keyboard.press("Escape");
    await press("Save");
    await page.getByRole("status").getByText("Alert changed.").waitFor();
    const { events, ...changed } = await now();
    expect(changed).toMatchObject({
      url: "https://ops.example.com/new",
      filter: { group_ids: ["none"], tags: ["docs"], services: null },
    });
    expect(events.toSorted()).toEqual(["link.created", "link.dead", "link.deleted"]);

    const undone = page.waitForResponse((response) => response.request().method() === "PATCH");
    await press("Undo");
    await undone;
    expect(await now()).toMatchObject({
      url: "https://ops.example.com/new",
      events: ["link.dead", "link.deleted"],
      filter: { group_ids: null, tags: ["docs"] },
    });
  });

  test("says why and since when a receiver gets nothing, and sends what was held back", async () => {
    const { page, me, server, press, heading, message } = await someone();
    const gone = startReceiver(410);
    const { id } = await subscribe(me, gone.url);
    await makeNews(me);
    await deliverAll(server);
    await page.goto("/alerts");
    await page.getByText("the receiver returned 410 Gone").waitFor();
    await go(page, `/alerts/${id}`);
    await page.getByText("If the receiver has moved, change the URL").waitFor();
    await message("On hold").waitFor();
    gone.answers(204);
    await press("Turn on");
    await page.getByText("Alert turned on. Sending queued messages.").waitFor();
    await deliverAll(server);
    expect(gone.requests).toHaveLength(2);
    await page.clock.runFor(SOON_MS);
    await message("Delivered").waitFor();
    expect(await page.locator(".trouble").count()).toBe(0);

    const { id: failing } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverAll(server);
    await go(page, "/alerts");
    await heading("1 alert is failing");
    await page.getByText("the receiver returned 500. 1 message failed.").waitFor();
    await go(page, `/alerts/${failing}`);
    await page.getByText("the alert is turned off in 5 days").waitFor();
    await message("Returned 500, retry 1").waitFor();
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

  test("gives a new secret next to the old one, until there are too many", async () => {
    const { page, me, server, press, choose, newSecret } = await someone();
    const receiver = startReceiver();
    const { id, secret, path } = await subscribe(me, receiver.url);
    await page.goto("/alerts");

    const fresh = await newSecret("In 1 hour");
    await me.post(`${path}/test`);
    for (const each of [secret, fresh]) {
      expect(verified(receiver.requests[0]!, each, server.clock.now()).webhookId).toBe(id);
    }
    await newSecret("In 24 hours");
    await choose("Rotate secret");
    await press("Create secret");
    await page.getByText("Two old secrets are still valid, which is the maximum.").waitFor();
    await page.getByLabel("The old secret expires").selectOption("Now: the secret has leaked");
    await press("Create secret");

    await page.getByText("All old secrets have expired.").waitFor();
    await me.post(`${path}/test`);
    expect(() => verified(receiver.requests[1]!, fresh, server.clock.now())).toThrow();
  });
});
