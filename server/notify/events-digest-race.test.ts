import { afterEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { type Chat, MINUTE_MS, openChat } from "../../tests/events/chat.ts";
import { failingDeps } from "../../tests/events/failing-store.ts";
import { onBothEngines, onServer, type TestServer } from "../../tests/harness.ts";
import { IS_LONG, sized } from "../../tests/long.ts";
import { deliverOnce } from "../../tests/receiver.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore } from "../ground/db/store.ts";
import { deliveries, events, webhooks } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";

/** More statements than any look at a digest needs. */
const MOST_STEPS = 40;
const LEASE_MS = 60_000;
/** In each, two processes look for digests while events come. */
const [ROUNDS, EVENTS] = [sized(3, 6), sized(50, 150)];

/** Everything a second process needs, on a connection of its own; gone with what it returns. */
function elsewhere({ deps, config }: TestServer): { deps: Deps; close: () => Promise<void> } {
  const engine = openEngine(config.databaseUrl);
  return { deps: { ...deps, store: createStore(engine) }, close: engine.close };
}

/** The totals of the digests of a webhook, and whether each event of it is sent in one of them or alone. */
async function accountFor({ deps: { store } }: TestServer, chat: Chat) {
  const rows = await store.select().from(deliveries).where(eq(deliveries.webhookId, chat.id));
  const digests = rows.filter(({ type }) => type === "digest");
  const singles = rows.filter(({ type }) => type !== "digest");
  const totals = await Promise.all(
    digests.map(async ({ eventId }) => {
      const [event] = await store.select().from(events).where(eq(events.id, eventId));
      return JSON.parse(event!.data).total as number;
    }),
  );
  const members = digests.map(
    ({ eventId }) => singles.filter(({ digestId }) => digestId === eventId).length,
  );
  return { totals, members, singles, digests };
}

onBothEngines("digests", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("of two processes lose and repeat nothing", async () => {
    const chat = await openChat(server());
    const other = elsewhere(server());
    for (let round = 0; round < ROUNDS; round++) {
      const making = chat.news(EVENTS);
      const looks = Array.from({ length: 4 }, (_, i) => deliverOnce(i % 2 ? other : server()));
      await Promise.all([making, ...looks]);
      server().clock.moveBy(20_000);
    }
    for (let n = 0; n < 8; n++) {
      await Promise.all([deliverOnce(server()), deliverOnce(other)]);
      server().clock.moveBy(MINUTE_MS);
    }
    await other.close();

    const { totals, members, singles, digests } = await accountFor(server(), chat);
    expect(singles).toHaveLength(ROUNDS * EVENTS);
    expect(totals).toEqual(members);
    const alone = singles.filter(({ status }) => status === "succeeded");
    expect(members.reduce((sum, count) => sum + count, 0) + alone.length).toBe(ROUNDS * EVENTS);
    expect(new Set(digests.map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(
      new Set(["succeeded 1"]),
    );
    expect(chat.heads()).toHaveLength(digests.length + alone.length);
  });
});

/** The transactions of each database are proved above. */
(IS_LONG ? onBothEngines : onServer)("digests that something happens to at each step", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  /** What became of the events of a chat: each number of messages, and what the digests say they contain. */
  async function summary(chat: Chat): Promise<string> {
    const { totals, members, singles } = await accountFor(server(), chat);
    const ids = chat.receiver.requests.map(({ headers }) => headers.get("webhook-id"));
    const alone = singles.filter(({ status }) => status === "succeeded").length;
    const isRight = totals.join() === members.join() && new Set(ids).size === totals.length + alone;
    const sent = members.reduce((sum, count) => sum + count, alone);
    return `${sent} of ${singles.length} sent, ${isRight ? "rightly" : "wrongly"}`;
  }

  /**
   * Sends eleven events once for each step that it takes, with something else happening before that step. An
   * error is a crash, after which nothing more succeeds. Its clock may be ahead of that of all others.
   */
  async function atEachStep(
    happens: (chat: Chat) => Promise<Error | null>,
    aheadMs = 0,
  ): Promise<string[]> {
    const { clock } = server();
    const ahead = { ...clock, now: () => clock.now() + aheadMs };

    const summaries: string[] = [];
    for (let step = 1; step < MOST_STEPS; step++) {
      const chat = await openChat(server());
      await chat.news(11);
      let steps = 0;
      let problem: Error | null = null;
      const deps = failingDeps(server().deps, async () => {
        if (++steps === step) problem = await happens(chat);
        return problem;
      });
      await deliverOnce({ deps: { ...deps, clock: ahead } }).catch(() => {});
      for (let n = 0; n < 4; n++) await chat.pass(LEASE_MS);
      if (steps < step) return summaries;
      summaries.push(await summary(chat));
      await server().deps.store.delete(webhooks);
    }
    return summaries;
  }

  test("go on after a crash between any two of their steps", async () => {
    const summaries = await atEachStep(async () => new Error("crash"));

    expect(summaries.length).toBeGreaterThan(8);
    expect(new Set(summaries)).toEqual(new Set(["11 of 11 sent, rightly"]));
  });

  test.each([
    ["gathers more", 0],
    ["gathers more and leaves it open", 1000],
  ])(
    "hold what they say when another process %s between any two steps",
    async (_, aheadMs) => {
      const other = elsewhere(server());

      const summaries = await atEachStep(async (chat) => {
        await chat.news(12);
        await deliverOnce(other);
        return null;
      }, aheadMs);

      await other.close();
      expect(summaries.length).toBeGreaterThan(8);
      expect(new Set(summaries)).toEqual(new Set(["23 of 23 sent, rightly"]));
    },
    60_000,
  );

  test("gather nothing any more once another process has closed them between any two steps", async () => {
    const other = elsewhere(server());

    const summaries = await atEachStep(async (chat) => {
      await deliverOnce(other);
      await chat.news(12);
      return null;
    });

    await other.close();
    expect(new Set(summaries)).toEqual(new Set(["23 of 23 sent, rightly"]));
  });
});
