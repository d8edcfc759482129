import { describe, expect, test } from "bun:test";
import { claimedFor, due, names, openLanes, SLOW_MS, webhooksOf } from "./played-lanes.ts";

describe("What is sent next", () => {
  test("each receiver has a first attempt before any has a second, in the order of their claims", () => {
    const { take, beginAll } = openLanes();

    take([...claimedFor("much", 3), ...claimedFor("little", 1), ...claimedFor("some", 2)]);

    expect(webhooksOf(beginAll())).toEqual(["much", "little", "some", "much", "some", "much"]);
  });

  test("whoever waited longest for a turn comes first among those with as much under way", () => {
    const { take, begin, end } = openLanes();
    take([...claimedFor("a", 3), ...claimedFor("b", 3)]);
    const [a, b] = [begin()!, begin()!];
    end(a, 10);
    const again = begin()!;

    end(again, 10);
    end(b, 10);

    const seen = [again, begin()!, begin()!].map(({ webhookId }) => webhookId);
    expect(seen).toEqual(["a", "b", "a"]);
  });

  test("oldest first within a webhook", () => {
    const { take, beginAll } = openLanes();

    take(claimedFor("a", 4));

    expect(beginAll().map(({ event }) => event.id)).toEqual(["0", "1", "2", "3"]);
  });

  test("at most four are under way for one webhook", () => {
    const { take, begin, beginAll, end } = openLanes();
    take(claimedFor("a", 10));

    const [first, ...others] = beginAll();

    expect(others).toHaveLength(3);
    end(first!, 10);
    expect(begin()?.webhookId).toBe("a");
    expect(begin()).toBeNull();
  });

  test("at most 64 are under way in all", () => {
    const { paced, take, begin, beginAll, end } = openLanes();
    for (const id of names(20)) paced(id, 20);
    take(names(20).flatMap((id) => claimedFor(id, 3)));

    const begun = beginAll();

    expect(begun).toHaveLength(64);
    end(begun[0]!, 10);
    expect(begin()).not.toBeNull();
    expect(begin()).toBeNull();
  });
});

describe("Receivers of which nothing is known", () => {
  test("have half of the places at most, as long as each of them has one", () => {
    const { take, beginAll } = openLanes();

    take(names(20).flatMap((id) => claimedFor(id, 4)));

    expect(beginAll()).toHaveLength(32);
  });

  test("have one place each beyond that, but the last eight are for the quick", () => {
    const { paced, take, beginAll } = openLanes();
    paced("quick", 20);
    take([...claimedFor("quick", 3), ...names(100).flatMap((id) => claimedFor(id, 4))]);

    const begun = webhooksOf(beginAll());

    expect(begun.filter((id) => id === "quick")).toHaveLength(4);
    expect(begun).toHaveLength(56 + 4);
    expect(new Set(begun).size).toBe(56 + 1);
  });
});

describe("Slow receivers", () => {
  /** So many of them, each with four that wait. */
  function withSlowOnes(count: number) {
    const lanes = openLanes();
    for (const id of names(count)) lanes.paced(id, SLOW_MS);
    lanes.take(names(count).flatMap((id) => claimedFor(id, 3)));
    return lanes;
  }

  test("have half of the places at most, and the others are free for the quick", () => {
    const { paced, take, beginAll } = openLanes();
    for (const id of names(24)) paced(id, Number(id.split(" ")[1]) < 12 ? SLOW_MS : 20);
    take(names(24).flatMap((id) => claimedFor(id, 3)));

    const begun = webhooksOf(beginAll());

    const slow = begun.filter((id) => names(12).includes(id));
    expect([slow.length, begun.length]).toEqual([32, 64]);
  });

  test("keep nobody from a first place of whom nothing is known", () => {
    const { take, beginAll } = withSlowOnes(12);
    expect(beginAll()).toHaveLength(32);

    take(names(12).flatMap((id) => claimedFor(`new ${id}`, 4)));

    const begun = webhooksOf(beginAll());
    expect(new Set(begun)).toEqual(new Set(names(12).map((id) => `new ${id}`)));
    expect(begun).toHaveLength(12);
  });

  test("go on with the next as one of them ends", () => {
    const { begin, beginAll, end } = withSlowOnes(12);
    const [first] = beginAll();

    end(first!, SLOW_MS);

    expect(begin()).not.toBeNull();
    expect(begin()).toBeNull();
  });

  test("are slow no more with their first quick answer", () => {
    const { beginAll, end } = withSlowOnes(12);
    const [first] = beginAll();

    end(first!, 20);

    expect(webhooksOf(beginAll())).toContain(first!.webhookId);
  });
});

describe("Receivers that are failing", () => {
  const failing = (count: number) => names(count).map((id) => due(id, { isFailing: true }));

  test("count as slow before they have shown how they are now", () => {
    const { wanted, take, beginAll } = openLanes();
    wanted(failing(12));
    take(names(12).flatMap((id) => claimedFor(id, 4)));

    expect(beginAll()).toHaveLength(32);
  });

  test("are as good as any with their first quick answer", () => {
    const { wanted, take, beginAll, end } = openLanes();
    wanted(failing(12));
    take(names(12).flatMap((id) => claimedFor(id, 4)));
    const [first] = beginAll();

    end(first!, 20);

    expect(webhooksOf(beginAll())).toContain(first!.webhookId);
  });
});
