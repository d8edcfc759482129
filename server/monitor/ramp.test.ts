import { expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { createRamp } from "../judge/online/online.ts";

/** Takes on all that may be taken, once a second, and gives how many that were each time. */
function climb(backlog: number, seconds: number) {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const ramp = createRamp(clock);
  ramp.begin(backlog);
  const taken: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const most = ramp.allowance();
    taken.push(most);
    ramp.took(most);
    clock.moveBy(1000);
  }
  return taken;
}

test("what has gathered is worked off at 64 links a second", () => {
  expect(climb(200, 5)).toEqual([64, 64, 64, 64, Number.POSITIVE_INFINITY]);
});

test("a large backlog takes ten minutes", () => {
  const taken = climb(60_000, 601);

  expect(taken.slice(0, 600)).toEqual(Array(600).fill(100));
  expect(taken[600]).toBe(Number.POSITIVE_INFINITY);
});

test("nothing is held back when nothing has gathered, or nothing of it is left", () => {
  const ramp = createRamp(movableClock("2030-01-01T00:00:00Z"));
  expect(ramp.allowance()).toBe(Number.POSITIVE_INFINITY);

  ramp.begin(1000);
  expect(ramp.allowance()).toBe(64);
  ramp.end();

  expect(ramp.allowance()).toBe(Number.POSITIVE_INFINITY);
});

test("between two seconds there is a part of the second's share", () => {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const ramp = createRamp(clock);
  ramp.begin(1000);
  ramp.took(64);

  clock.moveBy(250);

  expect(ramp.allowance()).toBe(16);
});
