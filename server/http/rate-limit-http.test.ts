import { expect, test } from "bun:test";
import { type Asker, onServer, type Reply } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;

onServer("Over HTTP the rate limit", (server) => {
  const path = "/api/v1/nothing";
  const use = async (me: Asker, times: number) => {
    const replies: Reply[] = [];
    for (let i = 0; i < times; i++) replies.push(await me.get(path));
    return replies;
  };
  const left = ({ headers }: Reply) => Number(headers.get("x-ratelimit-remaining"));

  test("refuses the 121st request and tells when to come back", async () => {
    const me = await server().account();
    const replies = await use(me, 120);
    server().clock.moveBy(46_000);

    const { status, headers, body } = await me.get(path);

    expect(replies.filter((reply) => reply.status === 429)).toEqual([]);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("14");
    expect(body).toEqual({
      error: {
        code: "RATE_LIMITED",
        message: "Too many requests. Try again in 14 seconds.",
        status: 429,
        details: { retryAfter: 14, limit: 120, remaining: 0 },
      },
    });
    server().clock.moveBy(13_999);
    expect((await me.get(path)).status).toBe(429);
    server().clock.moveBy(1);
    expect((await me.get(path)).status).toBe(404);
  });

  test("is reported in headers by the minute and by the hour", async () => {
    const me = await server().account();
    await use(me, 2);
    server().clock.moveBy(8_000);
    const now = server().clock.now() / 1000;

    const { headers } = await me.get(path);

    const limits = Object.fromEntries([...headers].filter(([name]) => /ratelimit/.test(name)));
    expect(limits).toEqual({
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "117",
      "x-ratelimit-reset": String(Math.ceil(now + 52)),
      "x-ratelimit-limit-hour": "3600",
      "x-ratelimit-remaining-hour": "3597",
      "x-ratelimit-reset-hour": String(Math.ceil(now + 3592)),
      "ratelimit-policy": '"minute";q=120;w=60, "hour";q=3600;w=3600',
      ratelimit: '"minute";r=117;t=52, "hour";r=3597;t=3592',
    });
    expect(headers.get("retry-after")).toBeNull();
  });

  test("is reported with every reply, whatever it is", async () => {
    const me = await server().account();
    const stranger = server().asker("nonsense");
    const poor = await server().account("free");

    for (const reply of [
      await me.get("/api/v1/links"),
      await me.post("/api/v1/groups", { name: "a" }),
      await me.get("/api/v1/nothing"),
      await me.patch("/api/v1/links"),
      await me.post("/api/v1/groups", {}),
      await me.post("/api/v1/groups", "{"),
      await me.post("/api/v1/groups", "{}", { "content-type": "text/plain" }),
      await me.post("/api/v1/groups", "x".repeat(70_000)),
      await stranger.get("/api/v1/links"),
      await stranger.get("/api/v1"),
      await poor.get("/api/v1/links"),
    ]) {
      const { status, headers } = reply;
      expect([status, headers.get("x-ratelimit-limit")]).toEqual([status, "120"]);
      expect(left(reply)).toBeGreaterThanOrEqual(0);
      expect(headers.get("x-ratelimit-reset")).toMatch(/^\d{10}$/);
    }
  });

  test("counts every reply but a refusal for the limit itself", async () => {
    const me = await server().account();

    const seen = [await me.get("/api/v1/links"), await me.get(path)];
    seen.push(await me.post("/api/v1/groups", "{"), await me.patch("/api/v1/links"));
    expect(seen.map(left)).toEqual([119, 118, 117, 116]);

    await use(me, 116);
    const refusals = await use(me, 10);
    expect(refusals.map(({ status }) => status)).toEqual(Array(10).fill(429));
    server().clock.moveBy(MINUTE);
    expect(left(await me.get(path))).toBe(119);
  });

  test("holds against bursts from all sides", async () => {
    const me = await server().account();

    const replies = await Promise.all(Array.from({ length: 200 }, () => me.get(path)));

    expect(replies.filter(({ status }) => status === 404)).toHaveLength(120);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(80);
  });

  test("is the key's own, and stays with it when it is rotated", async () => {
    const me = await server().account();
    const key = await addKey(server(), me);
    await use(key, 120);

    const { body } = await me.post(`/api/v1/keys/${key.id}/rotate`);

    expect((await server().asker(body.data.key).get(path)).status).toBe(429);
    expect(left(await me.get(path))).toBeGreaterThan(100);
  });

  test("does not care about a wall clock that is set back", async () => {
    const me = await server().account();
    await use(me, 120);
    const { clock } = server();
    const now = clock.now;
    clock.now = () => now() - HOUR;

    const refused = await me.get(path);
    clock.moveBy(MINUTE);
    const allowed = await me.get(path);
    clock.now = now;

    expect([refused.status, allowed.status]).toEqual([429, 404]);
    expect(refused.headers.get("retry-after")).toBe("60");
  });

  test("of strangers is counted by address, and uses up no key's budget", async () => {
    const me = await server().account();
    server().clock.moveBy(MINUTE);
    const stranger = server().asker(`${me.key.slice(0, -1)}_`);
    const guesses = await use(stranger, 121);

    expect(guesses.map(({ status }) => status)).toEqual([...Array(120).fill(401), 429]);
    expect(left(await me.get(path))).toBe(119);
    expect((await server().asker("").get(path)).status).toBe(429);
    server().clock.moveBy(MINUTE);
    expect((await stranger.get(path)).status).toBe(401);
  });
});

onServer(
  "An hourly limit",
  (server) => {
    test("is reported instead of the minute's when it is the one that is used up", async () => {
      const me = await server().account();
      for (let i = 0; i < 5; i++) await me.get("/api/v1/links");
      server().clock.moveBy(20 * MINUTE);

      const { status, headers, body } = await me.get("/api/v1/links");

      expect(status).toBe(429);
      expect(headers.get("retry-after")).toBe("2400");
      expect(body.error.details).toEqual({ retryAfter: 2400, limit: 5, remaining: 0 });
    });
  },
  { STILLUP_RATE_LIMIT_PER_HOUR: "5" },
);

onServer(
  "Without limits",
  (server) => {
    test("nothing is refused and nothing reported", async () => {
      const me = await server().account();

      const replies = await Promise.all(
        Array.from({ length: 150 }, () => me.get("/api/v1/account")),
      );

      expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
      expect([...replies[0]!.headers.keys()].filter((name) => /ratelimit/.test(name))).toEqual([]);
    });
  },
  { STILLUP_RATE_LIMIT_PER_MINUTE: "0", STILLUP_RATE_LIMIT_PER_HOUR: "0" },
);
