import { expect } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addKey, WRITE_ONLY } from "../../tests/keys/asking.ts";

onServer("POST /keys/{id}/rotate", (server, { test, testOnBoth }) => {
  test("the key keeps its id and settings and has a new value, shown once", async () => {
    const me = await server().account();
    const old = await addKey(server(), me, { name: "ci", expires_at: "2031-01-01" });
    const before = (await me.get(`/api/v1/keys/${old.id}`)).body.data;
    server().clock.moveBy(1000);

    const { status, headers, body } = await me.post(`/api/v1/keys/${old.id}/rotate`);

    expect([status, headers.get("location")]).toEqual([200, null]);
    const { key, ...record } = body.data;
    expect(key).not.toBe(old.key);
    expect(record).toEqual({
      ...before,
      prefix: key.slice(0, 9),
      updated_at: new Date(server().clock.now()).toISOString(),
    });
    expect((await server().asker(key).get("/api/v1/links")).status).toBe(200);
  });

  testOnBoth(
    "the old value is unknown from then on, however often the key is rotated",
    async () => {
      const me = await server().account();
      const old = await addKey(server(), me);
      const second = (await me.post(`/api/v1/keys/${old.id}/rotate`)).body.data.key;
      await me.post(`/api/v1/keys/${old.id}/rotate`);

      for (const asker of [old, server().asker(second)]) {
        const { status, body } = await asker.get("/api/v1/links");
        expect([status, body.error.code]).toEqual([401, "INVALID_API_KEY"]);
      }
    },
  );

  testOnBoth("the old value works for as long as it was given, and only the last one", async () => {
    const me = await server().account();
    const old = await addKey(server(), me);
    const rotate = async (grace_period_seconds: number) =>
      (await me.post(`/api/v1/keys/${old.id}/rotate`, { grace_period_seconds })).body.data.key;
    const looks = async (...keys: string[]) => {
      const replies = keys.map((key) => server().asker(key).get("/api/v1/links"));
      return (await Promise.all(replies)).map(({ status }) => status);
    };

    const second = await rotate(3600);
    expect(await looks(old.key, second)).toEqual([200, 200]);
    server().clock.moveBy(3_600_000);
    expect(await looks(old.key, second)).toEqual([401, 200]);

    const third = await rotate(3600);
    const fourth = await rotate(3600);
    expect(await looks(second, third, fourth)).toEqual([401, 200, 200]);
    const fifth = await rotate(0);
    expect(await looks(third, fourth, fifth)).toEqual([401, 401, 200]);
    const tooLong = { grace_period_seconds: 604_801 };
    expect((await me.post(`/api/v1/keys/${old.id}/rotate`, tooLong)).status).toBe(400);
    await me.delete(`/api/v1/keys/${old.id}`);
    expect(await looks(fifth)).toEqual([401]);
  });

  test("a key may rotate itself", async () => {
    const me = await server().account();

    const old = await addKey(server(), me);
    const { body } = await old.post(`/api/v1/keys/${old.id}/rotate`);

    expect((await server().asker(body.data.key).get("/api/v1/links")).status).toBe(200);
    expect((await old.get("/api/v1/links")).status).toBe(401);
  });

  test("an expired key can be rotated, and stays expired", async () => {
    const me = await server().account();
    const expires_at = new Date(server().clock.now() + 1000).toISOString();
    const { id } = await addKey(server(), me, { expires_at });
    server().clock.moveBy(1000);

    const { body } = await me.post(`/api/v1/keys/${id}/rotate`);

    const refused = await server().asker(body.data.key).get("/api/v1/links");
    expect(refused.body.error.code).toBe("EXPIRED_API_KEY");
  });

  test("a key that expires takes over none that expires later or never", async () => {
    const me = await server().account();
    const brief = await addKey(server(), me, { expires_at: "2031-01-01" });
    const [later, never, equal] = [
      await addKey(server(), me, { expires_at: "2032-01-01" }),
      await addKey(server(), me),
      await addKey(server(), me, { expires_at: "2031-01-01" }),
    ];
    const rotate = ({ id }: { id: string }) => brief.post(`/api/v1/keys/${id}/rotate`);

    for (const { status, body } of [await rotate(later), await rotate(never)]) {
      expect([status, body.error.details.reason]).toEqual([403, "exceeds_caller"]);
    }
    expect((await never.get("/api/v1/links")).status).toBe(200);
    expect((await rotate(equal)).status).toBe(200);
    const { body } = await rotate(brief);
    expect(body.data.expires_at).toBe("2031-01-01T00:00:00.000Z");
  });

  test("a caller cannot take over a permission that they lack", async () => {
    const me = await server().account();
    const full = await addKey(server(), me);
    const writer = await addKey(server(), me, WRITE_ONLY);

    const { status, body } = await writer.post(`/api/v1/keys/${full.id}/rotate`);

    expect(status).toBe(403);
    expect(body.error.details).toEqual({ reason: "exceeds_caller" });
    expect((await full.get("/api/v1/links")).status).toBe(200);
  });

  testOnBoth("of ten at once, only values that were never replaced still work", async () => {
    const me = await server().account();
    const { id } = await addKey(server(), me);

    const rotations = await Promise.all(
      Array.from({ length: 10 }, () => me.post(`/api/v1/keys/${id}/rotate`)),
    );

    const shown = rotations.filter(({ status }) => status === 200).map(({ body }) => body.data.key);
    const looks = await Promise.all(shown.map((key) => server().asker(key).get("/api/v1/links")));
    expect(looks.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(rotations.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
  });

  test("an unknown key is not found, a stranger's is forbidden", async () => {
    const me = await server().account();
    const foreign = await addKey(server(), await server().account());

    expect((await me.post("/api/v1/keys/x/rotate")).status).toBe(404);
    expect((await me.post(`/api/v1/keys/${foreign.id}/rotate`)).status).toBe(403);
    expect((await foreign.get("/api/v1/links")).status).toBe(200);
  });
});
