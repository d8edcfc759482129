import { afterEach, expect, test } from "bun:test";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { deliverAll, hoursPass, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";

const plain = { random: () => 0.5 };

const read = async (me: Asker, path: string) => (await me.get(path)).body.data;

/** A webhook whose receiver has failed for 30 hours, from the first of two events to the second. */
async function failingWebhook(server: TestServer) {
  const me = await server.account();
  const receiver = startReceiver(500);
  const { path } = await subscribe(me, receiver.url);
  await makeNews(me);
  await deliverAll(server);
  await attemptsFor(server, 30);
  await makeNews(me);
  await deliverAll(server);
  return { me, path, receiver };
}

/** Lets so many hours pass, with an attempt whenever one is due in each. */
async function attemptsFor(server: TestServer, hours: number) {
  for (let hour = 0; hour < hours; hour++) {
    hoursPass(server, 1);
    await deliverAll(server);
  }
}

/** Asks for an attempt of the newest delivery, and makes it. */
async function redeliver(server: TestServer, me: Asker, path: string) {
  const [newest] = (await me.get(`${path}/deliveries`)).body.data.items;
  const { status } = await me.post(`${path}/deliveries/${newest.id}/redeliver`);
  expect(status).toBe(200);
  expect(await deliverDue(server.deps, plain)).toBe(1);
}

onServer("a webhook whose receiver fails for long", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is switched off by the first failure that comes 120 hours after the first", async () => {
    const { me, path } = await failingWebhook(server());
    hoursPass(server(), 90);
    server().clock.moveBy(-1);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    expect(await read(me, path)).toMatchObject({ is_active: true, disabled_reason: null });
    const lines = await logLines("warning");

    server().clock.moveBy(1);
    await makeNews(me);
    await deliverAll(server());

    const at = new Date(server().clock.now()).toISOString();
    expect(await read(me, path)).toMatchObject({
      is_active: false,
      disabled_reason: "failing",
      disabled_at: at,
      last_status_code: 500,
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("webhook disabled");
    expect(lines[0]).toContain(path.split("/").at(-1)!);
    expect(lines[0]).toContain('reason="failing"');
  });

  test("is not switched off by a manual attempt, nor by a test", async () => {
    const { me, path } = await failingWebhook(server());
    await attemptsFor(server(), 100);

    await redeliver(server(), me, path);
    await me.post(`${path}/test`);

    expect(await read(me, path)).toMatchObject({ is_active: true });
  });

  test("has failed since its first failure, whatever was asked for before", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    const { path } = await subscribe(me, receiver.url);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    receiver.answers(500);

    await redeliver(server(), me, path);
    await me.post(`${path}/test`);

    expect(await read(me, path)).toMatchObject({ failing_since: null });
    hoursPass(server(), 1);
    await makeNews(me);
    await deliverDue(server().deps, plain);
    expect(await read(me, path)).toMatchObject({
      failing_since: new Date(server().clock.now()).toISOString(),
    });
  });

  test("is forgiven when a manual attempt succeeds, but not for a test", async () => {
    const { me, path, receiver } = await failingWebhook(server());
    receiver.answers(200);

    await me.post(`${path}/test`);
    expect((await read(me, path)).failing_since).not.toBeNull();
    await redeliver(server(), me, path);

    expect((await read(me, path)).failing_since).toBeNull();
  });

  test.each([
    ["stays on", "a millisecond less than a day", -1, true],
    ["is switched off", "a day", 0, false],
  ])(
    "%s when its events lie %s apart, however late they were tried",
    async (_, __, ms, isActive) => {
      const me = await server().account();
      const { path } = await subscribe(me, startReceiver(500).url);
      await makeNews(me);
      await deliverAll(server());
      hoursPass(server(), 24);
      server().clock.moveBy(ms);
      await makeNews(me);

      hoursPass(server(), 97);
      await deliverAll(server());

      expect(await read(me, path)).toMatchObject({ is_active: isActive });
    },
  );

  test("is switched off for events that happened a day apart, by their attempts alone", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver(500).url);
    await makeNews(me);
    await deliverAll(server());
    await attemptsFor(server(), 60);
    await makeNews(me);

    await attemptsFor(server(), 80);

    expect(await read(me, path)).toMatchObject({ is_active: false, disabled_reason: "failing" });
  });

  test("does not affect its neighbours", async () => {
    const { me, path } = await failingWebhook(server());
    const other = await subscribe(me, startReceiver(500).url);
    hoursPass(server(), 90);

    await makeNews(me);
    await deliverAll(server());

    expect(await read(me, path)).toMatchObject({ is_active: false });
    expect(await read(me, other.path)).toMatchObject({ is_active: true });
  });

  test("is logged when it is gone, too", async () => {
    const me = await server().account();
    const { id } = await subscribe(me, startReceiver(410).url);
    await makeNews(me);
    const lines = await logLines("warning");

    await deliverDue(server().deps, plain);

    expect(lines).toEqual([expect.stringContaining('reason="gone"')]);
    expect(lines[0]).toContain(id);
  });
});
