import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { NO_ID } from "../../tests/bad-values.ts";
import { batchOf, CHECK, checkAll, checkedLinks } from "../../tests/batches/playing.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer, type Parsed } from "../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../tests/rows.ts";
import { links } from "../ground/db/tables.ts";

const LINKS = "/api/v1/links";
const key = (text: string) => ({ "idempotency-key": text });

onServer("POST /links/batch-change", (server) => {
  const path = `${LINKS}/batch-change`;

  const linkOf = async (me: Asker, id: string) => (await me.get(`${LINKS}/${id}`)).body.data;
  const totalOf = async (me: Asker, query: string): Promise<number> =>
    (await me.get(`${LINKS}?${query}`)).body.data.pagination.total;

  /** Asks until there is nothing left; returns the reply of each step. */
  async function inSteps(me: Asker, asked: object, between = async () => {}): Promise<Parsed[]> {
    const steps: Parsed[] = [];
    for (let before: string | null | undefined; before !== null; before = steps.at(-1).next) {
      const { status, body } = await me.post(path, { ...asked, ...(before && { before }) });
      expect(status).toBe(200);
      steps.push(body.data);
      await between();
    }
    return steps;
  }

  test("changes the caller's links, and says why for each of the rest", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const group = await addGroup(me);
    const [link, there] = [await addLink(me), await addLink(me, { group_id: group })];
    const foreign = await addLink(stranger);

    const link_ids = [link, there, foreign, NO_ID, link.toUpperCase()];
    const { status, body } = await me.post(path, { link_ids, change: { group_id: group } });

    expect(status).toBe(200);
    const failed = (id: string, code: string) =>
      expect.objectContaining({ id, status: "failed", error: expect.objectContaining({ code }) });
    expect(body.data).toEqual({
      summary: { total: 4, changed: 1, unchanged: 1, failed: 2 },
      results: [
        { id: link, status: "changed" },
        { id: there, status: "unchanged" },
        failed(foreign, "FORBIDDEN"),
        failed(NO_ID, "NOT_FOUND"),
      ],
      next: null,
    });
    expect(await totalOf(me, `group_id=${group}`)).toBe(2);
    expect((await linkOf(stranger, foreign)).group_id).toBeNull();
  });

  test("takes links out of their groups, and keeps the rest of them", async () => {
    const me = await server().account();
    const link = await addLink(me, { group_id: await addGroup(me) });
    const before = await linkOf(me, link);
    server().clock.moveBy(1000);

    await me.post(path, { link_ids: [link], change: { group_id: null } });

    const updated_at = new Date(server().clock.now()).toISOString();
    expect(await linkOf(me, link)).toEqual({ ...before, group_id: null, updated_at });
  });

  test("a new frequency means for each link what it means for one", async () => {
    const me = await server().account();
    const [many, one, fresh] = [
      await checkedLinks(server(), me, ["https://a.test/1", "https://a.test/2"]),
      await checkedLinks(server(), me, ["https://b.test/1"]),
      await addLink(me),
    ];
    await setLink(server(), many[1]!, { failingSince: server().clock.now() - 1000 });
    const freshBefore = await linkOf(me, fresh);

    const change = { check_frequency: "weekly" };
    await me.post(path, { link_ids: [...many, fresh], change });

    for (const id of [...many, ...one]) {
      const shown = await linkOf(me, id);
      const { body } = await me.patch(`${LINKS}/${id}`, change);
      if (id !== one[0]) expect(shown.next_check_at).toBe(body.data.next_check_at);
      expect(body.data.check_frequency).toBe("weekly");
    }
    const { next_check_at, check_frequency } = await linkOf(me, fresh);
    expect([next_check_at, check_frequency]).toEqual([freshBefore.next_check_at, "weekly"]);
  });

  test("a link that is in another group but checked as often keeps its next check", async () => {
    const me = await server().account();
    const [id] = await checkedLinks(server(), me, ["https://c.test/"]);
    const { next_check_at } = await linkOf(me, id!);
    const change = { group_id: await addGroup(me), check_frequency: "monthly" };

    const { body } = await me.post(path, { link_ids: [id], change });

    expect(body.data.summary.changed).toBe(1);
    expect((await linkOf(me, id!)).next_check_at).toBe(next_check_at);
  });

  test("keeps no batch waiting, and no check that is under way", async () => {
    const me = await server().account();
    const ids = await checkedLinks(server(), me, ["https://d.test/1", "https://d.test/2"]);
    const { batch_id } = (await me.post(CHECK, { link_ids: [ids[0]] })).body.data;
    await me.post(`${LINKS}/${ids[1]}/check`);

    await me.post(path, { filter: {}, change: { check_frequency: "weekly" } });
    const due = (await linkOf(me, ids[1]!)).next_check_at;
    await checkAll(server());

    expect(due).toBe(new Date(server().clock.now()).toISOString());
    expect(await batchOf(me, batch_id)).toMatchObject({ status: "complete", active: 1 });
  });

  test("takes all that fit a filter in steps, and no link that is made meanwhile", async () => {
    const me = await server().account("enterprise");
    const dueAt = server().clock.now() + 1e9;
    await addMany(server(), me, { count: 2100, url: "https://e.test/", dueAt });
    const group = await addGroup(me);

    const steps = await inSteps(me, { filter: {}, change: { group_id: group } }, async () => {
      await addLink(me);
    });

    expect(steps.map(({ summary }) => summary.total)).toEqual([1000, 1000, 100]);
    expect(steps.map(({ summary }) => summary.changed)).toEqual([1000, 1000, 100]);
    expect(steps.every(({ results }) => results.length === 0)).toBe(true);
    const { store } = server().deps;
    expect(await store.$count(links, eq(links.groupId, group))).toBe(2100);
    expect(await totalOf(me, "group_id=none")).toBe(3);
  });

  eachRow([
    [{ status: "dead" }, "status=dead"],
    [{ status: "checking" }, "status=checking"],
    [{ service: "youtube" }, "service=youtube"],
    [{ search: "ODD" }, "search=odd"],
    [{ check_frequency: "hourly" }, "check_frequency=hourly"],
    [{ group_id: "none" }, "group_id=none"],
    [
      { status: "dead", search: "odd", check_frequency: "hourly" },
      "status=dead&search=odd&check_frequency=hourly",
    ],
  ])(
    "takes with %j just what a list of them shows",
    async (filter, query) => {
      const me = await server().account();
      const [old, fresh] = [await addGroup(me), await addGroup(me)];
      for (let i = 0; i < 24; i++) {
        const url = `https://f.test/${i % 2 ? "odd" : "even"}/${i}`;
        const check_frequency = i % 3 ? "daily" : "hourly";
        const id = await addLink(me, { url, check_frequency, ...(i % 5 && { group_id: old }) });
        const [status, service] = [
          i % 4 < 2 ? "dead" : "active",
          i % 6 ? "generic" : "youtube",
        ] as const;
        await setLink(server(), id, { status, service });
        if (i % 7 === 0) await me.post(`${LINKS}/${id}/check`);
      }
      const listed = (await me.get(`${LINKS}?per_page=100&${query}`)).body.data.items;

      const steps = await inSteps(me, { filter, change: { group_id: fresh } });

      const moved = (await me.get(`${LINKS}?per_page=100&group_id=${fresh}`)).body.data.items;
      const idsOf = (links: Parsed[]) => links.map(({ id }) => id);
      expect(listed.length).toBeGreaterThan(0);
      expect(idsOf(moved)).toEqual(idsOf(listed));
      expect(steps.map(({ summary }) => summary)).toEqual([
        { total: listed.length, changed: listed.length, unchanged: 0, failed: 0 },
      ]);
    },
    30_000,
  );

  test("takes nothing of a stranger, and nothing where nothing fits", async () => {
    const [me, stranger] = [await server().account(), await server().account()];
    const theirs = await addGroup(stranger);
    const link = await addLink(stranger, { group_id: theirs });

    for (const filter of [{}, { group_id: theirs }, { group_id: NO_ID }, { search: "nowhere" }]) {
      const { body } = await me.post(path, { filter, change: { check_frequency: "hourly" } });
      const summary = { total: 0, changed: 0, unchanged: 0, failed: 0 };
      expect(body.data).toEqual({ summary, results: [], next: null });
    }
    expect((await linkOf(stranger, link)).check_frequency).toBe("daily");
  });

  test("happens once for one idempotency key, by ids and by filter", async () => {
    const me = await server().account();
    const link = await addLink(me);
    const change = { check_frequency: "weekly" };

    for (const which of [{ link_ids: [link] }, { filter: {} }]) {
      await setLink(server(), link, { checkFrequency: "daily" });
      const first = await me.post(path, { ...which, change }, key(Object.keys(which)[0]!));
      const second = await me.post(path, { ...which, change }, key(Object.keys(which)[0]!));
      expect(first.body.data.summary.changed).toBe(1);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
    }
  });

  test("a stranger's group is not found", async () => {
    const me = await server().account();
    const group_id = await addGroup(await server().account());

    const { body } = await me.post(path, { link_ids: [await addLink(me)], change: { group_id } });

    expect(body.error.details.fields).toEqual({ "change.group_id": ["no such group"] });
  });
});
