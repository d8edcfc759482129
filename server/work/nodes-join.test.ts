import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { startServer } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { playNode } from "../../tests/nodes/playing.ts";
import { type OwnPostgres, startOwnPostgres } from "../../tests/own-postgres.ts";
import { until, untilIs } from "../../tests/until.ts";
import { migrateToHead, openEngine } from "../ground/db/open.ts";
import { createStore, type Engine } from "../ground/db/store.ts";
import { type Clock, systemClock } from "../ground/lib/clock.ts";
import { type Joined, joinNodes } from "./membership.ts";
import { BUCKETS } from "./nodes.ts";

describe("A node that has joined", () => {
  let postgres: OwnPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    url = postgres.urlOf("postgres");
    const engine = openEngine(url);
    await migrateToHead(engine, 0);
    await engine.close();
  });
  afterAll(() => postgres.remove());

  const checksOf = ({ nodes }: Joined) => nodes.share("checks").buckets.length;

  /** A node with heartbeats of its own, and how often its loops were woken. */
  function join(name: string, clock: Clock = systemClock, listen?: Engine["listen"]) {
    const node = playNode(url, clock, { NODE_NAME: name });
    let wakes = 0;
    node.deps.loops.onWake(() => {
      wakes++;
    });
    const { engine } = node.deps.store;
    const store = listen ? createStore({ ...engine, listen }) : node.deps.store;
    const joined = joinNodes({ ...node.deps, store });
    joined.start();
    return { node, joined, wakes: () => wakes };
  }

  test("begins with all the work, shares it with the next, and has it again when that leaves", async () => {
    const first = join("first");
    await untilIs("its work", () => checksOf(first.joined), BUCKETS);
    await until("a wake", () => first.wakes() > 0);
    const second = join("second");
    await untilIs(
      "the work of both",
      () => checksOf(first.joined) + checksOf(second.joined),
      BUCKETS,
    );
    await until("a share of the second", () => checksOf(second.joined) > 0);

    const done = Promise.withResolvers<void>();
    const leaving = second.joined.leave(done.promise);
    expect(checksOf(second.joined)).toBe(0);
    // Nothing is under way at it, so that no one has to wait for its end.
    await untilIs("the work of the first", () => checksOf(first.joined), BUCKETS);
    done.resolve();
    await leaving;

    await untilIs("the nodes", () => first.joined.nodes.all().length, 1);
    await first.joined.leave(Promise.resolve());
    await Promise.all([first.node.close(), second.node.close()]);
  });

  test("begins nothing while the database is away, says so once, and has what it had after that", async () => {
    const lines = await logLines("info");
    const { node, joined } = join("only");
    await untilIs("its work", () => checksOf(joined), BUCKETS);

    await postgres.stop();
    const said = (words: string) =>
      until(words, () => lines.some((line) => line.includes(words)), {
        log: () => lines.join("\n"),
      });
    await said("heartbeat failed");
    await expect(node.beat()).rejects.toThrow();
    await postgres.start();
    await said("heartbeat resumed");

    expect(checksOf(joined)).toBe(BUCKETS);
    expect(lines.filter((line) => line.includes("heartbeat")).length).toBe(2);
    await joined.leave(Promise.resolve());
    await node.close();
  });
  test("ends in order although the database never lets it listen", async () => {
    const { node, joined } = join("deaf", systemClock, () => new Promise(() => {}));
    await untilIs("its work", () => checksOf(joined), BUCKETS);

    await joined.leave(Promise.resolve());

    expect(checksOf(joined)).toBe(0);
    await node.close();
  });

  test("listens again from time to time where that was refused", async () => {
    const clock = movableClock(systemClock.now());
    let attempts = 0;
    const { node, joined } = join("refused", clock, async () => {
      attempts++;
      return null;
    });

    await until("another attempt", () => {
      clock.moveBy(1000);
      return attempts > 1;
    });

    await joined.leave(Promise.resolve());
    await node.close();
  });
});

test("A node that is alone looks seldom how late it is, since that is a read", async () => {
  const server = await startServer("sqlite");
  const clock = movableClock(server.clock.now());
  const joined = joinNodes({ ...server.deps, clock });

  joined.start();
  await until("a sleep", () => clock.slept.length > 0);

  expect(clock.slept).toEqual([15_000]);
  await joined.leave(Promise.resolve());
  await server.stop();
});
