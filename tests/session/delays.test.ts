import { beforeEach, expect, test } from "bun:test";
import { AppError } from "../../server/lib/errors.ts";
import { createDelays, type Delays, forgetOldGuesses } from "../../server/session/delays.ts";
import { guesses } from "../../server/store/tables.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import { onBothEngines } from "../harness.ts";

const HOUR = 3_600_000;

/** Seconds to wait before an attempt, 0 when it may be made (and then it was). */
async function attempt(delays: Delays, account = "a@example.org"): Promise<number> {
  try {
    await delays.begin(account);
    return 0;
  } catch (error) {
    return error instanceof AppError ? Number(error.headers["retry-after"]) : Number.NaN;
  }
}

onBothEngines("Guessing", (server) => {
  let clock: MovableClock;
  let delays: Delays;
  beforeEach(async () => {
    clock = movableClock(100 * HOUR);
    delays = createDelays({ ...server().deps, clock });
    await server().deps.store.delete(guesses);
  });
  const attempts = async (times: number) => {
    const waits: number[] = [];
    for (let i = 0; i < times; i++) waits.push(await attempt(delays));
    return waits;
  };

  test("waits longer after each wrong password, up to a minute", async () => {
    const waits: number[] = [];

    for (let i = 0; i < 12; i++) {
      const wait = await attempt(delays);
      clock.moveBy(wait * 1000);
      waits.push(wait > 0 ? wait + (await attempt(delays)) : 0);
    }

    expect(waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("takes more than 15 hours for a thousand, and the owner then waits at most a minute", async () => {
    const began = clock.now();
    for (let made = 0; made < 1000; ) {
      const wait = await attempt(delays);
      if (wait > 0) clock.moveBy(wait * 1000);
      else made++;
    }

    expect((clock.now() - began) / HOUR).toBeGreaterThan(15);
    const wait = await attempt(delays);
    expect(wait).toBeLessThanOrEqual(60);
    clock.moveBy(wait * 1000);
    expect(await attempt(delays)).toBe(0);
  });

  test("at the same moment slips by nowhere, in whichever process", async () => {
    const others = createDelays({ ...server().deps, clock });

    const waits = await Promise.all(
      Array.from({ length: 100 }, (_, i) => attempt(i % 2 === 0 ? delays : others)),
    );

    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    expect(new Set(waits)).toEqual(new Set([0, 1]));
  });

  test("is forgotten with the right password, and another account knows nothing of it", async () => {
    await attempts(3);

    expect(await attempt(delays)).toBe(1);
    expect(await attempt(delays, "b@example.org")).toBe(0);
    await delays.succeed("a@example.org");
    expect(await attempt(delays)).toBe(0);
  });

  test("is not counted when it came to nothing", async () => {
    for (let i = 0; i < 9; i++) {
      await delays.withdraw(await delays.begin("a@example.org"));
    }

    expect(await attempts(4)).toEqual([0, 0, 0, 1]);
  });

  test("leaves nothing after a quarter of an hour without a wrong password", async () => {
    await attempts(3);

    clock.moveBy(15 * 60_000);

    expect(await attempts(4)).toEqual([0, 0, 0, 1]);
  });

  test("never waits longer than it would have when the clock is set back", async () => {
    await attempts(3);
    clock.moveBy(-HOUR);

    const wait = await attempt(delays);
    clock.moveBy(wait * 1000);

    expect(wait).toBe(1);
    expect(await attempt(delays)).toBe(0);
  });

  test("is kept without the names that were given, and forgotten by housekeeping", async () => {
    const { store } = server().deps;
    await attempts(2);
    const kept = JSON.stringify(await store.select().from(guesses));
    clock.moveBy(15 * 60_000);

    await store.write([forgetOldGuesses({ store, clock })]);

    expect(kept).not.toContain("a@example.org");
    expect(await store.select().from(guesses)).toEqual([]);
  });
});
