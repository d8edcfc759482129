import { describe, expect, test } from "bun:test";
import { START } from "../../tests/harness.ts";
import { playFleet } from "../../tests/nodes/fleet.ts";
import { isSplit, type PlayedNode, shareOf } from "../../tests/nodes/playing.ts";
import type { KnownState, SentinelReport } from "../judge/online/online.ts";
import { BUCKETS, onlineOfAll } from "./nodes.ts";

describe("Nodes on one PostgreSQL", () => {
  const { time, start, startAll, beat } = playFleet();

  test("have all of the work at once when there is only one", async () => {
    const only = start();
    expect(shareOf(only)).toBe(0);

    const { hasGained } = await only.beat();

    expect(hasGained).toBe(true);
    expect(only.nodes.share("checks").isAll).toBe(true);
    expect(only.nodes.share("deliveries").isAll).toBe(true);
  });

  test("share the work when others start", async () => {
    const nodes = [start()];
    await beat(nodes);
    for (const _ of [2, 3]) {
      nodes.push(start());
      await beat(nodes, 2);
      expect(isSplit(nodes)).toBe(true);
    }

    expect(isSplit(nodes, "deliveries")).toBe(true);
    for (const node of nodes) expect(shareOf(node)).toBeGreaterThan(BUCKETS / 5);
    expect(nodes[0]!.nodes.share("checks").isAll).toBe(false);
  });

  test("say when others have to share the work differently", async () => {
    const node = start();

    const beats = [await node.beat(), await node.beat()];
    node.setOnline(offlineSince(time.now()));
    beats.push(await node.beat(), await node.beat());
    node.retire();
    beats.push(await node.beat());

    expect(beats.map(({ affectsOthers }) => affectsOthers)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("leave what they have to others when they stop, and are not listed any more", async () => {
    const [leaver, stayer] = (await startAll(2)) as [PlayedNode, PlayedNode];
    leaver.retire();
    expect(shareOf(leaver)).toBe(0);
    await beat([leaver, stayer]);
    expect(stayer.nodes.share("checks").isAll).toBe(true);
    await leaver.leave();
    await beat([stayer]);

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
  });

  test("give their work to others while they are offline, unless all are", async () => {
    const nodes = await startAll(2);
    const [near, far] = nodes as [PlayedNode, PlayedNode];
    near.setOnline(offlineSince(time.now()));
    await beat(nodes, 4);
    expect([shareOf(near), shareOf(far)]).toEqual([0, BUCKETS]);
    expect(onlineOfAll(near.deps).state).toBe("unknown");

    far.setOnline(offlineSince(time.now()));
    await beat(nodes, 4);
    expect(isSplit(nodes)).toBe(true);
    expect(shareOf(near)).toBeGreaterThan(0);
    expect(onlineOfAll(near.deps).state).toBe("offline");

    near.setOnline(null);
    await beat(nodes, 4);
    expect([shareOf(near), shareOf(far)]).toEqual([BUCKETS, 0]);
  });
});

function offlineSince(since: number): KnownState {
  const report: SentinelReport = { state: "offline", asked_at: START, sentinels: [] };
  return { state: "offline", since, report };
}
