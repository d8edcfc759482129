import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addCheck, addGroup, addLink } from "../../tests/rows.ts";

const path = "/api/v1/links";

onServer("DELETE /links/{id}", (server) => {
  test("takes the link, its history and its place in every count", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });
    await addCheck(server(), me, link);

    const { status, headers, body } = await me.delete(`${path}/${link}`);

    expect([status, body, headers.get("content-type")]).toEqual([204, "", null]);
    expect((await me.get(path)).body.data.pagination.total).toBe(0);
    expect((await me.get("/api/v1/history")).body.data.pagination.total).toBe(0);
    expect((await me.get(`/api/v1/groups/${group}`)).body.data.link_count).toBe(0);
    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(0);
  });

  test("is done once: the link is not found afterwards", async () => {
    const me = await server().account();
    const link = `${path}/${await addLink(me)}`;
    await me.delete(link);

    expect((await me.delete(link)).status).toBe(404);
    expect((await me.get(link)).status).toBe(404);
    expect((await me.get(`${link}/history`)).status).toBe(404);
    expect((await me.post(`${link}/check`)).status).toBe(404);
  });

  test("a stranger's link stays", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const link = `${path}/${await addLink(stranger)}`;

    expect((await me.delete(link)).status).toBe(403);
    expect((await stranger.get(link)).status).toBe(200);
  });
});
