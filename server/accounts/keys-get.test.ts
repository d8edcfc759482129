import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";

onServer("GET /keys/{id}", (server) => {
  test("tells the key without its value, the id in either case", async () => {
    const me = await server().account();
    const { id, key } = await addKey(server(), me, { name: "ci" });

    const { status, body } = await me.get(`/api/v1/keys/${id.toUpperCase()}`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, name: "ci", prefix: key.slice(0, 9) });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test("a stranger's key is forbidden, and a revoked one not found", async () => {
    const me = await server().account();
    const foreign = await addKey(server(), await server().account());
    const revoked = await addKey(server(), me);
    await me.delete(`/api/v1/keys/${revoked.id}`);

    expect((await me.get(`/api/v1/keys/${foreign.id}`)).status).toBe(403);
    expect((await me.get(`/api/v1/keys/${revoked.id}`)).status).toBe(404);
  });
});
