import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink } from "../../../tests/rows.ts";

onServer("PATCH /groups/{id}", (server) => {
  test("changes what is given and keeps the rest", async () => {
    const me = await server().account();
    const group = await addGroup(me, "Docs");
    await addLink(me, { group_id: group });
    server().clock.moveBy(1000);

    const { status, body } = await me.patch(`/api/v1/groups/${group}`, { color: "#abcdef" });

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: "Docs", color: "#ABCDEF", link_count: 1 });
    expect(body.data.updated_at > body.data.created_at).toBe(true);
    expect((await me.get(`/api/v1/groups/${group}`)).body).toEqual(body);
  });

  test("null takes the description away", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const path = `/api/v1/groups/${group}`;
    await me.patch(path, { description: "about" });

    const kept = await me.patch(path, { name: "Other" });
    const cleared = await me.patch(path, { description: null });

    expect(kept.body.data.description).toBe("about");
    expect(cleared.body.data.description).toBeNull();
  });

  test("an empty change changes nothing, not even the moment of the last one", async () => {
    const me = await server().account();
    const path = `/api/v1/groups/${await addGroup(me)}`;
    const before = await me.get(path);
    server().clock.moveBy(1000);

    for (const change of [{}, { unknown: 1 }]) {
      const { status, body } = await me.patch(path, change);
      expect([status, body]).toEqual([200, before.body]);
    }
  });

  test("an unknown group is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addGroup(await server().account());

    expect((await me.patch("/api/v1/groups/x", { name: "a" })).status).toBe(404);
    expect((await me.patch(`/api/v1/groups/${foreign}`, { name: "a" })).status).toBe(403);
  });
});
