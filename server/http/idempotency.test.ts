import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";
import { addGroup, addLink, anyUrl } from "../../tests/rows.ts";
import { createService } from "../app/app.ts";
import { createDeps } from "../app/build.ts";
import { createStore } from "../ground/db/store.ts";
import { idempotencyKeys } from "../ground/db/tables.ts";

const path = "/api/v1/groups";
const HOUR = 3_600_000;
const key = (text: string) => ({ "idempotency-key": text });

/** Delays the next transaction of the server until it is released, or makes it fail. */
function holdNextTransaction({ deps: { store } }: TestServer) {
  const { transaction } = store;
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  store.transaction = async (work) => {
    store.transaction = transaction;
    reached.resolve();
    await gate.promise;
    return transaction(work);
  };
  return { reached: reached.promise, release: gate.resolve, fail: gate.reject };
}

/** Commits the next transaction of the server but does not return, as if the process died right after it. */
function stopAfterNextTransaction({ deps: { store } }: TestServer): Promise<void> {
  const { transaction } = store;
  const committed = Promise.withResolvers<void>();
  store.transaction = async (work) => {
    store.transaction = transaction;
    await transaction(work).then(() => committed.resolve(), committed.reject);
    return new Promise(() => {});
  };
  return committed.promise;
}

/** Another process on the same database: another node, or the same one after a restart. */
async function otherProcess({ deps, config, clock }: TestServer, { key }: Asker) {
  const { front } = await createService(createDeps(config, createStore(deps.store.engine), clock));
  return {
    async post(path: string, body: unknown, headers: Record<string, string>) {
      const all = { authorization: `Bearer ${key}`, ...(body !== undefined && JSON_BODY) };
      const response = await front(
        new Request(`http://127.0.0.1${path}`, {
          method: "POST",
          headers: { ...all, ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Parsed,
      };
    },
  };
}

const JSON_BODY = { "content-type": "application/json" };

onServer("An idempotency key", (server, { test, testOnBoth }) => {
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

  testOnBoth("fifty times at once makes one thing", async () => {
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
    const held = holdNextTransaction(server());
    const first = me.post(path, { name: "a" }, key("one"));
    await held.reached;

    const meanwhile = await me.post(path, { name: "a" }, key("one"));
    held.release();

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
    const held = holdNextTransaction(server());
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

  test("of a process that died before the change is free at once", async () => {
    const me = await server().account();
    const held = holdNextTransaction(server());
    void me.post(path, { name: "a" }, key("one")).catch(() => {});
    await held.reached;

    const again = await (await otherProcess(server(), me)).post(path, { name: "a" }, key("one"));

    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(await countGroups(me)).toBe(1);
    held.fail(new Error("the process is gone"));
  });

  test("of a process that died after the change, before it answered, gives its answer", async () => {
    const me = await server().account();
    const written = stopAfterNextTransaction(server());
    void me.post(path, { name: "a" }, key("one")).catch(() => {});
    await written;

    const again = await (await otherProcess(server(), me)).post(path, { name: "a" }, key("one"));

    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect((await me.get(path)).body.data.items).toEqual([again.body.data]);
  });

  testOnBoth(
    "of a process that is still busy makes one thing, and both get the same answer",
    async () => {
      const me = await server().account();
      const other = await otherProcess(server(), me);
      const held = holdNextTransaction(server());
      const slow = me.post(path, { name: "a" }, key("one"));
      await held.reached;

      const quick = await other.post(path, { name: "a" }, key("one"));
      held.release();

      expect([quick.status, quick.headers.get("idempotent-replayed")]).toEqual([201, null]);
      expect((await slow).headers.get("idempotent-replayed")).toBe("true");
      expect([(await slow).status, (await slow).body]).toEqual([201, quick.body]);
      expect(await countGroups(me)).toBe(1);
    },
  );

  test("of a process that is still busy is refused with another body", async () => {
    const me = await server().account();
    const other = await otherProcess(server(), me);
    const held = holdNextTransaction(server());
    const slow = me.post(path, { name: "a" }, key("one"));
    await held.reached;

    const here = await me.post(path, { name: "b" }, key("one"));
    await other.post(path, { name: "c" }, key("one"));
    held.release();

    for (const { status, body } of [here, await slow]) {
      expect([status, body.error.details]).toEqual([409, { reason: "idempotency_key_reused" }]);
    }
    expect(await countGroups(me)).toBe(1);
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

  const ROUTES = [
    "links",
    "links/batch",
    "links/batch-delete",
    "links/batch-change",
    "links/check",
    "links/ID/check",
    "groups",
    "groups/ID/links",
  ];
  async function requestOf(me: Asker, where: string): Promise<[path: string, body: object]> {
    const [link, group] = [await addLink(me), await addGroup(me)];
    const target = `/api/v1/${where.replace("ID", where.startsWith("links") ? link : group)}`;
    const many = { links: [{ url: anyUrl() }], change: { check_frequency: "weekly" } };
    return [target, { name: "a", url: anyUrl(), link_ids: [link], ...many }];
  }

  test.each(ROUTES)("works for %s", async (where) => {
    const me = await server().account();
    const request = await requestOf(me, where);

    const first = await me.post(...request, key("one"));
    const second = await me.post(...request, key("one"));

    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });

  testOnBoth.each(ROUTES)("of two processes at once makes one change by %s", async (where) => {
    const me = await server().account();
    const other = await otherProcess(server(), me);
    const request = await requestOf(me, where);

    const replies = await Promise.all([
      me.post(...request, key("one")),
      other.post(...request, key("one")),
    ]);

    const [one, two] = replies.map(({ status, body }) => [status, body]);
    expect(one).toEqual(two);
    const replayed = replies.filter(({ headers }) => headers.has("idempotent-replayed"));
    expect(replayed).toHaveLength(1);
  });

  testOnBoth("of two processes at once hands out one secret", async () => {
    const me = await server().account();
    const other = await otherProcess(server(), me);
    const both = (target: string, body?: object) =>
      Promise.all([me.post(target, body, key("one")), other.post(target, body, key("one"))]);
    const { id } = await addKey(server(), me);
    const hook = { url: "https://example.org/hook", events: ["link.dead"] };
    const webhook = (await me.post("/api/v1/webhooks", hook)).body.data.id;

    const pairs = [
      await both("/api/v1/keys", { name: "a" }),
      await both(`/api/v1/keys/${id}/rotate`),
      await both("/api/v1/webhooks", hook),
      await both(`/api/v1/webhooks/${webhook}/rotate-secret`),
    ];

    for (const pair of pairs) {
      const [done, refused] = pair.toSorted((a, b) => a.status - b.status);
      expect(done!.status).toBeLessThan(300);
      expect(refused!.body.error.details).toEqual({
        reason: "secret_not_replayable",
        id: done!.body.data.id,
      });
    }
    const rotated = pairs[1]!.find(({ status }) => status === 200)!.body.data.key;
    expect((await server().asker(rotated).get("/api/v1/links")).status).toBe(200);
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
