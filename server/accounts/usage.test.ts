import { afterEach, expect } from "bun:test";
import { eq } from "drizzle-orm";
import { type Asker, onServer } from "../../tests/harness.ts";
import { addLink, setLink } from "../../tests/rows.ts";
import { accounts, usageDays } from "../ground/db/tables.ts";

const DAY = 86_400_000;

onServer("GET /usage", (server, { test, testOnBoth }) => {
  const usageOf = async (me: Asker) => {
    await server().flushMeter();
    return (await me.get("/api/v1/usage")).body.data;
  };
  /** Days before or after START, so that stories do not move each other's clock. */
  let moved = 0;
  const moveTo = (day: number) => {
    server().clock.moveBy(day * DAY - moved);
    moved = day * DAY;
  };
  afterEach(() => moveTo(0));

  test("an account that did nothing has zeros and no last check", async () => {
    const me = await server().account();

    const { status, body } = await me.get("/api/v1/usage");

    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        requests: { total: 0, thisMonth: 0, today: 0 },
        links: { total: 0, active: 0, dead: 0 },
        checks: { thisMonth: 0, lastCheck: null },
      },
    });
  });

  test("counts the requests of the day, of the month and of all time", async () => {
    const me = await server().account();
    await me.get("/api/v1/links");
    await me.get("/api/v1/nothing");
    await usageOf(me);
    moveTo(1);
    await me.get("/api/v1/links");
    expect((await usageOf(me)).requests).toEqual({ total: 4, thisMonth: 4, today: 1 });

    moveTo(31);
    expect((await usageOf(me)).requests).toEqual({ total: 5, thisMonth: 0, today: 0 });
  });

  test("a request just before midnight counts for its own day, whenever it is written", async () => {
    const me = await server().account();
    await me.get("/api/v1/links");
    moveTo(1);

    const { requests } = await usageOf(me);

    expect(requests).toEqual({ total: 1, thisMonth: 1, today: 0 });
  });

  test("counts links by their settled status, also while they are checked", async () => {
    const me = await server().account();
    const [active, dead] = [await addLink(me), await addLink(me)];
    await addLink(me);
    await setLink(server(), active, { status: "active" });
    await setLink(server(), dead, { status: "dead" });
    await me.post(`/api/v1/links/${dead}/check`);

    expect((await usageOf(me)).links).toEqual({ total: 3, active: 1, dead: 1 });
  });

  test("counts the checks of the month, and knows the last one of any month", async () => {
    const me = await server().account();
    const { store } = server().deps;
    const add = (day: string, checks: number, lastCheckAt: number) =>
      store
        .insert(usageDays)
        .values({ accountId: me.accountId, day, requests: 0, checks, lastCheckAt });
    await add("2029-12-31", 5, Date.parse("2029-12-31T23:00:00Z"));
    expect((await usageOf(me)).checks).toEqual({
      thisMonth: 0,
      lastCheck: "2029-12-31T23:00:00.000Z",
    });

    await add("2030-01-01", 3, Date.parse("2030-01-01T00:00:01Z"));
    expect((await usageOf(me)).checks).toEqual({
      thisMonth: 3,
      lastCheck: "2030-01-01T00:00:01.000Z",
    });
  });

  test("counts what passed the rate limit with a key, and nothing else", async () => {
    const me = await server().account();
    await server().asker(`${me.key}x`).get("/api/v1/links");
    for (let i = 0; i < 125; i++) await me.get("/api/v1/nothing");
    server().clock.moveBy(61_000);

    const { requests } = await usageOf(me);

    expect(requests.total).toBe(120);
    server().clock.moveBy(-61_000);
  });

  testOnBoth(
    "an account that is deleted meanwhile does not hold up the counts of others",
    async () => {
      const [gone, me] = [await server().account(), await server().account()];
      const { store } = server().deps;
      await gone.get("/api/v1/links");
      await me.get("/api/v1/links");

      await store.delete(accounts).where(eq(accounts.id, gone.accountId));

      expect((await usageOf(me)).requests.total).toBe(1);
    },
  );

  test("a key's last use is shown, and written at most once a minute", async () => {
    const me = await server().account();
    const path = `/api/v1/keys/${(await me.get("/api/v1/keys")).body.data.items[0].id}`;
    await server().flushMeter();
    const first = (await me.get(path)).body.data.last_used_at;
    server().clock.moveBy(59_000);
    await me.get(path);
    await server().flushMeter();
    const same = (await me.get(path)).body.data.last_used_at;

    server().clock.moveBy(1_000);
    await me.get(path);
    await server().flushMeter();
    const later = (await me.get(path)).body.data.last_used_at;

    expect(same).toBe(first);
    expect(Date.parse(later) - Date.parse(first)).toBe(60_000);
    server().clock.moveBy(-60_000);
  });
});
