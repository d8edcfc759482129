import { afterEach, expect } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  makeMuchNews,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore } from "../ground/db/store.ts";
import { deliveries, webhooks } from "../ground/db/tables.ts";
import { createDeliverer } from "./deliverer.ts";

const POLL_MS = 1000;
const STOP_MS = 8000;

const statusesOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId)).map(({ status }) => status);

/** A deliverer on a clock of its own, which stands even while it waits for the next poll. */
function startDeliverer({ deps, clock: { now } }: TestServer) {
  const clock = movableClock(now());
  return { clock, ...createDeliverer({ ...deps, clock }) };
}

/** Stops it with requests under way that are never answered. */
async function giveUp({ clock, stop }: ReturnType<typeof startDeliverer>) {
  const stopping = stop();
  await clock.sleeping(STOP_MS);
  clock.moveBy(STOP_MS);
  await stopping;
}

const silent = () => new Promise<Response>(() => {});

/** A deliverer whose receiver took eight of sixty messages quickly, has four before it, and is silent. */
async function busyDeliverer(server: TestServer) {
  const me = await server.account();
  const { promise, resolve: answer } = Promise.withResolvers<Response>();
  const receiver = startReceiver(() => (receiver.requests.length > 8 ? promise : new Response()));
  const { id, path } = await subscribe(me, receiver.url);
  await makeMuchNews(me, 60);
  const deliverer = startDeliverer(server);
  await receiver.seen(12);
  return { me, id, path, receiver, deliverer, answer };
}

onServer("the deliverer", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("delivers what happens while it runs", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id } = await subscribe(me, receiver.url);
    const deliverer = startDeliverer(server());

    for (let n = 0; n < 20; n++) await makeNews(me);
    deliverer.wake();
    await receiver.seen(20);
    await deliverer.stop();

    expect(receiver.requests).toHaveLength(20);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
  });

  test("finds what is due on its own within a second", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    const deliverer = startDeliverer(server());
    await deliverer.clock.sleeping(POLL_MS);

    await makeNews(me);
    deliverer.clock.moveBy(POLL_MS);
    await receiver.seen(1);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(1);
  });

  test("a receiver that never answers does not delay others", async () => {
    const me = await server().account();
    const dead = startReceiver(silent);
    const healthy = startReceiver();
    await subscribe(me, dead.url);
    for (let n = 0; n < 10; n++) await makeNews(me);
    const deliverer = startDeliverer(server());
    await dead.seen(4);
    await subscribe(me, healthy.url);

    for (let n = 0; n < 10; n++) await makeNews(me);
    deliverer.wake();
    await healthy.seen(10);

    expect(dead.requests).toHaveLength(4);
    await giveUp(deliverer);
  });

  test("lets what is under way finish when it is stopped, and starts nothing more", async () => {
    const me = await server().account();
    const answered = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => answered.promise);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    const deliverer = startDeliverer(server());
    await receiver.seen(1);

    const stopping = deliverer.stop();
    await makeNews(me);
    answered.resolve(new Response());
    await stopping;

    expect((await statusesOf(server(), id)).sort()).toEqual(["pending", "succeeded"]);
    expect(receiver.requests).toHaveLength(1);
  });

  test("waits eight seconds for a slow receiver, then leaves it to the next start", async () => {
    const me = await server().account();
    const receiver = startReceiver(silent);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    const deliverer = startDeliverer(server());
    await receiver.seen(1);

    await giveUp(deliverer);
    expect(await statusesOf(server(), id)).toEqual(["delivering"]);
    receiver.answers(200);
    server().clock.moveBy(60_000);
    const next = startDeliverer(server());
    await receiver.seen(2);
    await next.stop();

    expect(await statusesOf(server(), id)).toEqual(["succeeded"]);
  });

  test("delivers although the clock was set back by an hour", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    await makeNews(me);
    const standing = movableClock(server().clock.now());
    let correction = 0;
    const clock = { ...standing, now: () => standing.now() + correction };
    await server()
      .deps.store.update(deliveries)
      .set({ nextAttemptAt: standing.now() + 1 });
    const deliverer = createDeliverer({ ...server().deps, clock });
    await standing.sleeping(POLL_MS);

    correction = -3_600_000;
    deliverer.wake();
    await receiver.seen(1);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(1);
  });

  testOnBoth(
    "gives back what it claimed and did not begin, as if it had never been claimed",
    async () => {
      const { id, receiver, deliverer } = await busyDeliverer(server());
      await giveUp(deliverer);

      expect(receiver.requests).toHaveLength(12);
      const rows = await deliveriesOf(server(), id);
      const waiting = rows.filter(({ status }) => status === "pending");
      expect(rows.filter(({ status }) => status === "delivering")).toHaveLength(4);
      expect(waiting).toHaveLength(48);
      for (const row of waiting) {
        const { createdAt } = row;
        const untouched = { attempts: 0, lease: null, dueAt: createdAt, nextAttemptAt: createdAt };
        expect(row).toMatchObject(untouched);
      }
    },
  );

  test("sends nothing of what it claimed once the webhook is switched off", async () => {
    const { me, id, path, receiver, deliverer, answer } = await busyDeliverer(server());
    const other = startReceiver();
    await subscribe(me, other.url);

    await me.patch(path, { is_active: false });
    answer(new Response());
    await makeNews(me);
    deliverer.wake();
    await other.seen(1);
    await deliverer.stop();
    while ((await deliverDue(server().deps)) > 0);

    expect(receiver.requests).toHaveLength(12);
    const statuses = await statusesOf(server(), id);
    expect(statuses.filter((status) => status === "succeeded")).toHaveLength(12);
    expect(statuses.filter((status) => status === "paused")).toHaveLength(48);
  });

  test("shares the work with that of another process, and each message is sent once", async () => {
    const me = await server().account();
    const receiver = startReceiver(() => {
      for (const { wake } of deliverers) wake();
      return new Response();
    });
    const { id } = await subscribe(me, receiver.url);
    await makeMuchNews(me, 300);
    const engine = openEngine(server().config.databaseUrl);
    const elsewhere = { ...server(), deps: { ...server().deps, store: createStore(engine) } };

    const deliverers = [startDeliverer(server()), startDeliverer(elsewhere)];
    await receiver.seen(300);
    for (const { stop } of deliverers) await stop();
    await engine.close();

    const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id"));
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
  });
});
