import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { createDeliverer } from "../../server/events/deliverer.ts";
import { deliveries, webhooks } from "../../server/store/tables.ts";
import { movableClock } from "../clock.ts";
import { onBothEngines, type TestServer } from "../harness.ts";
import { makeNews, startReceiver, subscribe } from "../receiver.ts";

const STOP_MS = 10_000;

const statusesOf = async ({ deps: { store } }: TestServer, webhookId: string) => {
  const rows = await store.select().from(deliveries).where(eq(deliveries.webhookId, webhookId));
  return rows.map(({ status }) => status);
};

/** A deliverer on a clock of its own, which stands even while it waits for the next poll. */
function startDeliverer({ deps, clock: { now } }: TestServer) {
  const clock = movableClock(now());
  return { clock, ...createDeliverer({ ...deps, clock }) };
}

/** Until it has found nothing and waits for the next poll. */
async function untilPolling({ clock }: ReturnType<typeof startDeliverer>) {
  while (clock.slept.length === 0) await Bun.sleep(1);
}

/** Until it waits on its clock for what is under way. */
async function untilStopping({ clock }: ReturnType<typeof startDeliverer>) {
  while (clock.slept.at(-1) !== STOP_MS) await Bun.sleep(1);
}

const silent = () => new Promise<Response>(() => {});

onBothEngines("the deliverer", (server) => {
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

  test("waits ten seconds for a slow receiver, then leaves it to the next start", async () => {
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
    while (standing.slept.length === 0) await Bun.sleep(1);

    correction = -3_600_000;
    deliverer.wake();
    await receiver.seen(1);

    await deliverer.stop();
    expect(receiver.requests).toHaveLength(1);
  });
});
