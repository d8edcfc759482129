import { afterEach, expect, test } from "bun:test";
import { type Query, Unavailable } from "../../server/db/store.ts";
import { webhooks } from "../../server/db/tables.ts";
import { createDeliverer } from "../../server/webhooks/deliverer.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import { onServer, type TestServer } from "../harness.ts";
import { deliveriesOf, makeMuchNews, startReceiver, subscribe } from "../receiver.ts";
import { until } from "../until.ts";
import { failingDeps, failingInside } from "./failing-store.ts";

const statusesOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId)).map(({ status }) => status);

/** Lets a deliverer look twice, so that once it has begun and ended. */
async function looks(clock: MovableClock) {
  for (const _ of [1, 2]) {
    const before = clock.slept.length;
    clock.moveBy(1000);
    await until(() => clock.slept.length !== before, { everyMs: 0 });
  }
}

onServer("a deliverer whose database is out of order", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  /** Twelve messages; after the first answer nothing can be written for so long. What came of them. */
  async function outOfOrderFor(downMs: number) {
    const me = await server().account();
    let isDown = false;
    const receiver = startReceiver(() => {
      isDown = true;
      return new Response();
    });
    const { id } = await subscribe(me, receiver.url);
    await makeMuchNews(me, 12);
    const clock = movableClock(server().clock.now());
    const isRead = ({ sql }: Query) => sql.startsWith("select");
    const problemOf = (queries: Query[]) =>
      isDown && !queries.every(isRead) ? new Unavailable("the disk is full") : null;
    const deps = failingInside(failingDeps({ ...server().deps, clock }, problemOf), (query) =>
      problemOf([query]),
    );

    const deliverer = createDeliverer(deps);
    await receiver.seen(4);
    await looks(clock);
    clock.moveBy(downMs);
    await looks(clock);
    const sentMeanwhile = receiver.requests.length;
    receiver.answers(200);
    isDown = false;
    const isAll = async () =>
      (await statusesOf(server(), id)).every((each) => each === "succeeded");
    // Leaves the database time, so that the clock does not reach the end of a lease before a result is stored.
    await until(async () => (await isAll()) || looks(clock), { everyMs: 10 });
    await deliverer.stop();

    return { id, receiver, sentMeanwhile };
  }

  test("sends nothing more until it is well, and then loses and repeats nothing", async () => {
    const { id, receiver, sentMeanwhile } = await outOfOrderFor(5000);

    expect(sentMeanwhile).toBe(4);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
    expect(receiver.requests).toHaveLength(12);
  });

  test("goes on by itself when it was out of order for longer than a lease", async () => {
    const { id, receiver, sentMeanwhile } = await outOfOrderFor(120_000);

    expect(sentMeanwhile).toBe(4);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
    const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id"));
    expect(new Set(ids).size).toBe(12);
  });
});
