import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink } from "../../../tests/rows.ts";

onServer("GET /groups/{id}", (server) => {
  test("tells the group with the number of its links, whatever they show", async () => {
    const me = await server().account();
    const group = await addGroup(me, "Docs");
    const checked = await addLink(me, { group_id: group });
    await addLink(me, { group_id: group });
    await addLink(me);
    await me.post(`/api/v1/links/${checked}/check`);

    const { status, body } = await me.get(`/api/v1/groups/${group}`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: group, name: "Docs", link_count: 2 });
  });

  test("takes the id in either case", async () => {
    const me = await server().account();
    const group = await addGroup(me);

    const { body } = await me.get(`/api/v1/groups/${group.toUpperCase()}`);

    expect(body.data.id).toBe(group);
  });

  test("a stranger's group is forbidden", async () => {
    const me = await server().account();
    const stranger = await server().account();

    const { status, body } = await me.get(`/api/v1/groups/${await addGroup(stranger)}`);

    expect(status).toBe(403);
    expect(body.error.code).toBe("FORBIDDEN");
  });
});
