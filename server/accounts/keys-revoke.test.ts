import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addKey, WRITE_ONLY } from "../../tests/keys/asking.ts";

onServer("DELETE /keys/{id}", (server) => {
  test("a client that still uses the key learns that it was revoked", async () => {
    const me = await server().account();
    const key = await addKey(server(), me);

    const { status, body } = await me.delete(`/api/v1/keys/${key.id}`);

    expect([status, body]).toEqual([204, ""]);
    const refused = await key.get("/api/v1/links");
    expect(refused.status).toBe(401);
    expect(refused.body.error.code).toBe("REVOKED_API_KEY");
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer realm="api", error="invalid_token"',
    );
  });

  test("cannot be undone, nor done twice", async () => {
    const me = await server().account();
    const { id } = await addKey(server(), me);
    await me.delete(`/api/v1/keys/${id}`);

    expect((await me.delete(`/api/v1/keys/${id}`)).status).toBe(404);
    expect((await me.patch(`/api/v1/keys/${id}`, { name: "again" })).status).toBe(404);
    expect((await me.post(`/api/v1/keys/${id}/rotate`)).status).toBe(404);
  });

  test("a key that is revoked and expired counts as revoked", async () => {
    const me = await server().account();
    const expires_at = new Date(server().clock.now() + 1000).toISOString();
    const key = await addKey(server(), me, { expires_at });
    await me.delete(`/api/v1/keys/${key.id}`);
    server().clock.moveBy(2000);

    expect((await key.get("/api/v1/links")).body.error.code).toBe("REVOKED_API_KEY");
  });

  test("a key may revoke itself, and one that it could not make", async () => {
    const me = await server().account();
    const full = await addKey(server(), me);
    const writer = await addKey(server(), me, WRITE_ONLY);

    expect((await writer.delete(`/api/v1/keys/${full.id}`)).status).toBe(204);
    expect((await writer.delete(`/api/v1/keys/${writer.id}`)).status).toBe(204);
    expect((await writer.post("/api/v1/groups", { name: "a" })).status).toBe(401);
  });

  test("a stranger's key lives on", async () => {
    const me = await server().account();
    const foreign = await addKey(server(), await server().account());

    expect((await me.delete(`/api/v1/keys/${foreign.id}`)).status).toBe(403);
    expect((await foreign.get("/api/v1/links")).status).toBe(200);
  });
});
