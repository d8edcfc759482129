import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, HOUR, NO_EVIDENCE, saw } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { events, links } from "../ground/db/tables.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";

const ALIVE = saw("ok", { statusCode: 200, responseTimeMs: 12 });
const REFUSED = saw("conn_refused", { evidence: { ...NO_EVIDENCE, address: "192.0.2.7" } });
const BUSY = saw("http_503", { statusCode: 503, responseTimeMs: 3, restMs: 2 * HOUR });

async function newLink(me: Asker, more = {}) {
  const { body } = await me.post("/api/v1/links", { url: "https://example.org/a", ...more });
  return `/api/v1/links/${body.data.id}`;
}

const read = async (me: Asker, path: string): Promise<Parsed> => (await me.get(path)).body.data;

const dueIn = async (server: TestServer, me: Asker, path: string) =>
  Date.parse((await read(me, path)).next_check_at) - server.clock.now();

/** Waits until the link is due and checks it with the given end. Tells after how many hours that was. */
async function checkWhenDue(server: TestServer, me: Asker, path: string, end: Conclusion) {
  const waited = await dueIn(server, me, path);
  server.clock.moveBy(Math.max(0, waited));
  await checkDueLinks({ ...server.deps, check: async () => end });
  return waited / HOUR;
}

async function typesOf({ deps }: TestServer, me: Asker) {
  const rows = await deps.store.select().from(events).where(eq(events.accountId, me.accountId));
  return rows.map(({ type, data }) => `${type} ${JSON.parse(data).reason}`);
}

onServer("a link that goes on failing", (server) => {
  test("is looked at again after 1, 6, 24 and 72 hours, however seldom it is checked", async () => {
    const me = await server().account();
    const path = await newLink(me, { check_frequency: "monthly" });
    await checkWhenDue(server(), me, path, saw("conn_timeout"));
    const first = server().clock.now();

    const hours: number[] = [];
    for (const _ of [1, 2, 3, 4]) {
      await checkWhenDue(server(), me, path, saw("conn_timeout"));
      hours.push((server().clock.now() - first) / HOUR);
    }

    for (const [i, due] of [1, 6, 24, 72].entries()) {
      expect(hours[i]).toBeGreaterThanOrEqual(due);
      expect(hours[i]).toBeLessThanOrEqual(due * 1.1);
    }
    expect(await read(me, path)).toMatchObject({ status: "dead", reason: "persistent_failure" });
    expect(await dueIn(server(), me, path)).toBeGreaterThan(26 * DAY);
  });

  test("is looked at no later than its own frequency has it", async () => {
    const me = await server().account();
    const path = await newLink(me, { check_frequency: "hourly" });
    await checkWhenDue(server(), me, path, REFUSED);
    await checkWhenDue(server(), me, path, REFUSED);

    expect(await dueIn(server(), me, path)).toBeLessThanOrEqual(1.1 * HOUR);
  });

  test("is left alone for as long as its server asks, follow-up or not", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWhenDue(server(), me, path, BUSY);

    expect(await dueIn(server(), me, path)).toBe(2 * HOUR);
  });

  test("is looked at again in time though its frequency is changed", async () => {
    const me = await server().account();
    const path = await newLink(me);
    await checkWhenDue(server(), me, path, REFUSED);

    await me.patch(path, { check_frequency: "monthly" });

    expect(await dueIn(server(), me, path)).toBeLessThanOrEqual(1.1 * HOUR);
  });

  test("whose name was missing is looked at again in time though its frequency is changed", async () => {
    const me = await server().account();
    const path = await newLink(me);
    const missing = saw("unconfirmed", { cause: "dns_nxdomain", followUpMs: HOUR });
    await checkWhenDue(server(), me, path, missing);

    await me.patch(path, { check_frequency: "monthly" });

    expect(await dueIn(server(), me, path)).toBe(HOUR);
  });

  test("dies once, and says of what everywhere", async () => {
    const me = await server().account();
    await me.post("/api/v1/webhooks", {
      url: "https://hooks.example.org/",
      events: ["link.dead", "link.alive", "check.complete"],
      first_verdicts: true,
    });
    const path = await newLink(me);
    await checkWhenDue(server(), me, path, ALIVE);
    for (const _ of [1, 2, 3, 4, 5]) await checkWhenDue(server(), me, path, REFUSED);

    const message =
      "The link has been failing the same way for days: The server refused the connection.";
    const link = await read(me, path);
    expect(link).toMatchObject({
      status: "dead",
      reason: "persistent_failure",
      last_check: { status: "dead", reason: "persistent_failure", message },
      evidence: { cause: "conn_refused", address: "192.0.2.7" },
      last_change: { status: "dead", previous_status: "unknown", message },
    });
    expect((await me.get("/api/v1/links?per_page=1")).body.data.items[0].last_check.message).toBe(
      message,
    );
    const { items } = await read(me, `${path}/history`);
    expect(items.map((entry: Parsed) => `${entry.status} ${entry.reason}`)).toEqual([
      "dead persistent_failure",
      "dead persistent_failure",
      "unknown conn_refused",
      "unknown conn_refused",
      "unknown conn_refused",
      "active ok",
    ]);
    expect(items[0].message).toBe(message);
    expect((await typesOf(server(), me)).sort()).toEqual([
      "check.complete conn_refused",
      "check.complete conn_refused",
      "check.complete conn_refused",
      "check.complete ok",
      "check.complete persistent_failure",
      "check.complete persistent_failure",
      "link.alive ok",
      "link.dead persistent_failure",
    ]);
  });

  test("is alive with the first answer, and nothing of its failures remains", async () => {
    const me = await server().account();
    const path = await newLink(me);
    for (const _ of [1, 2, 3, 4]) await checkWhenDue(server(), me, path, REFUSED);
    expect((await read(me, path)).status).toBe("dead");

    await checkWhenDue(server(), me, path, ALIVE);

    expect(await read(me, path)).toMatchObject({ status: "active", reason: "ok" });
    const { store } = server().deps;
    const [row] = await store
      .select()
      .from(links)
      .where(eq(links.id, path.split("/").at(-1)!));
    expect(row).toMatchObject({
      decidedStatus: "active",
      decidedReason: "ok",
      failingClass: null,
      failingSince: null,
      failingChecks: null,
      lastCause: null,
    });
  });
});
