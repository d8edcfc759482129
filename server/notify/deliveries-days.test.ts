import { expect, test } from "bun:test";
import { addDeliveries } from "../../tests/deliveries/logged.ts";
import { type Asker, onServer, type Parsed, START } from "../../tests/harness.ts";
import { subscribe } from "../../tests/receiver.ts";
import type { DeliveryRow } from "../ground/db/tables.ts";
import { newIdAt } from "../ground/lib/ids.ts";

const DAYS = "/api/v1/webhooks/deliveries/days";
const DAY = 86_400_000;
const NONE = { delivered: 0, failed: 0, pending: 0 };

onServer("GET /webhooks/deliveries/days", (server) => {
  const count = async (me: Asker, query = ""): Promise<Parsed[]> =>
    (await me.get(DAYS + query)).body.data.items;

  /** Deliveries of events that happened so many days ago. */
  const deliver = (me: Asker, webhookId: string, daysAgo: number, all: Partial<DeliveryRow>[]) => {
    const createdAt = server().clock.now() - daysAgo * DAY;
    return addDeliveries(
      server(),
      me,
      webhookId,
      all.map((each) => ({ eventId: newIdAt(createdAt), createdAt, ...each })),
    );
  };

  test("counts what arrived, failed and waits by webhook and day", async () => {
    const me = await server().account();
    const { id: docs } = await subscribe(me, "https://docs.example.com/");
    const { id: press } = await subscribe(me, "https://press.example.com/");
    await deliver(me, docs, 1, [{}, {}, { status: "exhausted" }, { status: "expired" }]);
    await deliver(me, docs, 0, [{ status: "failed" }, { status: "paused" }, { status: "pending" }]);
    await deliver(me, docs, 0, [{ status: "digested" }, { status: "cancelled" }]);
    await deliver(me, docs, 3, [{}]);

    const counted = new Map((await count(me, "?days=3")).map((each) => [each.webhook_id, each]));

    const today = Date.parse(START);
    const dayBefore = (days: number) => new Date(today - days * DAY).toISOString().slice(0, 10);
    expect(counted.get(docs)).toEqual({
      webhook_id: docs,
      delivered: 2,
      failed: 3,
      pending: 2,
      days: [
        { ...NONE, day: dayBefore(2) },
        { day: dayBefore(1), delivered: 2, failed: 2, pending: 0 },
        { day: dayBefore(0), delivered: 0, failed: 1, pending: 2 },
      ],
    });
    expect(counted.get(press)).toMatchObject({ ...NONE, webhook_id: press });
  });

  test("covers 14 days unless another number is given, and 30 at most", async () => {
    const me = await server().account();
    const { id } = await subscribe(me, "https://docs.example.com/");
    await deliver(me, id, 13, [{}]);
    await deliver(me, id, 14, [{}]);
    await deliver(me, id, 29, [{}]);

    const [usual] = await count(me);
    const [longest] = await count(me, "?days=30");

    expect([usual.days.length, usual.delivered]).toEqual([14, 1]);
    expect([longest.days.length, longest.delivered]).toEqual([30, 3]);
    expect((await me.get(`${DAYS}?days=31`)).status).toBe(400);
  });

  test("counts nothing of other accounts", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const { id } = await subscribe(other, "https://theirs.example.com/");
    await deliver(other, id, 0, [{}]);

    expect(await count(me)).toEqual([]);
  });
});
