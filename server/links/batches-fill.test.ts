import { afterEach, expect } from "bun:test";
import { eq, sql } from "drizzle-orm";
import {
  batchOf,
  CHECK,
  checkAll,
  eventsOf,
  GONE,
  otherProcess,
  subscribe,
  waitedFor,
} from "../../tests/batches/playing.ts";
import { DAY } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { soon } from "../../tests/history/cut-short.ts";
import { sized } from "../../tests/long.ts";
import { addGroup, addLink, setLink } from "../../tests/rows.ts";
import { operatorOf } from "../accounts/users.ts";
import { batches, links } from "../ground/db/tables.ts";
import { chunksOf } from "../ground/lib/steps.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { recordResults } from "../monitor/record.ts";
import type { Deps } from "../work/deps.ts";
import { completeBatches } from "./complete-batches.ts";
import { deleteLinks } from "./delete.ts";
import { fillBatches, fillStep } from "./fill-batches.ts";

const MANY = sized(1000, 5000);

onServer("A batch of very many links", (server, { test, testOnBoth }) => {
  // Nothing of one test is due in the next.
  afterEach(async () => {
    await server().deps.store.write([
      server().deps.store.delete(batches),
      server().deps.store.delete(links),
    ]);
  });

  /** With links that are due tomorrow, none of which was checked so far. */
  async function accountWith(count: number, host: string) {
    const me = await server().account("enterprise");
    const dueAt = server().clock.now() + DAY;
    await addMany(server(), me, { count, url: `https://${host}/`, dueAt });
    return me;
  }

  const start = async (me: Asker, asked: object) => (await me.post(CHECK, asked)).body.data;

  test("is answered at once, and filled and checked to the last, though its process died on the way", async () => {
    const me = await accountWith(MANY, "a.test");
    await subscribe(me, "batch.complete");
    const { batch_id: id, summary } = await start(me, { status: "unknown" });
    const atOnce = await waitedFor(server(), id);
    await fillStep(server().deps, id, 500);
    const [before, soFar] = [await batchOf(me, id), await waitedFor(server(), id)];

    const next = otherProcess(server());
    await checkAll({ deps: next }, () => GONE);

    expect(summary).toEqual({ total: MANY, started: MANY, failed: 0 });
    expect(before).toMatchObject({ status: "running", total: MANY, checked: 0 });
    expect(soFar).toBe(atOnce + 500);
    const numbers = { total: MANY, checked: MANY, dead: MANY, active: 0, skipped: 0 };
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
    expect(await eventsOf(server(), me)).toMatchObject([{ data: numbers }]);
    await next.store.engine.close();
  });

  test("has only links that match all of its filter, also those that have no column of a batch", async () => {
    const { deps, clock } = server();
    const me = await accountWith(2100, "f.test");
    const changed = { statusChangedAt: clock.now() };
    await deps.store.update(links).set(changed).where(sql`${links.no} % 2 = 0`);
    const since = new Date(clock.now() + 1000).toISOString();

    const asked = { filter: { changed_after: since } };
    const { summary, batch_id: id } = await start(me, asked);
    while ((await fillStep(deps, id, 200)) > 0);

    expect([summary.total, await waitedFor(server(), id)]).toEqual([1050, 1050]);
  });

  test("is not complete before it is filled, though all that joined so far were checked", async () => {
    const { deps, clock } = server();
    const me = await accountWith(600, "b.test");
    const { batch_id: id } = await start(me, { status: "unknown" });
    const claimed = await claimDueLinks(deps, MANY);
    const results = claimed.map((link) => ({ link, conclusion: GONE, at: clock.now() }));

    await recordResults(deps, results);
    await completeBatches(deps);

    const { status, checked, total } = await batchOf(me, id);
    expect([status, checked, total]).toEqual(["running", results.length, 600]);
    await checkAll(server(), () => GONE);
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", checked: 600 });
  });

  testOnBoth("is filled once by two processes that do so at the same time", async () => {
    const me = await accountWith(2000, "c.test");
    const { batch_id: id } = await start(me, { status: "unknown" });
    const other = otherProcess(server());
    const fill = async (deps: Deps) => {
      while ((await fillStep(deps, id, 200)) > 0);
    };

    await Promise.all([fill(server().deps), fill(other)]);

    expect((await batchOf(me, id)).total).toBe(2000);
    expect(await waitedFor(server(), id)).toBe(2000);
    await other.store.engine.close();
  });

  testOnBoth("waits for none of its links that were deleted while they joined", async () => {
    const { deps } = server();
    const me = await accountWith(1200, "j.test");
    const caller = await operatorOf(deps, me.accountId);
    const { batch_id: id } = await start(me, { status: "unknown" });
    const other = otherProcess(server());
    const fill = async () => {
      while ((await fillStep(other, id, 50)) > 0);
    };
    const doomed = Array.from({ length: 300 }, (_, i) => `https://j.test/${300 + 3 * i}`);

    await Promise.all([
      fill(),
      ...chunksOf(10, doomed).map((ids) => deleteLinks(deps, caller, ids)),
    ]);
    await checkAll(server());

    const { status, total, checked, skipped } = await batchOf(me, id);
    expect([status, checked, total - skipped]).toEqual(["complete", 900, 900]);
    await other.store.engine.close();
  });

  test("is left where it is when the program ends, and goes on from there", async () => {
    const { deps } = server();
    const me = await accountWith(2500, "d.test");
    const { batch_id: id } = await start(me, { status: "unknown" });

    await fillBatches(deps, soon());
    const between = await waitedFor(server(), id);
    await fillBatches(deps);

    expect(between).toBeLessThan(2500);
    expect(await waitedFor(server(), id)).toBe(2500);
  });

  test("does not keep a smaller one waiting until it is filled", async () => {
    const { deps } = server();
    const [me, stranger] = [await accountWith(3000, "e.test"), await accountWith(600, "f.test")];
    const large = (await start(me, { status: "unknown" })).batch_id;
    const small = (await start(stranger, { status: "unknown" })).batch_id;
    const ending = new AbortController();
    let turns = 0;
    const wake = () => ++turns === 2 && ending.abort();

    await fillBatches({ ...deps, loops: { ...deps.loops, wake } }, ending.signal);

    expect(await waitedFor(server(), small)).toBe(600);
    expect(await waitedFor(server(), large)).toBeLessThan(3000);
    await fillBatches(deps);
  });

  test("has no links that are made after it began, and none that go before their turn", async () => {
    const { deps } = server();
    const me = await accountWith(600, "g.test");
    const { batch_id: id } = await start(me, { status: "unknown" });
    await addLink(me);

    await deps.store.delete(links).where(eq(links.id, "https://g.test/599"));
    await checkAll(server());

    const numbers = { total: 599, checked: 599, skipped: 0 };
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
  });

  testOnBoth(
    "of a group takes those of its links that have the status, wherever they are in it",
    async () => {
      const { deps } = server();
      const me = await accountWith(900, "h.test");
      const group = await addGroup(me);
      await deps.store
        .update(links)
        .set({ groupId: group })
        .where(eq(links.accountNo, me.accountNo));
      const dead = [3, 300, 899, 900].map((n) => `https://h.test/${n}`);
      for (const id of dead) await setLink(server(), id, { status: "dead" });
      const { batch_id: id, summary } = await start(me, { group_id: group, status: "dead" });

      const checked = await checkAll(server());

      expect(summary.total).toBe(4);
      expect(checked.filter((url) => url.includes("h.test"))).toEqual(dead);
      expect(await batchOf(me, id)).toMatchObject({ status: "complete", total: 4, checked: 4 });
    },
  );

  testOnBoth("by a filter takes all links that fit, wherever they are, and no other", async () => {
    const me = await accountWith(3000, "k.test");
    const seldom = ["https://k.test/1", "https://k.test/2100"];
    for (const id of seldom) await setLink(server(), id, { checkFrequency: "monthly" });
    const filter = { search: "TEST/1", check_frequency: "hourly", group_id: "none" };
    const { batch_id: few } = await start(me, { filter: { check_frequency: "monthly" } });
    const { batch_id: id, summary } = await start(me, { filter });
    const atOnce = await waitedFor(server(), id);

    const checked = await checkAll(server());

    const ours = checked.filter((url) => url.includes("k.test"));
    expect([summary.total, atOnce < 1000]).toEqual([1110, true]);
    expect(ours.filter((url) => !url.includes("test/1"))).toEqual(["https://k.test/2100"]);
    expect(ours).toHaveLength(1112);
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", checked: 1110 });
    expect(await batchOf(me, few)).toMatchObject({ status: "complete", checked: 2 });
  });

  test("of a group that is deleted meanwhile ends with the links that it has", async () => {
    const me = await accountWith(600, "i.test");
    const group = await addGroup(me);
    await server()
      .deps.store.update(links)
      .set({ groupId: group })
      .where(eq(links.accountNo, me.accountNo));
    const { batch_id: id } = await start(me, { group_id: group });
    const atOnce = await waitedFor(server(), id);

    await me.delete(`/api/v1/groups/${group}`);
    await checkAll(server());

    const { status, total, checked } = await batchOf(me, id);
    expect([status, total, checked]).toEqual(["complete", atOnce, atOnce]);
  });
});
