import { describe, expect, test } from "bun:test";
import { nodes as nodeRows } from "../../server/db/tables.ts";
import { BUCKETS } from "../../server/work/buckets.ts";
import { BEAT_MS, playFleet } from "./fleet.ts";
import { isSplit, ownersIn, type PlayedNode, shareOf } from "./playing.ts";

const HOUR_MS = 3_600_000;

describe("When some of them are silent, nodes on one PostgreSQL", () => {
  const { time, startAll, beat } = playFleet();

  test("take over what one that is silent had within half a minute, leases broken first", async () => {
    const [dead, ...others] = (await startAll(3)) as [PlayedNode, PlayedNode, PlayedNode];
    const had = new Set(dead.nodes.share("checks").buckets);
    const taken: number[] = [];
    for (const node of others) {
      node.nodes.onTaken("checks", async (buckets, from) => {
        expect(from).toEqual([dead.id]);
        expect(buckets.filter(node.nodes.share("checks").has)).toEqual([]);
        taken.push(...buckets);
      });
    }
    await beat(others, 3);
    expect(shareOf(dead)).toBe(had.size);
    await beat(others, 2);

    expect(shareOf(dead)).toBe(0);
    expect(isSplit(others)).toBe(true);
    expect(new Set(taken)).toEqual(had);
    expect(others[0]!.nodes.all().find(({ id }) => id === dead.id)?.isLive).toBe(false);
  });

  test("have nothing of a dead one before its leases are broken, however long that takes", async () => {
    const [dead, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    let isBroken = false;
    heir.nodes.onTaken("checks", async () => {
      if (!isBroken) throw new Error("Not now.");
    });
    const before = shareOf(heir);
    await beat([heir], 6);
    expect(shareOf(heir)).toBe(before);
    expect(shareOf(dead)).toBe(0);

    isBroken = true;
    await beat([heir]);

    expect(heir.nodes.share("checks").isAll).toBe(true);
  });

  test("give signs of life while leases of a dead one are broken, once at a time", async () => {
    const [, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    const before = shareOf(heir);
    const breaking = slowTaking(heir);
    const gaining = await beatOnly(heir, 8);
    expect(breaking.begun()).toBe(1);
    expect(shareOf(heir)).toBe(before);
    expect(await ownersIn(heir)).toEqual({ [heir.id]: BUCKETS });

    breaking.end();

    expect(await Promise.all(gaining)).toContain(true);
    expect(heir.nodes.share("checks").isAll).toBe(true);
  });

  test("do not have what they lost again while its leases were broken", async () => {
    const [silent, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    const before = shareOf(heir);
    const breaking = slowTaking(heir);
    const gaining = await beatOnly(heir, 8);
    for (let i = 0; i < 3; i++) {
      await silent.beat();
      await beatOnly(heir, 1);
    }
    expect(isSplit([silent, heir])).toBe(true);

    breaking.end();
    await Promise.all(gaining);

    expect(shareOf(heir)).toBe(before);
    expect(isSplit([silent, heir])).toBe(true);
  });

  test("look for no leases of one that is dead for longer than they last", async () => {
    const [long, late, heir] = (await startAll(3)) as [PlayedNode, PlayedNode, PlayedNode];
    const dead: string[][] = [];
    heir.nodes.onTaken("checks", async (_, from) => void dead.push(from));
    await beat([late, heir], 8);
    await beat([heir], 8);
    expect(dead).toEqual([[long.id], [expect.any(String), expect.any(String)]]);

    await late.beat();
    await beat([late, heir], 40);
    await beat([heir], 8);

    expect(dead.slice(2)).toEqual([[late.id]]);
  });

  test("begin nothing once they have been silent for long, and have nothing of others after it", async () => {
    const [stalled, heir] = (await startAll(2)) as [PlayedNode, PlayedNode];
    await beat([heir], 3);
    expect(shareOf(stalled)).toBeGreaterThan(0);
    time.moveBy(1);
    expect(shareOf(stalled)).toBe(0);
    await beat([heir], 2);
    expect(heir.nodes.share("checks").isAll).toBe(true);

    await stalled.beat();
    expect(shareOf(stalled)).toBe(0);
    await beat([stalled, heir], 4);

    expect(isSplit([stalled, heir])).toBe(true);
    expect(shareOf(stalled)).toBeGreaterThan(0);
  });

  test("have lost nothing when they were silent for a while and nobody took it", async () => {
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

  test("judge nobody dead for a while after none of them could be heard", async () => {
    const nodes = await startAll(3);
    const before = nodes.map((node) => shareOf(node));
    time.moveBy(60_000);

    // One is back long before the others, and hears only itself.
    const [early, ...late] = nodes as [PlayedNode, ...PlayedNode[]];
    for (let i = 0; i < 4; i++) {
      await beat([early]);
      expect(await ownersIn(early)).toEqual(
        Object.fromEntries(nodes.map((node, n) => [node.id, before[n]!])),
      );
    }
    await Promise.all(late.map((node) => node.beat()));

    expect(nodes.map((node) => shareOf(node))).toEqual(before);
    expect(isSplit(nodes)).toBe(true);
  });

  /** Its signs of life, and whether it gained anything after each. */
  async function beatOnly(node: PlayedNode, times: number) {
    const gaining: Promise<boolean>[] = [];
    for (let i = 0; i < times; i++) {
      time.moveBy(BEAT_MS);
      gaining.push((await node.beatOnly()).gaining);
    }
    return gaining;
  }
});

/** Has taking over links last until the story ends it. */
function slowTaking({ nodes }: PlayedNode) {
  const ended = Promise.withResolvers<void>();
  let begun = 0;
  nodes.onTaken("checks", async () => {
    begun++;
    await ended.promise;
  });
  return { begun: () => begun, end: ended.resolve };
}
