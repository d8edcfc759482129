import { describe, expect, test } from "bun:test";
import { claimedFor, due, names, openLanes, SLOW_MS } from "./played-lanes.ts";

describe("Ahead is claimed", () => {
  test("four for a receiver that nobody knows yet", () => {
    expect(openLanes().claim("a")).toBe(4);
  });

  test.each([
    [10, 128],
    [40, 100],
    [400, 10],
    [1000, 4],
    [SLOW_MS, 4],
    [0, 128],
  ])("for one that takes %i ms: %i, with what is held already", (paceMs, most) => {
    const lanes = openLanes();
    lanes.paced("a", paceMs);

    expect((lanes.held().get("a") ?? 0) + lanes.claim("a")).toBe(most);
  });

  test.each([
    [1, 3],
    [3, 1],
    [4, 1],
    [9, 1],
  ])("only a share while others hold %i, but one at least: %i", (heldElsewhere, share) => {
    const lanes = openLanes();
    lanes.paced("a", 10);
    lanes.end(lanes.begin()!, 10);

    expect(lanes.claim("a", { heldElsewhere })).toBe(share);
  });

  test("no more than 2000 for all together, but four for each", () => {
    const lanes = openLanes();
    for (const id of names(20)) lanes.paced(id, 10);

    const wanted = lanes.wanted(names(20).map((id) => due(id)));

    const each = names(20).map((id) => (wanted.get(id) ?? 0) + (lanes.held().get(id) ?? 0));
    const held = each.reduce((sum, one) => sum + one, 0);
    expect(Math.min(...each)).toBe(4);
    expect(Math.max(...each)).toBe(128);
    expect(held).toBeLessThan(2000 + 20 * 4);
  });

  test("for those who waited longest, when there are more receivers than places", () => {
    const { wanted, isMore } = openLanes();
    const all = names(100).map((id, i) => due(id, { lastDeliveryAt: 100 - i }));

    const asked = [...wanted(all).keys()];

    expect(new Set(asked)).toEqual(new Set(names(100).slice(-64)));
    expect(isMore()).toBe(true);
    wanted(all.slice(0, 64));
    expect(isMore()).toBe(false);
  });

  test("nothing while more is held than is wanted by now", () => {
    const lanes = openLanes();
    lanes.paced("a", 10);
    lanes.claim("a");
    lanes.end(lanes.begin()!, SLOW_MS);

    expect(lanes.claim("a")).toBe(0);
  });

  test("more as soon as half of it is gone, if there may be more", () => {
    const lanes = openLanes();
    lanes.paced("a", 10);
    lanes.claim("a");

    while ((lanes.held().get("a") ?? 0) > 64) lanes.end(lanes.begin()!, 10);

    expect(lanes.isLow("a")).toBe(false);
    lanes.end(lanes.begin()!, 10);
    expect(lanes.isLow("a")).toBe(true);
  });

  test("nothing before the next look when fewer came than were wanted", () => {
    const lanes = openLanes();
    lanes.claim("a", { most: 3 });

    lanes.end(lanes.begin()!, 10);

    expect(lanes.isLow("a")).toBe(false);
  });
});

describe("What was claimed ahead", () => {
  test("is released after ten seconds, but not what is under way", () => {
    const { clock, claim, begin, release, held } = openLanes();
    claim("a");
    begin();
    clock.moveBy(9999);
    expect(release("stale")).toEqual([]);

    clock.moveBy(1);

    expect(release("stale").map(({ event }) => event.id)).toEqual(["1", "2", "3"]);
    expect(held().get("a")).toBe(1);
  });

  test("is released for one webhook when that is switched off", () => {
    const { take, release, held } = openLanes();
    take([...claimedFor("a", 2), ...claimedFor("b", 3)]);

    expect(release({ of: "b" })).toHaveLength(3);

    expect([held().get("a"), held().get("b")]).toEqual([2, 0]);
  });

  test("is released altogether at the end", () => {
    const { take, begin, release } = openLanes();
    take([...claimedFor("a", 2), ...claimedFor("b", 3)]);

    expect(release("all")).toHaveLength(5);

    expect(begin()).toBeNull();
  });
});
