import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";

onServer("GET /groups/none", (server) => {
  test("counts the links that are in no group, by what they are", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    await addLink(me, { group_id: group });
    await addLink(me);
    await setLink(server(), await addLink(me), { status: "dead" });
    await addLink(await server().account());

    const { status, body } = await me.get("/api/v1/groups/none");

    expect(status).toBe(200);
    expect(body.data).toEqual({ link_count: 2, counts: { active: 0, dead: 1, unknown: 1 } });
  });

  test("counts those of a deleted group as well", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    await addLink(me, { group_id: group });
    await me.delete(`/api/v1/groups/${group}`);

    const { body } = await me.get("/api/v1/groups/none");

    expect(body.data.link_count).toBe(1);
  });

  test("is zero where there is nothing", async () => {
    const me = await server().account();

    const { body } = await me.get("/api/v1/groups/none");

    expect(body.data).toEqual({ link_count: 0, counts: { active: 0, dead: 0, unknown: 0 } });
  });
});
