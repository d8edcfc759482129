import { describe, expect, test } from "bun:test";
import type { KnownState, SentinelReport } from "../../server/verdict/online/online.ts";
import { BUCKETS } from "../../server/work/buckets.ts";
import { onlineOfAll } from "../../server/work/checking.ts";
import { START } from "../harness.ts";
import { BEAT_MS, playFleet } from "./fleet.ts";
import { isSplit, ownersIn, type PlayedNode, shareOf } from "./playing.ts";

describe("Nodes on one PostgreSQL", () => {
  const { time, start, startAll, beat } = playFleet();

  test("have all of the work at once when there is only one", async () => {
    const only = start();
    expect(shareOf(only)).toBe(0);

    const arranged = await only.beat();

    expect(arranged.hasGained).toBe(true);
    expect(only.nodes.share("checks").isAll).toBe(true);
    expect(only.nodes.share("deliveries").isAll).toBe(true);
  });

  test("share the work when others come, and never have the same", async () => {
    const nodes = [start()];
    await beat(nodes);
    for (const _ of [2, 3]) {
      nodes.push(start());
      for (let i = 0; i < 4; i++) {
        await beat(nodes);
        const all = nodes.flatMap((node) => node.nodes.share("checks").buckets);
        expect(new Set(all).size).toBe(all.length);
      }
    }

    expect(isSplit(nodes)).toBe(true);
    expect(isSplit(nodes, "deliveries")).toBe(true);
    for (const node of nodes) expect(shareOf(node)).toBeGreaterThan(BUCKETS / 5);
    expect(nodes[0]!.nodes.share("checks").isAll).toBe(false);
  });

  test("keep a bucket while something of it is under way, and begin nothing more in it", async () => {
    const first = start();
    await first.beat();
    const underWay = new Set(first.nodes.share("checks").buckets);
    first.nodes.keeps("checks", () => underWay);
    const second = start();
    await beat([first, second], 3);
    const lessened = shareOf(first);
    expect(lessened).toBeLessThan(BUCKETS);
    expect(shareOf(second)).toBe(0);

    underWay.clear();
    await beat([first, second], 2);

    expect(shareOf(first)).toBe(lessened);
    expect(isSplit([first, second])).toBe(true);
  });

  test("give up nothing that they may just have begun in", async () => {
    const first = start();
    await first.beat();
    const second = start();
    await second.beat();
    await first.beat();
    expect(shareOf(first)).toBeLessThan(BUCKETS);
    expect(await ownersIn(first)).toEqual({ [first.id]: BUCKETS });

    time.moveBy(1000);
    await first.beat();

    expect(await ownersIn(first)).toEqual({
      [first.id]: shareOf(first),
      nobody: BUCKETS - shareOf(first),
    });
  });

  test("give up what they have when they leave, and are not there any more", async () => {
    const [leaver, stayer] = (await startAll(2)) as [PlayedNode, PlayedNode];
    leaver.retire();
    expect(shareOf(leaver)).toBe(0);
    await beat([leaver, stayer]);
    await leaver.leave();
    await beat([stayer]);

    expect(stayer.nodes.share("checks").isAll).toBe(true);
    expect(stayer.nodes.all().map(({ id }) => id)).toEqual([stayer.id]);
  });

  test("have only the work of their roles", async () => {
    const [api, checker, delivery] = [
      start({ ROLE: "api" }),
      start({ ROLE: "checker" }),
      start({ ROLE: "delivery" }),
    ];
    await beat([api, checker, delivery], 3);

    expect([shareOf(api), shareOf(api, "deliveries")]).toEqual([0, 0]);
    expect([shareOf(checker), shareOf(checker, "deliveries")]).toEqual([BUCKETS, 0]);
    expect([shareOf(delivery), shareOf(delivery, "deliveries")]).toEqual([0, BUCKETS]);
    expect(await ownersIn(api)).toEqual({ [checker.id]: BUCKETS });
  });

  test("give their work to others while they are offline, unless all are", async () => {
    const nodes = await startAll(2);
    const [near, far] = nodes as [PlayedNode, PlayedNode];
    let isOffline = true;
    const report: SentinelReport = { state: "offline", asked_at: START, sentinels: [] };
    const cutOff = (): KnownState => ({ state: "offline", since: time.now(), report });
    const { known } = near.deps.online;
    near.deps.online = { ...near.deps.online, known: () => (isOffline ? cutOff() : known()) };
    await beat(nodes, 4);
    expect([shareOf(near), shareOf(far)]).toEqual([0, BUCKETS]);
    expect(onlineOfAll(near.deps).state).toBe("unknown");

    far.deps.online = { ...far.deps.online, known: cutOff };
    await beat(nodes, 4);
    expect(isSplit(nodes)).toBe(true);
    expect(shareOf(near)).toBeGreaterThan(0);
    expect(onlineOfAll(near.deps).state).toBe("offline");

    isOffline = false;
    await beat(nodes, 4);
    expect([shareOf(near), shareOf(far)]).toEqual([BUCKETS, 0]);
  });

  test("that take the same at once do not both get it", async () => {
    const nodes = Array.from({ length: 4 }, () => start());
    await Promise.all(nodes.map((node) => node.beat()));
    for (let i = 0; i < 5; i++) {
      const all = nodes.flatMap((node) => node.nodes.share("checks").buckets);
      expect(new Set(all).size).toBe(all.length);
      time.moveBy(BEAT_MS);
      await Promise.all(nodes.map((node) => node.beat()));
    }

    expect(isSplit(nodes)).toBe(true);
  });
});
