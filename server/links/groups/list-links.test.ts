import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";

const idsIn = (body: { data: { items: { id: string }[] } }) => body.data.items.map(({ id }) => id);

onServer("GET /groups/{id}/links", (server) => {
  test("lists the links of the group as full records, newest first", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const first = await addLink(me, { group_id: group });
    server().clock.moveBy(1000);
    const second = await addLink(me, { group_id: group });
    await addLink(me);

    const { status, body } = await me.get(`/api/v1/groups/${group}/links`);

    expect(status).toBe(200);
    expect(idsIn(body)).toEqual([second, first]);
    const [, record] = (await me.get("/api/v1/links")).body.data.items;
    expect(body.data.items[0]).toEqual(record);
  });

  test("can be narrowed to a status, counts included", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const dead = await addLink(me, { group_id: group });
    const checking = await addLink(me, { group_id: group });
    await setLink(server(), dead, { status: "dead" });
    await me.post(`/api/v1/links/${checking}/check`);

    const path = `/api/v1/groups/${group}/links?status=`;
    const [deads, checkings, unknowns] = [
      await me.get(`${path}dead`),
      await me.get(`${path}checking`),
      await me.get(`${path}unknown`),
    ];

    expect([idsIn(deads.body), idsIn(checkings.body), idsIn(unknowns.body)]).toEqual([
      [dead],
      [checking],
      [],
    ]);
    expect(deads.body.data.pagination.total).toBe(1);
    expect(unknowns.body.data.pagination.total).toBe(0);
  });

  test("is paged, and links to other pages keep the filter", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    for (let i = 0; i < 3; i++) await addLink(me, { group_id: group });

    const path = `/api/v1/groups/${group}/links`;
    const { headers, body } = await me.get(`${path}?status=unknown&per_page=2`);

    expect(body.data.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
    expect(headers.get("link")).toContain(`<${path}?status=unknown&per_page=2&page=2>; rel="next"`);
  });

  test("refuses a status that no link has", async () => {
    const me = await server().account();

    const { status, body } = await me.get(`/api/v1/groups/${await addGroup(me)}/links?status=gone`);

    expect(status).toBe(400);
    expect(body.error.details.fields.status).toEqual([
      "must be one of: active, dead, unknown, checking",
    ]);
  });

  test("an unknown group is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addGroup(await server().account());

    expect((await me.get("/api/v1/groups/x/links")).status).toBe(404);
    expect((await me.get(`/api/v1/groups/${foreign}/links`)).status).toBe(403);
  });
});
