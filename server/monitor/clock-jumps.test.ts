import { beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { playLoop, setClock } from "../../tests/checker/played-loop.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { links } from "../ground/db/tables.ts";
import { watchClock } from "../ground/lib/clock.ts";
import type { KnownLink } from "../judge/confirm.ts";

const HOURLY = 300;
const DAILY = 600;
const YEAR = 365 * DAY;
const LEASE_MS = 120_000;
const PER_SECOND = 64;

/** Each test has the loop for its own links. */
const aloneIn = (server: () => TestServer) =>
  beforeEach(async () => {
    await server().deps.store.delete(links);
  });

const rowsOf = ({ deps: { store } }: TestServer, { accountId }: Asker) =>
  store.select().from(links).where(eq(links.accountId, accountId));

/** An hour's links and a day's, each at a moment of its own, and one whose check goes on and on. */
async function started(server: TestServer) {
  const me = await server.account();
  const clock = setClock(server.clock.now());
  const now = clock.now();
  const hourly = { count: HOURLY, url: "https://hourly.test/", dueAt: now + 60_000 };
  await addMany(server, me, { ...hourly, everyMs: (HOUR - 120_000) / HOURLY });
  const daily = { count: DAILY, url: "https://daily.test/", dueAt: now + 2 * HOUR };
  await addMany(server, me, { ...daily, everyMs: (21 * HOUR) / DAILY, frequency: "daily" });
  await addMany(server, me, { count: 1, url: "https://endless.test/", dueAt: now });
  const check = ({ url }: KnownLink, signal: AbortSignal) =>
    url.startsWith("https://endless.test/")
      ? new Promise<ReturnType<typeof saw>>((resolve) =>
          signal.addEventListener("abort", () => resolve(saw("check_aborted"))),
        )
      : Promise.resolve(saw("ok"));
  const loop = playLoop(server, { clock, check });
  await loop.begins();
  const counts = () => {
    const ids = loop.begun.map(({ id }) => id);
    return { all: ids.length, different: new Set(ids).size };
  };
  return { me, clock, loop, counts };
}

onServer("A clock that is set forward", (server) => {
  aloneIn(server);

  test.each([
    ["an hour", HOUR, 1 + HOURLY],
    ["a year", YEAR, 1 + HOURLY + DAILY],
  ])("by %s makes no storm, and each link is checked once", async (_, jumpMs, due) => {
    const lines = await logLines("warning");
    const { clock, loop, counts } = await started(server());

    clock.setBy(jumpMs);
    await loop.seconds(1);
    expect(loop.countOf(1)).toBe(PER_SECOND);
    await loop.seconds(20);

    expect(counts()).toEqual({ all: due, different: due });
    expect(lines).toEqual([expect.stringContaining("the clock was set forward")]);
    await loop.stop();
  });
});

onServer("A clock that is set back", (server, { test, testOnBoth }) => {
  aloneIn(server);

  test.each([
    ["an hour", HOUR],
    ["a year", YEAR],
  ])("by %s keeps no link waiting longer than its frequency does", async (_, jumpMs) => {
    const lines = await logLines("warning");
    const { me, clock, loop, counts } = await started(server());

    clock.setBy(-jumpMs);
    await loop.seconds(5);

    expect(lines[0]).toContain("the clock was set back");
    const now = clock.now();
    const rows = await rowsOf(server(), me);
    for (const { url, nextCheckAt, lease } of rows) {
      const period = url.startsWith("https://daily") ? DAY : HOUR;
      const longest = lease === null ? 1.5 * period : LEASE_MS;
      expect(nextCheckAt - now).toBeLessThanOrEqual(longest);
    }
    expect(counts()).toEqual({ all: 1, different: 1 });
    await loop.stop();
  });

  testOnBoth(
    "has not been set back when a link is claimed while leases are looked at",
    async () => {
      const lines = await logLines("warning");
      const me = await server().account();
      const clock = setClock(server().clock.now());
      await addMany(server(), me, { count: 1, url: "https://claimed.test/", dueAt: clock.now() });
      const checkingUntil = clock.now() + LEASE_MS + 10_000;
      await server().deps.store.update(links).set({ checkingUntil, nextCheckAt: checkingUntil });

      const loop = playLoop(server(), { clock, check: async () => saw("ok") });
      await loop.seconds(5);

      expect(lines).toEqual([]);
      await loop.stop();
    },
  );

  test("makes no storm of what comes back", async () => {
    const { me, clock, loop } = await started(server());
    clock.setBy(-YEAR);
    await loop.seconds(5);

    const hourly = (await rowsOf(server(), me)).filter(({ url }) => url.includes("hourly"));
    const minutes = Map.groupBy(hourly, ({ nextCheckAt }) => Math.floor(nextCheckAt / 60_000));

    expect(minutes.size).toBeGreaterThan(50);
    for (const due of minutes.values()) expect(due.length).toBeLessThan(20);
    await loop.stop();
  });

  test("before the start is noticed at the start", async () => {
    const me = await server().account();
    const clock = setClock(server().clock.now());
    const inAYear = { url: "https://daily.test/", dueAt: clock.now() + YEAR };
    await addMany(server(), me, { ...inAYear, count: DAILY, frequency: "daily" });
    const isMine = eq(links.accountId, me.accountId);
    const future = clock.now() + YEAR;
    await server()
      .deps.store.update(links)
      .set({ unconfirmedSince: future, failingSince: future, failingClass: "timeout" })
      .where(isMine);
    const lines = await logLines("warning");

    const loop = playLoop(server(), { clock, check: async () => saw("ok") });
    await loop.begins();
    await loop.seconds(5);

    const rows = await rowsOf(server(), me);
    expect(Math.max(...rows.map(({ nextCheckAt }) => nextCheckAt))).toBeLessThanOrEqual(
      clock.now() + DAY,
    );
    expect(rows.every((row) => row.unconfirmedSince === null && row.failingSince === null)).toBe(
      true,
    );
    expect(lines).toEqual([expect.stringMatching(/too far in the future count=\d+$/)]);
    await loop.stop();
  });

  test("is not what makes a link wait for a day, as its site has asked", async () => {
    const me = await server().account();
    const clock = setClock(server().clock.now());
    const inADay = clock.now() + DAY;
    await addMany(server(), me, { count: 1, url: "https://resting.test/", dueAt: inADay });

    const loop = playLoop(server(), { clock, check: async () => saw("ok") });
    await loop.begins();
    await loop.seconds(5);
    await loop.stop();

    const [link] = await rowsOf(server(), me);
    expect(link?.nextCheckAt).toBe(inADay);
  });

  testOnBoth(
    "soon gives back what a dead checker held, and what was requested by hand",
    async () => {
      const me = await server().account();
      const clock = setClock(server().clock.now());
      await addMany(server(), me, {
        count: 2,
        url: "https://held.test/",
        dueAt: clock.now() + YEAR,
      });
      const { store } = server().deps;
      const until = clock.now() + YEAR;
      await store
        .update(links)
        .set({ checkingUntil: until })
        .where(eq(links.accountId, me.accountId));
      await store.update(links).set({ lease: "gone" }).where(eq(links.id, "https://held.test/1"));

      const loop = playLoop(server(), { clock, check: async () => saw("ok") });
      await loop.begins();
      await loop.seconds(5);
      expect(loop.begun.map(({ id }) => id)).toEqual(["https://held.test/2"]);
      await loop.seconds(LEASE_MS / 1000);

      expect(loop.begun.map(({ id }) => id)).toContain("https://held.test/1");
      await loop.stop();
    },
  );
});

describe("A watched clock", () => {
  test("reports jumps of more than a minute, once each", () => {
    const clock = setClock(Date.parse("2030-01-01T12:00:00Z"));
    const jump = watchClock(clock);
    clock.moveBy(DAY);
    expect(jump()).toBe(0);

    clock.setBy(-60_001);
    expect(jump()).toBe(-60_001);
    expect(jump()).toBe(0);
    clock.setBy(60_000);
    expect(jump()).toBe(0);
    clock.setBy(HOUR);
    expect(jump()).toBe(HOUR);
  });
});
