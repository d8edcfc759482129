import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addKey, READ_ONLY, WRITE_ONLY } from "../../tests/keys/asking.ts";

onServer("PATCH /keys/{id}", (server) => {
  test("changes what is given and keeps the rest, the value included", async () => {
    const me = await server().account();
    const key = await addKey(server(), me, { name: "old", expires_at: "2031-01-01" });
    server().clock.moveBy(1000);

    const { status, body } = await me.patch(`/api/v1/keys/${key.id}`, { name: "new" });

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: "new", expires_at: "2031-01-01T00:00:00.000Z" });
    expect(body.data.updated_at > body.data.created_at).toBe(true);
    expect((await key.get("/api/v1/links")).status).toBe(200);
  });

  test("permissions are merged member by member and hold at once", async () => {
    const me = await server().account();
    const key = await addKey(server(), me);

    const { body } = await me.patch(`/api/v1/keys/${key.id}`, { permissions: { write: false } });

    expect(body.data.permissions).toEqual({ read: true, write: false });
    expect((await key.post("/api/v1/groups", { name: "a" })).status).toBe(403);
    expect((await key.get("/api/v1/groups")).status).toBe(200);
  });

  test("the last permission cannot be taken", async () => {
    const me = await server().account();
    const key = await addKey(server(), me, READ_ONLY);

    const { status, body } = await me.patch(`/api/v1/keys/${key.id}`, {
      permissions: { read: false },
    });

    expect(status).toBe(400);
    expect(body.error.details.fields).toEqual({ permissions: ["must allow read or write"] });
  });

  test("null takes the expiry away", async () => {
    const me = await server().account();
    const key = await addKey(server(), me, { expires_at: "2031-01-01" });

    const { body } = await me.patch(`/api/v1/keys/${key.id}`, { expires_at: null });

    expect(body.data.expires_at).toBeNull();
  });

  test("an empty change changes nothing, not even the moment of the last one", async () => {
    const me = await server().account();
    const path = `/api/v1/keys/${(await addKey(server(), me)).id}`;
    const before = await me.get(path);
    server().clock.moveBy(1000);

    const { status, body } = await me.patch(path, {});

    expect([status, body]).toEqual([200, before.body]);
  });

  test("a key may rename itself and narrow its own permissions and expiry, but not extend them", async () => {
    const me = await server().account();
    const key = await addKey(server(), me, { expires_at: "2031-01-01" });
    const change = async (body: object) => {
      const answer = await key.patch(`/api/v1/keys/${key.id.toUpperCase()}`, body);
      return answer.body.error?.details ?? answer.body.data;
    };
    const refused = { reason: "own_key" };

    expect(await change({ name: "me" })).toMatchObject({ name: "me" });
    expect(await change({ expires_at: null })).toEqual(refused);
    expect(await change({ expires_at: "2031-01-01T00:00:00.001Z", name: "x" })).toEqual(refused);
    expect(await change({ expires_at: "2030-06-01" })).toMatchObject({
      name: "me",
      expires_at: "2030-06-01T00:00:00.000Z",
    });
    expect(await change({ expires_at: "2030-07-01" })).toEqual(refused);
    expect(await change({ permissions: { read: false } })).toMatchObject({
      permissions: { read: false, write: true },
    });
    expect(await change({ permissions: { read: true } })).toEqual(refused);
    expect(await change({ permissions: { write: false } })).toEqual({
      fields: { permissions: ["must allow read or write"] },
    });
  });

  test("a key that never expires may give itself an expiry", async () => {
    const me = await server().account();
    const key = await addKey(server(), me);
    const path = `/api/v1/keys/${key.id}`;

    expect((await key.patch(path, { expires_at: "2030-06-01" })).status).toBe(200);
    expect((await key.patch(path, { expires_at: null })).status).toBe(403);
    expect((await key.patch(path, { permissions: { write: false } })).status).toBe(200);
    expect((await key.patch(path, { name: "x" })).status).toBe(403);
  });

  test("a key that expires lets no other key outlive it", async () => {
    const me = await server().account();
    const brief = await addKey(server(), me, { expires_at: "2031-01-01" });
    const other = await addKey(server(), me, { expires_at: "2030-06-01" });
    const change = async (expires_at: string | null) => {
      const { status, body } = await brief.patch(`/api/v1/keys/${other.id}`, { expires_at });
      return status === 200 ? body.data.expires_at : [status, body.error.details];
    };
    const refused = [403, { reason: "exceeds_caller", expires_at: "2031-01-01T00:00:00.000Z" }];

    expect(await change(null)).toEqual(refused);
    expect(await change("2031-01-01T00:00:00.001Z")).toEqual(refused);
    expect(await change("2031-01-01")).toBe("2031-01-01T00:00:00.000Z");
    expect(await change("2030-02-01")).toBe("2030-02-01T00:00:00.000Z");
  });

  test("a key that expires may change another that never does, but not its expiry to a later one", async () => {
    const me = await server().account();
    const brief = await addKey(server(), me, { expires_at: "2031-01-01" });
    const { id } = await addKey(server(), me);
    const path = `/api/v1/keys/${id}`;

    const renamed = await brief.patch(path, { name: "new", expires_at: null });
    const postponed = await brief.patch(path, { expires_at: "2032-01-01" });
    const shortened = await brief.patch(path, { expires_at: "2030-06-01" });

    expect([renamed.status, renamed.body.data.expires_at]).toEqual([200, null]);
    expect(postponed.status).toBe(403);
    expect([shortened.status, shortened.body.data.expires_at]).toEqual([
      200,
      "2030-06-01T00:00:00.000Z",
    ]);
  });

  test("a caller cannot grant a permission that they lack, nor change a key that has one", async () => {
    const me = await server().account();
    const [writer, other, full] = [
      await addKey(server(), me, WRITE_ONLY),
      await addKey(server(), me, WRITE_ONLY),
      await addKey(server(), me),
    ];

    const given = await writer.patch(`/api/v1/keys/${other.id}`, { permissions: { read: true } });
    const touched = await writer.patch(`/api/v1/keys/${full.id}`, { name: "mine" });
    const allowed = await writer.patch(`/api/v1/keys/${other.id}`, { name: "ours" });

    expect([given.status, touched.status, allowed.status]).toEqual([403, 403, 200]);
    expect(given.body.error.details).toEqual({ reason: "exceeds_caller" });
  });

  test("an unknown key is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addKey(server(), await server().account());

    expect((await me.patch("/api/v1/keys/x", { name: "a" })).status).toBe(404);
    expect((await me.patch(`/api/v1/keys/${foreign.id}`, { name: "a" })).status).toBe(403);
  });
});
