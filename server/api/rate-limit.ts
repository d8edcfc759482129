import { LRUCache } from "lru-cache";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";

export const MINUTE = 60_000;
export const HOUR = 3_600_000;
/** Callers remembered at once. The least recent are forgotten first; an hour of silence forgets anyone. */
const MOST_CALLERS = 20_000;

/** Requests allowed in any 60 s and in any hour; 0 is no limit. */
export type Quota = { perMinute: number; perHour: number };

/** How one window stands after a request: `resetMs` is when `remaining` next grows, from now. */
export type WindowState = { limit: number; remaining: number; resetMs: number };

/** How both windows of a caller stand, and whether the request fits into them. */
export type Allowance = { allowed: boolean; minute: WindowState; hour: WindowState };

/** Takes one request of the caller's budget. */
export type RateLimiter = (caller: string) => Promise<Allowance>;

/**
 * Exact rolling windows in the memory of the only process: each caller has one ring of the moments of its last
 * counted requests, read by both windows. A refused request is not counted, or a hammering client would never
 * get out. A clock that is set back changes nothing.
 */
export function createRateLimiter(quota: Quota, clock: Pick<Clock, "elapsed">): RateLimiter {
  const rings = new LRUCache<string, Ring>({ max: MOST_CALLERS });
  const size = Math.max(quota.perMinute, quota.perHour);
  return async (caller) => {
    const elapsed = clock.elapsed();
    const ring = rings.get(caller) ?? newRing();
    rings.set(caller, ring);
    const minute = windowOf(ring, "minuteTail", elapsed, MINUTE, quota.perMinute);
    const hour = windowOf(ring, "hourTail", elapsed, HOUR, quota.perHour);
    const allowed = minute.remaining > 0 && hour.remaining > 0;
    if (allowed && size > 0) push(ring, elapsed, size);
    return { allowed, minute: after(minute, allowed, MINUTE), hour: after(hour, allowed, HOUR) };
  };
}

/** The refusal of a request that is over a limit. */
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

/** The contract's `X-` headers and the draft's structured ones (draft-ietf-httpapi-ratelimit-headers). */
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

/** Moments in the order of arrival; `start` and the tails count requests since the beginning. */
type Ring = { moments: Float64Array; head: number; minuteTail: number; hourTail: number };

const newRing = (): Ring => ({
  moments: new Float64Array(16),
  head: 0,
  minuteTail: 0,
  hourTail: 0,
});

function windowOf(
  ring: Ring,
  tail: "minuteTail" | "hourTail",
  elapsed: number,
  length: number,
  limit: number,
): WindowState {
  while (ring[tail] < ring.head && at(ring, ring[tail]) <= elapsed - length) ring[tail]++;
  const used = ring.head - ring[tail];
  const resetMs = used > 0 ? at(ring, ring[tail]) + length - elapsed : 0;
  return { limit, remaining: limit > 0 ? limit - used : Number.POSITIVE_INFINITY, resetMs };
}

/** A counted request takes one, and the window of the first one runs from now. */
function after(window: WindowState, counted: boolean, length: number): WindowState {
  if (!counted) return window;
  return { ...window, remaining: window.remaining - 1, resetMs: window.resetMs || length };
}

const at = (ring: Ring, n: number) => ring.moments[n % ring.moments.length]!;

function push(ring: Ring, elapsed: number, size: number) {
  if (ring.head - ring.hourTail === ring.moments.length && ring.moments.length < size)
    grow(ring, size);
  ring.moments[ring.head % ring.moments.length] = elapsed;
  ring.head++;
}

/** Rings start small, since most callers ask little; their numbering starts anew when they grow. */
function grow(ring: Ring, size: number) {
  const moments = new Float64Array(Math.min(size, ring.moments.length * 4));
  const kept = ring.head - ring.hourTail;
  for (let i = 0; i < kept; i++) moments[i] = at(ring, ring.hourTail + i);
  ring.minuteTail -= ring.hourTail;
  ring.hourTail = 0;
  ring.head = kept;
  ring.moments = moments;
}

function addWindow(headers: Headers, window: WindowState, suffix: string, now: number) {
  headers.set(`X-RateLimit-Limit${suffix}`, String(window.limit));
  headers.set(`X-RateLimit-Remaining${suffix}`, String(window.remaining));
  headers.set(`X-RateLimit-Reset${suffix}`, String(seconds(now + window.resetMs)));
}

const seconds = (ms: number) => Math.ceil(ms / 1000);
