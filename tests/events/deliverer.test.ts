import { afterEach, expect } from "bun:test";
import { openEngine } from "../../server/db/open.ts";
import { createStore } from "../../server/db/store.ts";
import { deliveries, webhooks } from "../../server/db/tables.ts";
import { createDeliverer } from "../../server/webhooks/deliverer.ts";
import { movableClock } from "../clock.ts";
import { onServer, type TestServer } from "../harness.ts";
import { deliveriesOf, makeMuchNews, makeNews, startReceiver, subscribe } from "../receiver.ts";
import { deliverDue } from "../rounds.ts";
import { until } from "../until.ts";

const STOP_MS = 8000;

const statusesOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId)).map(({ status }) => status);

/** A deliverer on a clock of its own, which stands even while it waits for the next poll. */
function startDeliverer({ deps, clock: { now } }: TestServer) {
  const clock = movableClock(now());
  return { clock, ...createDeliverer({ ...deps, clock }) };
}

/** Until it has found nothing and waits for the next poll. */
async function untilPolling({ clock }: ReturnType<typeof startDeliverer>) {
  await until(() => clock.slept.length !== 0);
}

/** Until it waits on its clock for what is under way. */
async function untilStopping({ clock }: ReturnType<typeof startDeliverer>) {
  await until(() => clock.slept.at(-1) === STOP_MS);
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

  test("finds what is due by itself within a second", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    const deliverer = startDeliverer(server());
    await untilPolling(deliverer);

    await makeNews(me);
    deliverer.clock.moveBy(1000);
    await receiver.seen(1);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(1);
  });

  test("a receiver that never answers holds up nobody else", async () => {
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
    const stopping = deliverer.stop();
    await untilStopping(deliverer);
    deliverer.clock.moveBy(STOP_MS);
    await stopping;
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
    const stopping = deliverer.stop();
    await untilStopping(deliverer);

    deliverer.clock.moveBy(STOP_MS);
    await stopping;
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
    await until(() => standing.slept.length !== 0);

    correction = -3_600_000;
    deliverer.wake();
    await receiver.seen(1);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(1);
  });

  test("gives back what it claimed and did not begin, as if it had never been claimed", async () => {
    const { id, receiver, deliverer } = await busyDeliverer(server());
    const stopping = deliverer.stop();
    await untilStopping(deliverer);
    deliverer.clock.moveBy(STOP_MS);
    await stopping;

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
  });

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

  testOnBoth(
    "shares the work with that of another process, and each message is sent once",
    async () => {
      const me = await server().account();
      const receiver = startReceiver();
      const { id } = await subscribe(me, receiver.url);
      await makeMuchNews(me, 300);
      const engine = openEngine(server().config.databaseUrl);
      const elsewhere = { ...server(), deps: { ...server().deps, store: createStore(engine) } };

      const deliverers = [startDeliverer(server()), startDeliverer(elsewhere)];
      const isDone = receiver.seen(300);
      let isOver = false;
      void isDone.then(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const { wake } of deliverers) wake();
        await Bun.sleep(1);
      }
      for (const { stop } of deliverers) await stop();
      await engine.close();

      const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id"));
      expect(ids).toHaveLength(300);
      expect(new Set(ids).size).toBe(300);
      expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
    },
  );
});
