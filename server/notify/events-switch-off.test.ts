import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { hoursPass, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { deliveries, webhooks } from "../ground/db/tables.ts";

const plain = { random: () => 0.5 };

const statusesOf = async ({ deps: { store } }: TestServer, webhookId: string) => {
  const rows = await store.select().from(deliveries).where(eq(deliveries.webhookId, webhookId));
  return rows.map(({ status }) => status).sort();
};

const read = async (me: Asker, path: string) => (await me.get(path)).body.data;

/** Lets so many hours pass, with an attempt whenever one is due in each. */
async function deliverFor(server: TestServer, hours: number) {
  for (let hour = 0; hour < hours; hour++) {
    hoursPass(server, 1);
    await deliverDue(server.deps, plain);
  }
}

onServer("a webhook that is switched off", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("410 switches it off at once, and what waits is held back", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    receiver.answers(410);
    await makeNews(me);

    await deliverDue(server().deps, plain);

    expect(await read(me, path)).toMatchObject({
      is_active: false,
      disabled_reason: "gone",
      disabled_at: new Date(server().clock.now()).toISOString(),
      last_status_code: 410,
    });
    expect(await statusesOf(server(), id)).toEqual(["paused", "paused"]);
    hoursPass(server(), 1);
    expect(await deliverDue(server().deps, plain)).toBe(0);
  });

  test("nothing is stored for it while it is off", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, startReceiver().url);
    await me.patch(path, { is_active: false });

    await makeNews(me);

    expect(await statusesOf(server(), id)).toEqual([]);
  });

  test("what waited is sent when it is switched on again", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await me.patch(path, { is_active: false });
    expect(await statusesOf(server(), id)).toEqual(["paused"]);
    expect(await deliverDue(server().deps, plain)).toBe(0);
    hoursPass(server(), 71);

    await me.patch(path, { is_active: true });
    await deliverDue(server().deps, plain);

    expect(await statusesOf(server(), id)).toEqual(["succeeded"]);
    expect(receiver.requests).toHaveLength(1);
  });

  test("what waited for three days is not sent any more", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await me.patch(path, { is_active: false });
    hoursPass(server(), 72);

    await me.patch(path, { is_active: true });
    await deliverDue(server().deps, plain);

    expect(await statusesOf(server(), id)).toEqual(["expired"]);
    expect(receiver.requests).toHaveLength(0);
  });

  test("an attempt under way ends, and its retry is held back", async () => {
    const me = await server().account();
    const answered = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => answered.promise);
    const { id, path } = await subscribe(me, receiver.url);
    await makeNews(me);
    const round = deliverDue(server().deps, plain);
    await receiver.seen(1);

    await me.patch(path, { is_active: false });
    expect(await statusesOf(server(), id)).toEqual(["delivering"]);
    answered.resolve(new Response(null, { status: 500 }));
    await round;

    expect(await statusesOf(server(), id)).toEqual(["paused"]);
  });

  test("switching off again keeps the reason why it is off", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver(410).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);

    await me.patch(path, { is_active: false });

    expect((await read(me, path)).disabled_reason).toBe("gone");
  });

  test("five days of failures of several events switch it off", async () => {
    const me = await server().account();
    const { id, path } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    await deliverFor(server(), 24);
    await makeNews(me);
    await deliverFor(server(), 95);
    expect((await read(me, path)).is_active).toBe(true);

    await deliverFor(server(), 1);
    await makeNews(me);
    await deliverDue(server().deps, plain);

    expect(await read(me, path)).toMatchObject({ is_active: false, disabled_reason: "failing" });
    expect(await statusesOf(server(), id)).toEqual(["exhausted", "exhausted", "paused"]);
  });

  test("one event that fails for good does not", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);

    await deliverFor(server(), 200);

    expect((await read(me, path)).is_active).toBe(true);
  });

  test("a success in between restarts the five days", async () => {
    const me = await server().account();
    const receiver = startReceiver(500);
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    await deliverFor(server(), 80);
    receiver.answers(200);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    receiver.answers(500);

    hoursPass(server(), 41);
    await makeNews(me);
    await deliverFor(server(), 5);

    expect((await read(me, path)).is_active).toBe(true);
  });

  test("one that was switched on again is not switched off for what failed before", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    await deliverFor(server(), 119);
    await me.patch(path, { is_active: true });

    await makeNews(me);
    await deliverFor(server(), 3);

    expect((await read(me, path)).is_active).toBe(true);
  });
});
