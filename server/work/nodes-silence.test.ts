import { describe, expect, test } from "bun:test";
import { playFleet } from "../../tests/nodes/fleet.ts";
import { isSplit, type PlayedNode, shareOf } from "../../tests/nodes/playing.ts";
import { nodes as nodeRows } from "../ground/db/tables.ts";

const HOUR_MS = 3_600_000;

describe("When some of them are silent, nodes on one PostgreSQL", () => {
  const { time, startAll, beat } = playFleet();

  test("take what a silent one had within half a minute, and know that it is dead", async () => {
    const [dead, ...others] = (await startAll(3)) as [PlayedNode, PlayedNode, PlayedNode];
    const had = shareOf(dead);
    await beat(others, 3);
    expect(shareOf(dead)).toBe(had);
    expect(others[0]!.nodes.dead()).toEqual([]);
    await beat(others, 2);

    expect(shareOf(dead)).toBe(0);
    expect(isSplit(others)).toBe(true);
    expect(others[0]!.nodes.dead()).toEqual([dead.id]);
    expect(others[0]!.nodes.all().find(({ id }) => id === dead.id)?.isLive).toBe(false);
  });

  test("share with one again that was silent for long", async () => {
    const [silent, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    await beat([heir], 8);
    expect(heir.nodes.share("checks").isAll).toBe(true);

    await silent.beat();
    await beat([silent, heir], 2);

    expect(heir.nodes.dead()).toEqual([]);
    expect(isSplit([silent, heir])).toBe(true);
  });

  test("begin nothing once they have been silent for long", async () => {
    const [stalled, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    await beat([heir], 3);
    expect(shareOf(stalled)).toBeGreaterThan(0);
    time.moveBy(1);

    expect(shareOf(stalled)).toBe(0);
  });

  test("have lost nothing when they were silent for a while and no one took it", async () => {
    const [stalled, other] = (await startAll(2)) as [PlayedNode, PlayedNode];
    const before = shareOf(stalled);
    time.moveBy(18_000);
    expect(shareOf(stalled)).toBe(0);
    await stalled.beat();
    await other.beat();

    expect(shareOf(stalled)).toBe(before);
    expect(isSplit([stalled, other])).toBe(true);
  });

  test("are shown for an hour after they died, and then forgotten", async () => {
    const [dead, other] = (await startAll(2)) as [PlayedNode, PlayedNode];
    await beat([other], 6);
    expect(other.nodes.all().map(({ id }) => id)).toEqual([other.id, dead.id]);

    time.moveBy(HOUR_MS);
    await beat([other], 6);

    expect(other.nodes.all().map(({ id }) => id)).toEqual([other.id]);
    expect(await other.deps.store.select({ id: nodeRows.id }).from(nodeRows)).toEqual([
      { id: other.id },
    ]);
  });

  test("judge no node dead for a while after none of them could be heard", async () => {
    const nodes = await startAll(3);
    const before = nodes.map((node) => shareOf(node));
    time.moveBy(60_000);

    // One is back long before the others, and hears only itself.
    const [early, ...late] = nodes as [PlayedNode, ...PlayedNode[]];
    for (let i = 0; i < 4; i++) {
      await beat([early]);
      expect(shareOf(early)).toBe(before[0]!);
      expect(early.nodes.dead()).toEqual([]);
    }
    await Promise.all(late.map((node) => node.beat()));

    expect(nodes.map((node) => shareOf(node))).toEqual(before);
    expect(isSplit(nodes)).toBe(true);
  });
});
