import { sql } from "drizzle-orm";
import { isUnavailable, type Statement } from "../db/store.ts";
import type { Deps } from "../work/deps.ts";
import {
  type Allowance,
  createRateLimiter,
  HOUR,
  MINUTE,
  type Quota,
  type RateLimiter,
  type WindowState,
} from "./rate-limit.ts";

type Counting = Pick<Deps, "store" | "clock">;

/**
 * The same rolling windows, kept in the database for all processes that serve it. What one caller asks while
 * their requests are being counted is counted together afterwards, so that nobody holds more than one connection.
 * While the database cannot be written, this process counts alone: whatever can still be read is answered.
 */
export function createSharedRateLimiter(deps: Counting, name: string, quota: Quota): RateLimiter {
  if (quota.perMinute === 0 && quota.perHour === 0) return async () => UNLIMITED;
  const queues: Queues = new Map();
  const alone = createRateLimiter(quota, deps.clock);
  return (who) =>
    new Promise((resolve, reject) => {
      const caller = `${name} ${who}`;
      const queue = queues.get(caller);
      if (queue) {
        queue.push({ resolve, reject });
        return;
      }
      queues.set(caller, [{ resolve, reject }]);
      void countAll(deps, { caller, quota, queues, alone });
    });
}

/** Callers who have been silent for an hour, to be run by housekeeping. Nothing where they are in memory. */
export function forgetSilentCallers({ store, clock }: Counting): Statement[] {
  if (!store.engine.isShared) return [];
  const areSilent = sql`last_at - ahead < ${clock.now() - HOUR}`;
  return [
    store.run(
      sql`delete from rate_moments where caller in (select caller from rate_callers where ${areSilent})`,
    ),
    store.run(sql`delete from rate_callers where ${areSilent}`),
  ];
}

const NO_LIMIT: WindowState = { limit: 0, remaining: Number.POSITIVE_INFINITY, resetMs: 0 };
const UNLIMITED: Allowance = { allowed: true, minute: NO_LIMIT, hour: NO_LIMIT };

type Waiting = { resolve(allowance: Allowance): void; reject(error: unknown): void };
type Queues = Map<string, Waiting[]>;
type Counted = { caller: string; quota: Quota };
type Used = { used: number; resetMs: number };
type Taken = { taken: number; minute: Used; hour: Used };

/** Until nobody waits any more. Never fails: whoever waits is told. */
async function countAll(
  deps: Counting,
  { queues, alone, ...counted }: Counted & { queues: Queues; alone: RateLimiter },
) {
  for (;;) {
    const together = queues.get(counted.caller)!.splice(0);
    if (together.length === 0) break;
    try {
      const taken = await takeRequests(deps, counted, together.length);
      for (const [i, { resolve }] of together.entries()) {
        resolve(allowanceOf(taken, counted.quota, i));
      }
    } catch (error) {
      for (const { resolve, reject } of together) {
        if (isUnavailable(error)) resolve(await alone(counted.caller));
        else reject(error);
      }
    }
  }
  queues.delete(counted.caller);
}

const TAKE =
  "select taken, minute_used, minute_reset, hour_used, hour_reset from take_requests(?, ?, ?, ?, ?)";

async function takeRequests(
  { store, clock }: Counting,
  { caller, quota: { perMinute, perHour } }: Counted,
  wanted: number,
): Promise<Taken> {
  const params = [caller, Math.floor(clock.now()), wanted, perMinute, perHour];
  const [row] = await store.engine.run({ sql: TAKE, params });
  const [taken, minuteUsed, minuteReset, hourUsed, hourReset] = row!.map(Number);
  return {
    taken: taken!,
    minute: { used: minuteUsed!, resetMs: minuteReset! },
    hour: { used: hourUsed!, resetMs: hourReset! },
  };
}

/** What the one at `place` of those who asked together is told, as if each had asked alone. */
function allowanceOf({ taken, minute, hour }: Taken, quota: Quota, place: number): Allowance {
  const counted = Math.min(place + 1, taken);
  return {
    allowed: place < taken,
    minute: windowOf(minute, quota.perMinute, counted, MINUTE),
    hour: windowOf(hour, quota.perHour, counted, HOUR),
  };
}

/** The limit may have been lowered since the requests were counted. */
function windowOf({ used, resetMs }: Used, limit: number, more: number, length: number) {
  const remaining = limit > 0 ? Math.max(0, limit - used - more) : Number.POSITIVE_INFINITY;
  return { limit, remaining, resetMs: used === 0 && more > 0 ? length : resetMs };
}
