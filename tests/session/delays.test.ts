import { expect, test } from "bun:test";
import { AppError } from "../../server/lib/errors.ts";
import { createDelays, type Delays } from "../../server/session/delays.ts";
import { movableClock } from "../clock.ts";

/** Seconds to wait before an attempt, 0 when it may be made (and then it was). */
function attempt(delays: Delays, account = "a@example.org"): number {
  try {
    delays.begin(account);
    return 0;
  } catch (error) {
    return error instanceof AppError ? Number(error.headers["retry-after"]) : Number.NaN;
  }
}

test("each wrong password makes the next wait longer, up to a minute", () => {
  const clock = movableClock(0);
  const delays = createDelays(clock);

  const waits = Array.from({ length: 12 }, () => {
    const wait = attempt(delays);
    clock.moveBy(wait * 1000);
    return wait > 0 ? wait + attempt(delays) : 0;
  });

  expect(waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("a thousand guesses take more than 15 hours, and the owner then waits at most a minute", () => {
  const clock = movableClock(0);
  const delays = createDelays(clock);

  for (let guesses = 0; guesses < 1000; ) {
    const wait = attempt(delays);
    if (wait > 0) clock.moveBy(wait * 1000);
    else guesses++;
  }

  expect(clock.now() / 3_600_000).toBeGreaterThan(15);
  const wait = attempt(delays);
  expect(wait).toBeLessThanOrEqual(60);
  clock.moveBy(wait * 1000);
  expect(attempt(delays)).toBe(0);
});

test("guesses at the same moment do not slip by", () => {
  const delays = createDelays(movableClock(0));

  const waits = Array.from({ length: 100 }, () => attempt(delays));

  expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
});

test("the right password forgets the wrong ones, and another account knows nothing of them", () => {
  const delays = createDelays(movableClock(0));
  for (let i = 0; i < 3; i++) attempt(delays);

  expect(attempt(delays)).toBe(1);
  expect(attempt(delays, "b@example.org")).toBe(0);
  delays.succeed("a@example.org");
  expect(attempt(delays)).toBe(0);
});

test("an attempt that came to nothing is not counted", () => {
  const delays = createDelays(movableClock(0));

  for (let i = 0; i < 9; i++) {
    expect(attempt(delays)).toBe(0);
    delays.withdraw("a@example.org");
  }
});

test("after a quarter of an hour without a wrong password nothing is left of them", () => {
  const clock = movableClock(0);
  const delays = createDelays(clock);
  for (let i = 0; i < 3; i++) attempt(delays);

  clock.moveBy(15 * 60_000);

  expect([attempt(delays), attempt(delays), attempt(delays)]).toEqual([0, 0, 0]);
});
