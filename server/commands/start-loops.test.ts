import { afterEach, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import { deliveriesOf, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { until } from "../../tests/until.ts";
import { createMeter } from "../accounts/usage.ts";
import type { Role } from "../ground/config/settings.ts";
import { links, webhooks } from "../ground/db/tables.ts";
import { WORKS } from "../ground/lib/vocabulary.ts";
import { createLoops } from "../work/loops.ts";
import { startLoops } from "./start-loops.ts";

const DAY = 86_400_000;

/** The loops of a node of these roles, on a clock that stands. */
function startNode({ deps }: TestServer, role: Role[]) {
  const clock = movableClock(deps.clock.now());
  const node = { ...deps, clock, config: { ...deps.config, role }, loops: createLoops() };
  return { node, stop: startLoops(node, createMeter(node.store, clock)) };
}

/** A link that is due, and an event to send. */
async function newWork(server: TestServer) {
  const me = await server.account();
  const receiver = startReceiver();
  const { id } = await subscribe(me, receiver.url);
  await makeNews(me);
  return { id, receiver };
}

onServer("A node", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
    await server().deps.store.delete(links);
  });

  const isUntouched = async () => {
    const [link] = await server().deps.store.select().from(links);
    return link?.lastCheckedAt === null && link.lease === null;
  };

  test("that only delivers checks nothing", async () => {
    const { id, receiver } = await newWork(server());

    const { node, stop } = startNode(server(), ["delivery"]);
    await receiver.seen(1);
    await stop();

    expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "succeeded" }]);
    expect(await isUntouched()).toBe(true);
    expect(node.loops.isChecking()).toBe(false);
    expect(node.loops.lookedAt("checks")).toBeNull();
  });

  test("that only checks delivers nothing", async () => {
    const { id, receiver } = await newWork(server());
    const { store, clock } = server().deps;
    await store.update(links).set({ nextCheckAt: clock.now() + DAY });

    const { node, stop } = startNode(server(), ["checker"]);
    await until("a look", () => node.loops.lookedAt("checks") !== null);
    await stop();

    expect(node.loops.isChecking()).toBe(true);
    expect(node.loops.lookedAt("deliveries")).toBeNull();
    expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "pending", attempts: 0 }]);
    expect(receiver.requests).toHaveLength(0);
  });

  test("that only answers does neither", async () => {
    const { id, receiver } = await newWork(server());

    const { node, stop } = startNode(server(), ["api"]);
    node.loops.wake();
    await stop();

    expect(node.loops.isChecking()).toBe(false);
    expect(WORKS.map(node.loops.lookedAt)).toEqual([null, null]);
    expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "pending", attempts: 0 }]);
    expect(await isUntouched()).toBe(true);
    expect(receiver.requests).toHaveLength(0);
  });
});
