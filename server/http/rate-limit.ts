import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { isUnavailable } from "../ground/db/store.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { AppError } from "../ground/lib/errors.ts";
import type { Deps } from "../work/deps.ts";

export const MINUTE = 60_000;
export const HOUR = 3_600_000;
const LENGTHS = { minute: MINUTE, hour: HOUR };
/** How many times a caller's list may have that are in no limited window any more. */
const MOST_PAST = 1000;
/** Callers kept in memory. The least recent are dropped first. */
const MOST_CALLERS = 20_000;

/** Requests allowed in any 60 s and in any hour; 0 = no limit. */
export type Quota = { perMinute: number; perHour: number };

/** One window after a request: `resetMs` is the time until `remaining` next increases. */
type WindowState = { limit: number; remaining: number; resetMs: number };

/** Both windows of a caller, and whether the request fits into them. */
export type Allowance = { allowed: boolean; minute: WindowState; hour: WindowState };

/** Takes one request of the caller's budget. */
export type RateLimiter = (caller: string) => Promise<Allowance>;

type Counting = Pick<Deps, "store" | "clock">;

/** One budget for each caller, in all processes together. @param name what is counted, since all counts share a table */
export function limiterFor(deps: Counting, name: string, quota: Quota): RateLimiter {
  let limiter: RateLimiter | undefined;
  return (caller) => {
    // Routes that are only described have no database.
    limiter ??= deps.store.engine.isShared
      ? createSharedRateLimiter(deps, name, quota)
      : createRateLimiter(quota, deps.clock);
    return limiter(caller);
  };
}

/**
 * Exact rolling windows in the memory of the only process: each caller has a list of the times of its counted requests,
 * which both windows read. Refused requests do not count, or a client that keeps trying would be refused
 * forever. Setting the clock back changes nothing.
 */
export function createRateLimiter(quota: Quota, clock: Pick<Clock, "elapsed">): RateLimiter {
  if (isUnlimited(quota)) return async () => UNLIMITED;
  const callers = new LRUCache<string, History>({ max: MOST_CALLERS });
  return async (caller) => {
    const elapsed = clock.elapsed();
    const history = callers.get(caller) ?? { times: [], minute: 0, hour: 0 };
    callers.set(caller, history);
    const minute = windowOf(history, "minute", elapsed, quota.perMinute);
    const hour = windowOf(history, "hour", elapsed, quota.perHour);
    const allowed = minute.remaining > 0 && hour.remaining > 0;
    if (allowed) add(history, elapsed, quota);
    return { allowed, minute: after(minute, allowed, MINUTE), hour: after(hour, allowed, HOUR) };
  };
}

/** The error for a request that exceeds a limit. */
export function rateLimited({ minute, hour }: Allowance): AppError {
  const exceeded = [minute, hour].filter(({ remaining }) => remaining === 0);
  const { limit, resetMs } = exceeded.reduce((a, b) => (b.resetMs > a.resetMs ? b : a));
  const retryAfter = Math.max(1, Math.ceil(resetMs / 1000));
  return new AppError(
    "RATE_LIMITED",
    `Too many requests. Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`,
    { retryAfter, limit, remaining: 0 },
    { "retry-after": String(retryAfter) },
  );
}

/** Returns what refuses requests beyond the quota, counted together behind both doors. */
export function refusalBeyond(quota: Quota, name: string) {
  const limiters = new WeakMap<Counting, RateLimiter>();
  /** @throws RATE_LIMITED */
  return async (deps: Counting, caller: string): Promise<void> => {
    const limiter = limiters.get(deps) ?? limiterFor(deps, name, quota);
    limiters.set(deps, limiter);
    const allowance = await limiter(caller);
    if (!allowance.allowed) throw rateLimited(allowance);
  };
}

/** Sets the `X-RateLimit-` headers and the structured ones of draft-ietf-httpapi-ratelimit-headers. */
export function addRateLimitHeaders(headers: Headers, { minute, hour }: Allowance, now: number) {
  const policies: string[] = [];
  const states: string[] = [];
  if (minute.limit > 0) {
    addWindow(headers, minute, "", now);
    policies.push(`"minute";q=${minute.limit};w=60`);
    states.push(`"minute";r=${minute.remaining};t=${seconds(minute.resetMs)}`);
  }
  if (hour.limit > 0) {
    addWindow(headers, hour, "-Hour", now);
    policies.push(`"hour";q=${hour.limit};w=3600`);
    states.push(`"hour";r=${hour.remaining};t=${seconds(hour.resetMs)}`);
  }
  if (policies.length === 0) return;
  headers.set("RateLimit-Policy", policies.join(", "));
  headers.set("RateLimit", states.join(", "));
}

/** The times of a caller's counted requests, in order, and the places of the first one in each window. */
type History = { times: number[]; minute: number; hour: number };

function windowOf(
  history: History,
  window: "minute" | "hour",
  elapsed: number,
  limit: number,
): WindowState {
  const { times } = history;
  const begin = elapsed - LENGTHS[window];
  while (history[window] < times.length && times[history[window]]! <= begin) history[window]++;
  const used = times.length - history[window];
  const resetMs = used > 0 ? times[history[window]]! - begin : 0;
  return { limit, remaining: limit > 0 ? limit - used : Number.POSITIVE_INFINITY, resetMs };
}

/** A counted request takes one; the window of the first one starts now. */
function after(window: WindowState, counted: boolean, length: number): WindowState {
  if (!counted) return window;
  return { ...window, remaining: window.remaining - 1, resetMs: window.resetMs || length };
}

/** Also drops times that are in no limited window any more, now and then. */
function add(history: History, elapsed: number, { perHour }: Quota) {
  const { times, minute, hour } = history;
  times.push(elapsed);
  const past = perHour > 0 ? hour : minute;
  if (past < MOST_PAST) return;
  times.splice(0, past);
  history.minute = minute - past;
  history.hour = Math.max(0, hour - past);
}

function addWindow(headers: Headers, window: WindowState, suffix: string, now: number) {
  headers.set(`X-RateLimit-Limit${suffix}`, String(window.limit));
  headers.set(`X-RateLimit-Remaining${suffix}`, String(window.remaining));
  headers.set(`X-RateLimit-Reset${suffix}`, String(seconds(now + window.resetMs)));
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

/**
 * The same rolling windows in the database, for all processes that use it. Requests that a caller sends while earlier
 * ones are being counted are then counted together, so that a caller uses at most one connection. While the database
 * cannot be written, each process counts separately, so that reads keep working.
 */
function createSharedRateLimiter(deps: Counting, name: string, quota: Quota): RateLimiter {
  if (isUnlimited(quota)) return async () => UNLIMITED;
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

/** Deletes callers without requests for an hour, where they are in the database. Run by housekeeping. */
export async function forgetSilentCallers({ store, clock }: Counting): Promise<void> {
  if (!store.engine.isShared) return;
  const areSilent = sql`last_at - ahead < ${clock.now() - HOUR}`;
  await store.transaction(async (tx) => {
    const silent = sql`(select caller from rate_callers where ${areSilent})`;
    await tx.run(sql`delete from rate_moments where caller in ${silent}`);
    await tx.run(sql`delete from rate_callers where ${areSilent}`);
  });
}

const NO_LIMIT: WindowState = { limit: 0, remaining: Number.POSITIVE_INFINITY, resetMs: 0 };
const UNLIMITED: Allowance = { allowed: true, minute: NO_LIMIT, hour: NO_LIMIT };

const isUnlimited = ({ perMinute, perHour }: Quota) => perMinute === 0 && perHour === 0;

type Waiting = { resolve(allowance: Allowance): void; reject(error: unknown): void };
type Queues = Map<string, Waiting[]>;
type Counted = { caller: string; quota: Quota };
type Used = { used: number; resetMs: number };
type Taken = { taken: number; minute: Used; hour: Used };

/** Counts until no request waits. Never throws: errors go to the waiting requests. */
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

/** The allowance of the request at `place` among those counted together, as if each was counted alone. */
function allowanceOf({ taken, minute, hour }: Taken, quota: Quota, place: number): Allowance {
  const counted = Math.min(place + 1, taken);
  return {
    allowed: place < taken,
    minute: sharedWindow(minute, quota.perMinute, counted, MINUTE),
    hour: sharedWindow(hour, quota.perHour, counted, HOUR),
  };
}

/** The limit may have been lowered since the requests were counted. */
function sharedWindow({ used, resetMs }: Used, limit: number, more: number, length: number) {
  const remaining = limit > 0 ? Math.max(0, limit - used - more) : Number.POSITIVE_INFINITY;
  return { limit, remaining, resetMs: used === 0 && more > 0 ? length : resetMs };
}
