import { expect, onTestFinished, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { START } from "../../tests/harness.ts";
import { logLines } from "../../tests/log.ts";
import { compareClock, log } from "../ground/lib/log.ts";
import { followDatabase } from "./membership.ts";

const AHEAD_MS = 5 * 60_000;

/** Time where the database is, and a machine next to it whose clock is wrong. */
async function play() {
  const there = movableClock(START);
  let aheadMs = AHEAD_MS;
  const own = { ...there, now: () => there.now() + aheadMs };
  let tripMs = 0;
  const engine = {
    async now() {
      there.moveBy(tripMs / 2);
      const time = there.now();
      there.moveBy(tripMs / 2);
      return time;
    },
  };
  const clock = await followDatabase(engine, own);
  return {
    there,
    clock,
    setOwn: (ms: number) => {
      aheadMs = ms;
    },
    setTrip: (ms: number) => {
      tripMs = ms;
    },
  };
}

test("A machine that is five minutes ahead uses the time of the database", async () => {
  const { there, clock } = await play();
  there.moveBy(1234);

  expect(clock.now()).toBe(there.now());
  expect(clock.source?.ownAheadMs()).toBe(AHEAD_MS);
});

test("Setting a machine's clock moves nothing", async () => {
  const { there, clock, setOwn } = await play();
  setOwn(-AHEAD_MS);

  expect(clock.now()).toBe(there.now());
  await clock.source?.look();
  expect(clock.now()).toBe(there.now());
});

test("What the network may have done moves no clock, and never back", async () => {
  const { clock, setTrip, there } = await play();
  for (const ms of [0, 400, 20, 3000, 0]) {
    setTrip(ms);
    const before = clock.now();
    await clock.source?.look();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
  }

  expect(clock.now()).toBe(there.now());
});

test("A database that moved to a machine with another clock is followed", async () => {
  const there = movableClock(START);
  let movedMs = 0;
  const clock = await followDatabase({ now: async () => there.now() + movedMs }, there);
  movedMs = 2000;
  await clock.source?.look();

  expect(clock.now()).toBe(there.now() + 2000);
});

test("Lines of the log say by how much the machine's clock is ahead, while it is", async () => {
  const { clock, setOwn } = await play();
  const lines = await logLines("info", "json");
  const logged = () => {
    log.info("beat");
    return JSON.parse(lines.at(-1)!).clockAheadMs;
  };
  expect(logged()).toBeUndefined();
  compareClock(clock.source!.ownAheadMs);
  onTestFinished(() => compareClock(() => 0));

  expect(logged()).toBe(AHEAD_MS);
  setOwn(-1500);
  expect(logged()).toBe(-1500);
  setOwn(99);
  expect(logged()).toBeUndefined();
});
