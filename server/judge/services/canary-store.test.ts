import { expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { onServer, START } from "../../../tests/harness.ts";
import { createStore, type Store, Unavailable } from "../../ground/db/store.ts";
import { createLearning, writeLearned } from "../../monitor/learning.ts";
import { createCanaries } from "./canaries.ts";
import type { Target } from "./catalogue.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

onServer("What is known of whether a service can be believed", (server) => {
  let targets = 0;
  /** A service that nothing is known of, and processes that look at its links. */
  function service() {
    const clock = movableClock(START);
    const target = targetNamed(`service-${++targets}`);
    const process = (store: Store = server().deps.store) => startProcess(store, clock, target);
    return { clock, process };
  }

  test("is known to another process as well, and after a start", async () => {
    const { clock, process } = service();
    const [first, second] = [process(), process()];

    expect(await first.sings(true)).toBe(true);
    clock.moveBy(14 * MINUTE_MS);

    expect(await second.sings(false)).toBe(true);
    expect(second.asked()).toBe(0);
  });

  test("is asked by another process when it is a quarter of an hour old", async () => {
    const { clock, process } = service();
    const [first, second] = [process(), process()];
    await first.sings(true);

    clock.moveBy(15 * MINUTE_MS);

    expect(await second.sings(false)).toBe(false);
    expect(second.asked()).toBe(1);
    expect(await first.sings(true)).toBe(false);
    expect(first.asked()).toBe(1);
  });

  test("counts for a day when a link of it was alive, on any node", async () => {
    const { clock, process } = service();
    await process().sawAlive();

    clock.moveBy(DAY_MS - 1);
    expect(await process().wasAlive()).toBe(true);
    clock.moveBy(1);
    expect(await process().wasAlive()).toBe(false);
  });

  test("turns to the better when a link is alive, whatever was answered before", async () => {
    const { clock, process } = service();
    const [first, second] = [process(), process()];
    expect(await first.sings(false)).toBe(false);
    clock.moveBy(1);

    await second.sawAlive();
    clock.moveBy(MINUTE_MS);

    expect(await first.sings(false)).toBe(true);
    expect(first.asked()).toBe(1);
  });

  test("is good when a link is alive elsewhere while it is asked", async () => {
    const { clock, process } = service();
    const [first, second] = [process(), process()];

    const isGood = await first.sings(async () => {
      clock.moveBy(1);
      await second.sawAlive();
      return false;
    });

    expect(isGood).toBe(true);
  });

  test("turns to the worse for all within a minute", async () => {
    const { clock, process } = service();
    const [first, second] = [process(), process()];
    await first.sings(true);
    clock.moveBy(1);

    for (const _ of "12345") await second.sings(false);
    expect(await first.sings(true)).toBe(true);
    clock.moveBy(MINUTE_MS);

    expect(second.asked()).toBe(1);
    expect(await first.sings(true)).toBe(false);
  });

  test("is written once a minute, however many links of it are alive", async () => {
    const { clock, process } = service();
    const busy = process();

    for (const _ of "123") await busy.sawAlive();
    expect(busy.written()).toBe(1);
    clock.moveBy(MINUTE_MS);
    await busy.sawAlive();
    expect(busy.written()).toBe(2);
  });

  test("is asked for while the database fails, and remembered here", async () => {
    const { process } = service();
    const cut = process(cutOff(server().deps.store));

    expect(await cut.wasAlive()).toBe(false);
    expect(await cut.sings(true)).toBe(true);
    expect(await cut.sings(false)).toBe(true);
    expect(cut.asked()).toBe(1);
  });
});

/** As far as canaries look at it. */
const targetNamed = (id: string): Target => {
  const ask = { url: "https://files.example.org/{id}", rules: [] };
  const kind = { kind: "file", path: "^/(?<id>\\w+)$", ask };
  const service = { id, name: id, hosts: ["files.example.org"], confidence: "M" as const };
  return { service: { ...service, kinds: [kind] }, kind, values: {} };
};

function startProcess(store: Store, clock: ReturnType<typeof movableClock>, target: Target) {
  const learning = createLearning(store);
  const canaries = createCanaries(clock, learning.canaries);
  let asked = 0;
  let writes = 0;

  /** As with the results of checks. */
  async function written() {
    const learned = learning.take();
    writes += learned.canaries.size;
    await store
      .transaction((tx) => writeLearned(tx, learned))
      .catch(() => learning.putBack(learned));
  }

  /** Whether a link that seems gone is believed to be, where a known-good one answers like this. */
  async function sings(answer: boolean | (() => Promise<boolean>)) {
    const ask = async () => {
      asked++;
      return typeof answer === "boolean" ? answer : answer();
    };
    const isGood = await canaries.isReliable(target, { isNews: true, ask });
    await written();
    return isGood;
  }

  return {
    sings,
    sawAlive: async () => {
      canaries.noteAlive(target);
      await written();
    },
    wasAlive: () => canaries.wasAlive(target),
    asked: () => asked,
    written: () => writes,
  };
}

function cutOff({ engine }: Store): Store {
  const fail = async () => {
    throw new Unavailable("cut off");
  };
  return createStore({ ...engine, run: fail, transaction: fail });
}
