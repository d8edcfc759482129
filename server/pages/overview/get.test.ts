import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../../tests/harness.ts";
import { addGroup, addLink, setLink } from "../../../tests/rows.ts";
import { links, webhooks } from "../../ground/db/tables.ts";
import type { Reason } from "../../judge/reasons/reasons.ts";
import { type ClaimedLink, claimDueLinks } from "../../monitor/claim.ts";
import { recordResults } from "../../monitor/record.ts";

const overview = async (me: Asker) => (await me.get("/api/v1/overview")).body.data;

/** Ends a check of the link now. */
async function check({ deps, clock }: TestServer, id: string, reason: Reason, more = {}) {
  await deps.store.update(links).set({ nextCheckAt: clock.now() }).where(eq(links.id, id));
  const link = await claim({ deps, clock } as TestServer, id);
  await recordResults(deps, [{ link, conclusion: saw(reason, more), at: clock.now() }]);
  clock.moveBy(1000);
}

async function claim({ deps }: TestServer, id: string): Promise<ClaimedLink> {
  const claimed = await claimDueLinks(deps, 1000);
  return claimed.find((link) => link.id === id)!;
}

const BLANK = { total: 0, items: [] };

onServer("GET /overview", (server) => {
  test("of a new account has nothing to tell", async () => {
    const me = await server().account();

    const { status, body } = await me.get("/api/v1/overview");

    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      counts: { total: 0, active: 0, dead: 0, unknown: 0, checking: 0 },
      dead: { ...BLANK, newInDay: 0 },
      recovered: BLANK,
      unknown: { ...BLANK, isWhole: true },
      groups: BLANK,
      webhooks: { pending: 0, oldestPendingSeconds: 0, failing: 0, disabled: BLANK },
      hostSettings: BLANK,
    });
  });

  test("counts links by status, and once more those that are being checked", async () => {
    const me = await server().account();
    const [first] = [await addLink(me), await addLink(me), await addLink(me)];
    await check(server(), first, "ok");
    await setLink(server(), first, { checkingUntil: server().clock.now() + HOUR });

    const { counts } = await overview(me);

    expect(counts).toMatchObject({ total: 3, active: 1, dead: 0, unknown: 2 });
    expect(counts.checking).toBeGreaterThan(0);
  });

  test("counts the sites of the links", async () => {
    const me = await server().account();
    for (const host of ["docs.example.org", "www.example.org", "example.com"]) {
      await addLink(me, { url: `https://${host}/` });
    }

    expect((await overview(me)).sites).toBe(2);
  });

  test("describes dead links in words, the latest first, and says how many are new", async () => {
    const me = await server().account();
    const group = await addGroup(me);
    const [old, recent] = [await addLink(me), await addLink(me, { group_id: group })];
    await check(server(), old, "http_404", { statusCode: 404 });
    server().clock.moveBy(2 * DAY);
    await check(server(), recent, "http_410", { statusCode: 410 });

    const { dead } = await overview(me);

    expect(dead).toMatchObject({ total: 2, newInDay: 1 });
    expect(dead.items.map(({ id }: { id: string }) => id)).toEqual([recent, old]);
    expect(dead.items[0]).toMatchObject({
      service: "generic",
      groupId: group,
      reason: "http_410",
      message: "The server returned 410: the page is gone for good.",
      since: new Date(server().clock.now() - 1000).toISOString(),
    });
  });

  test("names ten dead links, and says how many there are", async () => {
    const me = await server().account();
    for (let i = 0; i < 11; i++) await setLink(server(), await addLink(me), { status: "dead" });

    const { dead } = await overview(me);

    expect(dead.total).toBe(11);
    expect(dead.items).toHaveLength(10);
  });

  test("tells for a week of links that came back, while they are there", async () => {
    const me = await server().account();
    const [back, gone] = [await addLink(me), await addLink(me)];
    for (const id of [back, gone]) await check(server(), id, "http_410");
    for (const id of [gone, back]) await check(server(), id, "ok");
    const recoveredAt = new Date(server().clock.now() - 1000).toISOString();

    expect((await overview(me)).recovered.items).toHaveLength(2);
    await check(server(), gone, "http_410");
    expect((await overview(me)).recovered).toMatchObject({
      total: 1,
      items: [{ id: back, recoveredAt }],
    });
    server().clock.moveBy(7 * DAY);
    expect((await overview(me)).recovered).toEqual(BLANK);
  });

  test("shows no recovery where a link was never dead, or only could not be judged", async () => {
    const me = await server().account();
    const id = await addLink(me);

    await check(server(), id, "ok");
    for (let i = 0; i < 4; i++) await check(server(), id, "http_401");
    await check(server(), id, "ok");

    expect((await overview(me)).recovered).toEqual(BLANK);
  });

  test("counts a link that came back and died again as it came back last", async () => {
    const me = await server().account();
    const id = await addLink(me);
    for (const reason of ["http_410", "ok", "http_410"] as const) await check(server(), id, reason);
    server().clock.moveBy(6 * DAY);
    await check(server(), id, "ok");
    server().clock.moveBy(6 * DAY);

    expect((await overview(me)).recovered.total).toBe(1);
  });

  test("a result under another lease recovers nothing", async () => {
    const me = await server().account();
    const id = await addLink(me);
    await check(server(), id, "http_410");
    await setLink(server(), id, { nextCheckAt: server().clock.now() });
    const link = await claim(server(), id);
    await setLink(server(), id, { status: "active", lease: "another" });

    const result = { link, conclusion: saw("ok"), at: server().clock.now() };
    await recordResults(server().deps, [result]);

    expect((await overview(me)).recovered).toEqual(BLANK);
  });

  test("says why links are unknown, the most frequent reason first", async () => {
    const me = await server().account();
    for (const reason of ["http_401", "http_401", null, "conn_timeout", "http_401", null]) {
      await setLink(server(), await addLink(me), { reason });
    }

    const { unknown } = await overview(me);

    expect(unknown).toMatchObject({ total: 6, isWhole: true });
    expect(unknown.items).toEqual([
      { reason: "http_401", message: "The server returned 401: it requires a login.", count: 3 },
      { reason: null, message: "Not checked yet.", count: 2 },
      {
        reason: "conn_timeout",
        message: "The connection to the server timed out.",
        count: 1,
      },
    ]);
  });

  test("says why links are dead, the most frequent reason first", async () => {
    const me = await server().account();
    for (const reason of ["http_410", "http_404", "http_404"]) {
      await setLink(server(), await addLink(me), { status: "dead", reason });
    }

    const { dead } = await overview(me);

    expect(dead.reasons).toMatchObject([
      { reason: "http_404", count: 2 },
      { reason: "http_410", count: 1 },
    ]);
  });

  test("counts the links of groups, the largest first, and of empty ones", async () => {
    const me = await server().account();
    const [empty, small, large] = [
      await addGroup(me, "Empty"),
      await addGroup(me, "Small"),
      await addGroup(me, "Large"),
    ];
    await addLink(me, { group_id: small });
    for (const status of ["active", "dead"] as const) {
      await setLink(server(), await addLink(me, { group_id: large }), { status });
    }

    const { groups } = await overview(me);

    expect(groups.total).toBe(3);
    expect(groups.items).toMatchObject([
      { id: large, name: "Large", color: "#6B7280", active: 1, dead: 1, unknown: 0 },
      { id: small, active: 0, dead: 0, unknown: 1 },
      { id: empty, active: 0, dead: 0, unknown: 0 },
    ]);
  });

  test("says how late the checks are", async () => {
    const me = await server().account();
    await addLink(me);
    const due = server().clock.now();
    server().clock.moveBy(90_000);

    const { checker } = await overview(me);

    expect(checker).toMatchObject({ state: "unknown", onlineSince: null, clock: "ok" });
    expect(checker).toMatchObject({ isChecking: false });
    expect(checker.backlog).toBeGreaterThan(0);
    expect(checker.lateSeconds).toBeGreaterThanOrEqual(90);
    expect(Date.parse(checker.nextCheckAt)).toBeLessThanOrEqual(due);
  });

  test("says what waits to be delivered, and which webhooks were switched off without being asked", async () => {
    const me = await server().account();
    const add = async (path: string) => {
      const input = {
        name: `Docs ${path}`,
        url: `https://hooks.example${path}`,
        events: ["link.created"],
      };
      return (await me.post("/api/v1/webhooks", input)).body.data.id as string;
    };
    const [, failing, gone, own, waiting, left] = [
      await add("/a"),
      await add("/b"),
      await add("/c"),
      await add("/d"),
      await add("/e"),
      await add("/f"),
    ];
    const change = (id: string, columns: Partial<typeof webhooks.$inferInsert>) =>
      server().deps.store.update(webhooks).set(columns).where(eq(webhooks.id, id));
    const at = server().clock.now();
    await change(failing, { failingSince: at });
    await change(gone, { isActive: false, disabledReason: "gone", disabledAt: at });
    await change(own, { isActive: false, disabledReason: "user", disabledAt: at });
    const off = { isActive: false, disabledAt: at };
    await change(waiting, { ...off, disabledReason: "unconfirmed" });
    await change(left, { ...off, disabledReason: "unsubscribed" });
    await addLink(me);
    server().clock.moveBy(120_000);

    const found = (await overview(me)).webhooks;

    const since = new Date(at).toISOString();
    expect(found).toEqual({
      pending: 2,
      oldestPendingSeconds: 120,
      failing: 1,
      disabled: {
        total: 1,
        items: [{ id: gone, name: "Docs /c", host: "hooks.example", reason: "gone", since }],
      },
    });
  });

  test("tells nothing of others", async () => {
    const [me, other] = [await server().account(), await server().account()];
    const group = await addGroup(other);
    const id = await addLink(other, { group_id: group });
    for (const reason of ["http_410", "ok", "http_410"] as const) await check(server(), id, reason);
    await other.post("/api/v1/webhooks", {
      url: "https://hooks.example/a",
      events: ["link.created"],
    });
    await addLink(other);

    const { counts, dead, recovered, unknown, groups, webhooks: backlog } = await overview(me);

    expect([counts.total, dead.total, recovered.total, groups.total]).toEqual([0, 0, 0, 0]);
    expect([unknown.items, backlog.pending]).toEqual([[], 0]);
    expect((await me.get("/api/v1/overview/services")).body.data).toEqual(BLANK);
  });
});
