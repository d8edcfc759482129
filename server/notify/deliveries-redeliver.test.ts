import { afterEach, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { addDelivery, logOf, UNTRIED } from "../../tests/deliveries/logged.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { hoursPass, makeNews, startReceiver, subscribe, verified } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";
import { createDeliverer } from "./deliverer.ts";

const HOOK = "https://ops.example.com/hook";

onServer("POST /webhooks/{id}/deliveries/{delivery_id}/redeliver", (server) => {
  const deliver = () => deliverDue(server().deps, { random: () => 0.5 });
  const redeliver = (me: Asker, path: string, id: string, headers?: Record<string, string>) =>
    me.post(`${path}/deliveries/${id}/redeliver`, undefined, headers);
  const get = async (me: Asker, path: string, id: string) =>
    (await me.get(`${path}/deliveries/${id}`)).body.data;

  /** A webhook that received one event, and its delivery. */
  async function deliveredWebhook(answer: number) {
    const me = await server().account();
    const receiver = startReceiver(answer);
    const hook = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliver();
    const [{ id }] = await logOf(me, hook.path);
    return { ...hook, me, receiver, id: id as string };
  }

  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("sends the same message again, with a new signature, to where the webhook is now", async () => {
    const { me, path, id, secret, receiver: before } = await deliveredWebhook(204);
    const after = startReceiver();
    await me.patch(path, { url: after.url });
    hoursPass(server(), 1);

    const { status, body } = await redeliver(me, path, id);
    await deliver();

    const now = server().clock.now();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      status: "pending",
      attempts: 1,
      next_attempt_at: new Date(now).toISOString(),
    });
    const [first, again] = [before.requests[0]!, after.requests[0]!];
    expect(before.requests).toHaveLength(1);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("webhook-id")).toBe(first.headers.get("webhook-id"));
    expect(verified(again, secret, now)).toEqual(JSON.parse(String(first.body)));
    expect(await get(me, path, id)).toMatchObject({
      status: "succeeded",
      attempts: 2,
      next_attempt_at: null,
      last_attempt: { number: 2, trigger: "manual", status_code: 204 },
    });
  });

  test("asked for twice before it is sent, it is sent once", async () => {
    const { me, path, id, receiver } = await deliveredWebhook(204);

    const replies = await Promise.all([1, 2, 3].map(() => redeliver(me, path, id)));
    const later = await redeliver(me, path, id);
    await deliver();

    const told200 = [...replies, later].map(({ status, body }) => [status, body.data.status]);
    expect(told200).toEqual(Array(4).fill([200, "pending"]));
    expect(receiver.requests).toHaveLength(2);
    expect(await deliver()).toBe(0);
  });

  test("one that fails again leaves the schedule as it was", async () => {
    const { me, path, id, receiver } = await deliveredWebhook(500);
    const before = await get(me, path, id);

    await redeliver(me, path, id);
    await deliver();
    const after = await get(me, path, id);
    server().clock.moveBy(5000);
    await deliver();

    expect(before).toMatchObject({ status: "failed", attempts: 1 });
    expect(after).toMatchObject({ status: "failed", attempts: 2 });
    expect(after.next_attempt_at).toBe(before.next_attempt_at);
    expect(receiver.requests).toHaveLength(3);
    const { all_attempts: all, next_attempt_at: next } = await get(me, path, id);
    expect(all.map(({ trigger }: { trigger: string }) => trigger)).toEqual([
      ...["scheduled", "manual", "scheduled"],
    ]);
    // As after the second of the schedule, not the third.
    expect(Date.parse(next) - server().clock.now()).toBe(300_000);
  });

  eachRow(["exhausted", "expired", "cancelled", "digested", "succeeded"] as const)(
    "one that is %s is so again when the attempt fails, and succeeded when it does not",
    async (status) => {
      const me = await server().account();
      const receiver = startReceiver(500);
      const { id: webhook, path } = await subscribe(me, receiver.url);
      const id = await addDelivery(server(), me, webhook, { status });

      await redeliver(me, path, id);
      await deliver();
      const failed = await get(me, path, id);
      receiver.answers(204);
      await redeliver(me, path, id);
      await deliver();

      expect(failed).toMatchObject({ status, attempts: 2, next_attempt_at: null });
      expect(await get(me, path, id)).toMatchObject({ status: "succeeded", attempts: 3 });
    },
  );

  test("goes out at once while the server runs", async () => {
    const { me, path, id, receiver } = await deliveredWebhook(204);
    const { deps } = server();
    const deliverer = createDeliverer({ ...deps, clock: movableClock(deps.clock.now()) });
    deps.loops.onWake(deliverer.wake);

    await redeliver(me, path, id);
    await receiver.seen(2);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(2);
  });

  test("while an attempt is under way it is refused", async () => {
    const me = await server().account();
    const answered = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => answered.promise);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    const round = deliver();
    await receiver.seen(1);
    const [{ id }] = await logOf(me, path);

    const { status, body } = await redeliver(me, path, id);
    answered.resolve(new Response());
    await round;

    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: "CONFLICT", details: { reason: "in_flight" } });
    expect((await redeliver(me, path, id)).status).toBe(200);
  });

  test("while the webhook is off it is refused, and says what to do", async () => {
    const { me, path, id, receiver } = await deliveredWebhook(204);
    await me.patch(path, { is_active: false });

    const { status, body } = await redeliver(me, path, id);
    await deliver();

    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      message: "This webhook is switched off. Switch it on first.",
      details: { reason: "webhook_off" },
    });
    expect(receiver.requests).toHaveLength(1);
    await me.patch(path, { is_active: true });
    expect((await redeliver(me, path, id)).status).toBe(200);
  });

  test("a digest that still gathers is refused", async () => {
    const me = await server().account();
    const { id: webhook, path } = await subscribe(me, HOOK);
    const digest = await addDelivery(server(), me, webhook, { ...UNTRIED, type: "digest" });

    const { status, body } = await redeliver(me, path, digest);

    expect([status, body.error.details]).toEqual([409, { reason: "still_gathering" }]);
    expect((await get(me, path, digest)).next_attempt_at).toBeNull();
  });

  test("who switches the webhook off at the same moment comes before or after", async () => {
    const me = await server().account();
    const { id: webhook, path } = await subscribe(me, HOOK);
    const id = await addDelivery(server(), me, webhook, { status: "exhausted" });

    const [asked] = await Promise.all([
      redeliver(me, path, id),
      me.patch(path, { is_active: false }),
    ]);

    expect([200, 409]).toContain(asked.status);
    expect((await get(me, path, id)).status).toBe("exhausted");
  });

  test("the same idempotency key sends nothing twice, not even after the first was sent", async () => {
    const { me, path, id, receiver } = await deliveredWebhook(204);
    const key = { "idempotency-key": "again" };
    const first = await redeliver(me, path, id, key);
    await deliver();

    const second = await redeliver(me, path, id, key);
    await deliver();

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(receiver.requests).toHaveLength(2);
  });

  test("what is there is judged: no such delivery, no such webhook, a stranger's", async () => {
    const { me, path, id } = await deliveredWebhook(204);
    const stranger = await server().account();

    expect((await redeliver(me, path, newId())).status).toBe(404);
    expect((await redeliver(me, `/api/v1/webhooks/${newId()}`, id)).status).toBe(404);
    expect((await redeliver(stranger, path, id)).status).toBe(403);
    expect(await deliver()).toBe(0);
  });
});
