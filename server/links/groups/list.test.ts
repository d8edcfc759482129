import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";

onServer("GET /groups", (server) => {
  test("an account without groups has an empty list", async () => {
    const me = await server().account();

    const { status, body } = await me.get("/api/v1/groups");

    expect(status).toBe(200);
    expect(body.data).toEqual({
      items: [],
      pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 },
    });
  });

  test("the newest group comes first, each with its own count", async () => {
    const me = await server().account();
    const first = await addGroup(me);
    server().clock.moveBy(1000);
    const second = await addGroup(me);
    await addLink(me, { group_id: first });

    const { body } = await me.get("/api/v1/groups");

    const seen = body.data.items.map((group: { id: string; link_count: number }) => [
      group.id,
      group.link_count,
    ]);
    expect(seen).toEqual([
      [second, 0],
      [first, 1],
    ]);
  });

  test("each group tells how many of its links are alive, dead and unknown", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const inGroup = { group_id: group };
    const dead = [await addLink(me, inGroup), await addLink(me, inGroup)];
    for (const id of dead) await setLink(server(), id, { status: "dead" });
    await setLink(server(), await addLink(me, inGroup), { status: "active" });
    await addLink(me, inGroup);

    const { body } = await me.get("/api/v1/groups");

    const counts = { active: 1, dead: 2, unknown: 1 };
    expect(body.data.items[0]).toMatchObject({ link_count: 4, counts });
  });

  test("is searched, and sorted by name, dead links or links", async () => {
    const me = await server().account();
    const named = (name: string) => me.post("/api/v1/groups", { name });
    const [press, docs] = [await named("Press"), await named("docs of the press")];
    await named("Clients");
    const links = [press, press, docs].map(({ body }) =>
      addLink(me, { group_id: body.data.id as string }),
    );
    await setLink(server(), (await Promise.all(links))[2]!, { status: "dead" });
    const shown = async (query: string) => {
      const { body } = await me.get(`/api/v1/groups?${query}`);
      return body.data.items.map((group: { name: string }) => group.name);
    };

    expect(await shown("search=PRESS&sort=name")).toEqual(["docs of the press", "Press"]);
    expect(await shown("sort=name")).toEqual(["Clients", "docs of the press", "Press"]);
    expect((await shown("sort=-links"))[0]).toBe("Press");
    expect((await shown("sort=-dead"))[0]).toBe("docs of the press");
    expect(await shown("search=100%25")).toEqual([]);
  });

  test("is paged", async () => {
    const me = await server().account();
    for (let i = 0; i < 5; i++) await addGroup(me);

    const last = await me.get("/api/v1/groups?page=3&per_page=2");

    expect(last.body.data.items).toHaveLength(1);
    expect(last.body.data.pagination).toEqual({ page: 3, per_page: 2, total: 5, total_pages: 3 });
  });

  test("holds nothing of a stranger's", async () => {
    const me = await server().account();
    await addGroup(await server().account());

    expect((await me.get("/api/v1/groups")).body.data.items).toEqual([]);
  });
});
