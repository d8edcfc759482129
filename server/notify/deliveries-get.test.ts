import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { addDelivery, logOf, UNTRIED } from "../../tests/deliveries/logged.ts";
import { freePort } from "../../tests/free-port.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { deliveryAttempts, events, webhooks } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";

const HOOK = "https://ops.example.com/hook";

onServer("GET /webhooks/{id}/deliveries/{delivery_id}", (server) => {
  const news = async () => {
    await deliverDue(server().deps, { random: () => 0.5 });
  };
  const get = async (me: Asker, path: string, id: string) =>
    (await me.get(`${path}/deliveries/${id}`)).body.data;

  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("tells what was posted, byte for byte, and under which id", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await news();
    const [listed] = await logOf(me, path);

    const { status, body } = await me.get(`${path}/deliveries/${listed.id}`);

    const [request] = receiver.requests;
    const { request_body: posted, all_attempts: all, link, count, ...rest } = body.data;
    const { previous_status: previous, test: isTest, ...record } = rest;
    const { linkId, url } = JSON.parse(posted).data;
    expect(status).toBe(200);
    expect({ link, count }).toEqual({ link: { id: linkId, url }, count: null });
    expect({ previous, isTest }).toEqual({
      previous: JSON.parse(posted).data.previousStatus ?? null,
      isTest: false,
    });
    expect(record).toEqual(listed);
    expect(posted).toBe(String(request!.body));
    expect(record.message_id).toBe(request!.headers.get("webhook-id"));
    expect(all).toEqual([record.last_attempt]);
  });

  test("tells the last fifty of attempts that were asked for without end", async () => {
    const me = await server().account();
    const { id: webhookId, path } = await subscribe(me, HOOK);
    const id = await addDelivery(server(), me, webhookId, { attempts: 80, unplannedAttempts: 79 });
    const { store } = server().deps;
    const earlier = Array.from({ length: 79 }, (_, i) => ({
      webhookId,
      eventId: id,
      number: i + 1,
      trigger: "manual" as const,
      startedAt: i,
      statusCode: 500,
      truncated: false,
    }));
    await store.insert(deliveryAttempts).values(earlier);

    const { all_attempts: all, attempts } = await get(me, path, id);

    expect(attempts).toBe(80);
    expect(all.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 31),
    );
  });

  test("tells every attempt, the oldest first", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await news();
    server().clock.moveBy(6000);
    await news();
    receiver.answers(204);
    server().clock.moveBy(400_000);
    await news();
    const [{ id }] = await logOf(me, path);

    const { all_attempts: all, last_attempt: last, attempts, status } = await get(me, path, id);

    expect([status, attempts]).toEqual(["succeeded", 3]);
    const summaries = all.map((each: typeof last) => [each.number, each.trigger, each.status_code]);
    expect(summaries).toEqual([
      [1, "scheduled", 500],
      [2, "scheduled", 500],
      [3, "scheduled", 204],
    ]);
    expect(last).toEqual(all[2]);
    expect(Date.parse(all[1].started_at) - Date.parse(all[0].started_at)).toBe(6000);
  });

  test("tells the beginning of a long answer, which the log of the server never has", async () => {
    const lines = await logLines("debug");
    const me = await server().account();
    const said = "no such hook here ".repeat(2000);
    const answer = () => new Response(said, { status: 404, headers: { "content-type": "text/x" } });
    const { path } = await subscribe(me, startReceiver(answer).url);
    await makeNews(me);
    await news();
    const [{ id }] = await logOf(me, path);

    const { last_attempt: last } = await get(me, path, id);

    expect(last).toMatchObject({
      status_code: 404,
      error_code: null,
      response_content_type: "text/x",
      response_body: said.slice(0, 16 * 1024),
      response_truncated: true,
    });
    expect(lines.join("\n")).not.toContain("no such hook here");
  });

  test("no answer has status 0 and a reason", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, `http://127.0.0.1:${freePort()}/`);
    await makeNews(me);
    await news();
    const [{ id }] = await logOf(me, path);

    expect((await get(me, path, id)).last_attempt).toMatchObject({
      status_code: 0,
      error_code: "connect",
      response_content_type: null,
      response_body: null,
      response_truncated: false,
    });
  });

  test("an attempt that never came has no other before it", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const delivery = await addDelivery(server(), me, id, { ...UNTRIED, dueAt: 0 });

    expect(await get(me, path, delivery)).toMatchObject({
      attempts: 0,
      last_attempt: null,
      all_attempts: [],
    });
  });

  test("names the digest that included it, whose body lists all", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const { store } = server().deps;
    await store.update(webhooks).set({ format: "slack" }).where(eq(webhooks.id, id));
    const digest = await addDelivery(server(), me, id, { type: "digest" });
    await addDelivery(server(), me, id, { status: "digested", digestId: digest });
    const at = new Date(server().clock.now()).toISOString();
    const data = { from: at, until: at, total: 12, counts: { "link.dead": 12 }, first: [] };
    await store
      .update(events)
      .set({ data: JSON.stringify(data) })
      .where(eq(events.id, digest));

    const [{ digest_id: named }] = await logOf(me, path, "?status=digested");
    const { event, request_body: posted } = await get(me, path, named);

    expect([named, event]).toEqual([digest, "digest"]);
    expect(posted).toContain("12 links are dead");
  });

  test("is shown in the webhook's format", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, path } = await subscribe(me, receiver.url);
    const { store } = server().deps;
    await store.update(webhooks).set({ format: "discord" }).where(eq(webhooks.id, id));
    await makeNews(me);
    await news();
    const [{ id: delivery }] = await logOf(me, path);

    const { request_body: posted } = await get(me, path, delivery);

    expect(posted).toBe(String(receiver.requests[0]!.body));
    expect(JSON.parse(posted)).toHaveProperty("embeds");
  });

  test("an unknown ID, an invalid one or one of another webhook is not found", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, HOOK);
    const other = await subscribe(me, HOOK);
    const elsewhere = await addDelivery(server(), me, other.id);

    for (const id of [newId(), "x", elsewhere]) {
      const { status, body } = await me.get(`${path}/deliveries/${id}`);
      expect([status, body.error.message]).toEqual([404, "No such delivery."]);
    }
    expect((await me.get(`/api/v1/webhooks/${newId()}/deliveries/${elsewhere}`)).status).toBe(404);
  });

  test("of a stranger's webhook is forbidden", async () => {
    const stranger = await server().account();
    const { id, path } = await subscribe(stranger, HOOK);
    const delivery = await addDelivery(server(), stranger, id);
    const me = await server().account();

    expect((await me.get(`${path}/deliveries/${delivery}`)).status).toBe(403);
  });
});
