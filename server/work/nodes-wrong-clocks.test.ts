import { describe, expect, test } from "bun:test";
import { playFleet } from "../../tests/nodes/fleet.ts";
import { isSplit, shareOf } from "../../tests/nodes/playing.ts";
import { followDatabase } from "./membership.ts";
import { BUCKETS } from "./nodes.ts";

const AHEAD_MS = 5 * 60_000;

describe("Whatever their clocks tell, nodes on one PostgreSQL", () => {
  const { time, start, beat } = playFleet();

  test("are not misled by one whose clock is five minutes ahead, nor is it by them", async () => {
    const there = { now: async () => time.now() };
    const wrong = { ...time, now: () => time.now() + AHEAD_MS };
    const right = start({}, await followDatabase(there, time));
    const early = start({}, await followDatabase(there, wrong));
    await beat([right, early], 8);

    expect(isSplit([right, early])).toBe(true);
    const [, seen] = right.nodes.all();
    expect(seen).toMatchObject({ id: early.id, isLive: true });
    expect(seen!.state.clockOffMs).toBe(AHEAD_MS);
    expect(early.nodes.all()[1]!.isLive).toBe(true);
  });

  test("that slept without counting the time know it by their wall clock", async () => {
    let sleptMs = 0;
    const own = { ...time, now: () => time.now() + sleptMs };
    const sleeper = start({}, await followDatabase({ now: async () => own.now() }, own));
    await sleeper.beat();
    expect(shareOf(sleeper)).toBe(BUCKETS);

    sleptMs = 60_000;

    expect(shareOf(sleeper)).toBe(0);
    await sleeper.beat();
    expect(shareOf(sleeper)).toBe(BUCKETS);
  });

  test("judge no node dead when the database has moved to a machine whose time is another", async () => {
    let movedMs = 0;
    const there = { now: async () => time.now() + movedMs };
    const nodes = [start({}, await followDatabase(there, time))];
    nodes.push(start({}, await followDatabase(there, time)));
    await beat(nodes, 6);
    const before = nodes.map((node) => shareOf(node));
    movedMs = 60_000;
    const [first] = nodes;
    await beat([first!]);
    expect(shareOf(first!)).toBe(before[0]!);
    await beat(nodes, 6);

    expect(nodes.map((node) => shareOf(node))).toEqual(before);
    expect(isSplit(nodes)).toBe(true);
  });
});
