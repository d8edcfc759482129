import { describe, expect, test } from "bun:test";
import {
  claimedFor,
  due,
  names,
  openQueues,
  SLOW_MS,
  webhooksOf,
} from "../../tests/events/queues.ts";

describe("What is sent next", () => {
  test("each receiver has a first attempt before any has a second, in the order of their claims", () => {
    const { take, beginAll } = openQueues();

    take([...claimedFor("much", 3), ...claimedFor("little", 1), ...claimedFor("some", 2)]);

    expect(webhooksOf(beginAll())).toEqual(["much", "little", "some", "much", "some", "much"]);
  });

  test("the longest wait for a turn comes first among webhooks with as many running attempts", () => {
    const { take, begin, end } = openQueues();
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
    const { take, beginAll } = openQueues();

    take(claimedFor("a", 4));

    expect(beginAll().map(({ event }) => event.id)).toEqual(["0", "1", "2", "3"]);
  });

  test("at most four attempts run for one webhook", () => {
    const { take, begin, beginAll, end } = openQueues();
    take(claimedFor("a", 10));

    const [first, ...others] = beginAll();

    expect(others).toHaveLength(3);
    end(first!, 10);
    expect(begin()?.webhookId).toBe("a");
    expect(begin()).toBeNull();
  });

  test("at most 64 attempts run in total", () => {
    const { paced, take, begin, beginAll, end } = openQueues();
    for (const id of names(20)) paced(id, 20);
    take(names(20).flatMap((id) => claimedFor(id, 3)));

    const begun = beginAll();

    expect(begun).toHaveLength(64);
    end(begun[0]!, 10);
    expect(begin()).not.toBeNull();
    expect(begin()).toBeNull();
  });
});

describe("Unknown receivers", () => {
  test("have at most half of the slots, as long as each has one", () => {
    const { take, beginAll } = openQueues();

    take(names(20).flatMap((id) => claimedFor(id, 4)));

    expect(beginAll()).toHaveLength(32);
  });

  test("have one slot each beyond that, but the last eight are for quick receivers", () => {
    const { paced, take, beginAll } = openQueues();
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
    const queues = openQueues();
    for (const id of names(count)) queues.paced(id, SLOW_MS);
    queues.take(names(count).flatMap((id) => claimedFor(id, 3)));
    return queues;
  }

  test("have at most half of the slots, and the others are free for quick receivers", () => {
    const { paced, take, beginAll } = openQueues();
    for (const id of names(24)) paced(id, Number(id.split(" ")[1]) < 12 ? SLOW_MS : 20);
    take(names(24).flatMap((id) => claimedFor(id, 3)));

    const begun = webhooksOf(beginAll());

    const slow = begun.filter((id) => names(12).includes(id));
    expect([slow.length, begun.length]).toEqual([32, 64]);
  });

  test("do not keep an unknown receiver from its first slot", () => {
    const { take, beginAll } = withSlowOnes(12);
    expect(beginAll()).toHaveLength(32);

    take(names(12).flatMap((id) => claimedFor(`new ${id}`, 4)));

    const begun = webhooksOf(beginAll());
    expect(new Set(begun)).toEqual(new Set(names(12).map((id) => `new ${id}`)));
    expect(begun).toHaveLength(12);
  });

  test("continue with the next delivery when one ends", () => {
    const { begin, beginAll, end } = withSlowOnes(12);
    const [first] = beginAll();

    end(first!, SLOW_MS);

    expect(begin()).not.toBeNull();
    expect(begin()).toBeNull();
  });

  test("are no longer slow after a quick response", () => {
    const { beginAll, end } = withSlowOnes(12);
    const [first] = beginAll();

    end(first!, 20);

    expect(webhooksOf(beginAll())).toContain(first!.webhookId);
  });
});

describe("Failing receivers", () => {
  const failing = (count: number) => names(count).map((id) => due(id, { isFailing: true }));

  test("count as slow until an attempt has ended", () => {
    const { wanted, take, beginAll } = openQueues();
    wanted(failing(12));
    take(names(12).flatMap((id) => claimedFor(id, 4)));

    expect(beginAll()).toHaveLength(32);
  });

  test("count as quick after a quick response", () => {
    const { wanted, take, beginAll, end } = openQueues();
    wanted(failing(12));
    take(names(12).flatMap((id) => claimedFor(id, 4)));
    const [first] = beginAll();

    end(first!, 20);

    expect(webhooksOf(beginAll())).toContain(first!.webhookId);
  });
});
