import { describe, expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { START } from "../../tests/harness.ts";
import { inSteps } from "../ground/lib/steps.ts";

/** Work of so many rows, each of which takes so long; `asked` is how many each step was to do. */
function work(total: number, msOfRow: number) {
  const clock = movableClock(START);
  const asked: number[] = [];
  let left = total;
  const step = async (rows: number) => {
    asked.push(rows);
    const count = Math.min(rows, left);
    left -= count;
    clock.moveBy(count * msOfRow);
    return count;
  };
  return { clock, step, asked };
}

describe("Long work", () => {
  test("is done in larger steps while they are quick", async () => {
    const { clock, step, asked } = work(1000, 0);

    expect(await inSteps(clock, step)).toEqual({ rows: 1000, isDone: true });

    expect(asked).toEqual([100, 200, 400, 500]);
  });

  test("is done in smaller steps where each would keep others waiting", async () => {
    const { clock, step, asked } = work(200, 0.2);

    await inSteps(clock, step);

    // Forty rows take eight milliseconds.
    expect(asked).toEqual([100, 40, 40, 40]);
  });

  test("comes forward however slow the machine is", async () => {
    const { clock, step, asked } = work(140, 50);

    await inSteps(clock, step);

    expect(asked).toEqual([100, 25, 25]);
  });

  test("is left after so many rows, or at the signal, and tells that there is more", async () => {
    const quick = work(1000, 0);
    const never = work(1000, 0);

    expect(await inSteps(quick.clock, quick.step, { most: 250 })).toEqual({
      rows: 300,
      isDone: false,
    });
    expect(await inSteps(never.clock, never.step, { signal: AbortSignal.abort() })).toEqual({
      rows: 0,
      isDone: false,
    });
  });
});
