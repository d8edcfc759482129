import type { Clock } from "../../ground/lib/clock.ts";
import type { ServerErrorReason, UnknownReason } from "../reasons/reasons.ts";

/** No requests are sent to the site until then. Times are those of `elapsed()`. */
type Hold = { since: number; until: number; reason: UnknownReason };

/** How much load a site accepts, according to its responses. */
export type SiteLoad = {
  /** Milliseconds in addition to the usual gap. */
  penaltyMs: number;
  /** Reason of the penalty. */
  trouble: UnknownReason;
  /** Consecutive 429 responses. */
  refusals: number;
  /** May have ended. */
  hold: Hold | null;
};

export type Response = { status: number; headers: Headers };

/** Wall time, for dates of servers, and `elapsed()`, for waits. */
type Moment = { now: number; elapsed: number };

export const NO_LOAD: SiteLoad = {
  penaltyMs: 0,
  trouble: "http_429",
  refusals: 0,
  hold: null,
};

/** Writes a load for another process. Holds are in wall time, since `elapsed()` means nothing to another process. */
export const loadToJson = (clock: Clock, { hold, ...load }: SiteLoad): string =>
  JSON.stringify({
    ...load,
    hold: hold && { reason: hold.reason, until: hold.until - clock.elapsed() + clock.now() },
  });

/** Reads what `loadToJson` has written. */
export function loadFromJson(clock: Clock, json: string): SiteLoad {
  const { hold, ...load } = JSON.parse(json) as SiteLoad;
  const since = clock.elapsed();
  return { ...load, hold: hold && { ...hold, since, until: hold.until - clock.now() + since } };
}

const FIRST_REFUSAL_MS = 500;
const LONGEST_REFUSAL_MS = 30_000;
const ERROR_STEP_MS = 200;
const LONGEST_ERROR_MS = 10_000;
const REFUSALS_TOLERATED = 2;
/** After more refusals. */
const COOLDOWN_MS = 15 * 60_000;
/** Longest wait for a rate limit. */
const LONGEST_RENEWAL_MS = 15 * 60_000;

/** Returns the load of a site after a response. */
export function afterResponse(load: SiteLoad, response: Response, moment: Moment): SiteLoad {
  const next = backOff(load, response.status);
  const holdMs = Math.max(
    retryAfterMs(response, moment.now),
    next.refusals > REFUSALS_TOLERATED ? COOLDOWN_MS : 0,
    Math.min(readUsedUpLimit(response.headers, moment.now) ?? 0, LONGEST_RENEWAL_MS),
  );
  const until = moment.elapsed + holdMs;
  if (until <= Math.max(moment.elapsed, load.hold?.until ?? 0)) return next;
  const reason = response.status === 503 ? "maintenance" : "http_429";
  return { ...next, hold: { since: moment.elapsed, until, reason } };
}

/** Slows down after each refusal and server error, and returns to full speed after a success. */
function backOff(load: SiteLoad, status: number): SiteLoad {
  const { penaltyMs } = load;
  if (status === 429) {
    const longer = Math.min(Math.max(FIRST_REFUSAL_MS, penaltyMs * 2), LONGEST_REFUSAL_MS);
    return { ...load, penaltyMs: longer, trouble: "http_429", refusals: load.refusals + 1 };
  }
  if (status >= 200 && status < 300) return { ...load, penaltyMs: 0, refusals: 0 };
  if (!isServerError(status)) return { ...load, refusals: 0 };
  const longer = Math.max(penaltyMs, Math.min(penaltyMs + ERROR_STEP_MS, LONGEST_ERROR_MS));
  return { ...load, penaltyMs: longer, trouble: serverError(status), refusals: 0 };
}

/** RFC 6585 §6: 511 is from a captive portal, not from the site. */
const isServerError = (status: number) => status >= 500 && status < 600 && status !== 511;

/** Only called for 500 to 599. */
const serverError = (status: number) => `http_${status}` as ServerErrorReason;

/** RFC 9110 §10.2.3. With a redirect, the header has another meaning. */
function retryAfterMs({ status, headers }: Response, now: number): number {
  if (status !== 429 && status !== 503) return 0;
  return readRetryAfter(headers.get("retry-after"), now) ?? 0;
}

/** Larger values are times in seconds, not durations. */
const FIRST_EPOCH_S = 1_000_000_000;
/** Larger values are times in milliseconds. */
const FIRST_EPOCH_MS = 1_000_000_000_000;

/** Prefixes of the headers for the remaining requests and the reset. */
const PREFIXES = ["ratelimit", "x-ratelimit", "x-rate-limit"];

/**
 * Returns the milliseconds until an exhausted rate limit resets; null if requests remain, or the headers are missing or
 * invalid. `now` is wall time.
 */
export function readUsedUpLimit(headers: Headers, now: number): number | null {
  const pairs = PREFIXES.map((prefix) =>
    resetOf(headers.get(`${prefix}-remaining`), headers.get(`${prefix}-reset`), now),
  );
  const found = [...pairs, ...readRateLimit(headers.get("ratelimit") ?? "", now)];
  const longest = Math.max(0, ...found.filter((ms) => ms !== null));
  return longest > 0 ? longest : null;
}

/**
 * Reads one header with both: `limit=100, remaining=0, reset=50` (draft-ietf-httpapi-ratelimit-headers-07), or a list of
 * limits such as `"default";r=0;t=30` (draft 08 and later).
 */
function readRateLimit(value: string, now: number): (number | null)[] {
  if (value === "") return [];
  const whole = resetOf(memberOf(value, "remaining"), memberOf(value, "reset"), now);
  const limits = value
    .split(",")
    .map((limit) => resetOf(memberOf(limit, "r"), memberOf(limit, "t"), now));
  return [whole, ...limits];
}

/** Returns the value of `name=…` in a list or among parameters (RFC 9651). */
function memberOf(text: string, name: string): string | null {
  const member = text.split(/[,;]/).find((part) => part.trimStart().startsWith(`${name}=`));
  return member ? member.slice(member.indexOf("=") + 1) : null;
}

/** GitHub and GitLab send seconds since 1970, others durations. */
function resetOf(remaining: string | null, reset: string | null, now: number): number | null {
  if (readNumber(remaining) !== 0) return null;
  const at = readNumber(reset);
  if (at === null) return null;
  if (at >= FIRST_EPOCH_MS) return Math.max(0, at - now);
  return at >= FIRST_EPOCH_S ? Math.max(0, at * 1000 - now) : at * 1000;
}

/** Some servers send fractions. */
function readNumber(text: string | null): number | null {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,15}(\.\d{1,9})?$/.test(trimmed) ? Number(trimmed) : null;
}

/** Longest accepted `Retry-After`. */
export const LONGEST_MS = 24 * 3_600_000;

/**
 * Returns the milliseconds of a `Retry-After` header (RFC 9110 §10.2.3), at most a day: seconds, a date, or nonstandard
 * values such as `3s`, `1m30s` and `1e9`. Null if it is invalid.
 */
export function readRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim().toLowerCase() ?? "";
  const ms = readLength(text) ?? readDate(text, now);
  return ms === null ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}

function readLength(text: string): number | null {
  if (/^\d+(e\d+)?$/.test(text)) return Number(text) * 1000;
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return null;
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
}

/** HTTP dates contain letters; `Date.parse` would also accept numbers. */
function readDate(text: string, now: number): number | null {
  const at = /[a-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}
