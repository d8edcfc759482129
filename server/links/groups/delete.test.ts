import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink } from "../../../tests/rows.ts";
import { groups, linkCounts } from "../../ground/db/tables.ts";

onServer("DELETE /groups/{id}", (server, { test, testOnBoth }) => {
  test("keeps the links, which become ungrouped", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const link = await addLink(me, { group_id: group });

    const { status, body } = await me.delete(`/api/v1/groups/${group}`);

    expect([status, body]).toEqual([204, ""]);
    expect((await me.get(`/api/v1/links/${link}`)).body.data.group_id).toBeNull();
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(1);
    expect((await me.get("/api/v1/account")).body.data.limits.linksUsed).toBe(1);
  });

  test("frees more links than it does in one step", async () => {
    const me = await server().account();
    const group_id = await addGroup(me);
    const urls = Array.from({ length: 501 }, (_, i) => `https://example.org/${i}`);
    await me.post("/api/v1/links/batch", { links: urls.map((url) => ({ url, group_id })) });

    expect((await me.delete(`/api/v1/groups/${group_id}`)).status).toBe(204);

    const { data } = (await me.get("/api/v1/links")).body;
    expect([data.pagination.total, data.items[0].group_id]).toEqual([501, null]);
  });

  test("leaves no count of a group that is gone", async () => {
    const me = await server().account();
    const { store } = server().deps;
    const group = await addGroup(me);
    await addLink(me, { group_id: group });
    const [row] = await store.select().from(groups).where(eq(groups.id, group));
    const counted = () => store.$count(linkCounts, eq(linkCounts.subject, row!.no));
    expect(await counted()).toBe(1);

    await me.delete(`/api/v1/groups/${group}`);

    expect(await counted()).toBe(0);
    expect((await me.get("/api/v1/links?status=unknown")).body.data.pagination.total).toBe(1);
  });

  test("is done once: the group is not found afterwards", async () => {
    const me = await server().account();
    const path = `/api/v1/groups/${await addGroup(me)}`;
    await me.delete(path);

    const again = await me.delete(path);

    expect(again.status).toBe(404);
    expect((await me.get(path)).status).toBe(404);
    expect((await me.get(`${path}/links`)).status).toBe(404);
  });

  test("a stranger's group stays", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const path = `/api/v1/groups/${await addGroup(stranger)}`;

    expect((await me.delete(path)).status).toBe(403);
    expect((await stranger.get(path)).status).toBe(200);
  });

  testOnBoth("while links are made in it never breaks anything", async () => {
    const me = await server().account();
    const group = await addGroup(me);

    const made = Array.from({ length: 20 }, (_, i) =>
      me.post("/api/v1/links", { url: `https://example.org/race/${i}`, group_id: group }),
    );
    const deleted = await me.delete(`/api/v1/groups/${group}`);
    const statuses = (await Promise.all(made)).map(({ status }) => status);

    expect(deleted.status).toBe(204);
    expect(statuses.filter((status) => ![201, 400, 409].includes(status))).toEqual([]);
    expect((await me.get(`/api/v1/links?group_id=${group}`)).body.data.pagination.total).toBe(0);
  });
});
