import { expect, test } from "bun:test";
import { NO_ID } from "../../tests/bad-values.ts";
import { batchOf, CHECK, checkAll, checkedLinks } from "../../tests/batches/playing.ts";
import { saw } from "../../tests/checker/ended.ts";
import { onServer } from "../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../tests/rows.ts";
import { operatorOf } from "../accounts/users.ts";
import { createStore, type Engine } from "../ground/db/store.ts";
import { makeChange } from "../work/unit.ts";
import { changeLink } from "./change.ts";

const path = "/api/v1/links";
const HOUR = 3_600_000;
const FREQUENCIES = "must be one of: hourly, daily, weekly, monthly";

onServer("PATCH /links/{id}", (server) => {
  test("puts a link into a group and takes it out, and keeps the rest", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { check_frequency: "weekly" });
    server().clock.moveBy(1000);

    const put = await me.patch(`${path}/${link}`, { group_id: group.toUpperCase() });
    const taken = await me.patch(`${path}/${link}`, { group_id: null });

    expect(put.status).toBe(200);
    expect(put.body.data).toMatchObject({ group_id: group, check_frequency: "weekly" });
    expect(put.body.data.updated_at > put.body.data.created_at).toBe(true);
    expect(taken.body.data.group_id).toBeNull();
    expect((await me.get(`/api/v1/groups/${group}`)).body.data.link_count).toBe(0);
  });

  test("a new frequency counts from the last check", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const now = server().clock.now();
    await setLink(server(), link, { lastCheckedAt: now - 2 * HOUR, nextCheckAt: now + 22 * HOUR });

    const weekly = await me.patch(`${path}/${link}`, { check_frequency: "weekly" });
    const hourly = await me.patch(`${path}/${link}`, { check_frequency: "hourly" });

    const days = (Date.parse(weekly.body.data.next_check_at) - now) / (24 * HOUR);
    expect(days).toBeGreaterThan(6);
    expect(days).toBeLessThan(8);
    expect(Date.parse(hourly.body.data.next_check_at)).toBe(now);
  });

  test("a new frequency keeps no batch waiting, also after a check by hand that taught nothing", async () => {
    const me = await server().account();
    const link_ids = await checkedLinks(server(), me, ["https://a.test/by-hand"]);
    await me.post(`${path}/${link_ids[0]}/check`);
    const { batch_id } = (await me.post(CHECK, { link_ids })).body.data;
    await checkAll(server(), () => saw("internal_error"));

    await me.patch(`${path}/${link_ids[0]}`, { check_frequency: "weekly" });
    server().clock.moveBy(HOUR);
    await checkAll(server());

    expect(await batchOf(me, batch_id)).toMatchObject({ status: "complete", active: 1 });
  });

  test("a new frequency keeps no batch waiting that begins just before it is written", async () => {
    const { deps } = server();
    const me = await server().account();
    const link_ids = await checkedLinks(server(), me, ["https://b.test/meanwhile"]);
    const started: string[] = [];
    const store = createStore(
      beforeTransaction(deps.store.engine, async () => {
        started.push((await me.post(CHECK, { link_ids })).body.data.batch_id);
      }),
    );
    const caller = await operatorOf(deps, me.accountId);

    await makeChange({ ...deps, store }, caller, (unit) =>
      changeLink(unit, caller, link_ids[0]!, { check_frequency: "weekly" }),
    );
    await checkAll(server());

    expect(started).toHaveLength(1);
    expect(await batchOf(me, started[0]!)).toMatchObject({ status: "complete", active: 1 });
  });

  test("new frequencies keep no batch waiting that begins at the same moment", async () => {
    const me = await server().account();
    const urls = Array.from({ length: 40 }, (_, i) => `https://c.test/${i}`);
    const link_ids = await checkedLinks(server(), me, urls);

    const [{ body }] = await Promise.all([
      me.post(CHECK, { link_ids }),
      ...link_ids.map((id) => me.patch(`${path}/${id}`, { check_frequency: "weekly" })),
    ]);
    await checkAll(server());

    expect(await batchOf(me, body.data.batch_id)).toMatchObject({ status: "complete", active: 40 });
  });

  test("an empty change changes nothing, not even the moment of the last one", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const before = (await me.get(`${path}/${link}`)).body.data;
    server().clock.moveBy(1000);

    for (const change of [{}, { unknown: 1 }, { id: link, url: before.url, status: "unknown" }]) {
      const { status, body } = await me.patch(`${path}/${link}`, change);
      expect([status, body.data]).toEqual([200, before]);
    }
  });

  test("what cannot be changed is refused when it differs, with every other problem", async () => {
    const me = await server().account();

    const { status, body } = await me.patch(`${path}/${await addLink(me)}`, {
      id: NO_ID,
      url: "https://example.org/other",
      status: "active",
      group_id: NO_ID,
      check_frequency: null,
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({
      id: ["cannot be changed"],
      url: ["cannot be changed; use POST /links/{id}/url"],
      status: ["cannot be changed"],
      group_id: ["no such group"],
      check_frequency: [FREQUENCIES],
    });
  });

  test("repeating the current status is not a change, also while a check runs", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await me.post(`${path}/${link}/check`);

    expect((await me.patch(`${path}/${link}`, { status: "checking" })).status).toBe(200);
  });

  test("a stranger's group is rejected like one that does not exist", async () => {
    const me = await server().account();
    const group_id = await addGroup(await server().account());

    const { body } = await me.patch(`${path}/${await addLink(me)}`, { group_id });

    expect(body.error.details.fields).toEqual({ group_id: ["no such group"] });
  });

  test("takes a merge patch by its own name", async () => {
    const me = await server().account();

    const { status } = await me.patch(
      `${path}/${await addLink(me)}`,
      { check_frequency: "hourly" },
      { "content-type": "application/merge-patch+json" },
    );

    expect(status).toBe(200);
  });

  test("an unknown link is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.patch(`${path}/x`, {})).status).toBe(404);
    expect((await me.patch(`${path}/${foreign}`, {})).status).toBe(403);
  });
});

/** The same database, where something happens just before each transaction. */
function beforeTransaction(engine: Engine, happens: () => Promise<void>): Engine {
  return {
    ...engine,
    transaction: async (work) => {
      await happens();
      return engine.transaction(work);
    },
  };
}
