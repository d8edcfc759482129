import { expect, test } from "bun:test";
import { daysUntil, namedDays, scaleOf, spansOf, stepFill, stepPath } from "./scale.ts";

test("the highest value fits a chart, with round steps below it", () => {
  expect(scaleOf([4, null, 29]).ticks).toEqual([0, 10, 20, 30]);
  expect(scaleOf([0, 1, 0]).ticks).toEqual([0, 1, 2, 3]);
  expect(scaleOf([1_284]).ticks).toEqual([0, 500, 1000]);
  for (const highest of [1, 7, 29, 99, 1_284, 1_000_000]) {
    expect(scaleOf([highest]).most).toBeGreaterThan(highest);
  }
});

test("days without a value leave a gap in a chart, which nothing crosses", () => {
  const values = [2, 3, null, 1];

  expect(spansOf(values)).toEqual([
    [0, 2],
    [3, 4],
  ]);
  expect(stepPath(values, 4)).toBe("M0 2L1 2L1 1L2 1M3 3L4 3");
  expect(stepFill(values, 4)).toBe("M0 4L0 2L1 2L1 1L2 1L2 4ZM3 4L3 3L4 3L4 4Z");
  expect(stepPath([null, null], 4)).toBe("");
});

test("a chart names Mondays in a month, and the first days of months beyond", () => {
  const month = daysUntil("2026-11-25", 30);
  const season = daysUntil("2026-11-19", 90);

  expect(month[0]).toBe("2026-10-27");
  expect(namedDays(month).map((i) => month[i])).toEqual([
    "2026-11-02",
    "2026-11-09",
    "2026-11-16",
    "2026-11-23",
  ]);
  expect(namedDays(season).map((i) => season[i])).toEqual([
    "2026-09-01",
    "2026-10-01",
    "2026-11-01",
  ]);
});
