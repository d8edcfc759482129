import { expect, test } from "bun:test";
import { movableClock } from "../../../tests/clock.ts";
import { cached } from "../../ground/db/cached.ts";
import type { Store } from "../../ground/db/store.ts";

/** Counts how often it was asked; each time it takes so long. */
function counting(takesMs: number) {
  const clock = movableClock("2030-01-01T00:00:00.000Z");
  const deps = { store: {} as Store, clock };
  let asked = 0;
  const make = async () => {
    clock.moveBy(takesMs);
    return ++asked;
  };
  return { deps, clock, ask: (key = "a") => cached(deps, key, make) };
}

test("A quick result is not cached", async () => {
  const { ask } = counting(20);

  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test("A slow result is cached for twenty times its duration", async () => {
  const { ask, clock } = counting(100);

  expect([await ask(), await ask(), await ask("b")]).toEqual([1, 1, 2]);
  clock.moveBy(1999);
  expect(await ask("b")).toBe(2);
  clock.moveBy(1);
  expect(await ask("b")).toBe(3);
});

test("A very slow result is given for ten seconds after its reading began", async () => {
  const { ask, clock } = counting(3_000);

  expect([await ask(), await ask()]).toEqual([1, 1]);
  clock.moveBy(6_999);
  expect(await ask()).toBe(1);
  clock.moveBy(1);
  expect(await ask()).toBe(2);
});

test("Simultaneous calls share one reading", async () => {
  const { ask } = counting(0);

  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
});

test("A query runs once, although it runs whenever it is awaited", async () => {
  const { deps } = counting(0);
  let runs = 0;
  // biome-ignore lint/suspicious/noThenProperty: a query of the database is such an object
  const query = { then: (resolve: (value: number) => void) => resolve(++runs) };
  const ask = () => cached(deps, "a", () => query as PromiseLike<number>);

  await Promise.all([ask(), ask()]);

  expect(runs).toBe(1);
});

test("A failure is not cached", async () => {
  const clock = movableClock("2030-01-01T00:00:00.000Z");
  const deps = { store: {} as Store, clock };
  const fail = async (): Promise<number> => {
    clock.moveBy(1000);
    throw new Error("the database is gone");
  };

  await expect(cached(deps, "a", fail)).rejects.toThrow("the database is gone");
  expect(await cached(deps, "a", async () => 1)).toBe(1);
});
