import { expect } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { movableClock } from "../../tests/clock.ts";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { startSite } from "../../tests/site.ts";
import { deliveries, events, links } from "../ground/db/tables.ts";
import { completeBatches } from "../links/complete-batches.ts";
import { startCheckLoop } from "../monitor/checker.ts";
import { claimDueLinks } from "../monitor/claim.ts";
import { recordResults } from "../monitor/record.ts";
import type { Conclusion } from "./probe/conclusion.ts";

const ALIVE = saw("ok", { statusCode: 200, responseTimeMs: 12 });
const GONE = saw("http_404", { statusCode: 404, responseTimeMs: 7 });
const NOT_LET_IN = saw("http_403", { statusCode: 403 });

/** Moves to when the link is due again and checks it with the given end. */
async function checkWith(server: TestServer, conclusion: Conclusion) {
  server.clock.moveBy(31 * DAY);
  await checkDueLinks({ ...server.deps, check: async () => conclusion });
}

async function newLink(me: Asker, url = "https://example.org/a", more = {}) {
  const { body } = await me.post("/api/v1/links", { url, ...more });
  return `/api/v1/links/${body.data.id}`;
}

async function eventTypes({ deps }: TestServer, accountId: string) {
  const rows = await deps.store.select().from(events).where(eq(events.accountId, accountId));
  return rows.map(({ type }) => type).sort();
}

const subscribe = (me: Asker, ...types: string[]) =>
  me.post("/api/v1/webhooks", {
    url: "https://hooks.example.org/",
    events: types,
    first_verdicts: true,
  });

onServer("checking", (server, { test, testOnBoth }) => {
  test("a page that answers is active, one that is gone is dead, and both say why", async () => {
    const me = await server().account();
    const site = startSite({ "/here": "hello" });
    const here = await newLink(me, `${site.url}/here`);
    const gone = await newLink(me, `${site.url}/gone`);
    const lost = await newLink(me, "http://no-such-name.invalid/");

    await checkDueLinks({ ...server().deps, check: server().check });

    expect((await me.get(here)).body.data).toMatchObject({ status: "active", reason: "ok" });
    const dead = (await me.get(gone)).body.data;
    expect(dead).toMatchObject({ status: "dead", reason: "http_404" });
    expect(dead.last_check).toMatchObject({ status_code: 404 });
    expect(dead.last_check.message).toStartWith("The server returned 404");
    expect(dead.evidence.attempts.length).toBeGreaterThanOrEqual(2);
    expect((await me.get(lost)).body.data).toMatchObject({
      status: "dead",
      reason: "dns_nxdomain",
    });
    await site.stop();
  });

  test("a daily link is due again a day later, within a tenth, and not before", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWith(server(), GONE);
    const at = server().clock.now();

    const next = Date.parse((await me.get(path)).body.data.next_check_at);

    expect(next - at).toBeGreaterThanOrEqual(0.9 * DAY);
    expect(next - at).toBeLessThanOrEqual(1.1 * DAY);
  });

  test("a link keeps what was decided through two unclear checks, and loses it with the third", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWith(server(), ALIVE);

    const seen: string[] = [];
    for (const _ of [1, 2, 3]) {
      await checkWith(server(), NOT_LET_IN);
      const { status, last_check } = (await me.get(path)).body.data;
      seen.push(`${status} ${last_check.status}`);
    }

    expect(seen).toEqual(["active unknown", "active unknown", "unknown unknown"]);
    const history = (await me.get(`${path}/history`)).body.data.items;
    expect(history.map((entry: Parsed) => entry.status_changed)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("dead, unclear, dead again is reported once", async () => {
    const me = await server().account();
    await subscribe(me, "link.dead", "link.alive");
    await newLink(me);

    for (const end of [GONE, NOT_LET_IN, NOT_LET_IN, NOT_LET_IN, GONE])
      await checkWith(server(), end);

    expect(await eventTypes(server(), me.accountId)).toEqual(["link.dead"]);
  });

  test("the first success of a new link is sent as link.alive, and every check as check.complete", async () => {
    const me = await server().account();
    await subscribe(me, "link.alive", "check.complete", "link.created");
    await newLink(me);

    await checkWith(server(), ALIVE);
    await checkWith(server(), ALIVE);

    expect(await eventTypes(server(), me.accountId)).toEqual([
      "check.complete",
      "check.complete",
      "link.alive",
      "link.created",
    ]);
  });

  test("what has no subscriber leaves no event behind", async () => {
    const me = await server().account();
    await newLink(me);

    await checkWith(server(), ALIVE);

    expect(await eventTypes(server(), me.accountId)).toEqual([]);
  });

  testOnBoth("the result of a check is dropped when its link was deleted meanwhile", async () => {
    const me = await server().account();
    await subscribe(me, "check.complete", "link.alive");
    const path = await newLink(me);
    const claimed = (await claimDueLinks(server().deps, 1000)).find((l) => path.endsWith(l.id))!;
    await me.delete(path);

    await recordResults(server().deps, [{ link: claimed, conclusion: ALIVE, at: 1 }]);

    expect(await eventTypes(server(), me.accountId)).toEqual([]);
    expect((await me.get("/api/v1/history")).body.data.items).toEqual([]);
  });

  testOnBoth(
    "a link is checked by one checker at a time, and again when that one died",
    async () => {
      const me = await server().account();
      const path = await newLink(me);
      const isMine = ({ id }: { id: string }) => path.endsWith(id);
      const first = (await claimDueLinks(server().deps, 1000)).filter(isMine);
      const second = (await claimDueLinks(server().deps, 1000)).filter(isMine);
      expect([first.length, second.length]).toEqual([1, 0]);
      expect((await me.get(path)).body.data.status).toBe("checking");

      server().clock.moveBy(120_000);

      expect((await me.get(path)).body.data.status).toBe("unknown");
      const third = (await claimDueLinks(server().deps, 1000)).filter(isMine);
      expect(third.length).toBe(1);
      const late = { link: first[0]!, conclusion: GONE, at: 1 };
      await recordResults(server().deps, [late]);
      expect((await me.get(path)).body.data.last_check).toBeNull();
    },
  );

  test("a fault of ours changes nothing, and only a manual check reports it", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWith(server(), ALIVE);
    await checkWith(server(), saw("internal_error"));
    expect((await me.get(`${path}/history`)).body.data.pagination.total).toBe(1);

    await me.post(`${path}/check`);
    await checkDueLinks({ ...server().deps, check: async () => saw("internal_error") });

    const [newest] = (await me.get(`${path}/history`)).body.data.items;
    expect(newest).toMatchObject({
      status: "unknown",
      reason: "internal_error",
      trigger: "manual",
    });
    expect((await me.get(path)).body.data.status).toBe("active");
  });

  test.each([
    ["this monitor was offline", saw("monitor_offline"), 0],
    ["this monitor had a problem of its own", saw("internal_error"), 900_000],
    ["the site asked to be left alone", saw("http_429", { deferMs: HOUR }), HOUR],
  ])("when %s, a check by hand is over, and made again by schedule", async (_, end, againInMs) => {
    const me = await server().account();
    await subscribe(me, "link.dead", "link.alive", "check.complete");
    const path = await newLink(me);
    await checkWith(server(), ALIVE);
    const before = (await me.get(path)).body.data;

    await me.post(`${path}/check`);
    await checkDueLinks({ ...server().deps, check: async () => end });

    const { next_check_at, ...after } = (await me.get(path)).body.data;
    expect(Date.parse(next_check_at) - server().clock.now()).toBe(againInMs);
    expect({ ...after, next_check_at: before.next_check_at }).toEqual(before);
    const [newest, first] = (await me.get(`${path}/history`)).body.data.items;
    expect(newest).toMatchObject({
      status: "unknown",
      reason: end.reason,
      trigger: "manual",
      status_changed: false,
      evidence: null,
    });
    expect(first.reason).toBe("ok");
    expect((await me.get("/api/v1/usage")).body.data.checks.thisMonth).toBe(1);
    await checkWith(server(), end);
    expect((await me.get(`${path}/history`)).body.data.pagination.total).toBe(2);
  });

  test("fifty links of a site that wants to be left alone are put off, and none of them fails", async () => {
    const me = await server().account();
    await me.post("/api/v1/links/batch", {
      links: Array.from({ length: 50 }, (_, n) => ({ url: `https://busy.example.org/${n}` })),
    });
    const other = await newLink(me);

    await checkDueLinks({
      ...server().deps,
      check: async ({ url }) => (url.includes("busy") ? saw("http_429", { deferMs: HOUR }) : ALIVE),
    });

    expect((await me.get(other)).body.data.status).toBe("active");
    const busy = (await me.get("/api/v1/links?search=busy&per_page=50")).body.data.items;
    expect(busy).toHaveLength(50);
    for (const link of busy) {
      expect(link).toMatchObject({ status: "unknown", reason: null, last_check: null });
      expect(Date.parse(link.next_check_at) - server().clock.now()).toBe(HOUR);
    }
    expect((await me.get("/api/v1/history")).body.data.pagination.total).toBe(1);
  });

  test("a check that throws is our fault, and the round goes on", async () => {
    const me = await server().account();
    const bad = await newLink(me, "https://example.org/bad");
    const good = await newLink(me, "https://example.org/good");

    await checkDueLinks({
      ...server().deps,
      check: async ({ url }) => {
        if (url.endsWith("bad")) throw new Error("a bug");
        return ALIVE;
      },
    });

    expect((await me.get(good)).body.data.status).toBe("active");
    expect((await me.get(bad)).body.data).toMatchObject({ status: "unknown", last_check: null });
  });

  test("a name missing for the first time is looked at again within the hour it asks for", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWith(server(), saw("unconfirmed", { followUpMs: HOUR }));

    const next = Date.parse((await me.get(path)).body.data.next_check_at);

    expect(next - server().clock.now()).toBe(HOUR);
  });

  test("a frequency changed during a check counts for the next one", async () => {
    const me = await server().account();
    const path = await newLink(me, "https://example.org/f", { check_frequency: "monthly" });

    await checkDueLinks({
      ...server().deps,
      check: async () => {
        await me.patch(path, { check_frequency: "hourly" });
        return ALIVE;
      },
    });

    const next = Date.parse((await me.get(path)).body.data.next_check_at);
    expect(next - server().clock.now()).toBeLessThanOrEqual(1.1 * HOUR);
  });

  test("a batch is reported complete once, after its last link was checked or deleted", async () => {
    const me = await server().account();
    await subscribe(me, "batch.complete");
    const made = await me.post("/api/v1/links/batch", {
      links: [1, 2, 3].map((n) => ({ url: `https://example.org/batch/${n}` })),
    });
    const last = made.body.data.results[2].link.id;
    await me.delete(`/api/v1/links/${last}`);
    expect(await completeBatches(server().deps)).toBe(0);

    await checkDueLinks({
      ...server().deps,
      check: async ({ url }) => (url.endsWith("1") ? ALIVE : GONE),
    });
    await completeBatches(server().deps);

    const { store } = server().deps;
    const completions = await store.select().from(events).where(eq(events.accountId, me.accountId));
    expect(completions.map(({ data }) => JSON.parse(data))).toMatchObject([
      {
        batchId: made.body.data.batch_id,
        total: 3,
        checked: 2,
        active: 1,
        dead: 1,
        unknown: 0,
        skipped: 1,
      },
    ]);
    expect(
      await store.select().from(deliveries).where(eq(deliveries.eventId, completions[0]!.id)),
    ).toHaveLength(1);
  });

  test("checks count into the month's usage, and the last one is shown", async () => {
    const me = await server().account();
    await newLink(me);
    await checkWith(server(), ALIVE);

    const { data } = (await me.get("/api/v1/usage")).body;

    expect(data.checks).toEqual({
      thisMonth: 1,
      lastCheck: new Date(server().clock.now()).toISOString(),
    });
    expect(data.links).toEqual({ total: 1, active: 1, dead: 0 });
  });

  test("a running loop checks what becomes due, and gives back what it could not finish", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const asked = Promise.withResolvers<void>();
    // The clock stands still: on one that moves on its own a loop would never stop.
    const clock = movableClock(server().clock.now());
    const loop = startCheckLoop({
      ...server().deps,
      clock,
      check: (_, signal) => {
        asked.resolve();
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(saw("check_aborted"))),
        );
      },
    });
    await asked.promise;

    await loop.stop();

    const { store } = server().deps;
    const [row] = await store
      .select()
      .from(links)
      .where(eq(links.id, path.split("/").at(-1)!));
    expect(row).toMatchObject({ lease: null, checkingUntil: null });
    expect(row!.nextCheckAt).toBeLessThanOrEqual(clock.now());
  });
});
