import type { ServerErrorReason, UnknownReason } from "../reasons/reasons.ts";

/** Until `until`, on the clock's `elapsed()`, a site wants to be left alone. */
type Hold = { since: number; until: number; reason: UnknownReason };

/** How much load a site accepts, as its responses show. */
export type SiteLoad = {
  /** Milliseconds between the starts of two requests, on top of the usual gap. */
  penaltyMs: number;
  /** Why there is a penalty. */
  trouble: UnknownReason;
  /** Answers 429 in a row. */
  refusals: number;
  /** May be over. */
  hold: Hold | null;
};

/** The parts of a response that show a site's load. */
export type Response = { status: number; headers: Headers };

/** Wall time, for what servers date, and `elapsed()`, for what is waited. */
type Moment = { now: number; elapsed: number };

export const NO_LOAD: SiteLoad = {
  penaltyMs: 0,
  trouble: "http_429",
  refusals: 0,
  hold: null,
};

const FIRST_REFUSAL_MS = 500;
const LONGEST_REFUSAL_MS = 30_000;
const ERROR_STEP_MS = 200;
const LONGEST_ERROR_MS = 10_000;
const REFUSALS_BORNE = 2;
/** For sites that refused more often than that. */
const COOL_DOWN_MS = 15 * 60_000;
/** No rate limit is waited for longer. */
const LONGEST_RENEWAL_MS = 15 * 60_000;

/** What a site's load is after one more of its responses. */
export function afterResponse(load: SiteLoad, response: Response, moment: Moment): SiteLoad {
  const next = backOff(load, response.status);
  const holdMs = Math.max(
    askedRestMs(response, moment.now),
    next.refusals > REFUSALS_BORNE ? COOL_DOWN_MS : 0,
    Math.min(readUsedUpLimit(response.headers, moment.now) ?? 0, LONGEST_RENEWAL_MS),
  );
  const until = moment.elapsed + holdMs;
  if (until <= Math.max(moment.elapsed, load.hold?.until ?? 0)) return next;
  const reason = response.status === 503 ? "maintenance" : "http_429";
  return { ...next, hold: { since: moment.elapsed, until, reason } };
}

/** Slower after each refusal and each error of the server, at full speed again after a success. */
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

/** RFC 6585 §6: 511 comes from the network between, so it is no trouble of the site. */
const isServerError = (status: number) => status >= 500 && status < 600 && status !== 511;

/** The number of a 5xx has three digits, the first of them a 5. */
const serverError = (status: number) => `http_${status}` as ServerErrorReason;

/** RFC 9110 §10.2.3. After a redirect it means something else. */
function askedRestMs({ status, headers }: Response, now: number): number {
  if (status !== 429 && status !== 503) return 0;
  return readRetryAfter(headers.get("retry-after"), now) ?? 0;
}

/** Above this a number of seconds is a moment of this century, and no length. */
const FIRST_EPOCH_S = 1_000_000_000;
/** Values above this are milliseconds. */
const FIRST_EPOCH_MS = 1_000_000_000_000;

/** The names under which what is left, and when there is more, come in two headers. */
const PREFIXES = ["ratelimit", "x-ratelimit", "x-rate-limit"];

/**
 * Milliseconds until a server's rate limit is renewed, when it says that nothing is left of it. Null
 * when something is left, nothing is said, or it cannot be read. `now` is wall time.
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
 * One header tells both: `limit=100, remaining=0, reset=50` (draft-ietf-httpapi-ratelimit-headers-07), or
 * a list of limits such as `"default";r=0;t=30` (drafts 08 and later).
 */
function readRateLimit(value: string, now: number): (number | null)[] {
  if (value === "") return [];
  const whole = resetOf(memberOf(value, "remaining"), memberOf(value, "reset"), now);
  const limits = value.split(",").map((limit) => {
    return resetOf(memberOf(limit, "r"), memberOf(limit, "t"), now);
  });
  return [whole, ...limits];
}

/** The value of `name=…` in a list or among parameters (RFC 9651). */
function memberOf(text: string, name: string): string | null {
  const member = text.split(/[,;]/).find((part) => part.trimStart().startsWith(`${name}=`));
  return member ? member.slice(member.indexOf("=") + 1) : null;
}

/** Durations and times differ in size: GitHub and GitLab send seconds since 1970. */
function resetOf(remaining: string | null, reset: string | null, now: number): number | null {
  if (readNumber(remaining) !== 0) return null;
  const at = readNumber(reset);
  if (at === null) return null;
  if (at >= FIRST_EPOCH_MS) return Math.max(0, at - now);
  return at >= FIRST_EPOCH_S ? Math.max(0, at * 1000 - now) : at * 1000;
}

/** Some servers count in fractions. */
function readNumber(text: string | null): number | null {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,15}(\.\d{1,9})?$/.test(trimmed) ? Number(trimmed) : null;
}

/** No wish for more is granted. */
export const LONGEST_MS = 24 * 3_600_000;

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 §10.2.3): seconds, a date, or what servers
 * also write, such as `3s`, `1m30s` and `1e9`. At most a day; null when it cannot be read.
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

/** Without letters it is no HTTP date, and `Date.parse` would make something of it. */
function readDate(text: string, now: number): number | null {
  const at = /[a-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}
