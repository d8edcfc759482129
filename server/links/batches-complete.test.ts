import { expect } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import {
  ALIVE,
  batchOf,
  CHECK,
  checkAll,
  eventsOf,
  otherProcess,
  subscribe,
} from "../../tests/batches/playing.ts";
import { DAY } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop } from "../../tests/checker/played-loop.ts";
import { movableClock } from "../../tests/clock.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";
import { deleteAccount } from "../accounts/delete.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { batches, batchLinks } from "../ground/db/tables.ts";
import { OPERATOR } from "../http/caller.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { recordResults } from "../monitor/record.ts";
import type { Deps } from "../work/deps.ts";
import { completeBatches } from "./complete-batches.ts";

const COMPLETE = { status: "complete", total: 1, checked: 1, active: 1 };

/** A batch of one link, and an account that wants to hear of it. */
async function startOne(me: Asker): Promise<string> {
  const link_ids = [await addLink(me)];
  await subscribe(me, "check.complete", "batch.complete");
  return (await me.post(CHECK, { link_ids })).body.data.batch_id;
}

/** As a process does that is killed right after the results were written. */
async function checkAndDie(deps: Deps): Promise<void> {
  const claimed = await claimDueLinks(deps, 1000);
  const at = deps.clock.now();
  await recordResults(
    deps,
    claimed.map((link) => ({ link, conclusion: ALIVE, at })),
  );
}

onServer("A batch whose checks are over", (server, { test, testOnBoth }) => {
  test("is reported by the next process when its own died before it could do so", async () => {
    const me = await server().account();
    const id = await startOne(me);
    await checkAndDie(server().deps);
    const before = await batchOf(me, id);

    await housekeeping(server().deps);
    await housekeeping(server().deps);

    expect(before).toMatchObject({ status: "running", checked: 1, completed_at: null });
    expect(await batchOf(me, id)).toMatchObject(COMPLETE);
    const types = (await eventsOf(server(), me)).map(({ type }) => type);
    expect(types).toEqual(["check.complete", "batch.complete"]);
  });

  testOnBoth("is reported once by many that find it at the same time", async () => {
    const me = await server().account();
    const id = await startOne(me);
    await checkAndDie(server().deps);
    const other = otherProcess(server());

    await Promise.all([server().deps, other, server().deps, other].map(completeBatches));

    expect((await eventsOf(server(), me)).map(({ type }) => type)).toEqual([
      "check.complete",
      "batch.complete",
    ]);
    expect(await batchOf(me, id)).toMatchObject(COMPLETE);
    await other.store.engine.close();
  });

  test("is reported with nothing but skips when all its links were deleted", async () => {
    const me = await server().account();
    const links = [await addLink(me), await addLink(me)];
    await subscribe(me, "batch.complete");
    const { batch_id } = (await me.post(CHECK, { link_ids: links })).body.data;
    for (const id of links) await me.delete(`/api/v1/links/${id}`);

    await housekeeping(server().deps);

    const numbers = { total: 2, checked: 0, active: 0, dead: 0, unknown: 0, skipped: 2 };
    expect((await eventsOf(server(), me)).map(({ data }) => data)).toMatchObject([numbers]);
    expect(await batchOf(me, batch_id)).toMatchObject({ status: "complete", ...numbers });
  });

  test("is filled, checked and reported by the running program, links deleted or not", async () => {
    const me = await server().account("enterprise");
    const dueAt = server().clock.now() + DAY;
    await addMany(server(), me, { count: 600, url: "https://loop.test/", dueAt });
    await subscribe(me, "batch.complete");
    const lost = [await addLink(me)];
    const ids = [{ status: "unknown" }, { link_ids: lost }].map(
      async (asked) => (await me.post(CHECK, asked)).body.data.batch_id,
    );
    const [large, small] = await Promise.all(ids);
    await me.delete(`/api/v1/links/${lost[0]}`);
    const clock = movableClock(server().clock.now());
    const loop = playLoop(server(), { clock, check: async () => ALIVE });

    await loop.begins();
    await loop.seconds(9);
    await loop.stop();

    expect(await batchOf(me, small)).toMatchObject({ status: "complete", skipped: 1, checked: 0 });
    const { status, checked, skipped, total } = await batchOf(me, large);
    expect([status, checked, total - skipped]).toEqual(["complete", 600, 600]);
    expect(await eventsOf(server(), me)).toHaveLength(2);
  });

  test("is kept for thirty days after it was complete, whenever it began", async () => {
    const me = await server().account();
    const done = await startOne(me);
    await checkAll(server());
    const late = await startOne(me);

    server().clock.moveBy(30 * DAY);
    await housekeeping(server().deps);
    expect((await batchOf(me, done)).status).toBe("complete");
    server().clock.moveBy(1);
    await housekeeping(server().deps);

    expect((await me.get(`/api/v1/batches/${done}`)).status).toBe(404);
    expect((await batchOf(me, late)).status).toBe("complete");
  });

  test("goes with its account, in whatever state it is, and those of others stay", async () => {
    const { deps } = server();
    const [me, other] = [await server().account(), await server().account()];
    const mine = [await startOne(me)];
    await checkAll(server());
    mine.push(await startOne(me));
    const kept = await startOne(other);

    await deleteAccount(deps, me.accountId, OPERATOR);

    expect(await deps.store.$count(batches, eq(batches.accountId, me.accountId))).toBe(0);
    expect(await deps.store.$count(batchLinks, inArray(batchLinks.batchId, mine))).toBe(0);
    await checkAll(server());
    expect(await batchOf(other, kept)).toMatchObject(COMPLETE);
  });
});
