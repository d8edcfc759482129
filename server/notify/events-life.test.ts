import { afterEach, expect } from "bun:test";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import {
  deliverAll,
  deliveriesOf,
  hoursPass,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";
import { cancelUnsubscribed } from "./pause-resume.ts";

const plain = { random: () => 0.5 };
const LEASE_MS = 60_000;

/** Leaves what is due now under way, as a crash does. */
async function crashWhile({ deps }: TestServer, underWay: () => Promise<void>) {
  const crash = new AbortController();
  const lost = deliverDue(deps, { ...plain, signal: crash.signal });
  await underWay();
  crash.abort();
  await lost;
}

/** The only delivery of the webhook, as the API returns it with all attempts. */
async function deliveryOf(me: Asker, path: string): Promise<Parsed> {
  const [{ id }] = (await me.get(`${path}/deliveries`)).body.data.items;
  return (await me.get(`${path}/deliveries/${id}`)).body.data;
}

async function redeliver(me: Asker, path: string) {
  const { id } = await deliveryOf(me, path);
  expect((await me.post(`${path}/deliveries/${id}/redeliver`)).status).toBe(200);
}

const silent = () => new Promise<Response>(() => {});

onServer("a delivery", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is not cancelled when its type is subscribed to again meanwhile", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, "https://example.com/");
    await makeNews(me);
    await me.patch(path, { events: ["link.dead"] });
    await me.patch(path, { events: ["link.created"] });
    await makeNews(me);

    await cancelUnsubscribed(server().deps, id);

    const statuses = (await deliveriesOf(server(), id)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(["cancelled", "pending"]);
  });

  test("keeps all its attempts in their order, each with what the receiver answered", async () => {
    const me = await server().account();
    const bodies = ["first", "second", "third"];
    const receiver = startReceiver(() => {
      const body = bodies[receiver.requests.length - 1]!;
      return new Response(body, { status: body === "third" ? 200 : 500 });
    });
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    const moments: string[] = [];

    for (const waitMs of [0, 5000, 300_000]) {
      server().clock.moveBy(waitMs);
      moments.push(new Date(server().clock.now()).toISOString());
      await deliverDue(server().deps, plain);
    }

    const { status, attempts, all_attempts: all, last_attempt: last } = await deliveryOf(me, path);
    expect([status, attempts]).toEqual(["succeeded", 3]);
    const seen = all.map((each: Parsed) => [each.number, each.response_body, each.status_code]);
    expect(seen).toEqual([
      [1, "first", 500],
      [2, "second", 500],
      [3, "third", 200],
    ]);
    expect(all.map((each: Parsed) => each.started_at)).toEqual(moments);
    expect(all.at(-1)).toEqual(last);
  });

  test("that a crash interrupted records that, and the same message is sent again", async () => {
    const me = await server().account();
    const receiver = startReceiver(silent);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    const begunAt = new Date(server().clock.now()).toISOString();
    await crashWhile(server(), () => receiver.seen(1));
    receiver.answers(200);

    server().clock.moveBy(LEASE_MS);
    await deliverDue(server().deps, plain);

    const { status, all_attempts: all } = await deliveryOf(me, path);
    expect(status).toBe("succeeded");
    expect(all).toMatchObject([
      {
        number: 1,
        trigger: "scheduled",
        started_at: begunAt,
        duration_ms: null,
        status_code: 0,
        error_code: "interrupted",
        response_body: null,
      },
      { number: 2, trigger: "scheduled", status_code: 200, error_code: null },
    ]);
    const [first, second] = receiver.requests;
    expect(second!.headers.get("webhook-id")).toBe(first!.headers.get("webhook-id"));
    expect(second!.body).toEqual(first!.body);
  });

  test("is not given up sooner for what was interrupted: the schedule goes on where it was", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    receiver.answers(silent);
    server().clock.moveBy(5000);
    await crashWhile(server(), () => receiver.seen(2));
    receiver.answers(500);

    server().clock.moveBy(LEASE_MS);
    await deliverDue(server().deps, plain);

    const { nextAttemptAt } = (await deliveriesOf(server(), id))[0]!;
    expect(nextAttemptAt! - server().clock.now()).toBe(300_000);
    const errors = (await deliveryOf(me, path)).all_attempts.map((each: Parsed) => each.error_code);
    expect(errors).toEqual([null, "interrupted", null]);
  });

  test("that was interrupted when its webhook is switched off is held back", async () => {
    const me = await server().account();
    const receiver = startReceiver(silent);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await crashWhile(server(), () => receiver.seen(1));
    await me.patch(path, { is_active: false });

    server().clock.moveBy(LEASE_MS);
    for (const _ of [1, 2]) expect(await deliverDue(server().deps, plain)).toBe(0);

    expect(await deliveryOf(me, path)).toMatchObject({
      status: "paused",
      last_attempt: { error_code: "interrupted" },
    });
  });

  test("that was requested by hand and interrupted by a crash is made once more, outside the schedule", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    const planned = (await deliveryOf(me, path)).next_attempt_at;
    await redeliver(me, path);
    receiver.answers(silent);
    await crashWhile(server(), () => receiver.seen(2));
    receiver.answers(500);

    server().clock.moveBy(LEASE_MS);
    await deliverDue(server().deps, plain);

    const delivery = await deliveryOf(me, path);
    expect(delivery).toMatchObject({ status: "failed", next_attempt_at: planned });
    expect(delivery.all_attempts).toMatchObject([
      { trigger: "scheduled", error_code: null },
      { trigger: "manual", error_code: "interrupted" },
      { trigger: "manual", error_code: null },
    ]);
  });

  test("goes on with its schedule where it was when its webhook is switched on again", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    server().clock.moveBy(5000);
    await deliverDue(server().deps, plain);

    await me.patch(path, { is_active: false });
    hoursPass(server(), 20);
    await me.patch(path, { is_active: true });

    const now = server().clock.now();
    expect(await deliveriesOf(server(), id)).toMatchObject([
      { status: "failed", attempts: 2, dueAt: now, nextAttemptAt: now },
    ]);
    await deliverDue(server().deps, plain);
    expect(await deliveriesOf(server(), id)).toMatchObject([
      { status: "failed", attempts: 3, nextAttemptAt: now + 1800_000 },
    ]);
  });

  test("that has failed for good stays so when its webhook is switched off and on", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    for (let hour = 0; hour < 100; hour++) {
      await deliverDue(server().deps, plain);
      hoursPass(server(), 1);
    }
    await redeliver(me, path);

    await me.patch(path, { is_active: false });
    expect((await deliveryOf(me, path)).status).toBe("exhausted");
    await me.patch(path, { is_active: true });

    expect((await deliveryOf(me, path)).status).toBe("exhausted");
    expect(await deliverDue(server().deps, plain)).toBe(0);
    expect(receiver.requests).toHaveLength(10);
  });

  testOnBoth("of a type that is wanted no more is cancelled, and stays so", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url, ["link.created", "link.deleted"]);
    const other = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    await makeNews(me);

    await me.patch(path, { events: ["link.deleted"] });
    hoursPass(server(), 1);
    await deliverAll(server());
    await me.patch(path, { events: ["link.created"] });
    await deliverAll(server());

    const { items } = (await me.get(`${path}/deliveries`)).body.data;
    const at = new Date(server().clock.now() - 3_600_000).toISOString();
    expect(items).toMatchObject([
      { status: "cancelled", attempts: 0, next_attempt_at: null, completed_at: at },
      { status: "cancelled", attempts: 1, next_attempt_at: null, completed_at: at },
    ]);
    expect(receiver.requests).toHaveLength(1);
    const others = (await me.get(`${other.path}/deliveries`)).body.data.items;
    expect(others.map(({ status }: Parsed) => status)).toEqual(["failed", "failed"]);
  });

  test("that is held back is cancelled as well", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver().url);
    await makeNews(me);
    await me.patch(path, { is_active: false });

    await me.patch(path, { events: ["link.dead"] });

    expect((await deliveryOf(me, path)).status).toBe("cancelled");
    await me.patch(path, { is_active: true });
    expect(await deliverDue(server().deps, plain)).toBe(0);
  });
});
