import { expect, test } from "bun:test";
import { describeStep } from "../../commands/migrate.ts";

const copying = { doing: "copying", table: "checks", of: 1_000_000 } as const;

test("the bar of a move tells how fast it is and how long it still takes", () => {
  const describe = describeStep(0);
  describe({ ...copying, done: 0 }, 0);

  expect(describe({ ...copying, done: 250_000 }, 10_000)).toEqual([
    0.25,
    "copying checks, 250,000 of 1,000,000 rows, 25,000 a second, 30 s left",
  ]);
});

test("what an earlier run has copied does not make this one look fast", () => {
  const describe = describeStep(0);
  describe({ ...copying, done: 900_000 }, 0);

  const [, words] = describe({ ...copying, done: 901_000 }, 10_000);

  expect(words).toEndWith(" 901,000 of 1,000,000 rows, 100 a second, 17 min left");
});

test("comparing has a rate of its own, and nothing is said of it at first", () => {
  const describe = describeStep(0);
  describe({ ...copying, done: 0 }, 0);
  const comparing = { doing: "comparing", table: "links", of: 2_000_000 } as const;

  expect(describe({ ...comparing, done: 0 }, 60_000)).toEqual([
    0,
    "comparing links, 0 of 2,000,000 rows",
  ]);
  expect(describe({ ...comparing, done: 500_000 }, 65_000)[1]).toEndWith(
    "100,000 a second, 15 s left",
  );
});

test("a database with nothing in it is done at once", () => {
  expect(describeStep(0)({ ...copying, of: 0, done: 0 }, 0)[0]).toBe(1);
});
