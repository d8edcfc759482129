import { afterEach, expect } from "bun:test";
import { eq } from "drizzle-orm";
import { setClock } from "../../tests/checker/played-loop.ts";
import { addDelivery, UNTRIED } from "../../tests/deliveries/logged.ts";
import { onServer } from "../../tests/harness.ts";
import { fixedNode } from "../../tests/nodes/fixed.ts";
import { makeNews, startReceiver, subscribe } from "../../tests/receiver.ts";
import { createStore } from "../ground/db/store.ts";
import { type DeliveryRow, deliveries, webhooks } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";
import { startQueue } from "../work/queue.ts";
import { createDeliverer } from "./deliverer.ts";
import { limitWaits } from "./leases.ts";

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
/** The longest wait of the schedule, a fifth longer. */
const LONGEST = 28.8 * HOUR;

/** What a node does about it when it starts. */
async function followClock(deps: Deps): Promise<void> {
  const ending = new AbortController();
  const { ended } = startQueue(deps, ending.signal, {
    rows: "deliveries",
    prepare: async () => "ready",
    claim: async () => {
      ending.abort();
      return null;
    },
    limitWaits: () => limitWaits(deps, new AbortController().signal),
  });
  await ended;
}

onServer("when the clock was set back", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  /** When such a delivery is due and attempted next after that, in milliseconds from now. */
  async function timesAfter(
    more: (now: number) => Partial<DeliveryRow>,
    deps = server().deps,
  ): Promise<(number | null)[]> {
    const me = await server().account();
    const { id } = await subscribe(me, "https://example.com/");
    const now = server().clock.now();
    await addDelivery(server(), me, id, more(now));

    await followClock(deps);

    const { store } = server().deps;
    const [row] = await store.select().from(deliveries).where(eq(deliveries.webhookId, id));
    return [row!.dueAt, row!.nextAttemptAt].map((at) => at && at - now);
  }

  test("first attempts are due", async () => {
    const times = await timesAfter((now) => ({
      ...UNTRIED,
      dueAt: now + YEAR,
      nextAttemptAt: now + YEAR,
    }));

    expect(times).toEqual([0, 0]);
  });

  test("failed deliveries keep their schedule, unless the next attempt is too far away", async () => {
    const failed = (ms: number) =>
      timesAfter((now) => ({ status: "failed", dueAt: now + ms, nextAttemptAt: now + ms }));

    expect(await failed(LONGEST)).toEqual([LONGEST, LONGEST]);
    expect(await failed(YEAR)).toEqual([0, 0]);
  });

  test("requested attempts are due, and the schedule stays", async () => {
    const times = await timesAfter((now) => ({
      status: "pending",
      resting: "failed",
      dueAt: now + HOUR,
      nextAttemptAt: now + 10 * HOUR,
    }));

    expect(times).toEqual([0, 10 * HOUR]);
  });

  testOnBoth("the next summary is the next of the schedule", async () => {
    const me = await server().account();
    const { body } = await me.post("/api/v1/webhooks", {
      url: "https://example.com/",
      events: ["summary.ready"],
      summary: { frequency: "weekly", at: "08:00", time_zone: "UTC" },
    });
    const { deps, clock } = server();
    const isOurs = eq(webhooks.id, body.data.id);
    const [before] = await deps.store.select().from(webhooks).where(isOurs);
    await followClock(deps);
    const [kept] = await deps.store.select().from(webhooks).where(isOurs);
    await deps.store
      .update(webhooks)
      .set({ summaryAt: clock.now() + YEAR })
      .where(isOurs);

    await followClock(deps);

    const [after] = await deps.store.select().from(webhooks).where(isOurs);
    expect(kept!.summaryAt).toBe(before!.summaryAt);
    expect(after!.summaryAt).toBe(before!.summaryAt);
  });

  test("deliveries of no node, or of another, are due as well", async () => {
    const without = { ...server().deps, nodes: fixedNode("without", []) };
    const late = (now: number) => ({ ...UNTRIED, dueAt: now + YEAR, nextAttemptAt: now + YEAR });

    expect(await timesAfter(late, without)).toEqual([0, 0]);
  });

  testOnBoth("a node does nothing while another reschedules", async () => {
    const { deps } = server();
    const late = (now: number) => ({ ...UNTRIED, dueAt: now + YEAR, nextAttemptAt: now + YEAR });

    const times = await deps.store.engine.alone("limit waits of deliveries", () =>
      timesAfter(late),
    );

    expect(times).toEqual([YEAR, YEAR]);
  });

  testOnBoth("no lease is longer than usual", async () => {
    const times = await timesAfter((now) => ({
      status: "delivering",
      lease: "a lease",
      dueAt: now + YEAR,
      nextAttemptAt: now,
    }));

    expect(times).toEqual([60_000, 0]);
  });

  test("all deliveries are rescheduled, however many there are", async () => {
    const me = await server().account();
    const { id } = await subscribe(me, "https://example.com/");
    const now = server().clock.now();
    const { store } = server().deps;
    for (let n = 0; n < 3; n++) {
      await me.post("/api/v1/links/batch", {
        links: Array.from({ length: 500 }, (_, i) => ({ url: `https://a.test/${n}/${i}` })),
      });
    }
    await store.update(deliveries).set({ dueAt: now + YEAR, nextAttemptAt: now + YEAR });

    await followClock(server().deps);

    const isOurs = eq(deliveries.webhookId, id);
    const rows = await store
      .selectDistinct({ at: deliveries.dueAt })
      .from(deliveries)
      .where(isOurs);
    expect(rows).toEqual([{ at: now }]);
  });

  test("rescheduling is repeated after a failure", async () => {
    const me = await server().account();
    const receiver = startReceiver();
    await subscribe(me, receiver.url);
    await makeNews(me);
    const clock = setClock(server().clock.now());
    let isAway = true;
    const { deps } = server();
    const { engine } = deps.store;
    const alone: typeof engine.alone = (name, work) =>
      isAway ? Promise.reject(new Error("away")) : engine.alone(name, work);
    await deps.store.update(deliveries).set({ dueAt: clock.now() + 1 });
    const store = createStore({ ...engine, alone });
    const deliverer = createDeliverer({ ...deps, store, clock });
    await clock.sleeping(1000);

    clock.setBy(-3_600_000);
    deliverer.wake();
    await clock.nextSleep(1000);
    isAway = false;
    deliverer.wake();
    await receiver.seen(1);

    await deliverer.stop();
  });
});
