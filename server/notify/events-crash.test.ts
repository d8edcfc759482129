import { afterEach, expect, test } from "bun:test";
import { failingDeps } from "../../tests/events/failing-store.ts";
import { onServer, type TestServer } from "../../tests/harness.ts";
import {
  deliverAll,
  deliveriesOf,
  deliverOnce,
  earlierAttemptsOf,
  makeMuchNews,
  startReceiver,
  subscribe,
} from "../../tests/receiver.ts";
import { webhooks } from "../ground/db/tables.ts";

/** More statements than any round needs. */
const MOST_STEPS = 40;
const LEASE_MS = 60_000;

/** A round with some first attempts, and a second one; it may end early. */
async function roundWith(server: TestServer, mayGoOn: (step: number) => boolean) {
  const me = await server.account();
  let isCareful = false;
  const receiver = startReceiver(
    () => new Response(null, { status: isCareful || receiver.requests.length % 3 ? 200 : 500 }),
  );
  const { id } = await subscribe(me, receiver.url);
  await makeMuchNews(me, 3);
  await deliverAll(server);
  await makeMuchNews(me, 3);
  server.clock.moveBy(LEASE_MS);

  let steps = 0;
  const dying = failingDeps(server.deps, () => (mayGoOn(++steps) ? null : new Error("crash")));
  await deliverOnce({ deps: dying }).catch(() => {});
  isCareful = true;
  return { id, receiver, steps };
}

type Round = Awaited<ReturnType<typeof roundWith>>;

/** How many messages arrived in the end, how many are done, and whether all is as it should be with them. */
async function summaryOf(server: TestServer, { id, receiver }: Round): Promise<string> {
  const rows = await deliveriesOf(server, id);
  const earlier = await earlierAttemptsOf(server, id);
  const arrived = Map.groupBy(receiver.requests, ({ headers }) => headers.get("webhook-id"));
  const isSame = [...arrived.values()].every(
    (some) => new Set(some.map(({ body }) => String(body))).size === 1,
  );
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
  const isCounted = attempts === rows.length + earlier.length;
  const done = rows.filter(({ status }) => status === "succeeded").length;
  return `${arrived.size} arrived, ${done} done, ${isSame && isCounted ? "rightly" : "wrongly"}`;
}

onServer("a crash between any two steps of a round", (server) => {
  afterEach(async () => {
    await server().deps.store.delete(webhooks);
  });

  test("loses no message, and what goes twice goes as it went before", async () => {
    const summaries: string[] = [];
    for (let [step, isCrash] = [1, true]; isCrash && step < MOST_STEPS; step++) {
      const round = await roundWith(server(), (each) => each < step);
      for (const _ of [1, 2, 3]) {
        server().clock.moveBy(10 * LEASE_MS);
        await deliverAll(server());
      }
      summaries.push(await summaryOf(server(), round));
      isCrash = round.steps >= step;
      await server().deps.store.delete(webhooks);
    }

    expect(summaries.length).toBeGreaterThan(5);
    expect(summaries.length).toBeLessThan(MOST_STEPS - 1);
    expect(new Set(summaries)).toEqual(new Set(["6 arrived, 6 done, rightly"]));
  });
});
