import { expect, test } from "bun:test";
import { NO_ID } from "../../../tests/bad-values.ts";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";

onServer("POST /groups/{id}/links", (server) => {
  test("moves links from anywhere and reports the outcome of each", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [group, other] = [await addGroup(me), await addGroup(me)];
    const free = await addLink(me);
    const elsewhere = await addLink(me, { group_id: other });
    const there = await addLink(me, { group_id: group });
    const foreign = await addLink(stranger);

    const { status, body } = await me.post(`/api/v1/groups/${group}/links`, {
      link_ids: [free, elsewhere, there, foreign, NO_ID],
    });

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      group_id: group,
      summary: { total: 5, moved: 2, unchanged: 1, failed: 2 },
      results: [
        { id: free, status: "moved" },
        { id: elsewhere, status: "moved" },
        { id: there, status: "unchanged" },
        { id: foreign, status: "failed", error: { code: "FORBIDDEN", status: 403 } },
        { id: NO_ID, status: "failed", error: { code: "NOT_FOUND", status: 404 } },
      ],
    });
  });

  test("changes the links, the counts of both groups, and nothing of a stranger's", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const [group, other] = [await addGroup(me), await addGroup(me)];
    const link = await addLink(me, { group_id: other });
    await setLink(server(), link, { status: "dead" });
    const foreign = await addLink(stranger);

    await me.post(`/api/v1/groups/${group}/links`, { link_ids: [link, foreign] });

    expect((await me.get(`/api/v1/links/${link}`)).body.data.group_id).toBe(group);
    expect((await me.get(`/api/v1/groups/${group}`)).body.data.link_count).toBe(1);
    expect((await me.get(`/api/v1/groups/${other}`)).body.data.link_count).toBe(0);
    expect(
      (await me.get(`/api/v1/groups/${group}/links?status=dead`)).body.data.items,
    ).toHaveLength(1);
    expect((await stranger.get(`/api/v1/links/${foreign}`)).body.data.group_id).toBeNull();
  });

  test("an id given twice counts once, in either case", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me);

    const { body } = await me.post(`/api/v1/groups/${group}/links`, {
      link_ids: [link, link.toUpperCase(), link],
    });

    expect(body.data.results).toEqual([{ id: link, status: "moved" }]);
  });

  test("what is there already is left alone", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });
    const before = await me.get(`/api/v1/links/${link}`);
    server().clock.moveBy(1000);

    const { body } = await me.post(`/api/v1/groups/${group}/links`, { link_ids: [link] });

    expect(body.data.summary).toEqual({ total: 1, moved: 0, unchanged: 1, failed: 0 });
    expect((await me.get(`/api/v1/links/${link}`)).body).toEqual(before.body);
  });

  test("a thousand links can be moved, and no more", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const links = Array.from({ length: 1000 }, (_, i) => ({ url: `https://example.org/${i}` }));
    const made = await me.post("/api/v1/links/batch", { links });
    const ids: string[] = made.body.data.results.map((r: { link: { id: string } }) => r.link.id);

    const path = `/api/v1/groups/${group}/links`;
    const moved = await me.post(path, { link_ids: ids });
    const refused = await me.post(path, { link_ids: [...ids, NO_ID] });

    expect(moved.body.data.summary.moved).toBe(1000);
    expect(refused.body.error.details.fields).toEqual({
      link_ids: ["must have at most 1000 items"],
    });
  });

  test("a key repeats the answer without moving anything back", async () => {
    const me = await server().account();
    const [group, other] = [await addGroup(me), await addGroup(me)];
    const link = await addLink(me);
    const once = { "idempotency-key": "move" };
    const move = () => me.post(`/api/v1/groups/${group}/links`, { link_ids: [link] }, once);
    const first = await move();
    await me.patch(`/api/v1/links/${link}`, { group_id: other });

    const second = await move();

    expect(second.body).toEqual(first.body);
    expect((await me.get(`/api/v1/links/${link}`)).body.data.group_id).toBe(other);
  });

  test("an unknown group is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addGroup(await server().account());
    const body = { link_ids: [await addLink(me)] };

    expect((await me.post("/api/v1/groups/x/links", body)).status).toBe(404);
    expect((await me.post(`/api/v1/groups/${foreign}/links`, body)).status).toBe(403);
  });
});
