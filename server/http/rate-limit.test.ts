import { expect, test } from "bun:test";
import { movableClock } from "../../tests/clock.ts";
import { onBothEngines } from "../../tests/harness.ts";
import { type Allowance, limiterFor, type Quota } from "./rate-limit.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const QUOTA = { perMinute: 120, perHour: 3600 };

let limiters = 0;

onBothEngines("The rate limit", (server) => {
  /** Unused budgets, asked at moments since they began. */
  function limiterOf(quota: Quota) {
    const clock = movableClock(0);
    const take = limiterFor({ ...server().deps, clock }, `test ${++limiters}`, quota);
    return (at: number, who = "me"): Promise<Allowance> => {
      clock.moveBy(at - clock.now());
      return take(who);
    };
  }

  /** Asks so many times at one moment, and tells how many were allowed. */
  async function ask(limiter: ReturnType<typeof limiterOf>, times: number, at: number) {
    const all = await Promise.all(Array.from({ length: times }, () => limiter(at)));
    return all.filter(({ allowed }) => allowed).length;
  }

  test("lets 120 requests through in a minute, and the 121st not", async () => {
    const limiter = limiterOf(QUOTA);

    expect(await ask(limiter, 120, 0)).toBe(120);
    expect((await limiter(MINUTE - 1)).allowed).toBe(false);
  });

  test("rolls: each request leaves the window exactly a minute after it came", async () => {
    const limiter = limiterOf(QUOTA);
    await ask(limiter, 1, 0);
    await ask(limiter, 119, 30_000);

    expect(await ask(limiter, 5, MINUTE - 1)).toBe(0);
    expect(await ask(limiter, 5, MINUTE)).toBe(1);
    expect(await ask(limiter, 500, 90_000 - 1)).toBe(0);
    expect(await ask(limiter, 500, 90_000)).toBe(119);
  });

  test("does not count what it refused, or a hammering client would never get out", async () => {
    const limiter = limiterOf(QUOTA);
    await ask(limiter, 120, 0);

    for (let at = 0; at < MINUTE; at += 100) await limiter(at);

    expect(await ask(limiter, 120, MINUTE)).toBe(120);
  });

  test("lets 3600 requests through in an hour, and the 3601st not", async () => {
    const limiter = limiterOf(QUOTA);
    for (let minute = 0; minute < 30; minute++)
      expect(await ask(limiter, 120, minute * MINUTE)).toBe(120);

    const refused = await limiter(30 * MINUTE);

    expect(refused.allowed).toBe(false);
    expect(refused.minute).toMatchObject({ remaining: 120 });
    expect(refused.hour).toEqual({ limit: 3600, remaining: 0, resetMs: 30 * MINUTE });
    expect((await limiter(HOUR - 1)).allowed).toBe(false);
    expect(await ask(limiter, 121, HOUR)).toBe(120);
  });

  test("tells what is left and when it grows", async () => {
    const limiter = limiterOf({ perMinute: 3, perHour: 5 });

    expect((await limiter(1000)).minute).toEqual({ limit: 3, remaining: 2, resetMs: MINUTE });
    expect((await limiter(11_000)).minute).toEqual({ limit: 3, remaining: 1, resetMs: 50_000 });
    expect((await limiter(21_000)).hour).toEqual({
      limit: 5,
      remaining: 2,
      resetMs: HOUR - 20_000,
    });
    expect((await limiter(31_000)).minute).toEqual({ limit: 3, remaining: 0, resetMs: 30_000 });
  });

  test("gives simultaneous requests what it would give them one after the other", async () => {
    const limiter = limiterOf({ perMinute: 3, perHour: 5 });
    await limiter(0);

    const all = await Promise.all([1, 2, 3].map(() => limiter(1000)));

    const hour = { limit: 5, resetMs: HOUR - 1000 };
    const minute = { limit: 3, resetMs: MINUTE - 1000 };
    expect(all).toEqual([
      { allowed: true, minute: { ...minute, remaining: 1 }, hour: { ...hour, remaining: 3 } },
      { allowed: true, minute: { ...minute, remaining: 0 }, hour: { ...hour, remaining: 2 } },
      { allowed: false, minute: { ...minute, remaining: 0 }, hour: { ...hour, remaining: 2 } },
    ]);
  });

  test("is each caller's own", async () => {
    const limiter = limiterOf(QUOTA);
    await ask(limiter, 120, 0);

    expect((await limiter(0, "someone else")).allowed).toBe(true);
  });

  test("of 0 is none, by the minute or by the hour", async () => {
    const free = limiterOf({ perMinute: 0, perHour: 0 });
    const hourly = limiterOf({ perMinute: 0, perHour: 200 });
    const minutely = limiterOf({ perMinute: 120, perHour: 0 });

    expect(await ask(free, 5000, 0)).toBe(5000);
    expect(await ask(hourly, 300, 0)).toBe(200);
    for (let minute = 0; minute < 100; minute++)
      expect(await ask(minutely, 130, minute * MINUTE)).toBe(120);
  });

  test("counts as one who remembers every request would", async () => {
    const quota = { perMinute: 20, perHour: 100 };
    const limiter = limiterOf(quota);
    let counted: number[] = [];
    let at = 0;

    for (let i = 0; i < 3000; i++) {
      at += i % 7 === 0 ? (i * 7919) % 90_000 : (i * 31) % 1500;
      const within = (length: number) => counted.filter((moment) => moment > at - length).length;
      const allowed = within(MINUTE) < quota.perMinute && within(HOUR) < quota.perHour;
      expect((await limiter(at)).allowed).toBe(allowed);
      if (allowed) counted = [...counted.slice(-100), at];
    }
  });
});
