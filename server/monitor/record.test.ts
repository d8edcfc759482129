import { expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { addMany } from "../../tests/checker/many-links.ts";
import { cutEverywhere } from "../../tests/events/failing-store.ts";
import { type Asker, onBothEngines, onServer, type TestServer } from "../../tests/harness.ts";
import { addLink, setLink } from "../../tests/rows.ts";
import { createDeps } from "../app/build.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore } from "../ground/db/store.ts";
import { checks, deliveries, events, historyHours, usageDays } from "../ground/db/tables.ts";
import { CHECKS_OF_PART } from "../history/roll-ups.ts";
import type { Reason } from "../judge/reasons/reasons.ts";
import type { Deps } from "../work/deps.ts";
import { type ClaimedLink, claimDueLinks } from "./claim.ts";
import { recordResults } from "./record.ts";

/** Two parts of an hour, and more. */
const CHECKS = 2 * CHECKS_OF_PART + 200;
const HOOK = { url: "https://example.org/hook", events: ["check.complete", "link.dead"] };

const dataOf = async (me: Asker, path: string) => (await me.get(`/api/v1/${path}`)).body.data;

/** What every count of the account says, one after the other. */
async function countsOf({ deps: { store } }: TestServer, me: Asker) {
  const mine = eq(usageDays.accountId, me.accountId);
  const [listed, counted, used, sent] = [
    (await dataOf(me, "history")).pagination.total,
    (await dataOf(me, "history/stats")).totalChecks,
    (await store.select().from(usageDays).where(mine)).reduce((sum, day) => sum + day.checks, 0),
    await store.$count(events, eq(events.accountId, me.accountId)),
  ];
  return { listed, counted, used, sent };
}

async function claim({ deps }: TestServer, id: string): Promise<ClaimedLink> {
  const claimed = await claimDueLinks(deps, 1000);
  return claimed.find((link) => link.id === id)!;
}

/** The moments at which parts of the account's hours begin, each with the checks it counts. */
const partsOf = ({ deps: { store } }: TestServer, { accountNo }: Asker) =>
  store
    .select()
    .from(historyHours)
    .where(eq(historyHours.subject, accountNo))
    .orderBy(asc(historyHours.since));

/** As a checker does: each group of due links is checked, which takes a millisecond for every few of them. */
async function checkAll(deps: Deps, pass: () => void): Promise<void> {
  for (;;) {
    const claimed = await claimDueLinks(deps, 200);
    if (claimed.length === 0) return;
    const results = claimed.map((link, i) => {
      if (i % 5 === 0) pass();
      return { link, conclusion: saw("ok", { responseTimeMs: 5 }), at: deps.clock.now() };
    });
    await recordResults(deps, results);
  }
}

onBothEngines("Two processes that record for one account", (server) => {
  test("count each of very many checks in the part of the hour that it was in", async () => {
    const { deps, clock, config } = server();
    const me = await server().account("enterprise");
    await addMany(server(), me, { count: CHECKS, url: "https://x.example/", dueAt: clock.now() });
    const other = createDeps(config, createStore(openEngine(config.databaseUrl)), clock);

    await Promise.all([deps, other].map((each) => checkAll(each, () => clock.moveBy(1))));

    const parts = await partsOf(server(), me);
    const rows = await deps.store.select().from(checks).where(eq(checks.accountNo, me.accountNo));
    const moments = rows.map(({ checkedAt }) => checkedAt);
    const within = parts.map(({ since }, i) => {
      const end = parts[i + 1]?.since ?? Number.POSITIVE_INFINITY;
      return moments.filter((at) => at >= since && at < end).length;
    });
    expect(parts.length).toBeGreaterThan(2);
    expect(moments).toHaveLength(CHECKS);
    expect(parts.map(({ active }) => active)).toEqual(within);
    await other.store.engine.close();
  });
});

onBothEngines("A result", (server) => {
  test("that is recorded again, as the answer to its commit was lost, counts once", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    await me.post("/api/v1/webhooks", HOOK);
    const link = await claim(server(), await addLink(me));
    const result = { link, conclusion: saw("http_404"), at: clock.now() };
    await recordResults(deps, [result]);
    const before = await countsOf(server(), me);

    await recordResults(deps, [result]);

    expect(before).toMatchObject({ listed: 1, counted: 1, used: 1 });
    expect(await countsOf(server(), me)).toEqual(before);
  });

  test("is written with all that follows from it, or not at all, wherever the database goes away", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    await me.post("/api/v1/webhooks", HOOK);
    const id = await addLink(me);
    const result = {
      link: await claim(server(), id),
      conclusion: saw("http_410"),
      at: clock.now(),
    };

    const seen = await cutEverywhere(
      deps,
      (cut) => recordResults(cut, [result]),
      async () => {
        const { status } = await dataOf(me, `links/${id}`);
        return { ...(await countsOf(server(), me)), status };
      },
    );

    const before = { listed: 0, counted: 0, used: 0, sent: 0, status: "checking" };
    const after = { listed: 1, counted: 1, used: 1, sent: 2, status: "dead" };
    expect(seen.slice(0, -1)).toEqual(Array(seen.length - 1).fill(before));
    expect(seen.at(-1)).toEqual(after);
  });

  test.each([
    ["later", 500, false],
    ["at the same moment", 0, false],
    ["at the same moment and in one group", 0, true],
  ])("whose lease was lost counts nowhere: %s", async (_, laterMs, isOneGroup) => {
    const { deps, clock } = server();
    const me = await server().account();
    await me.post("/api/v1/webhooks", HOOK);
    const id = await addLink(me);
    const lost = await claim(server(), id);
    clock.moveBy(DAY);
    const held = await claim(server(), id);
    const at = clock.now();

    const late = { link: lost, conclusion: saw("http_404"), at: at + laterMs };
    const right = { link: held, conclusion: saw("ok"), at };
    const groups = isOneGroup ? [[late, right]] : [[right], [late]];
    for (const group of groups) await recordResults(deps, group);

    expect(await countsOf(server(), me)).toEqual({ listed: 1, counted: 1, used: 1, sent: 1 });
    expect(await dataOf(me, `links/${id}`)).toMatchObject({ status: "active" });
    expect((await dataOf(me, "history")).items).toMatchObject([{ status: "active" }]);
  });
});

onServer("After the clock was set back", (server, { test, testOnBoth }) => {
  /** A link that was last checked an hour from now. */
  async function aheadOf(me: Asker): Promise<string> {
    const id = await addLink(me);
    await claim(server(), id);
    const lastCheckedAt = server().clock.now() + HOUR;
    await setLink(server(), id, { lastCheckedAt, lease: null, checkingUntil: null });
    return id;
  }

  /** The link is checked, as requested by hand. */
  async function checkByHand(me: Asker, id: string, reason: Reason): Promise<void> {
    const { deps, clock } = server();
    await me.post(`/api/v1/links/${id}/check`);
    const link = await claim(server(), id);
    await recordResults(deps, [{ link, conclusion: saw(reason), at: clock.now() }]);
    clock.moveBy(1000);
  }

  testOnBoth("every manual check is in history, also when many had no result", async () => {
    const me = await server().account();
    const id = await aheadOf(me);
    const reasons: Reason[] = [...Array<Reason>(5).fill("monitor_offline"), "http_404"];

    for (const reason of reasons) await checkByHand(me, id, reason);

    const { items } = await dataOf(me, `links/${id}/history`);
    expect(items.map(({ reason }: { reason: Reason }) => reason)).toEqual(reasons.toReversed());
    expect((await dataOf(me, "history/stats")).totalChecks).toBe(reasons.length);
  });

  test("webhooks are called for a check at once, and not when the clock has caught up", async () => {
    const { deps, clock } = server();
    const me = await server().account();
    await me.post("/api/v1/webhooks", HOOK);
    const id = await aheadOf(me);

    await checkByHand(me, id, "monitor_offline");
    await checkByHand(me, id, "http_404");

    const sent = await deps.store
      .select({ dueAt: deliveries.nextAttemptAt })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(eq(events.accountId, me.accountId));
    expect(sent.length).toBeGreaterThan(1);
    for (const { dueAt } of sent) expect(dueAt).toBeLessThanOrEqual(clock.now());
  });
});
