import { expect } from "bun:test";
import {
  ALIVE,
  batchOf,
  CHECK,
  checkAll,
  checkedLinks,
  eventsOf,
  GONE,
  otherProcess,
  subscribe,
  waitedFor,
} from "../../tests/batches/playing.ts";
import { DAY, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { type Asker, onServer } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";
import { housekeeping } from "../app/housekeeping.ts";
import { completeBatches, endOverdueBatches } from "./complete-batches.ts";

const LIFE = 2 * DAY;
const NOTHING_LEARNED = saw("internal_error");

onServer("A batch whose checks teach nothing", (server, { test, testOnBoth }) => {
  const start = async (me: Asker, asked: object): Promise<string> =>
    (await me.post(CHECK, asked)).body.data.batch_id;

  test("is over after 48 hours, and what was not judged by then is unknown", async () => {
    const me = await server().account();
    const urls = ["live", "void", "gone", "void/2"].map((path) => `https://a.test/${path}`);
    const link_ids = await checkedLinks(server(), me, urls);
    await subscribe(me, "batch.complete");
    const id = await start(me, { link_ids });
    await me.delete(`/api/v1/links/${link_ids[2]}`);
    await checkAll(server(), (url) => (url.includes("void") ? NOTHING_LEARNED : ALIVE));

    server().clock.moveBy(LIFE - 1);
    await housekeeping(server().deps);
    const before = await batchOf(me, id);
    server().clock.moveBy(1);
    await housekeeping(server().deps);
    await housekeeping(server().deps);

    expect(before).toMatchObject({ status: "running", checked: 1, unknown: 0 });
    const numbers = { total: 4, checked: 3, active: 1, dead: 0, unknown: 2, skipped: 1 };
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
    expect((await eventsOf(server(), me)).map(({ data }) => data)).toMatchObject([numbers]);
  });

  test("does not count what its links come to later, and lets go of them then", async () => {
    const me = await server().account();
    const urls = ["1", "2", "3"].map((path) => `https://b.test/${path}`);
    const link_ids = await checkedLinks(server(), me, urls);
    const id = await start(me, { link_ids });
    server().clock.moveBy(LIFE);
    await endOverdueBatches(server().deps);

    await me.delete(`/api/v1/links/${link_ids[0]}`);
    await checkAll(server(), (url) => (url.endsWith("2") ? GONE : ALIVE));
    await completeBatches(server().deps);

    const numbers = { total: 3, checked: 3, active: 0, dead: 0, unknown: 3, skipped: 0 };
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
    expect(await waitedFor(server(), id)).toBe(0);
  });

  test("keeps one that began later waiting for the same link", async () => {
    const me = await server().account();
    const link_ids = await checkedLinks(server(), me, ["https://c.test/"]);
    const old = await start(me, { link_ids });
    server().clock.moveBy(DAY);
    const young = await start(me, { link_ids });
    server().clock.moveBy(DAY);
    await housekeeping(server().deps);
    const between = await batchOf(me, young);

    await checkAll(server(), () => GONE);

    expect(between).toMatchObject({ status: "running", checked: 0 });
    expect(await batchOf(me, old)).toMatchObject({ status: "complete", unknown: 1, dead: 0 });
    expect(await batchOf(me, young)).toMatchObject({ status: "complete", unknown: 0, dead: 1 });
  });

  test("is filled before it is over", async () => {
    const { clock, deps } = server();
    const me = await server().account("enterprise");
    const dueAt = clock.now() + 30 * DAY;
    await addMany(server(), me, { count: 600, url: "https://d.test/", dueAt });
    const id = await start(me, { status: "unknown" });
    clock.moveBy(LIFE);

    await endOverdueBatches(deps);
    await completeBatches(deps);
    const before = await batchOf(me, id);
    await housekeeping(deps);
    await housekeeping(deps);

    expect(before).toMatchObject({ status: "running", total: 600, unknown: 0 });
    const numbers = { total: 600, unknown: 600, skipped: 0 };
    expect(await batchOf(me, id)).toMatchObject({ status: "complete", ...numbers });
  });

  test("makes room for another one", async () => {
    const me = await server().account();
    await addLink(me);
    for (let n = 0; n < 10; n++) await start(me, { status: "unknown" });
    await checkAll(server(), () => NOTHING_LEARNED);

    const refused = await me.post(CHECK, { status: "unknown" });
    server().clock.moveBy(LIFE);
    await housekeeping(server().deps);
    const later = await me.post(CHECK, { status: "unknown" });

    expect([refused.status, later.status]).toEqual([409, 200]);
  });

  testOnBoth("is reported once, though two processes end it", async () => {
    const me = await server().account();
    const link_ids = [await addLink(me)];
    await subscribe(me, "batch.complete");
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push(await start(me, { link_ids }));
    server().clock.moveBy(LIFE);
    const other = otherProcess(server());

    await Promise.all([endOverdueBatches(server().deps), endOverdueBatches(other)]);
    await Promise.all([housekeeping(server().deps), housekeeping(other)]);
    await housekeeping(server().deps);

    const events = await eventsOf(server(), me);
    expect(events.map(({ data }) => data.batchId).sort()).toEqual(ids.sort());
    for (const { data } of events) expect(data).toMatchObject({ total: 1, unknown: 1 });
    await other.store.engine.close();
  });

  test("is not ended by a clock that is off", async () => {
    const { deps } = server();
    const me = await server().account();
    const id = await start(me, { link_ids: [await addLink(me)] });
    server().clock.moveBy(LIFE);

    await endOverdueBatches({ ...deps, online: { ...deps.online, clockIsOff: () => true } });
    await completeBatches(deps);

    expect((await batchOf(me, id)).status).toBe("running");
  });
});
