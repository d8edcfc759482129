import { beforeEach, expect } from "bun:test";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { onServer } from "../../tests/harness.ts";
import { guesses } from "../ground/db/tables.ts";
import { AppError } from "../ground/lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import {
  type Attempt,
  beginGuess,
  clearGuesses,
  codeAttempt,
  deleteOldGuesses,
  proofAttempt,
  signInAttempt,
  withdrawGuess,
} from "./guard.ts";

const HOUR = 3_600_000;
const EMAIL = "a@example.org";

const from = (...networks: string[]) => signInAttempt(EMAIL, { networks });
/** One of the many /64 networks of someone who holds a whole /48. */
const hopping = (n: number) =>
  from(`2001:db8:1:${n}::/64`, `2001:db8:1:${n >> 8}::/56`, "2001:db8:1::/48");

/** Seconds to wait before an attempt, 0 when it may be made (and then it was). */
async function attempt(deps: Deps, what = from("192.0.2.1")): Promise<number> {
  try {
    await beginGuess(deps, what);
    return 0;
  } catch (error) {
    return error instanceof AppError ? Number(error.headers["retry-after"]) : Number.NaN;
  }
}

onServer("Guessing", (server, { test, testOnBoth }) => {
  let clock: MovableClock;
  let deps: Deps;
  beforeEach(async () => {
    clock = movableClock(100 * HOUR);
    deps = { ...server().deps, clock };
    await server().deps.store.delete(guesses);
  });
  const attempts = async (times: number) => {
    const waits: number[] = [];
    for (let i = 0; i < times; i++) waits.push(await attempt(deps));
    return waits;
  };

  test("waits longer after each wrong password, up to a minute", async () => {
    const waits: number[] = [];

    for (let i = 0; i < 12; i++) {
      const wait = await attempt(deps);
      clock.moveBy(wait * 1000);
      waits.push(wait > 0 ? wait + (await attempt(deps)) : 0);
    }

    expect(waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("takes more than four hours for 300, and the owner then waits at most a minute", async () => {
    const hours = await hoursFor(300, () => from("192.0.2.1"));

    expect(hours).toBeGreaterThan(4.5);
    const wait = await attempt(deps);
    expect(wait).toBeLessThanOrEqual(60);
    clock.moveBy(wait * 1000);
    expect(await attempt(deps)).toBe(0);
  });

  testOnBoth("at the same moment slips by nowhere, in whichever process", async () => {
    const others = { ...server().deps, clock };

    const waits = await Promise.all(
      Array.from({ length: 100 }, (_, i) => attempt(i % 2 === 0 ? deps : others)),
    );

    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    expect(new Set(waits)).toEqual(new Set([0, 1]));
  });

  test("is forgotten with the right password, and another account knows nothing of it", async () => {
    await attempts(2);
    const right = await beginGuess(deps, from("192.0.2.1"));

    expect(await attempt(deps)).toBe(1);
    const other = signInAttempt("b@example.org", { networks: ["192.0.2.1"] });
    expect(await attempt(deps, other)).toBe(0);
    await clearGuesses(deps, right);
    expect(await attempts(4)).toEqual([0, 0, 0, 1]);
  });

  /** Hours that so many guesses take, one after another. */
  async function hoursFor(guesses: number, next: (n: number) => Attempt): Promise<number> {
    const began = clock.now();
    for (let made = 0; made < guesses; ) {
      const wait = await attempt(deps, next(made));
      if (wait > 0) clock.moveBy(wait * 1000);
      else made++;
    }
    return (clock.now() - began) / HOUR;
  }

  test("in one network locks no one out in another one", async () => {
    await hoursFor(200, () => from("198.51.100.7"));

    expect(await attempt(deps, from("198.51.100.7"))).toBeGreaterThan(0);
    expect(await attempt(deps, from("192.0.2.1"))).toBe(0);
  });

  test("is as slow for someone with 65,536 IPv6 networks, who locks no one out either", async () => {
    const hours = await hoursFor(300, (n) => hopping(n));

    expect(hours).toBeGreaterThan(4.5);
    expect(await attempt(deps, from("192.0.2.1"))).toBe(0);
  });

  test("from everywhere at once is slowed down as a whole, but not in a known browser", async () => {
    const waits: number[] = [];
    for (let n = 0; n < 120; n++) waits.push(await attempt(deps, from(`198.51.100.${n}`)));
    const known = signInAttempt(EMAIL, { networks: ["192.0.2.1"], device: "known" });

    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
    expect(await attempt(deps, from("192.0.2.1"))).toBe(1);
    expect(await attempt(deps, known)).toBe(0);
  });

  test("with a stolen device cookie is as slow, and does not shut out its owner", async () => {
    const stolen = () => signInAttempt(EMAIL, { networks: ["198.51.100.7"], device: "stolen" });
    const hours = await hoursFor(300, stolen);

    expect(hours).toBeGreaterThan(4.5);
    const owner = signInAttempt(EMAIL, { networks: ["192.0.2.1"], device: "stolen" });
    expect(await attempt(deps, owner)).toBe(0);
  });

  test("a code by those who know the password is slow from everywhere together", async () => {
    const waits: number[] = [];
    for (let n = 0; n < 5; n++) {
      waits.push(await attempt(deps, codeAttempt(EMAIL, { networks: [`198.51.100.${n}`] })));
    }

    expect(waits).toEqual([0, 0, 0, 1, 1]);
  });

  test("by strangers leaves those alone who are signed in, and so do their other sessions", async () => {
    for (let n = 0; n < 120; n++) await attempt(deps, from(`198.51.100.${n}`));
    const [here, there] = [proofAttempt({ tokenHash: "one" }), proofAttempt({ tokenHash: "two" })];
    const waits: number[] = [];

    for (let i = 0; i < 4; i++) waits.push(await attempt(deps, here));

    expect(waits).toEqual([0, 0, 0, 1]);
    expect(await attempt(deps, there)).toBe(0);
  });

  test("is not counted when it came to nothing", async () => {
    for (let i = 0; i < 9; i++) {
      await withdrawGuess(deps, await beginGuess(deps, from("192.0.2.1")));
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

    const wait = await attempt(deps);
    clock.moveBy(wait * 1000);

    expect(wait).toBe(1);
    expect(await attempt(deps)).toBe(0);
  });

  test("is kept without the names that were given, and forgotten by housekeeping", async () => {
    const { store } = server().deps;
    await attempts(2);
    const kept = JSON.stringify(await store.select().from(guesses));
    clock.moveBy(15 * 60_000);

    await store.write([deleteOldGuesses({ store, clock })]);

    expect(kept).not.toContain(EMAIL);
    expect(await store.select().from(guesses)).toEqual([]);
  });
});
