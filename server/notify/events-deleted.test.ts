import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { movableClock } from "../../tests/clock.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import { exceptRequests, logLines } from "../../tests/log.ts";
import {
  deliveriesOf,
  earlierAttemptsOf,
  makeMuchNews,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { deliveries, events } from "../ground/db/tables.ts";
import { claimDue } from "./claim.ts";
import { attempt, createDeliverer } from "./deliverer.ts";
import { settle } from "./settle.ts";

const plain = { random: () => 0.5 };

/** All that the database still holds of a webhook's deliveries. */
const leftOf = async (server: TestServer, webhookId: string) => [
  ...(await deliveriesOf(server, webhookId)),
  ...(await earlierAttemptsOf(server, webhookId)),
];

/** A webhook with one delivery that has failed once, and whose second attempt is under way. */
async function underWay(server: TestServer) {
  const me = await server.account();
  const receiver = startReceiver(500);
  const { id, path } = await subscribe(me, receiver.url);
  await makeNews(me);
  await deliverDue(server.deps, plain);
  const { promise, resolve: answer } = Promise.withResolvers<Response>();
  receiver.answers(() => promise);
  server.clock.moveBy(5000);
  const round = deliverDue(server.deps, plain);
  await receiver.seen(2);
  return { me, id, path, round, answer };
}

onServer("a webhook that is deleted while it is called", (server, { test, testOnBoth }) => {
  test.each([200, 500, 410])(
    "leaves nothing behind, and an answer of %i is not an error",
    async (status) => {
      const lines = await logLines("info");
      const { me, id, path, round, answer } = await underWay(server());

      expect((await me.delete(path)).status).toBe(204);
      answer(new Response(null, { status }));
      await round;

      expect(await leftOf(server(), id)).toEqual([]);
      expect((await me.get(path)).status).toBe(404);
      expect(exceptRequests(lines)).toEqual([]);
    },
  );

  testOnBoth(
    "leaves nothing behind when both happen at the same moment, again and again",
    async () => {
      const lines = await logLines("warning");
      const left: unknown[] = [];
      for (let n = 0; n < 8; n++) {
        const me = await server().account();
        const receiver = startReceiver(500);
        const { id, path } = await subscribe(me, receiver.url);
        await makeMuchNews(me, 4);
        await deliverDue(server().deps, plain);
        server().clock.moveBy(5000);
        const { claimed } = await claimDue(server().deps, new Map(), () => new Map([[id, 4]]));
        const made = await Promise.all(claimed.map((each) => attempt(server().deps, each, plain)));
        const ended = made.filter((each) => typeof each === "object");
        expect(ended).toHaveLength(4);

        const [, reply] = await Promise.all([settle(server().deps, ended), me.delete(path)]);

        expect(reply.status).toBe(204);
        left.push(...(await leftOf(server(), id)));
      }
      expect(left).toEqual([]);
      expect(lines).toEqual([]);
    },
  );

  test("is sent nothing of what was claimed for it ahead", async () => {
    const me = await server().account();
    const answered = Promise.withResolvers<Response>();
    const receiver = startReceiver(() =>
      receiver.requests.length > 8 ? answered.promise : new Response(),
    );
    const { id, path } = await subscribe(me, receiver.url);
    await makeMuchNews(me, 60);
    const lines = await logLines("info");
    const clock = movableClock(server().clock.now());
    const deliverer = createDeliverer({ ...server().deps, clock });
    await receiver.seen(12);

    await me.delete(path);
    answered.resolve(new Response());
    const other = startReceiver();
    await subscribe(me, other.url);
    await makeNews(me);
    deliverer.wake();
    await other.seen(1);
    await deliverer.stop();

    expect(receiver.requests).toHaveLength(12);
    expect(await leftOf(server(), id)).toEqual([]);
    expect(exceptRequests(lines)).toEqual([]);
  });

  test("takes nothing from others that received the same event", async () => {
    const me = await server().account();
    const [gone, stays] = [startReceiver(500), startReceiver(500)];
    const { path } = await subscribe(me, gone.url);
    const other = await subscribe(me, stays.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);

    await me.delete(path);
    stays.answers(200);
    server().clock.moveBy(5000);
    await deliverDue(server().deps, plain);

    expect(await deliveriesOf(server(), other.id)).toMatchObject([{ status: "succeeded" }]);
    expect(await earlierAttemptsOf(server(), other.id)).toHaveLength(1);
  });

  test("goes with the attempts of its deliveries when their event is forgotten", async () => {
    const { id, round, answer } = await underWay(server());
    const { store } = server().deps;
    const { eventId } = (await deliveriesOf(server(), id))[0]!;

    await store.delete(events).where(eq(events.id, eventId));
    answer(new Response());
    await round;

    expect(await leftOf(server(), id)).toEqual([]);
    expect(await store.$count(deliveries, eq(deliveries.eventId, eventId))).toBe(0);
  });
});
