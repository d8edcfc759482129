import { afterEach, expect } from "bun:test";
import { eq } from "drizzle-orm";
import { failingDeps, failingInside } from "../../tests/events/failing-store.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { deliveriesOf, earlierAttemptsOf, makeMuchNews, subscribe } from "../../tests/receiver.ts";
import { type Query, Unavailable } from "../ground/db/store.ts";
import { webhooks } from "../ground/db/tables.ts";
import { DELIVERY_LEASE_MS } from "../work/nodes.ts";
import { claimDue } from "./claim.ts";
import type { Attempt } from "./delivery-steps.ts";
import { releaseInterrupted } from "./leases.ts";
import { createOutcomes } from "./settle.ts";

const down = () => new Unavailable("the disk is full");

/** So many deliveries of a new webhook, under way and answered with 200, but not recorded. */
async function answered(server: TestServer, count: number): Promise<Attempt[]> {
  const me = await server.account();
  const { id } = await subscribe(me, "https://example.com/");
  await makeMuchNews(me, count);
  const { claimed } = await claimDue(server.deps, new Map(), () => new Map([[id, count]]));
  const answer = { statusCode: 200, retryAfter: null, contentType: null, body: "", ends: null };
  const outcome = { ...answer, kind: "answered", truncated: false, durationMs: 5 } as const;
  const startedAt = server.clock.now();
  return claimed.map((each) => ({
    claimed: each,
    outcome: { ...outcome, startedAt },
    random: 0.5,
  }));
}

const webhookOf = ([first]: Attempt[]) => first!.claimed.webhookId;

const statusesOf = async (server: TestServer, webhookId: string) =>
  (await deliveriesOf(server, webhookId)).map(({ status }) => status);

onServer("what attempts came to", (server, { test, testOnBoth }) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("is recorded a hundred at a time", async () => {
    const attempts = await answered(server(), 250);
    let written = 0;
    const deps = failingDeps(server().deps, () => {
      written++;
      return null;
    });
    const outcomes = createOutcomes(deps);

    for (const attempt of attempts) outcomes.add(attempt);
    expect(outcomes.unrecorded().get(webhookOf(attempts)) ?? 0).toBe(250);
    await outcomes.flush();

    expect(written).toBe(3);
    expect(outcomes.unrecorded().get(webhookOf(attempts)) ?? 0).toBe(0);
    expect(new Set(await statusesOf(server(), webhookOf(attempts)))).toEqual(
      new Set(["succeeded"]),
    );
  });

  test("is recorded within moments although no other follows", async () => {
    const attempts = await answered(server(), 1);
    const done = Promise.withResolvers<void>();
    const outcomes = createOutcomes(
      failingDeps(server().deps, () => {
        done.resolve();
        return null;
      }),
    );

    outcomes.add(attempts[0]!);
    await done.promise;
    await outcomes.flush();

    expect(await statusesOf(server(), webhookOf(attempts))).toEqual(["succeeded"]);
  });

  test("waits for a database that is out of order, which is logged once, and so is its end", async () => {
    const attempts = await answered(server(), 150);
    const lines = await logLines("info");
    let isDown = true;
    const outcomes = createOutcomes(failingDeps(server().deps, () => (isDown ? down() : null)));
    for (const attempt of attempts) outcomes.add(attempt);
    await outcomes.flush();
    await outcomes.flush();
    expect(outcomes.isWell()).toBe(false);
    expect(outcomes.unrecorded().get(webhookOf(attempts)) ?? 0).toBe(150);

    isDown = false;
    await outcomes.flush();

    expect(outcomes.isWell()).toBe(true);
    expect(new Set(await statusesOf(server(), webhookOf(attempts)))).toEqual(
      new Set(["succeeded"]),
    );
    expect(lines).toEqual([
      expect.stringContaining("failed to record deliveries"),
      expect.stringContaining("deliveries are recorded again"),
    ]);
  });

  testOnBoth(
    "is recorded late if need be, as long as no one has taken the message since",
    async () => {
      const [late, taken] = [await answered(server(), 3), await answered(server(), 3)];
      let isDown = true;
      const outcomes = createOutcomes(failingDeps(server().deps, () => (isDown ? down() : null)));
      for (const attempt of [...late, ...taken]) outcomes.add(attempt);
      await outcomes.flush();
      server().clock.moveBy(DELIVERY_LEASE_MS);
      await releaseInterrupted(server().deps, webhookOf(taken));

      isDown = false;
      await outcomes.flush();

      expect(outcomes.isWell()).toBe(true);
      expect(await statusesOf(server(), webhookOf(late))).toEqual(Array(3).fill("succeeded"));
      expect(await statusesOf(server(), webhookOf(taken))).toEqual(Array(3).fill("pending"));
    },
  );

  /** Eight outcomes of which one cannot be written, as far as that text is in it. */
  async function withOneBad(textOf: (bad: Attempt) => string) {
    const attempts = await answered(server(), 8);
    const lines = await logLines("error");
    const bad = attempts[5]!;
    if (bad.outcome.kind === "answered") bad.outcome.body = "a bad answer";
    const isBad = ({ params }: Query) => params.some((each) => String(each).includes(textOf(bad)));
    const outcomes = createOutcomes(
      failingInside(server().deps, (query) => (isBad(query) ? new Error("a bug of ours") : null)),
    );
    for (const attempt of attempts) outcomes.add(attempt);
    await outcomes.flush();
    const rows = await deliveriesOf(server(), webhookOf(attempts));
    const other = rows.filter(({ status }) => status !== "succeeded");
    expect(outcomes.isWell()).toBe(true);
    return { other, eventId: bad.claimed.event.id, lines };
  }

  test("does not delay others when it cannot be written, and comes back with its lease", async () => {
    const { other, eventId, lines } = await withOneBad(({ claimed }) => claimed.event.id);

    expect(other).toMatchObject([{ eventId, status: "delivering" }]);
    expect(lines[0]).toContain("failed to record a delivery");
    expect(lines[0]).toContain(eventId);
  });

  test("is recorded without an answer that cannot be written, and does not repeat endlessly", async () => {
    const { other, eventId, lines } = await withOneBad(() => "a bad answer");

    expect(other).toMatchObject([
      { eventId, status: "failed", attempts: 1, lastError: "internal", lastBody: null },
    ]);
    expect(lines).toHaveLength(1);
  });

  test.each([
    [[500, 200], null],
    [[200, 500], "failing"],
  ] as const)("leads to a judgement on the webhook in its order: %p", async (codes, failing) => {
    const attempts = await answered(server(), 2);
    const outcomes = createOutcomes(server().deps);
    for (const [i, { claimed, random, outcome }] of attempts.entries()) {
      const said = { ...outcome, statusCode: codes[i]! } as Attempt["outcome"];
      outcomes.add({ claimed, random, outcome: said });
    }

    await outcomes.flush();

    const [row] = await server()
      .deps.store.select()
      .from(webhooks)
      .where(eq(webhooks.id, webhookOf(attempts)));
    expect(row!.failingSince).toBe(failing && server().clock.now());
    expect(row!.lastStatusCode).toBe(codes[1]);
  });

  testOnBoth("is recorded at whatever moment of another's recording it comes", async () => {
    const attempts = await answered(server(), 160);
    for (let turns = 0; turns < 80; turns++) {
      const outcomes = createOutcomes(server().deps);
      const [first, second] = attempts.slice(2 * turns);
      outcomes.add(first!);
      const recorded = outcomes.flush();
      for (let turn = 0; turn < turns; turn++) await null;
      outcomes.add(second!);
      await Promise.all([recorded, outcomes.flush()]);
    }

    expect(new Set(await statusesOf(server(), webhookOf(attempts)))).toEqual(
      new Set(["succeeded"]),
    );
  });

  test("counts once, however often it was tried to write it", async () => {
    const attempts = await answered(server(), 4);
    let tries = 0;
    const deps = failingDeps(server().deps, () => (++tries === 1 ? new Error("odd") : fails()));
    const fails = () => (tries === 3 ? down() : null);
    const outcomes = createOutcomes(deps);

    for (const attempt of attempts) outcomes.add(attempt);
    await outcomes.flush();
    expect(outcomes.isWell()).toBe(false);
    await outcomes.flush();

    const rows = await deliveriesOf(server(), webhookOf(attempts));
    expect(rows.map(({ status, attempts: count }) => [status, count])).toEqual(
      Array(4).fill(["succeeded", 1]),
    );
    expect(await earlierAttemptsOf(server(), webhookOf(attempts))).toEqual([]);
  });
});
