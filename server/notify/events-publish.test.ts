import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { onBothEngines } from "../../tests/harness.ts";
import { deliveriesOf, startReceiver, subscribe } from "../../tests/receiver.ts";
import { deliveries, events } from "../ground/db/tables.ts";
import { sampleOf } from "./event-types.ts";
import { type NewEvent, publishEvents } from "./events.ts";

const MANY = 501;

function madeUp(accountId: string, types: ("link.dead" | "link.created")[]): NewEvent[] {
  const at = Date.now();
  return types.map((type) => ({ type, accountId, at, data: sampleOf(type, at) }) as NewEvent);
}

onBothEngines("Events published in a transaction", (server) => {
  test("are queued for the webhooks that subscribe, and leave no row without one", async () => {
    const { store } = server().deps;
    const [me, other] = [await server().account(), await server().account()];
    const { id } = await subscribe(me, startReceiver().url, ["link.dead"]);
    const dead = Array.from({ length: MANY }, () => "link.dead" as const);
    const happened = [
      ...madeUp(me.accountId, [...dead, "link.created"]),
      ...madeUp(other.accountId, dead),
    ];

    await store.transaction((tx) => publishEvents(tx, happened));

    const queued = await store.select().from(deliveries).where(eq(deliveries.webhookId, id));
    expect(new Set(queued.map(({ type, status }) => `${type} ${status}`))).toEqual(
      new Set(["link.dead pending"]),
    );
    expect(queued.length).toBe(MANY);
    expect(await store.$count(events, eq(events.accountId, me.accountId))).toBe(MANY);
    expect(await store.$count(events, eq(events.accountId, other.accountId))).toBe(0);
  });

  test("are gone when the transaction is rolled back", async () => {
    const { store } = server().deps;
    const me = await server().account();
    const { id } = await subscribe(me, startReceiver().url, ["link.dead"]);

    const failed = store.transaction(async (tx) => {
      await publishEvents(tx, madeUp(me.accountId, ["link.dead"]));
      throw new Error("no room");
    });

    await expect(failed).rejects.toThrow("no room");
    expect(await deliveriesOf(server(), id)).toEqual([]);
    expect(await store.$count(events, eq(events.accountId, me.accountId))).toBe(0);
  });

  test("do nothing when the list is empty", async () => {
    await server().deps.store.transaction((tx) => publishEvents(tx, []));
  });
});
