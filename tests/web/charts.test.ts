import { expect, test } from "bun:test";
import { lonelyIn } from "../../web/src/components/chart-layers.ts";

test("a value between gaps, which no line reaches, is known to need a dot", () => {
  const tops = [5, null, 7, null, 3, 4, null, 9];

  expect(lonelyIn({ tops })).toEqual([0, 2, 7]);
});
