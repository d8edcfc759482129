import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { claimedFor, due, names, openQueues, SLOW_MS } from "../../tests/events/queues.ts";

describe("Ahead is claimed", () => {
  test("four for an unknown receiver", () => {
    expect(openQueues().claim("a")).toBe(4);
  });

  eachRow([
    [10, 128],
    [40, 100],
    [400, 10],
    [1000, 4],
    [SLOW_MS, 4],
    [0, 128],
  ])("for one that takes %i ms: %i, with what is held already", (paceMs, most) => {
    const queues = openQueues();
    queues.paced("a", paceMs);

    expect((queues.held().get("a") ?? 0) + queues.claim("a")).toBe(most);
  });

  eachRow([
    [1, 3],
    [3, 1],
    [4, 1],
    [9, 1],
  ])("only a share while others hold %i, but one at least: %i", (heldElsewhere, share) => {
    const queues = openQueues();
    queues.paced("a", 10);
    queues.end(queues.begin()!, 10);

    expect(queues.claim("a", { heldElsewhere })).toBe(share);
  });

  test("at most 2000 in total, but four for each", () => {
    const queues = openQueues();
    for (const id of names(20)) queues.paced(id, 10);

    const wanted = queues.wanted(names(20).map((id) => due(id)));

    const each = names(20).map((id) => (wanted.get(id) ?? 0) + (queues.held().get(id) ?? 0));
    const held = each.reduce((sum, one) => sum + one, 0);
    expect(Math.min(...each)).toBe(4);
    expect(Math.max(...each)).toBe(128);
    expect(held).toBeLessThan(2000 + 20 * 4);
  });

  test("for the longest waits, when there are more receivers than slots", () => {
    const { wanted, isMore } = openQueues();
    const all = names(100).map((id, i) => due(id, { lastDeliveryAt: 100 - i }));

    const asked = [...wanted(all).keys()];

    expect(new Set(asked)).toEqual(new Set(names(100).slice(-64)));
    expect(isMore()).toBe(true);
    wanted(all.slice(0, 64));
    expect(isMore()).toBe(false);
  });

  test("nothing while more is held than wanted", () => {
    const queues = openQueues();
    queues.paced("a", 10);
    queues.claim("a");
    queues.end(queues.begin()!, SLOW_MS);

    expect(queues.claim("a")).toBe(0);
  });

  test("more as soon as half of it has been sent, if there may be more", () => {
    const queues = openQueues();
    queues.paced("a", 10);
    queues.claim("a");

    while ((queues.held().get("a") ?? 0) > 64) queues.end(queues.begin()!, 10);

    expect(queues.isLow("a")).toBe(false);
    queues.end(queues.begin()!, 10);
    expect(queues.isLow("a")).toBe(true);
  });

  test("nothing before the next round when fewer were claimed than wanted", () => {
    const queues = openQueues();
    queues.claim("a", { most: 3 });

    queues.end(queues.begin()!, 10);

    expect(queues.isLow("a")).toBe(false);
  });
});

describe("What was claimed ahead", () => {
  test("is released after ten seconds, except for running attempts", () => {
    const { clock, claim, begin, release, held } = openQueues();
    claim("a");
    begin();
    clock.moveBy(9999);
    expect(release("stale")).toEqual([]);

    clock.moveBy(1);

    expect(release("stale").map(({ event }) => event.id)).toEqual(["1", "2", "3"]);
    expect(held().get("a")).toBe(1);
  });

  test("is released for one webhook when it is disabled", () => {
    const { take, release, held } = openQueues();
    take([...claimedFor("a", 2), ...claimedFor("b", 3)]);

    expect(release({ of: "b" })).toHaveLength(3);

    expect([held().get("a"), held().get("b")]).toEqual([2, 0]);
  });

  test("is released completely at the end", () => {
    const { take, begin, release } = openQueues();
    take([...claimedFor("a", 2), ...claimedFor("b", 3)]);

    expect(release("all")).toHaveLength(5);

    expect(begin()).toBeNull();
  });
});
