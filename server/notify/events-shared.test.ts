import { afterEach, expect, onTestFinished, test } from "bun:test";
import { otherProcess } from "../../tests/batches/playing.ts";
import { movableClock } from "../../tests/clock.ts";
import { onBothEngines, type TestServer } from "../../tests/harness.ts";
import { fixedNode } from "../../tests/nodes/fixed.ts";
import {
  deliveriesOf,
  earlierAttemptsOf,
  makeMuchNews,
  makeNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliveries, webhooks } from "../ground/db/tables.ts";
import { BUCKETS, bucketOf } from "../work/nodes.ts";
import { createDeliverer } from "./deliverer.ts";

const silent = () => new Promise<Response>(() => {});
const idsOf = ({ requests }: ReturnType<typeof startReceiver>) =>
  requests.map(({ headers }) => headers.get("webhook-id"));

/** A node with a process of its own on the server's database, that has this part of the deliveries. */
function startNode(server: TestServer, id: string, buckets: number[] = []) {
  const clock = movableClock(server.clock.now());
  const nodes = fixedNode(id, buckets);
  const deps = { ...otherProcess(server), clock, nodes };
  onTestFinished(() => deps.store.engine.close());
  return { clock, nodes, deps, ...createDeliverer(deps) };
}

type Node = ReturnType<typeof startNode>;

/** Has it look for work until it has found nothing to begin. */
async function untilPolling({ clock, wake }: Node) {
  wake();
  await clock.nextSleep(1000);
}

/** What was under way when it ends is cut off. */
async function end({ clock, stop }: Node) {
  const stopping = stop();
  await clock.sleeping(8000);
  clock.moveBy(8000);
  await stopping;
}

onBothEngines("Nodes that share deliveries", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("tell each webhook of everything once, and only from the node that it belongs to", async () => {
    const me = await server().account();
    const receivers = [startReceiver(), startReceiver(), startReceiver(), startReceiver()];
    const hooks = [];
    for (const { url } of receivers) hooks.push(await subscribe(me, url));
    await makeMuchNews(me, 30);
    const buckets = hooks.map(({ id }) => bucketOf(id));

    const one = startNode(server(), "one", buckets.slice(0, 2));
    const other = startNode(server(), "other", buckets.slice(2));
    await Promise.all(receivers.map(({ seen }) => seen(30)));
    await Promise.all([one.stop(), other.stop()]);

    for (const receiver of receivers) expect(new Set(idsOf(receiver)).size).toBe(30);
    for (const receiver of receivers) expect(receiver.requests).toHaveLength(30);
  });

  test("leave alone what belongs to no one", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    const node = startNode(server(), "one", [(bucketOf(id) + 1) % BUCKETS]);

    await untilPolling(node);
    await node.stop();

    expect(receiver.requests).toHaveLength(0);
    expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "pending", attempts: 0 }]);
  });

  test("hand a webhook over with what is under way finished and the rest as it was", async () => {
    const me = await server().account();
    const answer = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => answer.promise);
    const { id } = await subscribe(me, receiver.url);
    await makeMuchNews(me, 20);
    const bucket = bucketOf(id);
    const one = startNode(server(), "one", [bucket]);
    await receiver.seen(4);

    one.nodes.gets([]);
    await untilPolling(one);
    expect(await waitingOf(server(), id)).toBe(16);
    expect(receiver.requests).toHaveLength(4);
    answer.resolve(new Response());
    const other = startNode(server(), "other", [bucket]);
    await receiver.seen(20);
    await Promise.all([one.stop(), other.stop()]);

    expect(new Set(idsOf(receiver)).size).toBe(20);
    const rows = await deliveriesOf(server(), id);
    expect(rows.every(({ status, attempts }) => status === "succeeded" && attempts === 1)).toBe(
      true,
    );
  });

  test("make good at once what a node that died had under way, under the same ids", async () => {
    const me = await server().account();
    const receiver = startReceiver(silent);
    const { id } = await subscribe(me, receiver.url);
    await makeMuchNews(me, 3);
    const bucket = bucketOf(id);
    const dead = startNode(server(), "dead", [bucket]);
    await receiver.seen(3);
    const left = idsOf(receiver);
    const begunAt = server().clock.now();
    const heir = startNode(server(), "heir", [bucket]);

    receiver.answers(200);
    heir.clock.moveBy(25_000);
    heir.nodes.losesNode("dead");
    heir.wake();
    await receiver.seen(6);
    await heir.stop();
    await end(dead);

    expect(idsOf(receiver).slice(3).sort()).toEqual(left.sort());
    const rows = await deliveriesOf(server(), id);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(["succeeded", 2]),
    );
    const earlier = await earlierAttemptsOf(server(), id);
    expect(earlier).toMatchObject(
      Array(3).fill({ error: "interrupted", startedAt: begunAt, number: 1 }),
    );
  });

  test("take nothing from a node that lives", async () => {
    const me = await server().account();
    const receiver = startReceiver(silent);
    const { id } = await subscribe(me, receiver.url);
    await makeNews(me);
    const living = startNode(server(), "living", [bucketOf(id)]);
    await receiver.seen(1);
    const heir = startNode(server(), "heir", [bucketOf(id)]);

    heir.nodes.losesNode("dead");
    await untilPolling(heir);
    await heir.stop();

    expect(await deliveriesOf(server(), id)).toMatchObject([{ status: "delivering", attempts: 1 }]);
    expect(receiver.requests).toHaveLength(1);
    await end(living);
  });

  const waitingOf = async ({ deps }: TestServer, webhookId: string) =>
    (await deps.store.select().from(deliveries)).filter(
      (row) => row.webhookId === webhookId && row.status === "pending" && row.lease === null,
    ).length;
});
