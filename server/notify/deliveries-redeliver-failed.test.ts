import { afterEach, expect, test } from "bun:test";
import { addDeliveries, addDelivery, logOf } from "../../tests/deliveries/logged.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";
import { newId } from "../ground/lib/ids.ts";
import { DELIVERY_STATUSES } from "../ground/lib/vocabulary.ts";

const HOOK = "https://ops.example.com/hook";
const DAY = "2029-12-30";
const AT = Date.parse(DAY);
const failedAt = (createdAt: number) => ({ status: "exhausted" as const, createdAt });

onServer("POST /webhooks/{id}/redeliver-failed", (server) => {
  const deliver = () => deliverDue(server().deps);
  const ask = (me: Asker, path: string, body: unknown, headers?: Record<string, string>) =>
    me.post(`${path}/redeliver-failed`, body, headers);
  const waiting = async (me: Asker, path: string): Promise<string[]> =>
    (await logOf(me, path, "?status=pending")).map(({ id }: { id: string }) => id);

  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("sends again what failed, gave up or grew old, and nothing else", async () => {
    const me = await server().account();
    const receiver = startReceiver(204);
    const { id, path } = await subscribe(me, receiver.url);
    const settled = DELIVERY_STATUSES.filter((each) => !/pending|delivering|paused/.test(each));
    await addDeliveries(
      server(),
      me,
      id,
      settled.map((status) => ({ status })),
    );

    const { status, body } = await ask(me, path, { since: DAY });
    await deliver();

    expect([status, body]).toEqual([200, { data: { queued: 3 } }]);
    expect(receiver.requests).toHaveLength(3);
    const log = await logOf(me, path);
    expect(log.map((each: { status: string }) => each.status).reverse()).toEqual(
      settled.map((each) => (/failed|exhausted|expired/.test(each) ? "succeeded" : each)),
    );
    const manual = log.filter((each: Parsed) => each.last_attempt.trigger === "manual");
    expect(manual.map((each: { attempts: number }) => each.attempts)).toEqual([2, 2, 2]);
  });

  test("takes what was created from the one moment to the other, both included", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const [, first, last] = await addDeliveries(
      server(),
      me,
      id,
      [AT - 1, AT, AT + 60_000, AT + 60_001].map(failedAt),
    );

    const { body } = await ask(me, path, {
      since: "2029-12-30T01:00:00+01:00",
      until: "2029-12-30T00:01:00Z",
    });

    expect(body.data.queued).toBe(2);
    expect(await waiting(me, path)).toEqual([last!, first!]);
  });

  test("a date alone as until is the whole day", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    await addDeliveries(server(), me, id, [AT + 86_399_999, AT + 86_400_000].map(failedAt));

    expect((await ask(me, path, { since: DAY, until: DAY })).body.data.queued).toBe(1);
  });

  test("more than one step has are all found", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const all = Array.from({ length: 1800 }, (_, n) => failedAt(n % 3 === 0 ? 0 : AT));
    await addDeliveries(server(), me, id, all);

    expect((await ask(me, path, { since: DAY })).body.data.queued).toBe(1200);
    expect((await ask(me, path, { since: DAY })).body.data.queued).toBe(0);
    const { body } = await me.get(`${path}/deliveries?status=exhausted`);
    expect(body.data.pagination.total).toBe(600);
  });

  test("is refused while the webhook is off", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, HOOK);
    const delivery = await addDelivery(server(), me, id, failedAt(AT));
    await me.patch(path, { is_active: false });

    const { status, body } = await ask(me, path, { since: DAY });

    expect([status, body.error.details]).toEqual([409, { reason: "webhook_off" }]);
    expect((await logOf(me, path, "?status=exhausted"))[0].id).toBe(delivery);
  });

  test("14 days are not too many", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, HOOK);

    expect((await ask(me, path, { since: "2029-12-01", until: "2029-12-14" })).status).toBe(200);
    expect((await ask(me, path, { since: "2029-12-18T00:00:00Z" })).status).toBe(200);
  });

  test("the same idempotency key queues nothing twice", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { id, path } = await subscribe(me, receiver.url);
    await addDelivery(server(), me, id, failedAt(AT));
    const key = { "idempotency-key": "again" };
    const first = await ask(me, path, { since: DAY }, key);
    await deliver();
    server().clock.moveBy(1000);

    const second = await ask(me, path, { since: DAY }, key);

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await deliver()).toBe(0);
  });

  test("an unknown webhook is not found, a stranger's is forbidden", async () => {
    const stranger = await server().account();
    const { id, path } = await subscribe(stranger, HOOK);
    await addDelivery(server(), stranger, id, failedAt(AT));
    const me = await server().account();

    expect((await ask(me, `/api/v1/webhooks/${newId()}`, { since: DAY })).status).toBe(404);
    expect((await ask(me, path, { since: DAY })).status).toBe(403);
    expect(await waiting(stranger, path)).toEqual([]);
  });
});
