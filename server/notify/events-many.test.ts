import { afterEach, expect, test } from "bun:test";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliveriesOf,
  hoursPass,
  makeMuchNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { webhooks } from "../ground/db/tables.ts";

/** More than twice as many as one statement changes. */
const MANY = 1050;

const countsOf = async (server: TestServer, webhookId: string) => {
  const rows = await deliveriesOf(server, webhookId);
  const byStatus = Map.groupBy(rows, ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, some.length]));
};

/** Lets the deliverer look so often. */
async function looks({ deps }: TestServer, times: number) {
  for (let n = 0; n < times; n++) await deliverDue(deps, { random: () => 0.5 });
}

async function withMuchToTell(server: TestServer, me: Asker) {
  const receiver = startReceiver();
  const { id, path } = await subscribe(me, receiver.url, ["link.created", "link.dead"]);
  await makeMuchNews(me, MANY);
  return { id, path, receiver, counts: () => countsOf(server, id) };
}

onServer("a webhook with very much to tell", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is sent nothing once it is switched off, and all of it is held back by and by", async () => {
    const me = await server().account();
    const { path, receiver, counts } = await withMuchToTell(server(), me);

    await me.patch(path, { is_active: false });
    expect((await counts()).paused).toBe(500);
    await looks(server(), 2);

    expect(await counts()).toEqual({ paused: MANY });
    expect(receiver.requests).toHaveLength(0);
  });

  test("is sent all of it once it is switched on again", async () => {
    const me = await server().account();
    const { path, receiver, counts } = await withMuchToTell(server(), me);
    await me.patch(path, { is_active: false });
    await looks(server(), 2);
    hoursPass(server(), 1);

    await me.patch(path, { is_active: true });
    await looks(server(), 3);

    expect(await counts()).toEqual({ succeeded: 12, failed: MANY - 12 });
    expect(receiver.requests).toHaveLength(12);
  });

  test("that is switched on within moments loses nothing of what was not held back yet", async () => {
    const me = await server().account();
    const { path, counts } = await withMuchToTell(server(), me);

    await me.patch(path, { is_active: false });
    await me.patch(path, { is_active: true });

    expect(await counts()).toEqual({ failed: 500, pending: MANY - 500 });
  });

  test("is sent nothing that has grown old meanwhile", async () => {
    const me = await server().account();
    const { path, receiver, counts } = await withMuchToTell(server(), me);
    await me.patch(path, { is_active: false });
    await looks(server(), 2);
    hoursPass(server(), 72);

    await me.patch(path, { is_active: true });
    expect(await counts()).toEqual({ expired: 500, paused: MANY - 500 });
    await looks(server(), 2);

    expect(await counts()).toEqual({ expired: MANY });
    expect(receiver.requests).toHaveLength(0);
  });

  test("is sent nothing of what it does not want any more, at once", async () => {
    const me = await server().account();
    const { path, receiver, counts } = await withMuchToTell(server(), me);

    await me.patch(path, { events: ["link.dead"] });
    await looks(server(), 1);

    expect(await counts()).toEqual({ cancelled: MANY });
    expect(receiver.requests).toHaveLength(0);
  });

  test("leaves nothing behind when it is deleted", async () => {
    const me = await server().account();
    const { path, counts } = await withMuchToTell(server(), me);
    await looks(server(), 1);

    expect((await me.delete(path)).status).toBe(204);

    expect(await counts()).toEqual({});
  });
});
