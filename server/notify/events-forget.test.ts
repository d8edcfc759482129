import { afterEach, expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { hoursPass, makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliverDue } from "../../tests/rounds.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import { deleteOldEvents } from "./events.ts";

const DAYS_30 = 30 * 24;

onServer("old events", (server) => {
  afterEach(async () => {
    const { store } = server().deps;
    await store.delete(webhooks);
    await store.delete(events);
  });

  test("are forgotten with their deliveries after 30 days", async () => {
    const me = await server().account();
    await subscribe(me, startReceiver().url);
    await makeNews(me);
    await deliverDue(server().deps);

    hoursPass(server(), DAYS_30);
    expect(await deleteOldEvents(server().deps)).toBe(0);
    server().clock.moveBy(1);
    expect(await deleteOldEvents(server().deps)).toBe(1);

    expect(await server().deps.store.select().from(deliveries)).toEqual([]);
  });

  test("stay while a delivery needs them", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver().url);
    await makeNews(me);
    hoursPass(server(), DAYS_30 + 1);

    expect(await deleteOldEvents(server().deps)).toBe(0);
    await me.patch(path, { is_active: false });
    expect(await deleteOldEvents(server().deps)).toBe(1);
  });

  test("go when the webhook that they were for is gone", async () => {
    const me = await server().account();
    const { path } = await subscribe(me, startReceiver().url);
    await makeNews(me);
    await me.delete(path);
    hoursPass(server(), DAYS_30 + 1);

    expect(await deleteOldEvents(server().deps)).toBe(1);
  });

  test("go even if they are more than one statement deletes", async () => {
    const me = await server().account();
    await subscribe(me, "https://example.com/");
    for (const part of [0, 1]) {
      const links = Array.from({ length: 600 }, (_, n) => ({
        url: `https://example.org/old/${part}/${n}`,
      }));
      await me.post("/api/v1/links/batch", { links });
    }
    await server().deps.store.update(deliveries).set({ status: "exhausted", dueAt: null });
    hoursPass(server(), DAYS_30 + 1);

    expect(await deleteOldEvents(server().deps)).toBe(1200);
  });
});
