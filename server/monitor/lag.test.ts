import { expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { createLag } from "../ground/lib/clock.ts";

const BEAT = 500;

/** An event loop that a test holds up as long as it likes. */
function playedLoop() {
  const clock = movableClock("2030-01-01T00:00:00Z");
  let beat = () => {};
  const lag = createLag(clock, (ms, call) => {
    expect(ms).toBe(BEAT);
    beat = call;
  });
  /** Runs undisturbed for as many beats. */
  function run(beats: number) {
    for (let n = 0; n < beats; n++) {
      clock.moveBy(BEAT);
      beat();
    }
  }
  /** Does nothing for so long; the beat comes when it is over. */
  function stall(ms: number) {
    clock.moveBy(BEAT + ms);
    beat();
  }
  return { ...lag, clock, run, stall };
}

test("a loop that keeps its time has no lag", () => {
  const { run, worstSince } = playedLoop();

  run(100);

  expect(worstSince(0)).toBe(0);
});

test("the worst lag since a moment is returned, and none from before it", () => {
  const { clock, run, stall, worstSince } = playedLoop();
  run(3);
  stall(6000);
  const between = clock.elapsed() + 1;
  run(3);
  stall(2500);
  run(3);

  expect(worstSince(0)).toBe(6000);
  expect(worstSince(between)).toBe(2500);
  expect(worstSince(clock.elapsed() - 2 * BEAT)).toBe(0);
});

test("a check that began while the loop stood still was held up too", () => {
  const { clock, run, stall, worstSince } = playedLoop();
  run(1);
  const before = clock.elapsed();
  stall(3000);

  expect(worstSince(before + 1000)).toBe(3000);
});

test("a lag counts before the beat that is late has come", () => {
  const { clock, run, worstSince } = playedLoop();
  run(1);

  clock.moveBy(BEAT + 4000);

  expect(worstSince(clock.elapsed())).toBe(4000);
});

test("less than a second does not count as lag once it is over", () => {
  const { stall, worstSince } = playedLoop();

  stall(900);

  expect(worstSince(0)).toBe(0);
});

test("the latest hundred lags are remembered", () => {
  const { stall, worstSince } = playedLoop();
  stall(9000);

  for (let n = 0; n < 100; n++) stall(1500);

  expect(worstSince(0)).toBe(1500);
});
