import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";

onServer("GET /keys", (server) => {
  test("lists the live keys, newest first, without their values", async () => {
    const me = await server().account();
    server().clock.moveBy(1000);
    const revoked = await addKey(server(), me, { name: "revoked" });
    await addKey(server(), me, { name: "expiring", expires_at: "2039-01-01" });
    await me.delete(`/api/v1/keys/${revoked.id}`);

    const { status, body } = await me.get("/api/v1/keys");

    expect(status).toBe(200);
    expect(body.data.items.map((key: { name: string }) => key.name)).toEqual(["expiring", "test"]);
    expect(body.data.pagination.total).toBe(2);
    expect(JSON.stringify(body)).not.toContain(me.key);
    expect(body.data.items[0]).not.toHaveProperty("key");
  });

  test("an expired key stays in the list", async () => {
    const me = await server().account();
    await addKey(server(), me, { expires_at: new Date(server().clock.now() + 1000).toISOString() });
    server().clock.moveBy(2000);

    expect((await me.get("/api/v1/keys")).body.data.items).toHaveLength(2);
  });

  test("is paged, and contains no stranger's key", async () => {
    const me = await server().account();
    await server().account();
    for (let i = 0; i < 4; i++) await addKey(server(), me);

    const { body } = await me.get("/api/v1/keys?page=2&per_page=3");

    expect(body.data.items).toHaveLength(2);
    expect(body.data.pagination).toEqual({ page: 2, per_page: 3, total: 5, total_pages: 2 });
  });
});
