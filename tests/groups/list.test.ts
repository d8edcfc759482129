import { expect, test } from "bun:test";
import { onBothEngines } from "../harness.ts";
import { addGroup, addLink } from "../rows.ts";

onBothEngines("GET /groups", (server) => {
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

  test("is told in pages", async () => {
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
