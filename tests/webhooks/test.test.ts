import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { webhooks } from "../../server/store/tables.ts";
import { onBothEngines } from "../harness.ts";
import { freePort } from "../postgres.ts";
import { startReceiver, subscribe, verified } from "../receiver.ts";

onBothEngines(
  "POST /webhooks/{id}/test",
  (server) => {
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

    test("a redirect is not followed", async () => {
      const me = await server().account();
      const elsewhere = startReceiver();
      const receiver = startReceiver(() => Response.redirect(elsewhere.url, 307));
      const { path } = await subscribe(me, receiver.url);

      const { body } = await me.post(`${path}/test`);

      expect(body.data).toMatchObject({ success: false, response: { statusCode: 307 } });
      expect(elsewhere.requests).toHaveLength(0);
    });

    test.each([
      ["connect", () => `http://127.0.0.1:${freePort()}/`],
      ["dns", () => "http://nowhere.invalid/"],
      ["tls", () => startReceiver().url.replace("http:", "https:")],
      ["timeout", () => startReceiver(() => new Promise<Response>(() => {})).url],
    ])("no answer is told as %s", async (message, url) => {
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

    test("a target that is not allowed any more is told as blocked", async () => {
      const me = await server().account();
      const { id, path } = await subscribe(me, "http://127.0.0.1/");
      const { store } = server().deps;
      await store.update(webhooks).set({ url: "http://10.0.0.1/" }).where(eq(webhooks.id, id));

      const { body } = await me.post(`${path}/test`);

      expect(body.data).toMatchObject({
        success: false,
        message: "blocked",
        response: { statusCode: 0 },
      });
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

    test.each([
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
  },
  { STILLUP_WEBHOOK_TIMEOUT_MS: "300" },
);
