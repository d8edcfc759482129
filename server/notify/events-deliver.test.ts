import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { onServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  makeNews,
  startReceiver,
  subscribe,
  verified,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";
import { VERSION } from "../ground/lib/runtime.ts";

onServer("deliveries", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("an event reaches its subscriber, signed", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, secret, path } = await subscribe(me, receiver.url);
    const link = (await makeNews(me)).body.data;

    expect(await deliverDue(server().deps)).toBe(1);

    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(request).toMatchObject({ method: "POST", path: "/hook" });
    expect(request.headers.get("content-type")).toBe("application/json");
    expect(request.headers.get("user-agent")).toBe(`Stillup-Webhooks/${VERSION}`);
    expect(request.headers.get("webhook-id")).toMatch(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(request.headers.get("webhook-timestamp")).toBe(String(server().clock.now() / 1000));
    expect(verified(request, secret, server().clock.now())).toEqual({
      event: "link.created",
      timestamp: link.created_at,
      webhookId: id,
      data: {
        linkId: link.id,
        url: link.url,
        groupId: null,
        service: "generic",
        checkFrequency: "daily",
        status: "unknown",
        createdAt: link.created_at,
        batchId: null,
        title: null,
        tags: [],
        externalId: null,
        metadata: {},
        muted: false,
        note: null,
        assignee: null,
        groupName: null,
      },
    });
    expect((await me.get(path)).body.data).toMatchObject({
      last_delivery_at: new Date(server().clock.now()).toISOString(),
      last_status_code: 204,
      failing_since: null,
    });
    expect(await deliverDue(server().deps)).toBe(0);
  });

  test("a changed body, another secret and an old message do not verify", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps);
    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    const now = server().clock.now();

    const changed = { ...request, body: Buffer.from(`${request.body} `) };

    expect(() => verified(changed, secret, now)).toThrow();
    expect(() => verified(request, `whsec_${btoa("another")}`, now)).toThrow();
    expect(() => verified(request, secret, now + 301_000)).toThrow("too old");
  });

  test("each subscriber gets a message of its own, others none", async () => {
    const me = await server().account();
    const [first, second, third] = [startReceiver(), startReceiver(), startReceiver()];
    await subscribe(me, first.url);
    await subscribe(me, second.url, ["link.dead", "link.created"]);
    await subscribe(me, third.url, ["link.dead"]);
    await subscribe(await server().account(), third.url);

    await makeNews(me);
    await deliverDue(server().deps);

    const ids = [...first.requests, ...second.requests].map((r) => r.headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(2);
    expect(third.requests).toHaveLength(0);
  });

  test("a batch of links is reported link by link", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    const urls = Array.from({ length: 100 }, (_, n) => ({
      url: `https://example.org/batch/${n}`,
    }));
    await me.post("/api/v1/links/batch", { links: urls });

    while ((await deliverDue(server().deps)) > 0);

    const sent = receiver.requests.map(({ body }) => JSON.parse(String(body)).data.url);
    expect(sent).toHaveLength(100);
    expect(new Set(sent).size).toBe(100);
  });

  test("a webhook with much to tell leaves room for the others", async () => {
    const me = await server().account();
    const busy = startReceiver();
    const quiet = startReceiver();
    await subscribe(me, busy.url);
    for (let n = 0; n < 10; n++) await makeNews(me);
    await subscribe(me, quiet.url);
    await makeNews(me);

    expect(await deliverDue(server().deps)).toBe(5);

    expect(busy.requests).toHaveLength(4);
    expect(quiet.requests).toHaveLength(1);
  });

  test("a URL that was changed counts from the next attempt", async () => {
    const me = await server().account();
    const [before, after] = [startReceiver(500), startReceiver()];
    const { path } = await subscribe(me, before.url);
    await makeNews(me);
    await deliverDue(server().deps);

    await me.patch(path, { url: after.url });
    server().clock.moveBy(6000);
    await deliverDue(server().deps);

    expect(before.requests).toHaveLength(1);
    expect(after.requests).toHaveLength(1);
  });

  test("a secret that cannot be read fails its own delivery only", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const broken = await subscribe(me, receiver.url);
    await subscribe(me, receiver.url);
    const { store } = server().deps;
    await store.update(webhooks).set({ secret: "AAAA" }).where(eq(webhooks.id, broken.id));
    await makeNews(me);

    expect(await deliverDue(server().deps)).toBe(2);

    expect(receiver.requests).toHaveLength(1);
    expect(await deliveriesOf(server(), broken.id)).toMatchObject([
      { status: "failed", lastError: "secret_key" },
    ]);
  });
});
