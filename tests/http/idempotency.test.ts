import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { hashToken } from "../../server/lib/token.ts";
import { idempotencyKeys } from "../../server/store/tables.ts";
import { type Asker, onBothEngines, type TestServer } from "../harness.ts";
import { addKey } from "../keys/asking.ts";
import { addGroup, addLink, anyUrl } from "../rows.ts";

const path = "/api/v1/groups";
const HOUR = 3_600_000;
const key = (text: string) => ({ "idempotency-key": text });

/** Holds back the next write of the server until it is let go, or makes it fail. */
function holdNextWrite({ deps: { store } }: TestServer) {
  const { write } = store;
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  store.write = async (statements) => {
    store.write = write;
    reached.resolve();
    await gate.promise;
    return write(statements);
  };
  return { reached: reached.promise, letGo: gate.resolve, fail: gate.reject };
}

onBothEngines("An idempotency key", (server) => {
  const countGroups = async (me: Asker) => (await me.get(path)).body.data.pagination.total;

  test("gives the same answer twice, headers included, and makes one thing", async () => {
    const me = await server().account();
    const ask = () => me.post(path, { name: "a" }, key("one"));
    const first = await ask();
    server().clock.moveBy(1000);

    const second = await ask();

    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(await countGroups(me)).toBe(1);
  });

  test("with another body is refused", async () => {
    const me = await server().account();
    await me.post(path, { name: "a" }, key("one"));

    const { status, body } = await me.post(path, { name: "b" }, key("one"));

    expect(status).toBe(409);
    expect(body.error.details).toEqual({ reason: "idempotency_key_reused" });
    expect(await countGroups(me)).toBe(1);
  });

  test("does not mind how the same JSON is laid out", async () => {
    const me = await server().account();
    await me.post(path, '{"name":"a"}', key("one"));

    const { headers } = await me.post(path, ' { "name" : "a" } ', key("one"));

    expect(headers.get("idempotent-replayed")).toBe("true");
  });

  test("belongs to one path and one account", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const link = { url: anyUrl() };

    expect((await me.post(path, { name: "a" }, key("one"))).status).toBe(201);
    expect((await me.post("/api/v1/links", link, key("one"))).status).toBe(201);
    expect((await stranger.post(path, { name: "a" }, key("one"))).status).toBe(201);
    const other = await addKey(server(), me);
    const replayed = await other.post(path, { name: "a" }, key("one"));
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  });

  test("fifty times at once makes one thing", async () => {
    const me = await server().account();
    const ask = () => me.post("/api/v1/links", { url: "https://example.org/fifty" }, key("one"));

    const replies = await Promise.all(Array.from({ length: 50 }, ask));

    const fresh = replies.filter(
      ({ status, headers }) => status === 201 && !headers.has("idempotent-replayed"),
    );
    expect(fresh).toHaveLength(1);
    for (const { status, body } of replies) {
      if (status === 201) expect(body).toEqual(fresh[0]!.body);
      else expect(body.error.details).toEqual({ reason: "in_progress" });
    }
    expect((await me.get("/api/v1/links")).body.data.pagination.total).toBe(1);
  });

  test("of a request that still runs is refused, and answered when it is done", async () => {
    const me = await server().account();
    const held = holdNextWrite(server());
    const first = me.post(path, { name: "a" }, key("one"));
    await held.reached;

    const meanwhile = await me.post(path, { name: "a" }, key("one"));
    held.letGo();

    expect([meanwhile.status, meanwhile.body.error.details]).toEqual([
      409,
      { reason: "in_progress" },
    ]);
    expect((await first).status).toBe(201);
    const again = await me.post(path, { name: "a" }, key("one"));
    expect(again.body).toEqual((await first).body);
  });

  test("of a request that failed on our side may be tried again", async () => {
    const me = await server().account();
    const held = holdNextWrite(server());
    held.fail(new Error("the disk is gone"));

    const failed = await me.post(path, { name: "a" }, key("one"));
    const again = await me.post(path, { name: "a" }, key("one"));

    expect([failed.status, again.status]).toEqual([500, 201]);
    expect(failed.body.error.message).not.toContain("disk");
    expect(await countGroups(me)).toBe(1);
  });

  test("of a request that was not valid may be used for a better one", async () => {
    const me = await server().account();

    expect((await me.post(path, { name: "" }, key("one"))).status).toBe(400);
    expect((await me.post("/api/v1/links/x/check", undefined, key("one"))).status).toBe(404);
    expect((await me.post(path, { name: "a" }, key("one"))).status).toBe(201);
  });

  test("keeps a conflict as well, even when its cause is gone", async () => {
    const me = await server().account();
    const url = anyUrl();
    const link = await addLink(me, { url });
    const ask = () => me.post("/api/v1/links", { url }, key("one"));
    const first = await ask();
    await me.delete(`/api/v1/links/${link}`);

    const second = await ask();

    expect([first.status, second.status]).toEqual([409, 409]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });

  test("holds for a day", async () => {
    const me = await server().account();
    const ask = () => me.post(path, { name: "a" }, key("one"));
    await ask();

    server().clock.moveBy(24 * HOUR);
    expect((await ask()).headers.get("idempotent-replayed")).toBe("true");
    server().clock.moveBy(1);
    expect((await ask()).headers.get("idempotent-replayed")).toBeNull();
    expect(await countGroups(me)).toBe(2);
  });

  test("of a request that died is free again after a minute", async () => {
    const me = await server().account();
    const now = server().clock.now();
    await server()
      .deps.store.insert(idempotencyKeys)
      .values({
        accountId: me.accountId,
        scope: hashToken(`POST ${path}`),
        key: "one",
        bodyHash: hashToken('{"name":"a","color":"#6B7280"}'),
        runningUntil: now + 60_000,
        createdAt: now,
      });

    const soon = await me.post(path, { name: "a" }, key("one"));
    server().clock.moveBy(60_001);
    const later = await me.post(path, { name: "a" }, key("one"));

    expect([soon.body.error.details.reason, later.status]).toEqual(["in_progress", 201]);
  });

  test("never keeps a secret: the replay says that it was done, and to what", async () => {
    const me = await server().account();
    const made = await me.post("/api/v1/keys", { name: "a" }, key("make"));
    const rotate = `/api/v1/keys/${made.body.data.id}/rotate`;
    await me.post(rotate, undefined, key("rotate"));
    const secretive = { url: "https://example.org/hook", events: ["link.dead"] };
    await me.post("/api/v1/webhooks", secretive, key("hook"));

    const replies = [
      await me.post("/api/v1/keys", { name: "a" }, key("make")),
      await me.post(rotate, undefined, key("rotate")),
      await me.post("/api/v1/webhooks", secretive, key("hook")),
    ];

    for (const { status, body } of replies)
      expect([status, body.error.details.reason]).toEqual([409, "secret_not_replayable"]);
    expect(replies[0]!.body.error.details.id).toBe(made.body.data.id);
    const rows = await server()
      .deps.store.select()
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.accountId, me.accountId));
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toMatch(/su_|whsec_/);
  });

  test.each([
    "links/batch",
    "links/batch-delete",
    "links/batch-change",
    "links/ID/check",
    "groups/ID/links",
  ])("works for %s", async (where) => {
    const me = await server().account();
    const [link, group] = [await addLink(me), await addGroup(me)];
    const target = `/api/v1/${where.replace("ID", where.startsWith("links") ? link : group)}`;
    const change = { check_frequency: "weekly" };
    const body = { links: [{ url: anyUrl() }], link_ids: [link], change };

    const first = await me.post(target, body, key("one"));
    const second = await me.post(target, body, key("one"));

    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });

  test.each(["x".repeat(256), "ä", "a\tb"])("is refused as %p", async (text) => {
    const me = await server().account();

    const { status, body } = await me.post(path, { name: "a" }, key(text));

    expect(status).toBe(400);
    expect(Object.keys(body.error.details.fields)).toEqual(["Idempotency-Key"]);
  });

  test("may have 255 characters, and a path of any length", async () => {
    const me = await server().account();
    const long = Array.from({ length: 300 }, () => crypto.randomUUID()).join("");

    expect((await me.post(path, { name: "a" }, key("~".repeat(255)))).status).toBe(201);
    expect((await me.post(`/api/v1/links/${long}/check`, undefined, key("one"))).status).toBe(404);
  });

  test("means nothing on other methods", async () => {
    const me = await server().account();
    const group = `${path}/${await addGroup(me)}`;

    for (const name of ["b", "c"]) {
      const { body } = await me.patch(group, { name }, key("one"));
      expect(body.data.name).toBe(name);
    }
  });
});
