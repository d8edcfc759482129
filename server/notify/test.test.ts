import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { eachRow } from "../../tests/each-row.ts";
import { freePort } from "../../tests/free-port.ts";
import { onServer } from "../../tests/harness.ts";
import { startReceiver, subscribe, verified } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import { sealedUrl } from "./secrets.ts";

onServer("POST /webhooks/{id}/test", (server) => {
  test("sends a signed sample of the first subscribed event and tells what came back", async () => {
    const me = await server().account();
    const receiver = startReceiver(200);
    const { id, secret, path } = await subscribe(me, receiver.url, ["link.dead", "link.alive"]);

    const { status, body } = await me.post(`${path}/test`);

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        success: true,
        message: "The receiver answered 200.",
        response: { statusCode: 200, duration: expect.any(Number) },
      },
    });
    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    const payload = verified(request, secret, server().clock.now());
    expect(Object.keys(payload)).toEqual(["event", "timestamp", "webhookId", "data"]);
    expect(payload).toMatchObject({
      event: "link.dead",
      webhookId: id,
      data: { test: true, previousStatus: "active", currentStatus: "dead" },
    });
  });

  test("an error of the receiver is a result, is not tried again and leaves no mark", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url);
    const before = (await me.get(path)).body;

    const { status, body } = await me.post(`${path}/test`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      success: false,
      message: "The receiver answered 500.",
      response: { statusCode: 500 },
    });
    expect(receiver.requests).toHaveLength(1);
    expect((await me.get(path)).body).toEqual(before);
  });

  test("is sent once for one idempotency key", async () => {
    const me = await server().account();
    const receiver = startReceiver(200);
    const { path } = await subscribe(me, receiver.url);
    const key = { "idempotency-key": "once" };
    const first = await me.post(`${path}/test`, undefined, key);

    const second = await me.post(`${path}/test`, undefined, key);

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(receiver.requests).toHaveLength(1);
  });

  test("is logged as a delivery with one attempt, which is not made again", async () => {
    const me = await server().account();
    const answer = () => new Response("what?", { status: 400 });
    const receiver = startReceiver(answer);
    const { path } = await subscribe(me, receiver.url, ["link.dead"]);
    await me.post(`${path}/test`);

    const [{ id }] = (await me.get(`${path}/deliveries`)).body.data.items;
    const { body } = await me.get(`${path}/deliveries/${id}`);
    server().clock.moveBy(7 * 86_400_000);
    await deliverDue(server().deps);

    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(body.data).toMatchObject({
      id,
      event: "link.dead",
      status: "exhausted",
      attempts: 1,
      next_attempt_at: null,
      message_id: request.headers.get("webhook-id"),
      request_body: String(request.body),
      completed_at: expect.any(String),
      all_attempts: [{ number: 1, trigger: "test", status_code: 400, response_body: "what?" }],
    });
    expect(receiver.requests).toHaveLength(1);
  });

  test("one that arrives is logged as succeeded, one without an answer with the reason", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver().url);
    await me.post(`${path}/test`);
    await me.patch(path, { url: `http://127.0.0.1:${freePort()}/` });
    await me.post(`${path}/test`);

    const [failed, arrived] = (await me.get(`${path}/deliveries`)).body.data.items;

    expect(arrived).toMatchObject({
      status: "succeeded",
      last_attempt: { status_code: 204, error_code: null, response_body: "" },
    });
    expect(failed).toMatchObject({
      status: "exhausted",
      last_attempt: { status_code: 0, error_code: "connect", response_body: null },
    });
  });

  test("speaks as the webhook's format has it", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, path } = await subscribe(me, receiver.url, ["link.dead"]);
    const { store } = server().deps;
    await store.update(webhooks).set({ format: "slack" }).where(eq(webhooks.id, id));

    await me.post(`${path}/test`);

    expect(JSON.parse(String(receiver.requests[0]!.body)).text).toContain("Test: ");
  });

  test("is signed by old secrets too, while they sign", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { secret, path } = await subscribe(me, receiver.url);
    await me.post(`${path}/rotate-secret`);

    await me.post(`${path}/test`);

    const [request] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(verified(request, secret, server().clock.now()).data).toHaveProperty("test");
  });

  test("a webhook that is deleted meanwhile leaves nothing behind", async () => {
    const me = await server().account();
    const receiver = startReceiver(async () => {
      await me.delete(path);
      return new Response();
    });
    const { id, path } = await subscribe(me, receiver.url);

    const { status, body } = await me.post(`${path}/test`);

    expect([status, body.error.details.reason]).toEqual([409, "changed_meanwhile"]);
    const { store } = server().deps;
    const mine = store.select().from(events).where(eq(events.accountId, me.accountId));
    expect(await mine).toEqual([]);
    expect(await store.select().from(deliveries).where(eq(deliveries.webhookId, id))).toEqual([]);
  });

  test("a redirect is not followed", async () => {
    const me = await server().account();
    const elsewhere = startReceiver();
    const receiver = startReceiver(() => Response.redirect(elsewhere.url, 307));
    const { path } = await subscribe(me, receiver.url);

    const { body } = await me.post(`${path}/test`);

    expect(body.data).toMatchObject({ success: false, response: { statusCode: 307 } });
    expect(elsewhere.requests).toHaveLength(0);
  });

  eachRow([
    ["connect", () => `http://127.0.0.1:${freePort()}/`],
    ["dns", () => "http://nowhere.invalid/"],
    ["tls", () => startReceiver().url.replace("http:", "https:")],
  ])("no answer is reported as %s", async (message, url) => {
    const me = await server().account();
    const { path } = await subscribe(me, url());

    const { status, body } = await me.post(`${path}/test`);

    expect(status).toBe(200);
    expect(body.data).toEqual({
      success: false,
      message,
      response: { statusCode: 0, duration: expect.any(Number) },
    });
  });

  test("a target that is not allowed any more is reported as blocked", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, "http://127.0.0.1/");
    const { store } = server().deps;
    await store
      .update(webhooks)
      .set(sealedUrl("http://10.0.0.1/", server().deps.secrets))
      .where(eq(webhooks.id, id));

    const { body } = await me.post(`${path}/test`);

    expect(body.data).toMatchObject({
      success: false,
      message: "blocked",
      response: { statusCode: 0 },
    });
  });

  test("Telegram receives the chat, and nothing else of the URL", async () => {
    const me = await server().account();
    const receiver = startReceiver(200);
    const base = receiver.url.replace("/hook", "/bot1:x/sendMessage");
    const url = `${base}?chat_id=5&parse_mode=HTML&text=another`;
    const created = await me.post("/api/v1/webhooks", {
      url,
      events: ["link.dead"],
      format: "telegram",
    });

    const { body } = await me.post(`/api/v1/webhooks/${created.body.data.id}/test`);

    expect(body.data.success).toBe(true);
    const [request] = receiver.requests;
    expect(request!.path).toBe("/bot1:x/sendMessage");
    const { chat_id: chat, text, ...others } = JSON.parse(String(request!.body));
    expect([chat, text.slice(0, 11)]).toEqual(["5", "Test: Dead:"]);
    expect(others).toEqual({ link_preview_options: { is_disabled: true } });
  });

  test("works while the webhook is off", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver().url);
    await me.patch(path, { is_active: false });

    expect((await me.post(`${path}/test`)).body.data.success).toBe(true);
  });

  test("ten a minute go out, more are refused until a minute has passed", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { path } = await subscribe(me, receiver.url);
    for (let n = 0; n < 10; n++) await me.post(`${path}/test`);

    const refused = await me.post(`${path}/test`);
    server().clock.moveBy(60_000);
    const later = await me.post(`${path}/test`);

    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.body.error).toMatchObject({
      code: "RATE_LIMITED",
      details: { retryAfter: 60, limit: 10, remaining: 0 },
    });
    expect(later.status).toBe(200);
    expect(receiver.requests).toHaveLength(11);
  });

  test("another account's webhook is not tested", async () => {
    const receiver = startReceiver();
    const { path } = await subscribe(await server().account(), receiver.url);

    expect((await (await server().account()).post(`${path}/test`)).status).toBe(403);
    expect(receiver.requests).toHaveLength(0);
  });

  eachRow([
    "link.dead",
    "link.alive",
    "link.created",
    "link.deleted",
    "check.complete",
    "batch.complete",
  ])("there is a sample of %s", async (type) => {
    const me = await server().account();
    const receiver = startReceiver();
    const { path } = await subscribe(me, receiver.url, [type]);

    await me.post(`${path}/test`);

    const { event, data } = JSON.parse(String(receiver.requests[0]?.body));
    expect(event).toBe(type);
    expect(data.test).toBe(true);
  });
});

onServer(
  "A test of a webhook",
  (server) => {
    test("whose receiver never answers is reported as a timeout", async () => {
      const { url } = startReceiver(() => new Promise<Response>(() => {}));
      const me = await server().account();
      const { path } = await subscribe(me, url);

      const { body } = await me.post(`${path}/test`);

      expect(body.data).toMatchObject({ success: false, message: "timeout" });
    });
  },
  { STILLUP_WEBHOOK_TIMEOUT_MS: "300" },
);
