import { afterEach, expect, test } from "bun:test";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { failingDeps, failingInside } from "../../tests/events/failing-store.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliverAll,
  deliveriesOf,
  makeMuchNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { waitFor } from "../../tests/waits.ts";
import { type Query, Unavailable } from "../ground/db/store.ts";
import { webhooks } from "../ground/db/tables.ts";
import { createDeliverer } from "./deliverer.ts";

const statusesOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId)).map(({ status }) => status);

const idsOf = ({ requests }: ReturnType<typeof startReceiver>) =>
  new Set(requests.map(({ headers }) => headers.get("webhook-id")));

/** Lets a deliverer look twice, so that once it has begun and ended. */
async function looks(clock: MovableClock) {
  for (const _ of [1, 2]) {
    await clock.sleeping(1000);
    clock.moveBy(1000);
  }
  await clock.sleeping(1000);
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
    const hasAll = Promise.withResolvers<void>();
    receiver.answers(() => {
      if (idsOf(receiver).size === 12) hasAll.resolve();
      return new Response();
    });
    isDown = false;
    clock.moveBy(1000);
    await waitFor(hasAll.promise, () => `12 messages; seen: ${idsOf(receiver).size}`);
    await deliverer.stop();
    // What was repeated, if its result was not recorded before.
    await deliverAll({ deps: { ...server().deps, clock } });

    return { id, receiver, sentMeanwhile };
  }

  test("sends nothing more until it is well, and then loses and repeats nothing", async () => {
    const { id, receiver, sentMeanwhile } = await outOfOrderFor(5000);

    expect(sentMeanwhile).toBe(4);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
    expect(receiver.requests).toHaveLength(12);
  });

  test("goes on automatically when it was out of order for longer than a lease", async () => {
    const { id, receiver, sentMeanwhile } = await outOfOrderFor(120_000);

    expect(sentMeanwhile).toBe(4);
    expect(new Set(await statusesOf(server(), id))).toEqual(new Set(["succeeded"]));
    expect(idsOf(receiver).size).toBe(12);
  });
});
